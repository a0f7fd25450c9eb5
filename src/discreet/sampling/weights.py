"""Weights e^(rate·score), many at once, between two multiples of 2^−62.

The proof is in docs/proofs/exact-draws.md. A gap between scores is a whole number of
steps, written in base 1024, and the weight is a product over its digits, each from a table that
rigorous enclosures fill. The tables depend on the rate alone, never on the scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, lcm
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput
from discreet.exact import RationalLike, enclosed, integer_ends, rational, show, working_precision
from discreet.exact.randomness import Words

SCALE = 62
ONE = 1 << SCALE

Scores: TypeAlias = Sequence[RationalLike] | npt.NDArray[np.int64]

_DIGIT_BITS = 10
_DIGIT = (1 << _DIGIT_BITS) - 1
_NATS = 43
"""e^−43 < 2^−62: any rarer weight is less than one unit."""
_FINE_BITS = 38
_FINE = Fraction(1, 1 << _FINE_BITS)
_FINE_SLACK = (1 << (SCALE - _FINE_BITS)) + 1
"""(e^f − 1)·2^62 is less than this for f = 2^−38."""
_HALF = np.uint64(SCALE // 2)
_WORD = 8
_LOW_HALF = np.uint64((1 << (SCALE // 2)) - 1)


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights e^(rate·(score − largest score)): low ≤ weight·2^62 ≤ low + slack.

    Where a score is the largest, low is 2^62 exactly.
    """

    low: Words
    slack: int
    scores: Sequence[int] | npt.NDArray[np.int64]
    rate: Fraction

    @classmethod
    def of(cls, scores: Scores, rate: RationalLike = 1) -> "Weights":
        """Read scores; whole numbers are quickest, with the rate said apart.

        >>> Weights.of([3, 1], "0.5").low / 2**62
        array([1.        , 0.36787944])
        """
        exact_rate = rate if type(rate) is Fraction else rational(rate, "the rate of a choice")
        if exact_rate.numerator <= 0:
            raise InvalidInput(f"the rate of a choice must be positive, got {show(rate)}")
        whole = whole_scores(scores)
        if whole is not None and exact_rate.numerator << _FINE_BITS >= exact_rate.denominator:
            low, slack = decays(_gaps(whole), exact_rate)
            return cls(low, slack, whole, exact_rate)
        numerators, denominator = _over_one_denominator(scores)
        fine_rate = exact_rate / denominator
        low, slack = decays(_fine_steps(numerators, fine_rate), _FINE)
        return cls(low, slack + _FINE_SLACK, numerators, fine_rate)

    def __len__(self) -> int:
        return len(self.low)

    def balls(self, indices: Sequence[int] | None = None) -> list[Any]:
        """The weights (all, or those asked for) as Arb balls at the working precision."""
        scores = [int(score) for score in self.scores]
        top = max(scores)
        chosen = range(len(scores)) if indices is None else indices
        return [enclosed(self.rate * (scores[i] - top)).exp() for i in chosen]


def decays(steps: Words, rate: Fraction) -> tuple[Words, int]:
    """Words at or below e^(−rate·k)·2^62 for whole k ≥ 0, and the most that they lack."""
    furthest, tables = _digit_tables(rate.numerator, rate.denominator)
    left = np.minimum(steps, furthest).view(np.int64)
    if len(tables) == 1:
        return tables[0].take(left), 1
    low: Words = tables[0].take(left & _DIGIT)
    for table in tables[1:]:
        left >>= _DIGIT_BITS
        low = word_product(low, table.take(left & _DIGIT))
    return low, 4 * len(tables) - 3


def _gaps(whole: npt.NDArray[np.int64]) -> Words:
    """How far each score is below the largest: exact as unsigned words, though signed may wrap."""
    gaps: Words = (whole.max() - whole).view(np.uint64)
    return gaps


@lru_cache(maxsize=256)
def _digit_tables(numerator: int, denominator: int) -> tuple[np.uint64, tuple[Words, ...]]:
    """How many steps matter, and for each digit of that many ⌊e^(−rate·place·digit)·2^62⌋."""
    rate = Fraction(numerator, denominator)
    furthest = ceil(_NATS / rate)
    places = range(0, furthest.bit_length(), _DIGIT_BITS)
    return np.uint64(furthest), tuple(_digit_table(rate * (1 << place)) for place in places)


def _digit_table(rate: Fraction) -> Words:
    with working_precision(SCALE + 64):
        ends = [integer_ends(enclosed(-rate * k).exp(), SCALE) for k in range(_DIGIT + 1)]
    assert all(high - low <= 1 for low, high in ends)
    return np.array([low for low, _ in ends], dtype=np.uint64)


def word_product(one: Words, other: Words) -> Words:
    """At or below one·other/2^62, by less than 2 units, for words of at most 2^62.

    In halves of 31 bits, the product of the two low halves and a fraction are left out.
    """
    one_high, one_low = one >> _HALF, one & _LOW_HALF
    other_high, other_low = other >> _HALF, other & _LOW_HALF
    across = one_high * other_low + one_low * other_high
    product: Words = one_high * other_high + (across >> _HALF)
    return product


def whole_scores(scores: Scores) -> npt.NDArray[np.int64] | None:
    """Scores as machine integers; None when they are something else."""
    try:
        numbers = np.asarray(scores)
    except (ValueError, TypeError, OverflowError):
        numbers = np.array(None)
    if numbers.ndim != 1 or len(numbers) == 0:
        raise InvalidInput("a choice needs a list of scores with at least one in it")
    if numbers.dtype.kind == "i" or (numbers.dtype.kind == "u" and numbers.itemsize < _WORD):
        return numbers.astype(np.int64, copy=False)
    return None


def _over_one_denominator(scores: Scores) -> tuple[list[int], int]:
    try:
        exact = [s if type(s) is Fraction else rational(s) for s in scores]
    except InvalidInput:
        # Scores are private: the message cannot show the one that is wrong.
        raise InvalidInput("every score must be a finite number like 3, 0.5 or 1/3") from None
    denominator = lcm(*(score.denominator for score in exact))
    return [score.numerator * (denominator // score.denominator) for score in exact], denominator


def _fine_steps(numerators: list[int], rate: Fraction) -> Words:
    """Gaps to the largest, rounded up to multiples of 2^−38, so that the weight is not raised."""
    top = max(numerators)
    scale, divisor = rate.numerator << _FINE_BITS, rate.denominator
    furthest = _NATS << _FINE_BITS
    steps = (min(-((number - top) * scale // divisor), furthest) for number in numerators)
    return np.fromiter(steps, dtype=np.uint64, count=len(numerators))
