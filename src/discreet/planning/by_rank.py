"""Order statistics chosen by rank: how many rows must change for a value to be the answer.

That number moves by at most one with every row that changes, comes or goes, whether the size is
public or not (docs/proofs/ranks.md), so the exponential mechanism may choose by it.
"""

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.mechanisms.sensitivity import spendable
from discreet.planning.candidate import Candidate, Maker, Task
from discreet.planning.figures import Figures, judged, loss_name
from discreet.planning.priors import Floats, beliefs, sizes
from discreet.planning.releases import Interval, Value, in_units
from discreet.planning.subject import PLACED, Histogram, Subject
from discreet.planning.truth import rank_of
from discreet.planning.wishes import DATABASES
from discreet.sampling import exponential_choice

Whole = npt.NDArray[np.int64]

MOST_VALUES = 5_001
_TABLES = 400
_CELLS = 2_000_000
_POWERS = (0, 1, 2, 4)
"""How strongly outputs that the prior holds likely are preferred: powers of it that are tried."""
_GRAIN = 1000


@dataclass(frozen=True)
class RankRelease:
    """Output y with probability ∝ exp(leaning(y) − rate·(rows to change for y))."""

    subject: Subject
    rate: Fraction
    leanings: tuple[Fraction, ...]
    within: Fraction
    certificate: str | None = None

    def draw(self, histogram: Histogram) -> Value:
        """One answer, in the column's own units and type."""
        counts = np.zeros(self.subject.size, dtype=np.int64)
        for index, many in histogram.items():
            counts[index] = many
        away = rows_to_change(self.subject, counts[None, :])[0].tolist()
        weights = [
            leaning - self.rate * far for leaning, far in zip(self.leanings, away, strict=True)
        ]
        place = exponential_choice(weights)
        return in_units(self.subject, self.subject.start + self.subject.unit * place)

    def interval(self, value: Value, confidence: Fraction) -> Interval | None:
        """The simulated error at the wished confidence: it rests on the prior."""
        if not isinstance(value, int | Fraction):
            return None
        low, high = value - self.within, value + self.within
        return max(low, self.subject.start), min(high, self.subject.last)


def rows_to_change(subject: Subject, counts: Whole) -> Whole:
    """For every table (a line of counts) and value y: max(0, #(< y) − (r − 1), r − #(≤ y)).

    r is the rank that is asked for. With a known number of rows this is how many of them must
    change for y to be the answer (002 §3: the record-exchange distance to tables with answer y).
    """
    at_most = np.cumsum(counts, axis=1)
    ranks = np.array([rank_of(subject, int(rows)) for rows in at_most[:, -1]])[:, None]
    below = at_most - counts
    return np.asarray(np.maximum(np.maximum(below - (ranks - 1), ranks - at_most), 0))


def _why_not(task: Task) -> str | None:
    subject = task.subject
    if subject.form != PLACED or subject.labels is not None or subject.statistic.kind == "mode":
        return "only for order statistics"
    if task.wishes.unbiased or task.wishes.requirements:
        return "its properties are not written out"
    if task.wishes.worst_case:
        return "its worst case depends on the table, not on the answer alone"
    return None if subject.size <= MOST_VALUES else f"more than {MOST_VALUES:,} values"


def _make(task: Task) -> Candidate:
    started = time.perf_counter()
    subject = task.subject
    rate = spendable(task.epsilon) / (2 * subject.rows_per_unit)
    known = beliefs(subject, task.wishes.prior)
    chances = np.full(subject.size, 1.0) if not known.exact else known.weights
    logs = np.log(np.maximum(chances / chances.max(), 1e-9))
    tried = []
    for power in _POWERS if float(np.ptp(logs)) > 1e-9 else (0,):
        leanings = np.rint(_GRAIN * power * logs) / _GRAIN
        tried.append((_figures(task, float(rate), leanings), leanings))
    figures, leanings = min(tried, key=lambda one: one[0].loss)
    exact = tuple(Fraction(round(leaning * _GRAIN), _GRAIN) for leaning in leanings)
    within = subject.unit * math.ceil((figures.within or 0.0) / float(subject.unit) - 1e-9)
    return Candidate(
        "by rank", "exponential mechanism by how many rows must change",
        "McSherry & Talwar 2007; 001 Prop. 7; 002 §3", task.epsilon, figures, (),
        time.perf_counter() - started, RankRelease(subject, rate, exact, within),
        "docs/proofs/ranks.md",
    )  # fmt: skip


def _figures(task: Task, rate: float, leanings: Floats) -> Figures:
    """Errors on simulated tables; on each the law of the output is exact."""
    subject, wishes = task.subject, task.wishes
    away, answers = _simulated(subject, wishes.prior)
    exponents = leanings[None, :] - rate * away
    chances = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    places = np.arange(subject.size)
    errors = float(subject.unit) * np.abs(places[None, :] - answers[:, None])
    losses = (chances * judged(loss_name(subject, wishes), errors)).sum(axis=1)
    expected = (chances * errors).sum(axis=1)
    order = np.argsort(errors.ravel(), kind="stable")
    reached = np.cumsum(chances.ravel()[order]) / len(answers)
    last = min(int(np.searchsorted(reached, float(wishes.confidence))), len(order) - 1)
    widest = float(subject.unit) * (subject.size - 1)
    return Figures(
        float(losses.mean()), float(expected.mean()), widest,
        float(errors.ravel()[order[last]]), widest,
        float(losses.std() / math.sqrt(len(losses))),
    )  # fmt: skip


@lru_cache(maxsize=32)
def _simulated(subject: Subject, prior: str | tuple[float, ...]) -> tuple[Whole, Whole]:
    """Rows to change and true answers of simulated tables, from a fixed seed.

    Under "databases" rows are uniform. Otherwise an answer is drawn from the prior first, and rows
    fall evenly on either side of it, as many below as the rank asks for.
    """
    dice = np.random.default_rng(20_070_611)
    many = max(50, min(_TABLES, _CELLS // subject.size))
    chances = sizes(subject)
    chances[0] = 0.0 if chances[0] < 1 else 1.0
    rows = dice.choice(len(chances), size=many, p=chances / chances.sum())
    counts = np.zeros((many, subject.size), dtype=np.int64)
    known = beliefs(subject, prior)
    middles = dice.choice(known.places, size=many, p=known.weights / known.weights.sum())
    for table in range(many):
        law = _law(subject, prior, int(middles[table]), int(rows[table]))
        counts[table] = dice.multinomial(rows[table], law)
    away = rows_to_change(subject, counts)
    return away, np.asarray(np.where(rows > 0, away.argmin(axis=1), (subject.size - 1) // 2))


def _law(subject: Subject, prior: str | tuple[float, ...], middle: int, rows: int) -> Floats:
    if prior == DATABASES:
        return np.full(subject.size, 1 / subject.size)
    share = (rank_of(subject, max(1, rows)) - 0.5) / max(1, rows)
    law = np.zeros(subject.size)
    law[: middle + 1] += share / (middle + 1)
    law[middle:] += (1 - share) / (subject.size - middle)
    return law


BY_RANK = Maker("by rank", _why_not, _make)
