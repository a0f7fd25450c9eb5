"""The program by database with some of its ratios, alike cells sharing a variable.

Claims and proofs: docs/proofs/by-database.md and docs/proofs/reflection.md.
"""

from dataclasses import dataclass, replace

import numpy as np

from discreet.databases.listing import Indices
from discreet.databases.problem import DatabaseProblem
from discreet.databases.ratios import Ratios
from discreet.designer.programs.program import Floats, Program, ProgramRows
from discreet.designer.programs.written_out import ratio_above
from discreet.model import Situations

SAME = 1e-13
"""Losses that differ by less than this share of the largest differ by rounding alone."""


@dataclass(frozen=True, eq=False)
class Folding:
    """Which cells share a variable, and for which columns a sum is written."""

    variable: Indices
    """The variable of each cell: a line for each output, a place for each column."""
    columns: Indices
    """One of each pair of columns that mirror one another."""
    doubt: float = 0.0
    """How far rounding may have put mirrored losses apart: what a bound must be lowered by."""

    @property
    def is_mirrored(self) -> bool:
        """Whether any two cells share a variable."""
        return bool(len(self.columns) < self.variable.shape[1])

    @property
    def variables(self) -> int:
        """How many variables there are."""
        return int(self.variable.max()) + 1


def folding_of(problem: DatabaseProblem) -> Folding:
    """Fold by reversing the order of the values, where loss and prior allow (002 Lemma 5's idea).

    Outputs are reversed too, or stay where they are (for a range, say).
    """
    rows, columns = problem.shape
    turned = problem.databases.columns(problem.databases.counts[:, ::-1])
    cells = np.arange(rows * columns).reshape(rows, columns)
    loss, weights = problem.loss, problem.weights
    if (weights[turned] == weights).all():
        for outputs in (np.arange(rows)[::-1], np.arange(rows)):
            apart = float(np.abs(loss[outputs][:, turned] - loss).max())
            if apart <= SAME * float(loss.max()):
                lower = np.minimum(cells, cells[outputs][:, turned])
                kept = np.flatnonzero(turned >= np.arange(columns))
                variable = np.unique(lower, return_inverse=True)[1].reshape(cells.shape)
                return Folding(variable, kept, apart)
    return Folding(cells, np.arange(columns))


def relaxed_program(problem: DatabaseProblem, folding: Folding, ratios: Ratios) -> Program:
    """LP[1] of 002 with the statistic's loss, and of its ratios only these; e^ε rounded up."""
    variable, count = folding.variable, folding.variables
    written = variable[:, folding.columns].T
    sums = _distinct_sums(written)
    blocks = [sums, _ratio_rows(problem, variable, ratios)]
    if problem.request.goal.situations is not None:
        standings = _standing_rows(problem.request.goal.situations, problem, variable)
        return _least_worst(count, [*blocks, standings], _most_standing(problem))
    if not problem.request.goal.worst_case:
        terms = (problem.loss * problem.weights).ravel()
        expected = np.bincount(variable.ravel(), terms, minlength=count).astype(np.float64)
        return Program.of(expected, np.zeros(count), np.ones(count), blocks)
    losses = problem.loss[:, folding.columns].T
    with_worst = np.concatenate([written, np.full((len(written), 1), count)], axis=1)
    values = np.concatenate([losses, np.full((len(written), 1), -1.0)], axis=1)
    blocks.append(_added_up("worst-case", with_worst, values, -np.inf, 0.0))
    return _least_worst(count, blocks, float(problem.loss.max()))


def _least_worst(count: int, blocks: list[ProgramRows], most: float) -> Program:
    """One variable more, which no row exceeds and which alone costs something."""
    cost, upper = np.zeros(count + 1), np.ones(count + 1)
    cost[-1], upper[-1] = 1.0, most
    return Program.of(cost, np.zeros(count + 1), upper, blocks)


def _most_standing(problem: DatabaseProblem) -> float:
    """No mechanism stands worse than this anywhere."""
    situations = problem.request.goal.situations
    assert situations is not None
    return float(problem.loss.max() / situations.scales.min())


def _standing_rows(
    situations: Situations, problem: DatabaseProblem, variable: Indices
) -> ProgramRows:
    """How each situation stands is at most the last variable; nothing stands below 0."""
    each, columns = len(situations.each), problem.shape[1]
    shares = situations.priors(columns) / situations.scales[:, None]
    values = (shares[:, None, :] * problem.loss[None, :, :]).reshape(each, -1)
    places = np.broadcast_to(variable.ravel(), values.shape)
    worst = int(variable.max()) + 1
    rows = _added_up(
        "standings",
        np.concatenate([places, np.full((each, 1), worst)], axis=1),
        np.concatenate([values, np.full((each, 1), -1.0)], axis=1),
        -np.inf,
        0.0,
    )
    return replace(rows, upper=situations.offsets)


def _distinct_sums(written: Indices) -> ProgramRows:
    """Each column's cells sum to 1; a variable that stands for two of them counts twice."""
    return _added_up("sums", written, np.ones(written.shape), 1.0, 1.0)


def _added_up(
    name: str, columns: Indices, values: Floats, lower: float, upper: float
) -> ProgramRows:
    """Rows in which entries of one variable are added up."""
    count, width = columns.shape
    row = np.repeat(np.arange(count), width)
    wide = int(columns.max()) + 1
    keys, place = np.unique(row * wide + columns.ravel(), return_inverse=True)
    added = np.bincount(place, values.ravel(), minlength=len(keys)).astype(np.float64)
    return ProgramRows(
        name=name,
        row=keys // wide,
        column=keys % wide,
        value=added,
        lower=np.full(count, lower),
        upper=np.full(count, upper),
    )


def _ratio_rows(problem: DatabaseProblem, variable: Indices, ratios: Ratios) -> ProgramRows:
    larger = variable[ratios.output, ratios.larger]
    smaller = variable[ratios.output, ratios.smaller]
    wide = int(variable.max()) + 1
    keys = np.unique((larger * wide + smaller)[larger != smaller])
    ends = np.stack([keys // wide, keys % wide], axis=1)
    return ProgramRows.at_most("ratios", ends, np.array([1.0, -ratio_above(problem.request)]))
