"""Private release of the r largest counts (002 §6): Laplace noise, then the nearest sorted list.

Sensitivity and bounds: docs/proofs/sorting.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import InvalidInput
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show, spendable
from discreet.model.neighbours import Relation
from discreet.sampling import discrete_laplace
from discreet.sorting.isotonic import sorted_counts_fit, whole_counts

MOST_COUNTS = 10**6
MOST_RECORDS = 10**12


def sorted_sensitivity(largest: int, relation: Relation | str) -> int:
    """How far one record can move the r largest counts in all: 1, or 2 if one may change.

    The very largest count alone moves by 1 only.

    >>> sorted_sensitivity(10, "change"), sorted_sensitivity(10, "add-or-remove")
    (2, 1)
    """
    return 1 if Relation.of(relation) == Relation.ADD_OR_REMOVE else min(2, largest)


def largest_counts(counts: Sequence[int], largest: int) -> tuple[int, ...]:
    """The sorting function π of 002 §6, with zeros for values that are not there.

    >>> largest_counts([3, 7, 5], 2), largest_counts([3], 2)
    ((7, 5), (3, 0))
    """
    for count in counts:
        whole = isinstance(count, int) and not isinstance(count, bool)
        if not whole or not 0 <= count <= MOST_RECORDS:
            raise InvalidInput(f"counts must be whole numbers from 0 to {MOST_RECORDS:,}")
    ordered = sorted(counts, reverse=True)[:largest]
    return (*ordered, *[0] * (largest - len(ordered)))


@dataclass(frozen=True)
class LargestCounts:
    """Noise of rate ε/Δ on each of the r largest counts, then isotonic least squares.

    `values` is how many values there are if that is public. Where records only change, the total is
    public, and the released counts respect it: they sum to it if all are released, else to no more.

    >>> round(LargestCounts.of(3, "0.5").expected_noise, 3)
    11.876
    """

    largest: int
    epsilon: Epsilon
    relation: Relation = Relation.CHANGE
    values: int | None = None

    @classmethod
    def of(
        cls,
        largest: int,
        epsilon: EpsilonLike,
        relation: Relation | str = Relation.CHANGE,
        values: int | None = None,
    ) -> Self:
        """Check what is public; no more counts are released than there are values."""
        for number, what in ((largest, "the number of counts"), (values, "the number of values")):
            whole = isinstance(number, int) and not isinstance(number, bool)
            if number is not None and not (whole and 1 <= number <= MOST_COUNTS):
                raise InvalidInput(
                    f"{what} must be a whole number from 1 to {MOST_COUNTS:,}, got {show(number)}"
                )
        if values is not None and largest > values:
            raise InvalidInput(f"of {values:,} values, at most {values:,} counts can be released")
        return cls(largest, Epsilon.of(epsilon), Relation.of(relation), values)

    @property
    def sensitivity(self) -> int:
        """Δ: how far one record can move the counts in all."""
        return sorted_sensitivity(self.largest, self.relation)

    @property
    def rate(self) -> Fraction:
        """Noise k has a probability ∝ e^(−rate·|k|): rate = ε/Δ, a scale of 2/ε as in 002."""
        return spendable(self.epsilon) / self.sensitivity

    @property
    def public_total(self) -> bool:
        """Whether the number of records is public."""
        return self.relation == Relation.CHANGE

    @property
    def _alpha(self) -> float:
        return math.exp(-float(self.rate))

    @property
    def expected_noise(self) -> float:
        """The expected total noise (L₁) on the counts, before the fit: r·2α/(1 − α²)."""
        return self.largest * 2 * self._alpha / -math.expm1(-2 * float(self.rate))

    @property
    def expected_error_bound(self) -> float:
        """A bound on the expected total error (L₁) after the fit, whatever the table.

        The fit without a total never adds error. With one it never adds squared error, so that
        r·√Var is a bound, and at most doubles the error.
        """
        if not self.public_total:
            return self.expected_noise
        deviation = math.sqrt(2 * self._alpha) / -math.expm1(-float(self.rate))
        return min(self.largest * deviation, 2 * self.expected_noise)

    def likely_bound(self, confidence: RationalLike = "0.95") -> int:
        """With this confidence every released count (not rounded) is at most so far from the truth.

        >>> LargestCounts.of(1, "log 3", "add-or-remove").likely_bound("0.9")
        2
        """
        sure = rational(confidence, "the confidence")
        if not 0 < sure < 1:
            raise InvalidInput(f"the confidence must lie between 0 and 1, got {show(confidence)}")
        each = -math.expm1(math.log(sure) / self.largest)
        beyond = math.log(each * (1 + self._alpha) / 2) / -float(self.rate)
        bound = max(0, math.ceil(beyond * (1 + 1e-12)) - 1)
        return 2 * bound if self.public_total else bound

    def draw(self, counts: Sequence[int]) -> "Released":
        """One release: it spends ε."""
        truth = largest_counts(counts, self.largest)
        noise = discrete_laplace(self.rate, self.largest).tolist()
        noisy = tuple(count + int(extra) for count, extra in zip(truth, noise, strict=True))
        return Released(noisy, self.fit(noisy, sum(counts) if self.public_total else None))

    def fit(self, noisy: Sequence[int], total: int | None) -> tuple[Fraction, ...]:
        """The nearest list that could be true: post-processing, which costs no privacy."""
        if total is None:
            return sorted_counts_fit(noisy)
        if self.values == self.largest or self.largest >= total > 0:
            return sorted_counts_fit(noisy, total=total)
        return sorted_counts_fit(noisy, at_most=total)


@dataclass(frozen=True)
class Released:
    """What a draw made public: the noisy counts, and the nearest list that could be true."""

    noisy: tuple[int, ...]
    fitted: tuple[Fraction, ...]

    @property
    def whole(self) -> tuple[int, ...]:
        """The fitted counts as whole numbers of the same sum."""
        return whole_counts(self.fitted)
