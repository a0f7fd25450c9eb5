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
from collections import defaultdict
from time import thread_time_ns

from statistics_bounds import tail_bound

FLOOR = 0.05
"""How far a coin may be off by nothing but places in memory."""
ALARM = 1e-7
"""How rarely a false alarm is raised, by one test in one direction."""


def smallest_seen(pairs):
    """If one of two draws takes longer with this probability, that is seen but for ALARM."""
    return 0.5 + FLOOR + 2 * math.sqrt(math.log(1 / ALARM) / (2 * pairs))


def tells_apart(wins, pairs):
    """Whether so many wins of so many pairs say that the times differ by more than FLOOR."""
    off = wins / pairs - 0.5
    if abs(off) <= FLOOR:
        return False
    return tail_bound(wins, pairs, 0.5 + math.copysign(FLOOR, off)) <= ALARM


def slower(first, second, trials):
    """How often the first table's draw took longer, and of how many pairs; a tie is tossed for.

    Both are functions that make a draw ready, as every question does: draws from one and the same
    object would be told apart by where it lies in memory.
    """
    making = (first, second)
    waiting = defaultdict(list)
    wins = pairs = 0
    for coin in secrets.randbits(trials).to_bytes(-(-trials // 8), "little"):
        for bit in range(8):
            which = coin >> bit & 1
            draw = making[which]()
            started = thread_time_ns()
            told = draw()
            taken = thread_time_ns() - started
            same = waiting[told]
            same.append((which, taken))
            if len(same) == 2:
                (one, its), (other, others) = same
                same.clear()
                if one != other:
                    longer = one if its > others else other
                    wins += secrets.randbelow(2) if its == others else longer == 0
                    pairs += 1
    return wins, pairs
