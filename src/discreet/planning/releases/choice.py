"""Draws one of the values by permute-and-flip: the closer a table is to it, the likelier.

Why that is private: docs/proofs/permute-and-flip.md, docs/proofs/ranks.md.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from discreet.mechanisms.families.permute_and_flip import flip_probabilities
from discreet.model import LossName
from discreet.planning.releases.release import (
    DrawnValue,
    Interval,
    Release,
    Scattering,
    Value,
    gathered,
    in_units,
    judged,
    true_places,
    true_value,
)
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.sampling import Flips
from discreet.statistics import Counted, Mode, Placing, Tally

_MANY_VALUES = 1_001
_NODES = 14
_IN_SIGHT = 16.0
Whole = npt.NDArray[np.int64]
Distance = Callable[[Subject, Whole], Whole]
"""For every table (a line of counts) and every value, how far away that value is."""


@dataclass(frozen=True, kw_only=True)
class ChoiceRelease(Release[int]):
    """Permute-and-flip over the scores leaning(y) − rate·(distance of y)."""

    subject: Subject
    distance: Distance
    rate: Fraction
    leanings: tuple[Fraction, ...]
    within: Fraction | None
    """The error at the wished confidence; None for words."""

    def sampler(self, counted: Counted) -> Callable[[], int]:
        """Draws one of the values by their scores, all of which are worked out here."""
        away = self.away(counted)
        if not self._leans:
            return Flips.of(-away, self.rate).draw
        leanings, slope, rate = self._whole_scores
        scores = [
            leaning - slope * far for leaning, far in zip(leanings, away.tolist(), strict=True)
        ]
        return Flips.of(scores, rate).draw

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """The chosen value in the column's own units and type, and how far off it may be."""
        if self.subject.labels is not None:
            return DrawnValue(self.subject.labels.names[output], None)
        value = in_units(self.subject, self.subject.start + self.subject.unit * output)
        return DrawnValue(value, self.interval(value, confidence))

    def away(self, counted: Counted) -> Whole:
        """How far each value is from being the answer of a table."""
        assert isinstance(counted, Tally)
        return np.asarray(self.distance(self.subject, counted.counts[None, :])[0])

    @cached_property
    def _leans(self) -> bool:
        return any(self.leanings)

    @cached_property
    def _whole_scores(self) -> tuple[list[int], int, Fraction]:
        """Leanings and rate as whole multiples of one rate, which is the third."""
        parts = math.lcm(self.rate.denominator, *(one.denominator for one in self.leanings))
        return (
            [int(one * parts) for one in self.leanings],
            int(self.rate * parts),
            Fraction(1, parts),
        )

    def law(self, counted: Counted) -> Scattering:
        """The law of permute-and-flip."""
        subject, chances = self.subject, self.chances(counted)
        if subject.labels is not None:
            return Scattering.of_words(subject, chances, counted)
        places = np.arange(subject.size, dtype=np.float64)
        values = float(subject.start) + float(subject.unit) * places
        return gathered(values, chances, true_value(subject, counted))

    def chances(self, counted: Counted) -> Floats:
        """How likely each value is to be told of a table."""
        away = self.away(counted)[None, :]
        leanings = np.array([float(one) for one in self.leanings])
        return np.asarray(chosen(leanings, float(self.rate), away)[0], dtype=np.float64)

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """By the law of permute-and-flip."""
        leanings = np.array([float(one) for one in self.leanings])
        away = _distances(self.distance, self.subject, tuple(tables))
        chances = figured(leanings, float(self.rate), away)
        apart = np.abs(np.arange(self.subject.size) - true_places(self.subject, tables)[:, None])
        errors = judged(name, float(self.subject.unit) * apart)
        return np.asarray((chances * errors).sum(axis=1))

    def interval(self, value: Value, confidence: Fraction) -> Interval | None:
        """The simulated error at the wished confidence: it rests on the prior."""
        if self.within is None or not isinstance(value, int | Fraction):
            return None
        low, high = value - self.within, value + self.within
        return max(low, self.subject.start), min(high, self.subject.last)

    @property
    def supposes(self) -> bool:
        """Yes: how far values lie apart in the table is not told."""
        return True


