"""Whether the time of a draw, given what it told, says which of two tables was drawn for.

Draws for the two tables follow one another in a random order. Of draws that told the same value,
each two neighbours in time that belong to different tables make a pair. Which of the two came first
is decided by fair coins, so if the time does not depend on the table, given the told value and the
moment, "the first table's draw took longer" is a fair coin for every pair, independent of all
others: whatever the law of the times, however it drifts, and however the machine is disturbed.
Chernoff's bound then holds exactly (statistics_bounds.tail_bound).

An interpreter is not made for constant time: where an object happens to lie moves a draw by some
nanoseconds, in one process and not in the next. So a coin that is off by up to FLOOR is let pass,
and the smallest effect that is surely seen says so. FLOOR is far below what one operation takes.
"""

import math
import secrets
from time import thread_time_ns

from statistics_bounds import tail_bound

FLOOR = 0.05
"""How far a coin may be off by nothing but places in memory."""
ALARM = 1e-7
"""How rarely a false alarm is raised, by one test in one direction."""
MOST_DRAWS = 200
"""How many draws a pair may take, on average, before what is told is called too fine to compare."""


def smallest_seen(pairs):
    """If one of two draws takes longer with this probability, that is seen but for ALARM."""
    return 0.5 + FLOOR + 2 * math.sqrt(math.log(1 / ALARM) / (2 * pairs))


def tells_apart(wins, pairs):
    """Whether so many wins of so many pairs say that the times differ by more than FLOOR."""
    off = wins / pairs - 0.5
    if abs(off) <= FLOOR:
        return False
    return tail_bound(wins, pairs, 0.5 + math.copysign(FLOOR, off)) <= ALARM


def slower(first, second, wanted):
    """How often the first table's draw took longer, of the wanted pairs; a tie is tossed for.

    Both are functions that make a draw ready, as every question does: draws from one and the same
    object would be told apart by where it lies in memory. When to stop is decided by what was told
    and by fair coins, never by a time, so that every pair stays a fair coin.
    """
    making = (first, second)
    waiting = {}
    wins = pairs = 0
    for _ in range(MOST_DRAWS * wanted):
        which = secrets.randbits(1)
        draw = making[which]()
        started = thread_time_ns()
        told = draw()
        taken = thread_time_ns() - started
        before = waiting.pop(told, None)
        if before is None:
            waiting[told] = (which, taken)
        elif before[0] != which:
            mine, others = (taken, before[1]) if which == 0 else (before[1], taken)
            wins += secrets.randbits(1) if mine == others else mine > others
            pairs += 1
            if pairs == wanted:
                return wins, pairs
    raise AssertionError(f"what is told hardly ever repeats: {pairs} pairs, {wanted} wanted")
