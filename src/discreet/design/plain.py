"""The plain program: everything written out, solved by HiGHS, repaired, and bounded from below.

Slow on large spaces, but it takes every goal, every requirement, every relation and δ: it is the
reference that faster methods are tested against.
"""

import math

from discreet.design.dual_bound import lower_bound
from discreet.design.methods import Method
from discreet.design.program import Program
from discreet.design.programs import matrix_of, plain_program, with_honest_room
from discreet.design.repairs import repaired
from discreet.design.request import Finding, Progress, Request, relative_gap
from discreet.design.solver import SolverMethod, solve
from discreet.design.value import value_above
from discreet.errors import DesignError
from discreet.model import Mechanism

MOST_ENTRIES = 700_000
"""Programs with more entries than this take HiGHS longer than anyone waits."""

MOST_EPSILON = 20
"""Beyond this e^(−ε) is below 10⁻⁹, and a solver in floats no longer sees the tails."""

_GOOD_ENOUGH = 1e-8
_ATTEMPTS: tuple[tuple[SolverMethod, bool], ...] = (
    ("ipm", False),
    ("ipm", True),
    ("simplex", True),
)


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
        return f"ε = {request.epsilon} is too large, at most {MOST_EPSILON} is solved for"
    entries = entries_of(request)
    if entries > MOST_ENTRIES:
        return (
            f"its plain program has about {entries:,} entries, at most {MOST_ENTRIES:,} is solved"
        )
    return None


def run(request: Request) -> Finding:
    """Solve, repair and bound; solve again another way while the gap is wide."""
    program = plain_program(request)
    best: tuple[float, Mechanism] | None = None
    bound = -math.inf
    for method, crossover in _attempts(program):
        try:
            solution = solve(with_honest_room(program), method, crossover=crossover)
            bound = max(bound, lower_bound(program, solution.duals))
            mechanism = repaired(request, matrix_of(request, solution.x))
        except DesignError:
            if (method, crossover) == _attempts(program)[-1] and best is None:
                raise
            continue
        value = value_above(request, mechanism)
        if best is None or value < best[0]:
            best = value, mechanism
        request.report(Progress("plain", method, best[0], bound))
        if relative_gap(best[0], bound) <= _GOOD_ENOUGH:
            break
    assert best is not None
    return Finding(best[1], bound, best[0])


def _attempts(program: Program) -> tuple[tuple[SolverMethod, bool], ...]:
    """Crossover and simplex only where they end soon."""
    return _ATTEMPTS if len(program.values) <= MOST_ENTRIES // 5 else _ATTEMPTS[:2]


PLAIN = Method(
    "plain",
    "the plain linear program",
    "Croft, Sack & Shi 2020, Variants 1 and 2",
    why_not,
    run,
)
