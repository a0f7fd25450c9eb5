"""Values chosen by permute-and-flip: the closer a table is to a value, the likelier it is told.

A *distance* says for each value how far a table is from having it as its answer. One person moves
every distance by a bounded amount, so permute-and-flip may choose by it
(docs/proofs/permute-and-flip.md, docs/proofs/ranks.md); it never errs more than the exponential
mechanism. Public leanings pull the choice towards what the prior holds likely.
"""

import math
import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from discreet.mechanisms.families.permute_and_flip import flip_probabilities
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.candidates.figures import Figures, judged, loss_name, surely_above
from discreet.planning.releases.release import DrawnValue, Interval, Release, Value, in_units
from discreet.planning.subjects.priors import Floats, beliefs
from discreet.planning.subjects.subject import Subject
from discreet.sampling import Flips
from discreet.statistics import Counted, Mode, Placing, Tally

Whole = npt.NDArray[np.int64]
Distance = Callable[[Subject, Whole], Whole]
"""For every table (a line of counts) and every value, how far away that value is."""
Tables = Callable[[Subject, str | tuple[float, ...], int], Whole]
"""So many tables as the prior has them, a line of counts each; the same ones every time."""

MOST_VALUES = 5_001
_TABLES = 400
_CELLS = 2_000_000
_POWERS = (0, 1, 2, 4)
"""How strongly outputs that the prior holds likely are preferred: powers of it that are tried."""
_GRAIN = 1000


@dataclass(frozen=True)
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

    def chances(self, counted: Counted) -> Floats:
        """How likely each value is to be told of a table."""
        away = self.away(counted)[None, :]
        leanings = np.array([float(one) for one in self.leanings])
        return np.asarray(chosen(leanings, float(self.rate), away)[0], dtype=np.float64)

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


def rows_off(subject: Subject, rate: float, leaning: float, failure: float) -> int:
    """How many rows at most would have to change, but for this chance of failure, in every table.

    At worst one value is exact and all others are t + 1 rows away, and favoured by all the leaning
    there is: docs/proofs/ranks.md (how far off).
    """
    values = subject.size

    def misses(far: int) -> float:
        coin = math.exp(min(leaning - rate * (far + 1), 0.0))
        if not 0.0 < coin < 1.0:
            return coin
        hits = -math.expm1(values * math.log1p(-coin)) / (values * coin)
        return (1 - hits) * (1 + 1e-12) + 1e-12

    every = range(subject.most_rows)
    off = bisect_left(every, True, key=lambda far: misses(far) <= failure)
    if isinstance(subject.statistic, Mode):
        return min(off + 1, subject.most_rows)  # one more breaks a tie
    if subject.fixed_size or not isinstance(subject.statistic, Placing):
        return off
    nothing = subject.statistic.rows_to_change(np.zeros(subject.size, dtype=np.int64))
    return max(off, min(off + int(nothing.min()), int(nothing.max())))


def chosen(leanings: Floats, rate: float, away: Whole) -> Floats:
    """The law of the choice, table by table."""
    scores = leanings[None, :] - rate * away
    coins = np.exp(scores - scores.max(axis=1, keepdims=True))
    return flip_probabilities(coins.T).T


@dataclass(frozen=True)
class Chooser:
    """A distance with all that a candidate needs to be made from it."""

    name: str
    title: str
    citation: str
    proof: str
    distance: Distance
    tables: Tables

    def candidate(self, task: Task, rate: Fraction) -> Candidate:
        """The candidate with the leanings that err least on simulated tables."""
        started, subject = time.perf_counter(), task.subject
        known = beliefs(subject, task.wishes.prior)
        chances = np.full(subject.size, 1.0) if not known.exact else known.weights
        logs = np.log(np.maximum(chances / chances.max(), 1e-9))
        tried = []
        for power in _POWERS if float(np.ptp(logs)) > 1e-9 else (0,):
            leanings = np.rint(_GRAIN * power * logs) / _GRAIN
            tried.append((self._figures(task, float(rate), leanings), leanings))
        figures, leanings = min(tried, key=lambda one: one[0].loss)
        exact = tuple(Fraction(round(leaning * _GRAIN), _GRAIN) for leaning in leanings)
        within = None
        if figures.within is not None:
            within = subject.unit * math.ceil(figures.within / float(subject.unit) - 1e-9)
        return Candidate(
            self.name, self.title, self.citation, task.epsilon, figures, (),
            time.perf_counter() - started,
            ChoiceRelease(subject, self.distance, rate, exact, within), self.proof,
        )  # fmt: skip

    def _figures(self, task: Task, rate: float, leanings: Floats) -> Figures:
        """Errors on simulated tables; on each the law of the output is exact."""
        subject, wishes = task.subject, task.wishes
        away, answers = _simulated(self, subject, wishes.prior)
        chances = chosen(leanings, rate, away)
        places = np.arange(subject.size)
        words = subject.labels is not None
        apart = np.abs(places[None, :] - answers[:, None])
        errors = np.asarray(apart > 0, dtype=np.float64) if words else float(subject.unit) * apart
        losses = (chances * judged(loss_name(subject, wishes), errors)).sum(axis=1)
        expected = (chances * errors).sum(axis=1)
        noise = float(losses.std() / math.sqrt(len(losses)))
        off = rows_off(subject, rate, float(np.ptp(leanings)), 1 - float(wishes.confidence))
        if words:
            return Figures(float(losses.mean()), float(expected.mean()), 1.0, None, noise, off)

        def is_covered(steps: int) -> bool:
            """Whether so many steps hold the truth often enough, beyond the noise of simulation."""
            near = (chances * (apart <= steps)).sum(axis=1)
            return bool(surely_above(near) >= float(wishes.confidence))

        unit, last = float(subject.unit), subject.size - 1
        within = unit * bisect_left(range(last), True, key=is_covered)
        return Figures(
            float(losses.mean()), float(expected.mean()), unit * last, within, noise, off
        )


@lru_cache(maxsize=32)
def _simulated(
    chooser: Chooser, subject: Subject, prior: str | tuple[float, ...]
) -> tuple[Whole, Whole]:
    """Distances and true answers of simulated tables."""
    counts = chooser.tables(subject, prior, max(50, min(_TABLES, _CELLS // subject.size)))
    away = chooser.distance(subject, counts)
    rows = counts.sum(axis=1)
    return away, np.asarray(np.where(rows > 0, away.argmin(axis=1), (subject.size - 1) // 2))


def why_not(task: Task) -> str | None:
    """Why a choice is not possible for a task that its kind of statistic would allow."""
    if task.wishes.unbiased or task.wishes.requirements:
        return "its properties are not written out"
    if task.wishes.worst_case:
        return "its worst case depends on the table, not on the answer alone"
    return None if task.subject.size <= MOST_VALUES else f"more than {MOST_VALUES:,} values"
