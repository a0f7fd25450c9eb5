"""How candidates are judged where no prior is stated: on tables of every public shape.

The safe rule leaves out what errs much more than a plain candidate on any shape; of the rest, the
least geometric mean over all shapes comes first. Public facts alone enter: the declared values, the
number of rows or the bound on it (docs/proofs/safe-rule.md). Real columns lean to one side, bunch
up, have heavy tails and bounds that are far too loose; the family of shapes has some of each.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Task, error_name, loss_name
from discreet.planning.pairs import alike, summed_tables
from discreet.planning.reasons import Best, Misfit, Sense, Unsuitable
from discreet.planning.releases.noise import in_loss_units
from discreet.planning.releases.release import Release, judged, true_places
from discreet.planning.subjects.priors import Floats, Places
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Counted, FromSums, Moments, Placed, Rank, Tally, ThinTally

CAP = 1.1
"""How much more than the reference a candidate may err on any shape."""
QUARTER = 0.25
"""Added to errors before they are compared, in steps: less than that matters to nobody."""
_SIZES = (Fraction(1), Fraction(3), Fraction(10))
"""Of a private number of rows, the bound over each of these is imagined."""
_FILLED = (Fraction(1), Fraction(4, 3), Fraction(2))
"""Where gaps alone leave rows out: all are filled, three quarters, half of them."""
FEW_ROWS = 60
"""Tables of so few rows may be answered by programs, which have caps of their own."""
_MANY_VALUES = 251
_TYPICAL = (0.1, 0.9)

TABLES_PER_SHAPE = 4
_CLOSELY = 32
MOST_VALUES = 1_001
"""On finer grids rows have one of so many evenly spaced values."""
_FINER = 8
_MEANS = (0.04, 0.12, 0.3, 0.5, 0.7, 0.88, 0.96)
_CONCENTRATIONS = (3, 15, 80)
_SCALES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_SCALED_WEIGHT = 0.6
_LEAST_VALUES_OF_SCALES = 12
_HEAPS = (20, 50)
_LEAST_PER_HEAP = 4
_WITNESSES = ((0.3, 15), (0.7, 15))
_FAR = 0.35
"""Rows that lie apart have one of the last so large a share of the values."""
_SEED = 20_260_611
_DIGIT = 9
"""So many bits of a number of steps are looked at together."""
_UNSEEN = 1e-15
"""What is rarer is in no figure."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """How rows may be spread over the values: a law for each shape, and what it counts for."""

    laws: Floats
    weights: Floats

    def tables(self, rows: int, each: int = TABLES_PER_SHAPE) -> Places:
        """So many tables of each shape, shape by shape, a line of counts each; always the same."""
        dice = np.random.default_rng(_SEED)
        return np.concatenate([dice.multinomial(rows, law, size=each) for law in self.laws])

    def averages(self, by_table: Floats) -> Floats:
        """The average over the tables of each shape."""
        return np.asarray(by_table.reshape(len(self.weights), -1).mean(axis=1))


@lru_cache(maxsize=64)
def shapes(values: int, *, from_zero: bool) -> Shapes:
    """The shapes for so many values; where the lowest is 0, most of them have a small scale.

    >>> len(shapes(5, from_zero=True).weights), len(shapes(101, from_zero=True).weights)
    (25, 43)
    """
    neutral = list(_neutral(values))
    weights = np.full(len(neutral), 1 / len(neutral))
    if not from_zero or values < _LEAST_VALUES_OF_SCALES:
        return Shapes(np.array(neutral), weights)
    scaled = list(_scaled(values))
    shares = np.full(len(scaled), _SCALED_WEIGHT / len(scaled))
    return Shapes(
        np.array(neutral + scaled), np.concatenate([(1 - _SCALED_WEIGHT) * weights, shares])
    )


@lru_cache(maxsize=64)
def witnessed(values: int, *, from_zero: bool, rows: int) -> Shapes:
    """The shapes, and some that weigh nothing but may be failed on by nobody.

    Rows heaped on every so-manieth value, as where people round, and a few rows far from all
    others: no average is taken over these, for few columns have them, but those that do would
    suffer most from what is best on average.
    """
    family = shapes(values, from_zero=from_zero)
    laws = [law for mean, many in _WITNESSES for law in _odd(_beta(values, mean, many), rows)]
    return Shapes(
        np.concatenate([family.laws, laws]), np.append(family.weights, np.zeros(len(laws)))
    )


def _odd(law: Floats, rows: int) -> Iterator[Floats]:
    """The same law heaped, and with a row or two far away on the side where there is room."""
    values, where = len(law), np.arange(len(law))
    for heaps in _HEAPS:
        if values > heaps * _LEAST_PER_HEAP:
            apart = values / heaps
            nearest = np.minimum(np.rint(np.rint(where / apart) * apart), values - 1)
            yield np.bincount(nearest.astype(np.int64), law, minlength=values).astype(np.float64)
    far = where >= (1 - _FAR) * (values - 1)
    far = far if law[: values // 2].sum() > 1 / 2 else far[::-1]
    yield (1 - 1 / rows) * law + far / far.sum() / rows


def _neutral(values: int) -> Iterator[Floats]:
    """Leaning either way, narrow or wide, even, at both ends, and half of the rows at one end."""
    for mean in _MEANS:
        for concentration in _CONCENTRATIONS:
            yield _beta(values, mean, concentration)
    yield np.full(values, 1 / values)
    yield _beta(values, 0.5, 0.6)
    for mean, end in ((0.15, 0), (0.85, values - 1)):
        law = _beta(values, mean, 6) / 2
        law[end] += 0.5
        yield law


def _scaled(values: int) -> Iterator[Floats]:
    """Values that take up some share of the range, as where bounds are loose."""
    x = _points(values)
    for scale in _SCALES:
        yield _law(-0.5 * ((x - scale) / (scale / 4)) ** 2)
        yield _law(0.2 * np.log(x) - x * 1.2 / (0.8 * scale))
        yield _law(-np.log(x) - 0.5 * (np.log(x / scale) / 0.9) ** 2)


def _beta(values: int, mean: float, concentration: float) -> Floats:
    a, b, x = mean * concentration, (1 - mean) * concentration, _points(values)
    return _law((a - 1) * np.log(x) + (b - 1) * np.log1p(-x))


def _points(values: int) -> Floats:
    """Where a density on 0 … 1 is taken: at a few points for each value."""
    return np.asarray((np.arange(values * _FINER) + 0.5) / (values * _FINER))


def _law(log_density: Floats) -> Floats:
    """A density at all points as chances of evenly spaced values."""
    chances = np.exp(log_density - log_density.max()).reshape(-1, _FINER).sum(axis=1)
    return np.asarray(chances / math.fsum(chances))


@dataclass(frozen=True, eq=False, kw_only=True)
class Judging:
    """Imagined tables, shape by shape, and what errors on them come to."""

    subject: Subject
    tables: tuple[Counted, ...]
    weights: Floats
    """What each shape (of each size) counts for."""

    @property
    def table_weights(self) -> Floats:
        """What each table counts for."""
        each = len(self.tables) // len(self.weights)
        return np.asarray(np.repeat(self.weights / each, each))

    def closely(self, shape: int) -> "Judging":
        """Many tables of one of the shapes, for an order statistic.

        Where rows are heaped, errors are very different from one table to the next: on the few that
        all candidates are judged on a shape may be failed by chance.
        """
        family, sizes = _family(self.subject), _sizes(self.subject)
        size, which = divmod(shape, len(family.weights))
        one = Shapes(family.laws[which : which + 1], np.ones(1))
        tables = _tables(self.subject, one, sizes[size], _CLOSELY)
        return replace(self, tables=tuple(tables), weights=one.weights)

    def losses(self, release: Release[Any], name: LossName) -> Floats:
        """The expected loss on every table."""
        return release.losses(self.tables, name)

    def steps_within(self, chances: Floats, apart: Floats, confidence: float) -> int:
        """How many steps hold the truth at the confidence, over all tables.

        Args:
            chances: Table by table, how likely what may be told is.
            apart: How many steps that lies from the truth, halves among them.
            confidence: What the chances within must come to.
        """
        shares, most = (self.table_weights[:, None] * chances).ravel(), self.subject.size - 1
        seen = np.flatnonzero(shares > _UNSEEN)
        shares = shares.take(seen)
        steps = np.minimum(np.ceil(apart.ravel().take(seen)), most).astype(np.intp)
        reach, held = 0, 0.0
        for bits in range(
            (most.bit_length() - 1) // _DIGIT * _DIGIT, -1, -_DIGIT
        ):  # digit by digit
            digits = steps >> bits
            within = held + np.bincount(digits, shares, minlength=1).cumsum()
            digit = min(int(within.searchsorted(confidence)), len(within) - 1)
            held = float(within[digit - 1]) if digit else held
            kept = digits == digit
            steps, shares, reach = (
                steps[kept] - (digit << bits),
                shares[kept],
                reach + (digit << bits),
            )
        return reach

    def by_shape(self, by_table: Floats) -> Floats:
        """The average over the tables of each shape."""
        return np.asarray(by_table.reshape(len(self.weights), -1).mean(axis=1))

    def mean(self, by_table: Floats, name: LossName) -> float:
        """The weighted geometric mean over all shapes, by which candidates are compared."""
        least = self.quarter(name)
        logs = self.weights @ np.log(self.by_shape(by_table) + least)
        return max(0.0, float(np.exp(logs)) - least)

    def ratios(self, by_table: Floats, reference: Floats, name: LossName) -> Floats:
        """Shape by shape, how many times the reference's loss it is."""
        least = self.quarter(name)
        ours, theirs = self.by_shape(by_table), self.by_shape(reference)
        return np.asarray((ours + least) / (theirs + least))

    def quarter(self, name: LossName) -> float:
        """What is added to losses before they are compared."""
        return in_loss_units(name, float(self.subject.unit)) * judged_quarter(name)

    def typical(self, by_table: Floats) -> tuple[float, float]:
        """Between which errors 80 % of all tables lie, by their weights."""
        order = np.argsort(by_table, kind="stable")
        below = np.cumsum(self.table_weights[order])
        low, high = np.searchsorted(below, _TYPICAL)
        errors = by_table[order]
        return float(errors[low]), float(errors[min(int(high), len(errors) - 1)])


