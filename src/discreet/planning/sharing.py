"""How ε is shared over groups and statistics, and what that costs (docs/proofs/groups.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from discreet.budget import Cost, Disjoint, Single
from discreet.errors import EpsilonError
from discreet.exact import Epsilon
from discreet.model import Relation
from discreet.planning.subjects.subject import Subject
from discreet.questions import EVERY_ROW, Question, rows_taken
from discreet.statistics import Placed
from discreet.tables import Dataset


@dataclass(frozen=True)
class Sharing:
    """What one statistic's mechanism, run once for every group, costs per ε it is run at.

    `times` is how often a person's rows count in one group, `touched` how many groups count.
    """

    groups: int
    touched: int
    times: int

    @classmethod
    def of(cls, subject: Subject, dataset: Dataset, groups: int) -> "Sharing":
        """The tightest rule that applies.

        Placed statistics are private whatever happens inside a group, so that only the number of
        groups a person can touch counts. The others are private row by row: c rows cost c times,
        and a change is a row that leaves and a row that enters.
        """
        if groups < 2:
            return ONE_GROUP
        rows, ways = dataset.unit.most_rows, 2 if dataset.relation == Relation.CHANGE else 1
        if isinstance(subject.form, Placed):
            return cls(groups, min(groups, rows * ways), 1)
        return cls(groups, ways, rows)

    @property
    def factor(self) -> int:
        """How many times ε the whole costs."""
        return self.touched * self.times

    def epsilon_for(self, billionths: int) -> Epsilon:
        """What the mechanism may be run at for this cost."""
        each = billionths // self.factor
        if each < 1:
            raise EpsilonError(
                f"{billionths} billionths of ε are too few for {self.groups} groups; spend more"
            )
        return Epsilon(each)

    def cost(self, epsilon: Epsilon) -> Cost:
        """What it costs to run the mechanism at ε in every group."""
        single = Single(epsilon.billionths * self.times)
        if self.groups < 2:
            return single
        return Disjoint((single,) * self.groups, self.touched)


ONE_GROUP = Sharing(1, 1, 1)
"""All rows together."""


def cells_of(subject: Subject, question: Question, dataset: Dataset, groups: int) -> int | None:
    """Into how many cells all rows fall, if one that changes leaves one and enters another.

    The groups are all of them where every row is in one and the size is public; otherwise there is
    one more, for the rest (docs/proofs/cells.md).
    """
    if groups < 2 or dataset.relation != Relation.CHANGE:
        return None
    taken = rows_taken(subject.item, question, dataset)
    whole = taken == EVERY_ROW and subject.item.condition == EVERY_ROW
    return groups if whole and dataset.size_is_public else groups + 1


def spread(
    billionths: int, sharings: Sequence[Sharing], paying: Sequence[bool]
) -> list[Epsilon | None]:
    """What each statistic's mechanism may be run at: even shares for those that pay, none left."""
    whole, rest = divmod(billionths, max(1, sum(paying)))
    before = accumulate(paying[:-1], initial=0)
    return [
        sharing.epsilon_for(whole + (place < rest)) if pays else None
        for sharing, pays, place in zip(sharings, paying, before, strict=True)
    ]
