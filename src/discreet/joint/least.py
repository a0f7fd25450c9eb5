"""The least ε for counts that must each come within a distance (docs/proofs/counts-together.md).

Counts with distances near each other are answered together, at what the nearest of them needs; the
others apart. Sorted by distance, the best groups are runs of neighbours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet.errors import EpsilonError
from discreet.exact import Epsilon
from discreet.joint.count_laws import count_law
from discreet.joint.series import at_most
from discreet.model import Relation
from discreet.text import BILLION

_LARGEST = Epsilon.of(100).billionths


@dataclass(frozen=True)
class Demand:
    """What must hold of every count: how often it is near, for whom, whatever happens to a row."""

    relation: Relation
    confidence: Fraction = Fraction(19, 20)
    rows_per_unit: int = 1


@dataclass(frozen=True)
class SharedCounts:
    """Some counts, by their places, that share one noise, and what it costs."""

    places: tuple[int, ...]
    epsilon: Epsilon


def least_total(distances: Sequence[int], demand: Demand) -> tuple[SharedCounts, ...]:
    """The cheapest groups of counts such that each count is within its distance.

    Args:
        distances: How far off each count may be.
        demand: How often it must be that near, and for whom.

    Returns:
        The groups, by rising distances; their ε add up to the total.
    """
    order = sorted(range(len(distances)), key=lambda place: (distances[place], place))
    best: list[tuple[int, int]] = [(0, 0)]
    """For so many counts with the least distances: their total, and where its last group starts."""
    known = [0] * len(order)  # what a group from here on costs at least: more counts, more ε
    for end in range(1, len(order) + 1):
        least, first = -1, 0
        for start in reversed(range(end)):
            if 0 <= least <= best[start][0] + known[start]:
                continue
            cost = least_epsilon(end - start, distances[order[start]], demand).billionths
            known[start] = cost
            if least < 0 or best[start][0] + cost < least:
                least, first = best[start][0] + cost, start
        best.append((least, first))
    return _groups(order, best)


def _groups(order: list[int], best: list[tuple[int, int]]) -> tuple[SharedCounts, ...]:
    groups: list[SharedCounts] = []
    end = len(order)
    while end:
        total, start = best[end]
        places = tuple(sorted(order[start:end]))
        groups.append(SharedCounts(places, Epsilon(total - best[start][0])))
        end = start
    return tuple(reversed(groups))


@lru_cache(maxsize=4096)
def least_epsilon(counts: int, distance: int, demand: Demand) -> Epsilon:
    """The least ε, to the billionth, at which each of so many counts comes within the distance.

    The law of a count narrows as ε grows, and balls decide whether it is narrow enough.
    """
    return least_billionths(
        lambda billionths: _enough(billionths, counts, distance, demand),
        f"a count within {distance} that often",
    )


def least_billionths(enough: Callable[[int], bool], what: str) -> Epsilon:
    """The least ε, to the billionth, that is enough, where more is never too little."""
    low, high = 0, 1  # low is too little
    while not enough(high):
        if high == _LARGEST:
            raise EpsilonError(f"no ε up to 100 brings {what}")
        low, high = high, min(2 * high, _LARGEST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Epsilon(high)


def _enough(billionths: int, counts: int, distance: int, demand: Demand) -> bool:
    rate = Fraction(billionths, BILLION * demand.rows_per_unit)
    law = count_law(counts, demand.relation, rate)
    return at_most(law.beyond, distance, 1 - demand.confidence)[0]