@lru_cache(maxsize=4)
def _distances(distance: Distance, subject: Subject, tables: tuple[Counted, ...]) -> Whole:
    """Of imagined tables, the last few: the same for all ε."""
    return distance(subject, np.array([one.counts for one in tables if isinstance(one, Tally)]))


def chosen(leanings: Floats, rate: float, away: Whole) -> Floats:
    """The law of the choice, table by table."""
    return flipped(leanings[None, :] - rate * away)


def figured(leanings: Floats, rate: float, away: Whole) -> Floats:
    """The law of the choice for figures: to five digits where there are many values."""
    scores = leanings[None, :] - rate * away
    return flipped_quickly(scores) if scores.shape[1] > _MANY_VALUES else flipped(scores)


def flipped(scores: Floats) -> Floats:
    """The law of permute-and-flip, table by table."""
    coins = np.exp(scores - scores.max(axis=1, keepdims=True))
    return flip_probabilities(coins.T).T


def flipped_quickly(scores: Floats, ways: Whole | None = None) -> Floats:
    """The same to five digits, for comparisons: what is integrated falls like e^(−t·Σq).

    A few nodes, as far as it can be told from zero, are enough. A score may stand for so many
    outputs that are scored alike: what is told is how likely one of these is chosen.
    """
    coins = np.exp(scores - scores.max(axis=1, keepdims=True))
    many = np.ones(coins.shape[1]) if ways is None else ways.astype(np.float64)
    reach = np.minimum(1.0, _IN_SIGHT / (coins * many).sum(axis=1))
    chances = np.zeros_like(coins)
    for node, weight in _nodes():
        misses = 1.0 - (node * reach)[:, None] * coins
        every = misses.prod(axis=1) if ways is None else _product(misses, many)
        chances += (weight * every)[:, None] / misses
    chances *= coins * many
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _product(numbers: Floats, powers: Floats) -> Floats:
    """Of the powers of each line: by logarithms, as they take far less time than powers."""
    return np.asarray(np.exp((powers * np.log(numbers)).sum(axis=1)))


@lru_cache(maxsize=1)
def _nodes() -> tuple[tuple[float, float], ...]:
    """Where, and with what weights, a function from 0 to 1 is looked at."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return tuple(zip(((nodes + 1) / 2).tolist(), (weights / 2).tolist(), strict=True))


def missed(outputs: int, leaning: float, rate: float, far: int) -> float:
    """The chance at most that an output more than `far` rows away is chosen, in any table.

    At worst one output is exact and all others are one row further, and favoured by all the leaning
    there is: docs/proofs/ranks.md (Claim 5).
    """
    coin = math.exp(min(leaning - rate * (far + 1), 0.0))
    if not 0.0 < coin < 1.0:
        return coin
    hits = -math.expm1(outputs * math.log1p(-coin)) / (outputs * coin)
    return (1 - hits) * (1 + 1e-12) + 1e-12


def rows_off(subject: Subject, rate: float, leaning: float, failure: float) -> int:
    """How many rows at most would have to change, but for this chance of failure, in every table.

    docs/proofs/ranks.md (how far off).
    """

    def is_sure(far: int) -> bool:
        return missed(subject.size, leaning, rate, far) <= failure

    off = bisect_left(range(subject.most_rows), True, key=is_sure)
    if isinstance(subject.statistic, Mode):
        return min(off + 1, subject.most_rows)  # one more breaks a tie
    if subject.fixed_size or not isinstance(subject.statistic, Placing):
        return off
    nothing = subject.statistic.rows_to_change(np.zeros(subject.values, dtype=np.int64))
    return max(off, min(off + int(nothing.min()), int(nothing.max())))
