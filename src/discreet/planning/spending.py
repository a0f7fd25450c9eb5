"""What every draw of a question is run at: its statistics, and a count of rows where one is bought.

Of a given ε one part in twenty is for the count, to the billionth what it costs, and the others
share the rest evenly. Where a distance is given, each statistic has its least ε, and the count is
one part in twenty of all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from discreet.exact import Epsilon
from discreet.planning.row_counts import ONE_IN, RowCount, counted_by
from discreet.planning.sharing import Sharing, spread
from discreet.planning.subjects.subject import Subject
from discreet.questions import Question
from discreet.tables import Dataset


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What each statistic's mechanism is run at, who counts its rows, and the counts bought."""

    at: tuple[Epsilon | None, ...]
    """None for what public facts answer."""
    rows_by: tuple[int | None, ...]
    row_counts: tuple[RowCount, ...]


@dataclass(frozen=True, kw_only=True)
class Spender:
    """A question's statistics, what each costs by groups, and how rows are counted for them."""

    question: Question
    dataset: Dataset
    subjects: Sequence[Subject]
    sharings: Sequence[Sharing]
    groups: int

    def all_of(self, epsilon: Epsilon) -> Spending:
        """All of ε, and no billionth more."""
        paying = [subject.size > 1 for subject in self.subjects]
        rows_by, counts = self._counts(paying, lambda: epsilon.billionths // ONE_IN)
        left = epsilon.billionths - sum(count.cost.total for count in counts)
        at = spread(left, self.sharings, paying)
        return Spending(at=tuple(at), rows_by=rows_by, row_counts=counts)

    def besides(self, at: Sequence[Epsilon | None]) -> Spending:
        """What the statistics need, and a count of rows with it."""
        parts = zip(self.sharings, at, strict=True)
        spent = sum(sharing.cost(each).total for sharing, each in parts if each is not None)
        paying = [each is not None for each in at]
        rows_by, counts = self._counts(paying, lambda: spent // (ONE_IN - 1))
        return Spending(at=tuple(at), rows_by=rows_by, row_counts=counts)

    def _counts(
        self, paying: Sequence[bool], billionths: Callable[[], int]
    ) -> tuple[tuple[int | None, ...], tuple[RowCount, ...]]:
        rows_by, bought = counted_by(self.subjects, paying, self.groups)
        counts = tuple(
            RowCount.of(part, billionths() // len(bought), self.question, self.dataset, self.groups)
            for part in bought
        )
        return tuple(rows_by), counts
