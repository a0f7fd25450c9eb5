"""Prices for lines on which neighbours are many steps apart, from coarser lines to finer ones.

Interval rays leave prices free to swing where only other rays would notice. So prices are kept in a
box around those of a coarser line: whoever leaves it pays. Where nobody wants to leave it any more,
or the gap is closed, the search ends; else the box moves to the best prices found.
"""

from collections.abc import Callable

import numpy as np

from discreet.designer.programs.program import Floats
from discreet.designer.rays.bound import bound_and_rays
from discreet.designer.rays.goal import Distances, Line
from discreet.designer.rays.pool import NEAREST_BOXED, Pool, RayOptimum, Report, with_intervals
from discreet.designer.rays.program import Columns
from discreet.designer.request import out_of_time

Search = Callable[[Distances, Report, float], RayOptimum]

_COARSER = 3
_FEW_STEPS = 12
"""With no more steps than this a line needs no box."""
_COARSE_TOLERANCE = 1e-5
_WIDTH = 0.05
_ROUNDS = 60
_HARDLY, _MUCH, _FAR_TOO_MUCH = 0.1, 0.5, 10.0
_NARROWER, _NEAR = 0.5, 1e-3
_CHEATED = 2.0
"""What leaving the box saves is about twice what weights without a box cost more."""


def with_a_box(goal: Distances, report: Report, tolerance: float, search: Search) -> RayOptimum:
    """A bound from prices that were kept in a box, and then the best weights of interval rays.

    `search` finds the prices of the coarser line that the box is put around.
    """
    pool, bound, prices = _priced(goal, report, tolerance, search)
    pool = pool.only_intervals(prices)
    enough = bound + tolerance * abs(bound)
    weighing = with_intervals(pool, lambda value, _: report(value, bound), enough, way="interior")
    return pool.found(weighing, bound, prices)


def _priced(
    goal: Distances, report: Report, tolerance: float, search: Search
) -> tuple[Pool, float, Floats]:
    """The rays that were needed, the bound, and the prices that prove it."""
    centre = _coarser_prices(goal, search)
    pool = Pool(goal)
    pool.hold_nearest(centre, NEAREST_BOXED)
    return pool, *_boxed(pool, centre, report, tolerance)


def _coarser_prices(goal: Distances, search: Search) -> Floats:
    """Prices found on a line with a third of the steps, stretched to this one."""
    line = goal.line
    steps = max(4, line.steps // _COARSER)
    stretch = line.steps / steps
    size = max(2, round((line.size - 1) / stretch) + 1)
    small = Distances(Line(size, steps, line.alpha), goal.power)
    if steps > _FEW_STEPS:
        prices = _priced(small, _quiet, _COARSE_TOLERANCE, search)[2]
    else:
        prices = search(small, _quiet, _COARSE_TOLERANCE).prices
    places = np.linspace(0, size - 1, line.size)
    return stretch**goal.power * np.interp(places, np.arange(size), prices)


def _boxed(pool: Pool, centre: Floats, report: Report, tolerance: float) -> tuple[float, Floats]:
    bound, best, width = -np.inf, centre, _WIDTH
    box = _add_box(pool, centre, width)
    exact = False
    for _ in range(_ROUNDS):
        weighing = pool.program.solve("interior", 1e-9 if exact else 1e-7)
        small = tolerance * weighing.value
        added = pool.hold_missing(weighing.prices, weighing.value)
        for share in (0.0, 0.5):
            prices = share * best + (1 - share) * weighing.prices
            reached, levels = bound_and_rays(pool.goal, prices, small)
            raised = reached > bound
            if raised:
                bound, best = reached, prices
            if weighing.value - bound > small:
                added += pool.hold_levels(levels)
            if raised:
                break
        report(weighing.value, bound)
        costs = _box_costs(best[: pool.basis.rows], width)
        cheating = float(weighing.weights[box : box + len(costs)] @ np.abs(costs))
        closed = weighing.value - bound <= small and width * cheating <= _CHEATED * small
        if exact and closed and not added:
            break
        if out_of_time():
            break
        gap = weighing.value - bound
        exact = gap < 1e-4 * weighing.value
        change = _next_width(width * cheating / gap if gap > 0 else np.inf, bool(added))
        width *= change if gap < _NEAR * weighing.value else max(change, 1.0)
        pool.program.change_costs(box, _box_costs(best[: pool.basis.rows], width))
    return bound, best


def _next_width(left: float, added: bool) -> float:
    """What to multiply the width by, when so much of the gap is made by leaving the box.

    Prices swing less in a narrow box, which is wide enough while leaving it gains nearly nothing.
    """
    if left > _MUCH or not added:
        return 2.0 if left < _FAR_TOO_MUCH else 4.0
    return _NARROWER if left < _HARDLY else 1.0


def _add_box(pool: Pool, centre: Floats, width: float) -> int:
    """Let answers be bought above their price and sold below it; where these columns begin."""
    units, rows = pool.basis.unit_columns(), pool.basis.rows
    both = Columns(
        np.concatenate([units.starts, units.starts[-1] + units.starts[1:]]),
        np.concatenate([units.rows, units.rows]),
        np.concatenate([units.values, -units.values]),
    )
    return pool.program.add(both, _box_costs(centre[:rows], width))


def _box_costs(centre: Floats, width: float) -> Floats:
    room = width * (np.abs(centre) + 0.05 * np.abs(centre).max())
    return np.concatenate([centre + room, room - centre])


def _quiet(value: float, bound: float) -> None:
    """Tell nobody."""
