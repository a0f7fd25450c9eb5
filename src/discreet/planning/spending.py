"""What every draw of a question is run at: its statistics, and a count of rows where one is bought.

Of a given ε one part in twenty is for the count, or more where that is too little for groups as
large as if rows were spread evenly; the others share the rest evenly, or by their importance. Where
a distance is given, each statistic has its least ε, and the count has as much of all.

How shares follow importance: docs/proofs/sharing.md. The noise of a statistic that one person moves
by c steps errs 1/sinh(ε/c) steps; of others all that is known is that errors shrink like 1/ε.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.exact import Epsilon
from discreet.planning.row_counts import ONE_IN, RowCount, Serves, counts_rows, serves
from discreet.planning.subjects.subject import Sharing, Subject
from discreet.questions import EVERY_ROW, Question
from discreet.statistics import Added, FromSums, Placed, Ratio
from discreet.tables import Dataset

_HALVINGS = 100
_BILLION = 1e9


@dataclass(frozen=True)
class Weighed:
    """A statistic's error, as a function of its share of ε, times what it counts for."""

    weight: float
    steps: float | None
    """How far one person moves the answer; None where all that is known is that errors are like
    1/ε."""

    def error(self, billionths: float) -> float:
        """The weighted error."""
        epsilon = billionths / _BILLION
        if self.steps is None:
            return self.weight / epsilon
        x = epsilon / self.steps
        return self.weight * -2 * math.exp(-x) / math.expm1(-2 * x)

    def gain(self, billionths: float) -> float:
        """How fast it falls: −error′, by ε."""
        epsilon = billionths / _BILLION
        if self.steps is None:
            return self.weight / epsilon**2
        x = epsilon / self.steps
        cosh_by_sinh_squared = 2 * (math.exp(-x) + math.exp(-3 * x)) / math.expm1(-2 * x) ** 2
        return self.weight / self.steps * cosh_by_sinh_squared

    def share(self, gain: float, most: int) -> float:
        """From how many billionths on it falls no faster than this."""
        low, high = math.log(0.5), math.log(most)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.gain(math.exp(middle)) > gain else (low, middle)
        return math.exp(high)


def shares_of(billionths: int, statistics: Sequence[Weighed]) -> list[int]:
    """The whole shares with the least sum of weighted errors; no billionth is left.

    The sum is convex: it is least where no single billionth is better spent elsewhere.

    >>> shares_of(1_000_000_000, (Weighed(4, None), Weighed(1, None)))
    [666666667, 333333333]
    """
    if len(set(statistics)) <= 1 or billionths < len(statistics):
        whole, rest = divmod(billionths, max(1, len(statistics)))
        return [whole + (place < rest) for place in range(len(statistics))]
    shares = _nearly(billionths, statistics)
    while True:
        gains = [one.gain(share + 0.5) for one, share in zip(statistics, shares, strict=True)]
        losses = [
            one.gain(share - 0.5) if share > 1 else math.inf
            for one, share in zip(statistics, shares, strict=True)
        ]
        to, of = gains.index(max(gains)), losses.index(min(losses))
        if gains[to] <= losses[of]:
            return shares
        shares[to] += 1
        shares[of] -= 1


def _nearly(billionths: int, statistics: Sequence[Weighed]) -> list[int]:
    """Whole shares near those at which all errors fall as fast: what is left over goes round."""
    low = min(math.log(max(one.gain(billionths), 1e-300)) for one in statistics)
    high = max(math.log(one.gain(0.5)) for one in statistics)
    for _ in range(_HALVINGS):
        level = (low + high) / 2
        spent = sum(one.share(math.exp(level), billionths) for one in statistics)
        low, high = (level, high) if spent > billionths else (low, level)
    shares = [max(1, int(one.share(math.exp(high), billionths))) for one in statistics]
    place = 0
    while sum(shares) != billionths:
        step = 1 if sum(shares) < billionths else -1
        if shares[place] + step >= 1:
            shares[place] += step
        place = (place + 1) % len(shares)
    return shares


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What each statistic's mechanism is run at, who counts its rows, and the counts bought."""

    at: tuple[Epsilon | None, ...]
    """None for what public facts answer."""
    rows_by: tuple[int | None, ...]
    row_counts: tuple[RowCount, ...]
    shares: tuple[int | None, ...]
    """What each may cost in all groups, in billionths: ε in each is rounded down."""


