"""A program in which every output's row sees little of a table, and which ratios are near there.

For a rank near the largest, row i depends on how many records are above the values 1 to i alone;
near the least, the other way round. The best such matrix is often nearly the best of all, and not
always the best (docs/proofs/by-database.md, A narrow view). So it proves nothing: it says which
ratios to write into the whole program, and it is at hand when time runs out.
"""

import numpy as np

from discreet.databases.listing import Indices
from discreet.databases.problem import DatabaseProblem
from discreet.databases.ratios import Ratios, all_ratios
from discreet.databases.relaxation import Folding, relaxed_program
from discreet.databases.solving import SolvedMatrix, repaired
from discreet.designer.programs.program import Floats
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import ratio_above
from discreet.designer.request import value_above

_NEAR = 0.5
"""A ratio of so much of e^ε may bind in the whole program."""
_ROUGH = 1e-5
"""A tolerance good enough to see which ratios those are."""
_SEES_ALL_SOON = 3
"""So many outputs at the far end see nearly all of a table anyway."""


def narrow_folding(problem: DatabaseProblem, *, from_above: bool) -> Folding:
    """Cells of an output share a variable where the records that it sees are the same ones.

    The outputs between the first and those that see nearly all anyway see one count more: that is
    what a narrow optimum lacks, and costs little.
    """
    above = problem.databases.above
    rows, columns = problem.shape
    variable: Indices = np.zeros((rows, columns), dtype=np.int64)
    begin = 0
    for output in range(rows):
        rank = output if from_above else rows - 1 - output
        seen_of = rank + 1 + (1 <= rank < rows - _SEES_ALL_SOON)
        seen = above[:, :seen_of] if from_above else above[:, max(above.shape[1] - seen_of, 0) :]
        kinds, place = np.unique(seen, axis=0, return_inverse=True)
        variable[output] = begin + place.ravel()
        begin += len(kinds)
    return Folding(variable, np.arange(columns))


def seen_narrowly(
    problem: DatabaseProblem, ratios: Ratios, *, from_above: bool
) -> tuple[SolvedMatrix, Ratios]:
    """The best matrix of narrow rows, with a bound of 0, and the ratios that are near e^ε in it."""
    folding = narrow_folding(problem, from_above=from_above)
    program = relaxed_program(problem, folding, ratios)
    solution = solve(program, "ipm", crossover=False, tolerance=_ROUGH)
    matrix = solution.x[folding.variable]
    mechanism = repaired(problem, matrix)
    narrow = SolvedMatrix(
        mechanism=mechanism,
        value=value_above(problem.request, mechanism),
        lower_bound=0.0,
        program=program,
        multipliers=solution.duals,
        folding=folding,
        rounds=0,
    )
    return narrow, _near(problem, matrix)


def _near(problem: DatabaseProblem, matrix: Floats) -> Ratios:
    every = all_ratios(problem.databases, problem.shape[0])
    larger = matrix[every.output, every.larger]
    smaller = matrix[every.output, every.smaller]
    return every.where(larger > _NEAR * ratio_above(problem.request) * smaller)
