"""`python -m benchmarks trials [ANSWERS]`: ten records, one answer, beside other tools.

Mean absolute error of one answer about ten records, after clamping to the range. Ours is exact,
computed from the integers of the mechanism that the planner chose, and drawn besides; OpenDP,
diffprivlib and PyDP answer the same drawn tables in an environment of their own; figures that were
measured earlier are quoted with the interval that their 2,200 answers leave.

✓: our exact error is at or below the constant and every figure, drawn or quoted. ≈: a figure is
below ours, ours is the proven optimum of all private mechanisms, and within twice the half-width of
that figure's 95 % interval: what is below is chance. ✗: neither.
"""

import sys
import time

from benchmarks.trials.cells import Cell, cells
from benchmarks.trials.report import by_middles, default_goal, quoted_earlier, side_by_side, words
from benchmarks.trials.theirs import Theirs

ANSWERS = 10_000


def main(arguments: list[str]) -> int:
    """Print the tables; 1 when a cell does not hold."""
    many = int(arguments[0]) if arguments else ANSWERS
    started = time.perf_counter()
    theirs = Theirs.start()
    found: list[Cell] = []
    try:
        for each in cells(theirs, many):
            found.append(each)
            print(".", end="", file=sys.stderr, flush=True)
    finally:
        theirs.close()
    print(file=sys.stderr)
    side_by_side(found, many, theirs.versions)
    quoted_earlier(found)
    by_middles(found)
    default_goal(found, many)
    words(found)
    print(f"{time.perf_counter() - started:.0f} s")
    return 1 if any(each.mark == "✗" or not each.warned for each in found) else 0
