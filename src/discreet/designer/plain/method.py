"""The plain program: everything written out, solved by HiGHS, repaired, and bounded from below.

Slow on large spaces, but it takes every goal, every requirement, every relation and δ: it is the
reference that faster methods are tested against.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from discreet.designer.plain.repairs import repaired
from discreet.designer.programs.dual_bound import lower_bound
from discreet.designer.programs.program import Floats, Program
from discreet.designer.programs.solver import SolverMethod, solve
from discreet.designer.programs.written_out import (
    balanced,
    matrix_of,
    plain_program,
    with_honest_room,
)
from discreet.designer.request import (
    Finding,
    Method,
    Progress,
    Request,
    out_of_time,
    relative_gap,
    stopped_gently,
    value_above,
)
from discreet.errors import DesignError
from discreet.model import Mechanism

MOST_ENTRIES = 700_000
"""Programs with more entries than this take HiGHS longer than anyone waits."""

MOST_EPSILON = 20
"""Beyond this e^(−ε) is below 10⁻⁹, and a solver in floats no longer sees the tails."""

_GOOD_ENOUGH = 1e-8
_HONEST_ENOUGH = 2e-7
"""Weak honesty leaves repair room of 10⁻⁷."""


@dataclass(frozen=True)
class _Way:
    """One way to have HiGHS solve a program."""

    solver: SolverMethod
    crossover: bool
    balanced: bool


_QUICK = (_Way("ipm", False, False), _Way("ipm", True, True))
_THOROUGH = (*_QUICK, _Way("simplex", True, False), _Way("simplex", True, True))


def entries_of(request: Request) -> int:
    """How many entries the plain program of a request has, roughly."""
    rows, columns = request.shape
    cells = rows * columns
    steps = request.steps
    pairs = 2 * columns * (steps or 1)
    if steps is None:
        pairs = 2 * sum(1 for _ in request.neighbours.pairs(columns))
    if request.guarantee.delta:
        ratios = 4 * rows * pairs
    elif request.all_are_neighbours:
        ratios = 4 * cells
    else:
        ratios = 2 * rows * pairs
    return ratios + cells * (1 + 3 * len(request.requirements.names()) + request.goal.worst_case)


def why_not(request: Request) -> str | None:
    """Only size, of the space or of ε, can speak against the plain program."""
    if request.epsilon.value > MOST_EPSILON:
        return f"ε = {request.epsilon} is too large; the limit is {MOST_EPSILON}"
    entries = entries_of(request)
    if entries > MOST_ENTRIES:
        return f"its linear program has about {entries:,} entries; the limit is {MOST_ENTRIES:,}"
    return None


def run(request: Request) -> Finding:
    """Write everything out and solve."""
    return solved(request, plain_program(request), partial(matrix_of, request), "plain")


def solved(
    request: Request, program: Program, read: Callable[[Floats], Floats], name: str
) -> Finding:
    """Solve, repair and bound; solve again another way while the gap is wide.

    `read` makes a matrix of outputs by answers from a point of the program.
    """
    best: tuple[float, Mechanism] | None = None
    bound = -math.inf
    problem: DesignError | None = None
    enough = _HONEST_ENOUGH if request.requirements.every_output else _GOOD_ENOUGH
    for way in _THOROUGH if len(program.values) <= MOST_ENTRIES // 5 else _QUICK:
        try:
            proved, mechanism = _solved(request, program, read, way)
        except DesignError as failed:
            problem = failed
            if out_of_time():
                break
            continue
        except KeyboardInterrupt:
            if best is None or not stopped_gently():
                raise
            break
        value = value_above(request, mechanism)
        if best is None or value < best[0]:
            best = value, mechanism
        bound = max(bound, proved)
        request.report(Progress(name, way.solver, best[0], bound))
        if relative_gap(best[0], bound) <= enough:
            break
    if best is None:
        assert problem is not None
        raise problem
    return Finding(best[1], bound, best[0])


def _solved(
    request: Request, program: Program, read: Callable[[Floats], Floats], way: _Way
) -> tuple[float, Mechanism]:
    """A proven bound and a repaired matrix.

    Moving the multipliers of the sums sharpens the bound, unless one variable is in several.
    """
    written = balanced(request, program) if way.balanced else program
    solution = solve(with_honest_room(written), way.solver, crossover=way.crossover)
    bound = max(lower_bound(written, solution.duals, sums=rows) for rows in ("sums", None))
    return bound, repaired(request, read(solution.x))


PLAIN = Method(
    name="plain",
    title="the plain linear program",
    citation="Croft, Sack & Shi 2020, Variants 1 and 2",
    why_not=why_not,
    run=run,
)
