"""How candidates are judged where no prior is stated: on tables of every public shape.

Public facts alone enter: the declared values, the number of rows or the bound on it
(docs/proofs/safe-rule.md).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.model import LossName
from discreet.planning.releases.noise import in_loss_units
from discreet.planning.releases.release import Release
from discreet.planning.shapes import MOST_VALUES, TABLES_PER_SHAPE, Shapes, shapes
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Counted, Moments, Tally

CAP = 1.1
"""How much more than the reference a candidate may err on any shape."""
QUARTER = 0.25
"""Added to errors before they are compared, in steps: less than that matters to nobody."""
_SIZES = (Fraction(1), Fraction(3), Fraction(10))
"""Of a private number of rows, the bound over each of these is imagined."""
_FILLED = (Fraction(1), Fraction(4, 3), Fraction(2))
"""Where gaps alone leave rows out: all are filled, three quarters, half of them."""
_MANY_VALUES = 251
_TYPICAL = (0.1, 0.9)


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

    def losses(self, release: Release[Any], name: LossName) -> Floats:
        """The expected loss on every table."""
        return release.losses(self.tables, name)

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
        found = by_table[order]
        return float(found[low]), float(found[min(int(high), len(found) - 1)])


def judged_quarter(name: LossName) -> float:
    """What a quarter of a step costs; of being wrong, a quarter."""
    return QUARTER**2 if name == LossName.SQUARED else QUARTER


@lru_cache(maxsize=64)
def judging_of(subject: Subject) -> Judging:
    """The imagined tables for a subject: the same ones every time."""
    family = shapes(min(subject.values, MOST_VALUES), from_zero=from_zero(subject))
    sizes = [subject.most_rows]
    if not subject.fixed_size:
        parts = _FILLED if subject.all_but_gaps else _SIZES
        sizes = sorted({-(-subject.most_rows // part) for part in parts}, reverse=True)
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


def from_zero(subject: Subject) -> bool:
    """Whether the declared low is 0: then most shapes have a small scale."""
    return subject.grid is not None and subject.grid.start == 0


def _ends(subject: Subject, sizes: list[int]) -> list[Counted]:
    """Tables with all rows at one end: nobody expects them, but no mean may fail there.

    A design for likely means can err far more near the ends of a loose range, where clamping halves
    the error of plain noise.
    """
    last = subject.values - 1
    return [Moments(rows, rows * end) for rows in sizes for end in (0, last)]


def _tables(subject: Subject, family: Shapes, rows: int, each: int) -> list[Counted]:
    """Tables over all values; finer grids have their rows at evenly spaced ones."""
    lines, values = family.tables(rows, each), subject.values
    kept = lines.shape[1]
    places = np.arange(kept) if kept == values else np.arange(kept) * (values - 1) // (kept - 1)
    if not subject.needs_values:
        return [Moments(rows, int(line.astype(object) @ places)) for line in lines]
    counts = np.zeros((len(lines), values), dtype=np.int64)
    counts[:, places] = lines
    return [Tally(line) for line in counts]