def judged_quarter(name: LossName) -> float:
    """What a quarter of a step costs; of being wrong, a quarter."""
    return QUARTER**2 if name == LossName.SQUARED else QUARTER


@lru_cache(maxsize=64)
def judging_of(subject: Subject) -> Judging:
    """The imagined tables for a subject: the same ones every time."""
    family, sizes = _family(subject), _sizes(subject)
    if subject.column is None and subject.holds_chance == 1:
        return Judging(
            subject=subject,
            tables=tuple(Moments(rows, rows) for rows in sizes),
            weights=np.full(len(sizes), 1 / len(sizes)),
        )
    each = TABLES_PER_SHAPE if subject.fixed_size else TABLES_PER_SHAPE // 2
    if subject.needs_values and subject.values > _MANY_VALUES:
        each = 2 if subject.values <= MOST_VALUES else 1  # laws over so many take their time
    tables = [one for rows in sizes for one in _tables(subject, family, rows, each)]
    weights = np.tile(family.weights / len(sizes), len(sizes))
    if not subject.needs_values:
        ends = [one for one in _ends(subject, sizes) for _ in range(each)]
        tables, weights = tables + ends, np.append(weights, np.zeros(len(ends) // each))
    return Judging(subject=subject, tables=tuple(tables), weights=weights)


def _family(subject: Subject) -> Shapes:
    """How rows of a subject are imagined to be spread."""
    values, zero = min(subject.values, MOST_VALUES), from_zero(subject)
    if isinstance(subject.statistic, Rank) and subject.fixed_size and subject.most_rows > FEW_ROWS:
        return witnessed(values, from_zero=zero, rows=subject.most_rows)
    return shapes(values, from_zero=zero)


def _sizes(subject: Subject) -> list[int]:
    """How many rows are imagined."""
    if subject.fixed_size:
        return [subject.most_rows]
    parts = _FILLED if subject.all_but_gaps else _SIZES
    return sorted({-(-subject.most_rows // part) for part in parts}, reverse=True)


def from_zero(subject: Subject) -> bool:
    """Whether the declared low is 0: then most shapes have a small scale."""
    return subject.grid is not None and subject.grid.start == 0


def _ends(subject: Subject, sizes: list[int]) -> list[Counted]:
    """Tables with all rows at one end: nobody expects them, but no mean may fail there.

    A design for likely means can err far more near the ends of a loose range, where clamping halves
    the error of plain noise.
    """
    last = subject.values - 1
    if isinstance(subject.form, FromSums):
        return alike(subject.form, sizes)
    return [Moments(rows, rows * end) for rows in sizes for end in (0, last)]


def _tables(subject: Subject, family: Shapes, rows: int, each: int) -> list[Counted]:
    """Tables over all values; finer grids have their rows at evenly spaced ones."""
    if not subject.needs_values or isinstance(subject.form, FromSums):
        lines = family.tables(rows, each)
        places = _spaced(lines.shape[1], subject.values)
        if isinstance(subject.form, FromSums):
            return summed_tables(subject.form, lines, places)
        return [Moments(rows, int(line.astype(object) @ places)) for line in lines]
    return list(_tallies(family, rows, each, subject.values))


@lru_cache(maxsize=16)
def _tallies(family: Shapes, rows: int, each: int, values: int) -> tuple[Counted, ...]:
    """The same ones for all statistics of a column: what is worked out of them, once for all."""
    lines = family.tables(rows, each)
    kept = lines.shape[1]
    if kept < values:
        places = _spaced(kept, values)
        return tuple(ThinTally(places, line, values) for line in lines)
    return tuple(map(Tally, lines))


def _spaced(kept: int, values: int) -> Places:
    """So many evenly spaced places among the values, or all of them."""
    every = np.arange(kept)
    return every if kept == values else every * (values - 1) // (kept - 1)


@dataclass(frozen=True, eq=False)
class JudgedCandidate:
    """A candidate with the figures that the public shapes give it, and its losses on them."""

    candidate: Candidate
    losses: Floats


def verdict(task: Task, candidate: Candidate) -> JudgedCandidate:
    """What the public shapes say of a candidate."""
    judging, name = judging_of(task.subject), loss_name(task.subject, task.wishes)
    losses = judging.losses(candidate.release, name)
    errors = losses
    if name != error_name(task.subject):
        errors = judging.losses(candidate.release, error_name(task.subject))
    known = candidate.figures
    figures = replace(
        known,
        loss=judging.mean(losses, name),
        expected=known.expected if known.same_everywhere else None,
        typical=judging.typical(errors),
        worst_shape=float(judging.by_shape(errors).max()),
        standard_error=None,
    )
    return JudgedCandidate(replace(candidate, figures=figures), losses)


def reference_of(task: Task, plain: JudgedCandidate) -> JudgedCandidate:
    """What candidates are held against: the plain one, drawn as plainly as can be."""
    release = plain.candidate.release.reference
    if release == plain.candidate.release:
        return plain
    name = loss_name(task.subject, task.wishes)
    return JudgedCandidate(plain.candidate, judging_of(task.subject).losses(release, name))


def errs_more(task: Task, one: JudgedCandidate, plain: JudgedCandidate) -> Unsuitable | None:
    """Why the safe rule leaves a candidate out, held against a plain one."""
    judging, name = judging_of(task.subject), loss_name(task.subject, task.wishes)
    worst = float(judging.ratios(one.losses, plain.losses, name).max())
    if worst <= CAP:
        return None
    return Unsuitable(Misfit.ERRS_MORE, names=(plain.candidate.name,), ratio=worst)


def hopeless_by_answer(task: Task, plain: JudgedCandidate) -> Unsuitable | None:
    """Why no mechanism that looks at the answer alone can keep the cap, where all are neighbours.

    On two tables with answers y and z its errors add up to at least e^(−ε)·|y − z|
    (docs/proofs/safe-rule.md).
    """
    subject, name = task.subject, loss_name(task.subject, task.wishes)
    if not isinstance(subject.form, Placed) or name == LossName.SQUARED:
        return None
    judging = judging_of(subject)
    places = float(subject.unit) * true_places(subject, judging.tables).astype(np.float64)
    apart = judged(name, np.abs(places[:, None] - places[None, :]))
    shapes = len(judging.weights)
    between = apart.reshape(shapes, -1, shapes, apart.shape[1] // shapes).mean(axis=(1, 3))
    theirs = judging.by_shape(plain.losses) + judging.quarter(name)
    least = math.exp(-float(task.epsilon)) * between + 2 * judging.quarter(name)
    worst = float((least / (theirs[:, None] + theirs[None, :])).max())
    if worst <= CAP:
        return None
    return Unsuitable(Misfit.ERRS_MORE, names=(plain.candidate.name,), ratio=worst)


def sense_of(task: Task, plain: str | None = None) -> Sense:
    """In which sense the first candidate is best."""
    wishes = task.wishes
    if wishes.mechanism is not None:
        return Sense(Best.ASKED_FOR)
    if wishes.worst_case:
        return Sense(Best.WORST_CASE)
    if not wishes.safe:
        return Sense(Best.STATED_PRIOR)
    return Sense(Best.SAFE, shapes=len(judging_of(task.subject).weights), plain=plain)
