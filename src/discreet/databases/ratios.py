"""Which ratios are written into a program: those that are likely to bind, then those found broken.

Leaving ratios out only lets more matrices in, so the bound of a program with few of them is a
bound for all mechanisms (docs/proofs/by-database.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.databases.listing import Databases, Indices
from discreet.designer.programs.program import Floats

_ALIKE = 1e-12
"""Losses that differ by less than this share of the largest are the same."""


@dataclass(frozen=True, eq=False)
class Ratios:
    """M[output, larger] ≤ e^ε·M[output, smaller], a line for each."""

    output: Indices
    larger: Indices
    smaller: Indices

    @classmethod
    def joined(cls, parts: "list[Ratios]") -> "Ratios":
        """All of these, in order."""
        return cls(
            np.concatenate([part.output for part in parts]),
            np.concatenate([part.larger for part in parts]),
            np.concatenate([part.smaller for part in parts]),
        )

    @classmethod
    def none(cls) -> "Ratios":
        """No ratio at all."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing)

    def where(self, kept: npt.NDArray[np.bool_]) -> "Ratios":
        """Those that are kept."""
        return Ratios(self.output[kept], self.larger[kept], self.smaller[kept])

    def __len__(self) -> int:
        return len(self.output)


def steps_away(databases: Databases, start: npt.NDArray[np.bool_]) -> Indices:
    """How many records must change (or come or go) to reach one of the starting columns."""
    far = len(databases) + 1
    away = np.where(start, 0, far).astype(np.int64)
    changed = True
    while changed:
        before = away.copy()
        for one, other in databases.matchings:
            away[other] = np.minimum(away[other], away[one] + 1)
            away[one] = np.minimum(away[one], away[other] + 1)
        changed = bool((away != before).any())
    return away


def leading_home(databases: Databases, output: int, home: npt.NDArray[np.bool_]) -> Ratios:
    """The ratios along which an output's row falls off: one step nearer home on the larger side."""
    away = steps_away(databases, home)
    one, other = databases.pairs[:, 0], databases.pairs[:, 1]
    nearer = np.where(away[one] < away[other], one, other)
    farther = np.where(away[one] < away[other], other, one)
    kept = away[one] != away[other]
    return Ratios(np.full(int(kept.sum()), output), nearer[kept], farther[kept])


def falling_away(databases: Databases, outputs: int) -> Ratios:
    """For an output for each value: the ratios of moves that take a record past it, or from it.

    An order statistic is above value i when enough records are. An output's row is expected to rise
    with the records above the values below its own, and to fall with those above its own and
    higher ones; a ratio is written where one of these counts goes the other way.
    """
    above = databases.above
    one, other = databases.pairs[:, 0], databases.pairs[:, 1]
    parts = [Ratios.none()]
    for output in range(outputs):
        sign = np.where(np.arange(above.shape[1]) < output, 1, -1)
        change = (above[other] - above[one]) * sign
        down, up = (change < 0).any(axis=1), (change > 0).any(axis=1)
        larger = np.concatenate([one[down], other[up]])
        smaller = np.concatenate([other[down], one[up]])
        parts.append(Ratios(np.full(len(larger), output), larger, smaller))
    return Ratios.joined(parts)


def losing_no_more(databases: Databases, loss: Floats) -> Ratios:
    """The ratios whose larger side is where the output loses no more: a row falls with its loss.

    Of a mean or a sum hardly any other ratio binds: a table nearer to an output may be many steps
    from another one, so that those which lead home are too few.
    """
    one, other = databases.pairs[:, 0], databases.pairs[:, 1]
    alike = _ALIKE * float(loss.max())
    parts = [Ratios.none()]
    for output, row in enumerate(loss):
        up, down = row[one] <= row[other] + alike, row[other] <= row[one] + alike
        larger = np.concatenate([one[up], other[down]])
        smaller = np.concatenate([other[up], one[down]])
        parts.append(Ratios(np.full(len(larger), output), larger, smaller))
    return Ratios.joined(parts)


def all_ratios(databases: Databases, outputs: int) -> Ratios:
    """Every ratio that privacy asks for."""
    one, other = databases.pairs[:, 0], databases.pairs[:, 1]
    larger, smaller = np.concatenate([one, other]), np.concatenate([other, one])
    return Ratios.joined(
        [Ratios(np.full(len(larger), output), larger, smaller) for output in range(outputs)]
    )


def about_few_values(databases: Databases, outputs: int) -> Ratios:
    """All ratios of the tables of which all records but one hold one value or two, both ways.

    Few tables lie beside them, so what an output does there follows no rule.
    """
    in_two = np.sort(databases.counts, axis=1)[:, -2:].sum(axis=1)
    few = databases.counts.sum(axis=1) - in_two <= 1
    every = all_ratios(databases, outputs)
    return every.where(few[every.larger] | few[every.smaller])


def between_touched(databases: Databases, outputs: int, broken: Ratios) -> Ratios:
    """All ratios, row by row, between columns that a broken one touches: others soon follow it."""
    touched = np.zeros((outputs, len(databases)), dtype=np.bool_)
    touched[broken.output, broken.larger] = True
    touched[broken.output, broken.smaller] = True
    one, other = databases.pairs[:, 0], databases.pairs[:, 1]
    parts = [Ratios.none()]
    for output, row in enumerate(touched):
        both = row[one] & row[other]
        ends = np.concatenate([one[both], other[both]]), np.concatenate([other[both], one[both]])
        parts.append(Ratios(np.full(len(ends[0]), output), *ends))
    return Ratios.joined(parts)


def broken_ratios(
    databases: Databases, matrix: Floats, ratio: float, tolerance: float
) -> Iterator[Ratios]:
    """For each output the ratios that a matrix breaks by more than a tolerance."""
    one, other = databases.pairs[:, 0], databases.pairs[:, 1]
    for output, row in enumerate(matrix):
        for larger, smaller in ((one, other), (other, one)):
            excess = row[larger] - ratio * row[smaller]
            broken = np.flatnonzero(excess > tolerance)
            if len(broken):
                yield Ratios(np.full(len(broken), output), larger[broken], smaller[broken])
