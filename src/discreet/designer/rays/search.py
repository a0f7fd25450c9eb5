"""The best weighted rays on a line: interval rays first, others as pricing finds them.

Every round weighs the rays at hand, prices the answers, and asks which ray is missing most: among
intervals by running sums, among all rays by dynamic programming, which also proves the bound.
"""

import numpy as np

from discreet.designer.rays.bound import bound_and_rays
from discreet.designer.rays.box import with_a_box
from discreet.designer.rays.goal import Distances, GoalOnALine
from discreet.designer.rays.pool import MOST_ROUNDS, Found, Pool, Report, with_intervals

TOLERANCE = 1e-10
"""The relative gap at which a search ends."""

LONG = 200
"""On lines longer than this interval rays are preferred: they need not be written out."""

MOST_INTERVALS = 45_000
"""With more interval rays than this, of neighbours many steps apart, prices are kept in a box."""

_LONG_TOLERANCE = 1e-7
_BOX_TOLERANCE = 5e-8
_SMOOTH = 0.6


def best_rays(goal: GoalOnALine, report: Report, tolerance: float = TOLERANCE) -> Found:
    """The best weighted rays for a goal on a line, with a proven bound on all mechanisms."""
    line = goal.line
    if isinstance(goal, Distances) and line.steps > 12 and line.size * line.steps > MOST_INTERVALS:
        return with_a_box(goal, report, max(tolerance, _BOX_TOLERANCE), best_rays)
    found = _searched(goal, report, tolerance, 1.0)
    usual = line.size
    if found.gap > tolerance and 0 < found.value < 0.1 * usual:
        again = _searched(goal, report, tolerance, usual / found.value)
        return again if again.gap < found.gap else found
    return found


def _searched(goal: GoalOnALine, report: Report, tolerance: float, scale: float) -> Found:
    pool = Pool(goal, scale)
    weighing = of_intervals = with_intervals(pool, report)
    bound, anchor = -np.inf, weighing.prices
    for _ in range(MOST_ROUNDS):
        added = 0
        for share in (0.0, _SMOOTH):
            prices = share * anchor + (1 - share) * weighing.prices
            small = tolerance * weighing.value
            reached, levels = bound_and_rays(goal, prices, small)
            if reached > bound:
                bound, anchor = reached, prices
            if weighing.value - bound <= small:
                break
            added += pool.hold_levels(levels)
        report(weighing.value, bound)
        if weighing.value - bound <= tolerance * weighing.value or not added:
            break
        weighing = pool.program.solve("primal")
    loses = of_intervals.value - weighing.value
    if goal.line.size > LONG and loses <= _LONG_TOLERANCE * weighing.value:
        weighing = of_intervals
    return pool.found(weighing, bound, anchor)
