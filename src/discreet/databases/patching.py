"""A matrix that breaks few ratios, made good where it breaks them and left alone elsewhere.

Repair in integers pays for the worst column everywhere. So the columns about the broken ratios are
solved anew first, with every ratio among them and to the columns beside them, which stay as they
are. What comes out is judged like any other matrix: nothing is proved here.
"""

import numpy as np
import numpy.typing as npt

from discreet.databases.listing import Databases, Indices
from discreet.databases.problem import DatabaseProblem
from discreet.databases.ratios import Ratios
from discreet.designer.programs.program import Floats, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.errors import DesignError

_MOST_CELLS = 20_000
"""A patch of more cells is no patch: another round is worth its time."""
_REACH = 1
"""So many records may differ between a column of the patch and one that a broken ratio touches."""
_SLIGHT = 1e-7
"""What a ratio may be broken by and left to the repair in integers."""


def patched(problem: DatabaseProblem, matrix: Floats, broken: Ratios) -> Floats | None:
    """The matrix with the columns about the broken ratios solved anew; None where that fails.

    About all that are broken first. Where no values keep all bounds then, or too many columns are
    touched, about those that are broken badly.
    """
    ratio = float(problem.request.epsilon.ratio_below)
    excess = matrix[broken.output, broken.larger] - ratio * matrix[broken.output, broken.smaller]
    for slight in (0.0, _SLIGHT):
        inside = _about(problem.databases, broken.where(excess > slight))
        if not 0 < inside.sum() * len(matrix) <= _MOST_CELLS:
            continue
        slack = 2 * float(excess.max(initial=0.0, where=excess <= slight))
        columns = np.flatnonzero(inside)
        try:
            program = _program(problem, matrix, inside, columns, slack)
            solution = solve(program, "ipm", crossover=False)
        except DesignError:
            continue
        whole = matrix.copy()
        whole[:, columns] = solution.x.reshape(len(matrix), len(columns))
        return whole
    return None


def _about(databases: Databases, broken: Ratios) -> npt.NDArray[np.bool_]:
    """The columns near those that a broken ratio touches."""
    inside = np.zeros(len(databases), dtype=np.bool_)
    inside[broken.larger] = inside[broken.smaller] = True
    one, other = databases.pairs.T
    for _ in range(_REACH):
        before = inside.copy()
        inside[other[before[one]]] = True
        inside[one[before[other]]] = True
    return inside


def _program(
    problem: DatabaseProblem,
    matrix: Floats,
    inside: npt.NDArray[np.bool_],
    columns: Indices,
    slack: float,
) -> Program:
    """All ratios of the columns inside; those to the rest are bounds of the variables.

    Columns beside the patch may break ratios slightly, so that no value keeps all bounds: hence
    the slack.
    """
    rows, many = len(matrix), len(columns)
    ratio = float(problem.request.epsilon.ratio_below)
    place = np.cumsum(inside) - 1
    pairs = problem.databases.pairs
    both = np.concatenate([pairs, pairs[:, ::-1]])
    within = place[both[inside[both].all(axis=1)]]
    starts = np.arange(rows)[:, None, None] * many
    blocks = [
        ProgramRows.equal("sums", np.arange(rows * many).reshape(rows, many).T, np.ones(rows), 1.0),
        ProgramRows.at_most("ratios", (starts + within).reshape(-1, 2), np.array([1.0, -ratio])),
    ]
    least, most = np.zeros((many, rows)), np.ones((many, rows))
    edge = both[inside[both[:, 0]] & ~inside[both[:, 1]]]
    fixed = np.clip(matrix[:, edge[:, 1]].T, 0.0, 1.0)
    np.maximum.at(least, place[edge[:, 0]], fixed / ratio - slack)
    np.minimum.at(most, place[edge[:, 0]], fixed * ratio + slack)
    costs = (problem.loss * problem.weights)[:, columns]
    return Program.of(costs.ravel(), least.T.ravel(), np.maximum(least, most).T.ravel(), blocks)
