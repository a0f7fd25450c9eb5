"""How likely each true answer is held to be: it weighs errors and nothing else."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import DATABASES, UNIFORM
from discreet.statistics import Added, Linear, Rank
from discreet.statistics.chances import at_least, sum_of_rows

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Places = npt.NDArray[np.int64]

MOST_PLACES = 20_001
"""Among more answers than this, evenly spaced ones stand for all."""
_MOST_SIZES = 100_000
_MOST_TRANSFORM = 2**21
_FILLED = 3 / 4
"""The mean share of filled cells where there may be gaps; the share itself has the density 3x²."""


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Places of answers and how likely each is; all of them, or evenly spaced ones."""

    places: Places
    weights: Floats
    exact: bool


@lru_cache(maxsize=256)
def beliefs(subject: Subject, prior: str | tuple[float, ...]) -> Beliefs:
    """The prior over the answers of an added or placed subject."""
    if isinstance(prior, tuple):
        if len(prior) != subject.size:
            raise GoalError(
                f"the prior has {len(prior)} numbers, but {subject.statistic.name} has "
                f"{subject.size:,} possible answers"
            )
        return _condensed(np.array(prior))
    weights = _by_databases(subject) if prior == DATABASES else None
    if weights is None:
        step = -(-subject.size // MOST_PLACES)
        places = np.arange(0, subject.size, step, dtype=np.int64)
        return Beliefs(places, np.full(len(places), 1 / len(places)), step == 1)
    return _condensed(weights)


def told_prior(subject: Subject, prior: str | tuple[float, ...]) -> str | list[float]:
    """The same prior as `Goal.of` takes it: for spaces small enough to be written out."""
    if prior == UNIFORM:
        return UNIFORM
    known = beliefs(subject, prior)
    return [float(weight) for weight in known.weights] if known.exact else UNIFORM


def _condensed(weights: Floats) -> Beliefs:
    """Neighbouring answers put together where there are too many; the middle stands for all."""
    step = -(-len(weights) // MOST_PLACES)
    if step == 1:
        return Beliefs(np.arange(len(weights)), weights / weights.sum(), True)
    starts = np.arange(0, len(weights), step)
    summed = np.add.reduceat(weights, starts)
    middles = np.minimum(starts + step // 2, len(weights) - 1)
    return Beliefs(middles, summed / summed.sum(), False)


def _by_databases(subject: Subject) -> Floats | None:
    if isinstance(subject.statistic, Rank):
        return _ranked(subject, subject.statistic)
    return _added(subject, subject.form) if isinstance(subject.form, Added) else None


def sizes(subject: Subject) -> Floats:
    """How likely each number of selected rows is, from 0 to the most.

    Every row is drawn uniformly from the declared values. The size of the table is what is public,
    or uniform up to the declared bound; the condition selects each row by chance, and gaps leave
    about three quarters.
    """
    n = subject.most_rows
    if subject.fixed_size:
        only = np.zeros(n + 1)
        only[n] = 1.0
        return only
    if subject.chance is None:
        return np.full(n + 1, 1 / (n + 1))
    if subject.all_but_gaps:
        return np.diff((np.arange(n + 2) / (n + 1)) ** 3)
    chance = _selected(subject)
    row = np.array([1 - chance, chance])
    return sum_of_rows(row, n, n + 1, subject.size_is_public)


def drawn_sizes(
    subject: Subject, dice: np.random.Generator, many: int, *, maybe_none: bool
) -> Counts:
    """Numbers of selected rows, drawn; where there may not be none, there are some.

    The chances of each number are listed up to a bound: beyond it nothing grows with the rows.
    """
    if subject.most_rows > _MOST_SIZES:
        return np.maximum(0 if maybe_none else 1, _from_many(subject, dice, many))
    chances = sizes(subject)
    if not maybe_none:
        chances[0] = 0.0 if chances[0] < 1 else 1.0
    return np.asarray(dice.choice(len(chances), size=many, p=chances / chances.sum()))


def _from_many(subject: Subject, dice: np.random.Generator, many: int) -> Counts:
    """As `sizes` says, of more rows than can be listed."""
    n, public = subject.most_rows, subject.size_is_public
    if subject.fixed_size:
        return np.full(many, n)
    if subject.chance is None:
        return dice.integers(0, n + 1, size=many)
    if subject.all_but_gaps:
        drawn = np.floor((n + 1) * np.cbrt(dice.random(many)))
        return np.asarray(np.minimum(n, drawn), dtype=np.int64)
    rows = np.full(many, n) if public else dice.integers(0, n + 1, size=many)
    return np.asarray(dice.binomial(rows, _selected(subject)))


def _selected(subject: Subject) -> float:
    """How likely a row is selected and without a gap."""
    return float(subject.chance or 0) * (_FILLED if subject.skips_gaps else 1.0)


def _ranked(subject: Subject, rank: Rank) -> Floats | None:
    if subject.most_rows * subject.size > 4_000_000:
        return None
    below = np.arange(1, subject.size + 1) / subject.size
    cumulative = np.zeros(subject.size)
    for rows, weight in enumerate(sizes(subject)):
        if weight < 1e-15:
            continue
        if rows == 0:
            cumulative += weight * (np.arange(subject.size) >= (subject.size - 1) // 2)
        else:
            cumulative += weight * at_least(rows, rank.of(rows), below)
    return np.clip(np.diff(cumulative, prepend=0.0), 0.0, None)


def _added(subject: Subject, form: Added) -> Floats | None:
    """The sum of independent rows: a power of one row's generating function."""
    if form.size > _MOST_TRANSFORM or form.linear is None:
        return None
    row = _one_row(subject, form.linear)
    if row is None:
        return None
    known_size = subject.size_is_public or form.start < 0
    return sum_of_rows(row, subject.most_rows, form.size, known_size)


def _one_row(subject: Subject, linear: Linear) -> Floats | None:
    """What one row adds to the index, as probabilities of 0, 1, 2, …"""
    if subject.chance is None or subject.holds_chance is None:
        return None
    selected = _selected(subject)
    if subject.column is None:
        held = float(subject.holds_chance)
        chances = selected * np.array([1 - held, held])
    else:
        chances = np.full(subject.values, selected / subject.values)
    none = linear.first // subject.most_rows
    places = none + linear.base + linear.slope * np.arange(subject.values)
    row = np.zeros(max(none, int(places[-1])) + 1)
    row[none] += 1 - selected
    row[places] += chances
    return row
