"""R.1 and R.3 for mechanisms on histograms that are too many to list: levels by distance.

Output y has the level of its kind (its counts in order) at distance d(x, y) from the truth x, and
one spare output has what columns lack besides. Neighbours see y at distances that differ by at most
one, so consecutive levels are all the ratios there are; a column sum is the same for all truths of
one kind, so one of each is summed (docs/proofs/tight-constraints.md). Histograms, kinds and
distances are worked out anew here.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.certifier.certified import Certified, _seal
from discreet.errors import MechanismError, NotCertified
from discreet.exact import EpsilonLike, show
from discreet.model import Guarantee

_LOW = 31
"""Weights are summed in two parts of so many bits, so that no sum leaves a machine word."""


class ByDistance(Protocol):
    """What is certified: levels for each kind of histogram, and what the spare output adds."""

    @property
    def records(self) -> int:
        """How many records a histogram has."""

    @property
    def values(self) -> int:
        """How many values they may have."""

    @property
    def kinds(self) -> tuple[tuple[int, ...], ...]:
        """Every kind once: its counts from the smallest to the largest."""

    @property
    def levels(self) -> tuple[tuple[int, ...], ...]:
        """For each kind, the weight of such an output at distance 0, 1, …"""

    @property
    def lacking(self) -> tuple[int, ...]:
        """For each kind, what the spare output has besides where the truth is of this kind."""

    @property
    def total(self) -> int:
        """The sum of every column."""

    @property
    def digest(self) -> str:
        """SHA-256 of what defines the mechanism."""


B = TypeVar("B", bound=ByDistance)


def certify_by_distance(mechanism: B, epsilon: EpsilonLike) -> Certified[B]:
    """Prove pure ε in integers, or raise NotCertified."""
    promise = Guarantee.of(epsilon)
    levels, lacking = mechanism.levels, mechanism.lacking
    _check_whole(mechanism)
    ratio = promise.epsilon.ratio_below
    p, q = ratio.numerator, ratio.denominator
    for kind, row in zip(mechanism.kinds, levels, strict=True):
        for distance, (near, far) in enumerate(pairwise(row)):
            if max(near, far) * q > p * min(near, far):
                raise NotCertified(
                    f"not private at {promise}: the levels of {show(kind)} at distances {distance} "
                    f"and {distance + 1} are {near} and {far}"
                )
    if max(lacking) * q > p * min(lacking):
        raise NotCertified(
            f"not private at {promise}: the spare weights of the columns differ too much"
        )
    _check_sums(mechanism)
    return _seal(mechanism, promise, covers_answers=True, again=certify_by_distance)


def _check_whole(mechanism: ByDistance) -> None:
    """Whether all parts are tuples of whole numbers of the right lengths, none negative."""
    kinds, levels, lacking = mechanism.kinds, mechanism.levels, mechanism.lacking
    known = list(_falling(mechanism.records, mechanism.values, mechanism.records))
    if type(kinds) is not tuple or sorted(kinds) != sorted(tuple(sorted(one)) for one in known):
        raise MechanismError("the kinds of histograms must be all kinds, each once")
    rows = (*levels, lacking) if type(levels) is tuple else ()
    if len(rows) != len(kinds) + 1 or not all(type(row) is tuple for row in rows):
        raise MechanismError(
            "there must be a row of levels for each kind, and the spare weights of the columns"
        )
    if not all(type(cell) is int and 0 <= cell < 1 << 2 * _LOW for row in rows for cell in row):
        raise MechanismError("levels must be whole numbers of at least 0 and below 2^62")
    layers = mechanism.records + 1
    if len(lacking) != len(kinds) or any(len(row) != layers for row in levels):
        raise MechanismError(f"every kind must have {layers} levels and a spare weight")


def _falling(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """`parts` numbers that do not rise, none above `most`, with this sum."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(-(-total // parts), min(total, most) + 1):
        for rest in _falling(total - first, parts - 1, first):
            yield (first, *rest)


def _check_sums(mechanism: ByDistance) -> None:
    nodes = _histograms(mechanism.records, mechanism.values)
    place = {kind: row for row, kind in enumerate(mechanism.kinds)}
    kind_of = np.array([place[tuple(kind)] for kind in np.sort(nodes, axis=1).tolist()])
    table = np.array(mechanism.levels, dtype=np.int64)
    for kind, row in place.items():
        apart = np.abs(nodes - np.array(kind)).sum(axis=1) // 2
        weights = table[kind_of, apart]
        low = int((weights & ((1 << _LOW) - 1)).sum())
        high = int((weights >> _LOW).sum())
        if (high << _LOW) + low + mechanism.lacking[row] != mechanism.total:
            raise MechanismError(f"the column of {show(kind)} does not sum to the total")


def _histograms(records: int, values: int) -> npt.NDArray[Any]:
    """Every histogram, by counting up: one value after another takes what is left."""
    partial = np.zeros((1, 0), dtype=np.int64)
    left = np.array([records])
    for _ in range(values - 1):
        widths = left + 1
        parent = np.repeat(np.arange(len(left)), widths)
        start = np.repeat(np.cumsum(widths) - widths, widths)
        taken = np.arange(len(parent)) - start
        partial = np.hstack([partial[parent], taken[:, None]])
        left = left[parent] - taken
    return np.hstack([partial, left[:, None]])
