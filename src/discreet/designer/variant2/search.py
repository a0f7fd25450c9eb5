"""The best plan with a given reach: a ratio made linear, and rows made to fall where they rise.

The loss is a quotient: what cells cost, over what columns sum to in units of the diagonal. It is
least for the θ at which the least of (cost − θ·sum) is 0 (Dinkelbach); two or three solutions find
it. Few rows would rise if they were not made to fall: they are found and forbidden on the way.
"""

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.programs.solver import Session, Solution
from discreet.designer.variant2.band import BandPlan, Triangles
from discreet.designer.variant2.program import Extras, band_program
from discreet.errors import DesignError

_ROUNDS = 200
_SAME = 1e-13
_RISES = 1e-11
_MANY = 0.1


def best_plan(triangles: Triangles, reach: Indices) -> tuple[BandPlan, float, Floats]:
    """The cheapest mechanism with extras within reach only: plan, value, columns' multipliers.

    >>> ones = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) / 5
    >>> plan, value, _ = best_plan(Triangles((2 * ones,), 4, 0.36788), np.array([4, 3, 2, 1]))
    >>> round(5 * value, 4), round(plan.diagonal, 3)
    (5.7596, 0.322)
    """
    sides = [Extras.of(triangles, number, reach) for number in range(len(triangles.costs))]
    program, least = band_program(triangles, sides)
    session = Session(program)
    forbidden = [np.zeros(len(side.row), dtype=bool) for side in sides]
    theta = least * triangles.shrink / triangles.size
    for _ in range(_ROUNDS):
        session.set_cost(0, -theta)
        solution = session.solve()
        before, theta = theta, _value(triangles, program.cost, least, solution.x)
        settled = abs(theta - before) <= _SAME * theta
        for side, known in zip(sides, forbidden, strict=True):
            new = _to_forbid(side, solution.x, known)
            if len(new):
                known[new] = True
                session.add_rows(side.falling(new))
                settled = False
        if settled:
            return _plan(triangles, solution), theta, _multipliers(triangles, solution)
    raise DesignError("its program did not converge")


def _value(triangles: Triangles, cost: Floats, least: float, x: Floats) -> float:
    """The loss of a point: what it costs, over what its columns sum to."""
    cells = least + float(cost[1:] @ x[1:])
    total = 1 + triangles.shrink * float(x[0])
    return (triangles.diagonal + triangles.shrink * cells) / total


def _to_forbid(side: Extras, x: Floats, known: Indices) -> Indices:
    """The cells that rise, with those around them; all, when many rise."""
    rising = side.rising_cells(x, _RISES)
    if len(rising) > _MANY * len(known):
        wanted = np.flatnonzero(side.offset > 1)
    else:
        wanted = side.around(rising)
    return wanted[~known[wanted]]


def _plan(triangles: Triangles, solution: Solution) -> BandPlan:
    others, sides = triangles.size - 1, len(triangles.costs)
    shares = triangles.shrink * solution.x
    diagonal = 1 / (1 + float(shares[0]))
    parts = shares[1:].reshape(sides, -1)[:, :others]
    return BandPlan(diagonal, tuple(np.concatenate([[0.0], diagonal * part]) for part in parts))


def _multipliers(triangles: Triangles, solution: Solution) -> Floats:
    """One for each column; a mirrored pair of columns shares one."""
    size = triangles.size
    if not triangles.mirrored:
        return solution.duals[:size]
    half = solution.duals[: size // 2] / 2
    return np.concatenate([half, solution.duals[size // 2 : (size + 1) // 2], half[::-1]])