@dataclass(frozen=True, kw_only=True)
class Spender:
    """A question's statistics, what each costs by groups, and how rows are counted for them."""

    question: Question
    dataset: Dataset
    subjects: Sequence[Subject]
    sharings: Sequence[Sharing]
    groups: int
    importance: Sequence[Fraction] | None = None
    """What the error of each statistic counts for; None where all are as important."""

    def all_of(self, epsilon: Epsilon) -> Spending:
        """All of ε, and no billionth more."""
        paying = [subject.size > 1 for subject in self.subjects]
        rows_by, counts = self._counts(paying, lambda one_in: epsilon.billionths // one_in)
        left = epsilon.billionths - sum(count.cost.total for count in counts)
        shares = self._shares(left, paying)
        at = (
            None if share is None else sharing.epsilon_for(share)
            for sharing, share in zip(self.sharings, shares, strict=True)
        )
        return Spending(at=tuple(at), rows_by=rows_by, row_counts=counts, shares=shares)

    def _shares(self, billionths: int, paying: Sequence[bool]) -> tuple[int | None, ...]:
        """What each may cost, for those that pay; none is left.

        Even shares are multiples of what one billionth in every group costs: of an odd one for two
        groups a billionth would be lost.
        """
        places = [place for place, pays in enumerate(paying) if pays]
        weighed = [self._weighed(place, billionths) for place in places]
        unit = 1
        if self.importance is None:
            unit = max((self.sharings[place].factor for place in places), default=1)
        shares = [unit * share for share in shares_of(billionths // unit, weighed)]
        by_place = dict(zip(places, shares, strict=True))
        if places:
            by_place[places[0]] += billionths % unit
        return tuple(by_place.get(place) for place in range(len(self.subjects)))

    def _weighed(self, place: int, billionths: int) -> Weighed:
        """A statistic's error beside what all of ε would make it: units differ, so do scales."""
        if self.importance is None:
            return Weighed(1.0, None)
        subject, factor = self.subjects[place], self.sharings[place].factor
        steps = float(subject.steps * factor) if isinstance(subject.form, Added) else None
        scale = Weighed(1.0, steps).error(billionths)
        return Weighed(float(self.importance[place]) / scale, steps)

    def besides(self, at: Sequence[Epsilon | None]) -> Spending:
        """What the statistics need, and a count of rows with it."""
        parts = zip(self.sharings, at, strict=True)
        spent = sum(sharing.cost(each).total for sharing, each in parts if each is not None)
        paying = [each is not None for each in at]
        rows_by, counts = self._counts(paying, lambda one_in: spent // (one_in - 1))
        nothing_else = (None,) * len(at)
        return Spending(at=tuple(at), rows_by=rows_by, row_counts=counts, shares=nothing_else)

    def _counts(
        self, paying: Sequence[bool], billionths: Callable[[int], int]
    ) -> tuple[tuple[int | None, ...], tuple[RowCount, ...]]:
        """Who counts the rows of each statistic; and the counts that are bought for it.

        They have the least share of ε that tells values of likely groups in most draws: a larger
        one would take more from every value than it tells.
        """
        rows_by, bought = counted_by(self.subjects, paying, self.groups)
        best: tuple[RowCount, ...] = ()
        served = None
        for one_in in ONE_IN if bought else ():
            each = billionths(one_in) // len(bought)
            counts = tuple(
                RowCount.of(part, each, self.question, self.dataset, self.groups) for part in bought
            )
            now = min(map(serves, counts))
            if served in (None, Serves.NONE) or now > served:
                best, served = counts, now
            if now >= Serves.MOSTLY:
                break
        return tuple(rows_by), best


def counted_by(
    subjects: Sequence[Subject], paying: Sequence[bool], groups: int
) -> tuple[list[int | None], list[int]]:
    """For each statistic, which draw counts its rows; and for which ones a count must be bought.

    Draws are numbered: the question's statistics first, then the counts that are bought. None for a
    statistic that needs no rows, or whose rows nobody counts.
    """
    draws: list[int | None] = [None] * len(subjects)
    bought: list[int] = []
    for place, subject in enumerate(subjects):
        if not paying[place] or not isinstance(subject.form, Ratio | FromSums | Placed):
            continue
        if groups < 2 and subject.taken == EVERY_ROW:
            continue
        at_hand = [place] if _counts_itself(subject) else _at_hand(place, subjects, paying)
        if at_hand:
            draws[place] = at_hand[0]
        elif groups > 1:
            same = [one for one in bought if subjects[one].taken == subject.taken]
            bought += [] if same else [place]
            draws[place] = len(subjects) + bought.index(same[0] if same else place)
    return draws, bought


def _at_hand(place: int, subjects: Sequence[Subject], paying: Sequence[bool]) -> list[int]:
    """What counts the rows of a statistic anyway: a count of just these, else a mean's."""
    taken = subjects[place].taken
    paid = [(place, one) for place, one in enumerate(subjects) if paying[place]]
    asked = [place for place, one in paid if counts_rows(one, taken)]
    means = [place for place, one in paid if _counts_itself(one) and one.taken == taken]
    return [*asked, *means]


def _counts_itself(subject: Subject) -> bool:
    """Whether a noisy number of rows is a part of its answer."""
    return isinstance(subject.form, Ratio | FromSums) and not subject.fixed_size
