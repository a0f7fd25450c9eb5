"""What it means that tables differ by one record, and which true answers that leads between."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import NeighboursError, named
from discreet.model.spaces import Grid, Numbers
from discreet.text import Word, show


class Relation(Word):
    """How neighbouring tables differ; the value is its word in files, SQL, HTTP and options.

    >>> Relation.of("add-or-remove"), Relation.of("change one").words
    ('add-or-remove', 'change one')
    """

    CHANGE = "change"
    """The number of records is public; neighbours differ in the value of one record."""
    ADD_OR_REMOVE = "add-or-remove"
    """The number of records is private; one of two neighbours has a record more."""
    EITHER = "either"
    """What a change of one record does to a selection of the rows: any of the two."""

    @property
    def words(self) -> str:
        """What may happen to a record, for people."""
        return _WORDS[self]

    @classmethod
    def of(cls, given: "Relation | str", among: "tuple[Relation, ...] | None" = None) -> "Relation":
        """Read a relation by its word, or by one that earlier versions wrote.

        Raises:
            NeighboursError: If it is not a relation, or not one of those `among` which it must be.
        """
        wanted = among or tuple(cls)
        earlier = _EARLIER.get(given.strip().lower()) if isinstance(given, str) else None
        relation = cls.read(given) or earlier
        if relation in wanted:
            return relation
        known = " or ".join(map(repr, wanted))
        raise NeighboursError(f"{named('neighbours')} must be {known}, got {show(given)}")


ONE_RECORD = (Relation.CHANGE, Relation.ADD_OR_REMOVE)
"""What a table may declare; either of them is only ever derived."""

_WORDS = {
    Relation.CHANGE: "change one",
    Relation.ADD_OR_REMOVE: "add or remove one",
    Relation.EITHER: "change, add or remove one",
}
_EARLIER = {words: relation for relation, words in _WORDS.items()} | {
    "change-one": Relation.CHANGE,
    "add-remove": Relation.ADD_OR_REMOVE,
    "add-or-remove-one": Relation.ADD_OR_REMOVE,
}


@dataclass(frozen=True)
class Within:
    """Answers at most `steps` places apart are neighbours (Δ of SCALING, in steps of the grid).

    >>> list(Within(1).pairs(3))
    [(0, 1), (1, 2)]
    """

    steps: int

    def __post_init__(self) -> None:
        if isinstance(self.steps, bool) or not isinstance(self.steps, int | np.integer):
            raise NeighboursError(
                f"neighbours must lie within a whole number of steps, got {show(self.steps)}"
            )
        object.__setattr__(self, "steps", int(self.steps))
        if self.steps < 1:
            raise NeighboursError(f"neighbours must lie within 1 step or more, got {self.steps}")

    def pairs(self, size: int) -> Iterator[tuple[int, int]]:
        """Every pair of neighbouring indices, the smaller first.

        Args:
            size: How many answers the space has.

        Returns:
            Pairs of indices, lazily.
        """
        for j in range(size):
            for k in range(j + 1, min(j + self.steps, size - 1) + 1):
                yield j, k

    def distances(self, size: int) -> npt.NDArray[np.int64]:
        """How many changes lead from answer to answer, as a matrix.

        Args:
            size: How many answers the space has.

        Returns:
            A square matrix of whole numbers.
        """
        places = np.arange(size)
        apart: npt.NDArray[np.int64] = np.abs(places[:, None] - places[None, :])
        return (apart + self.steps - 1) // self.steps


@dataclass(frozen=True)
class AllPairs:
    """One record can lead from any answer to any other (min, max, median)."""

    def pairs(self, size: int) -> Iterator[tuple[int, int]]:
        """Every pair of indices, the smaller first.

        Args:
            size: How many answers the space has.

        Returns:
            Pairs of indices, lazily.
        """
        return ((j, k) for j in range(size) for k in range(j + 1, size))

    def distances(self, size: int) -> npt.NDArray[np.int64]:
        """1 everywhere but on the diagonal.

        Args:
            size: How many answers the space has.

        Returns:
            A square matrix of whole numbers.
        """
        return 1 - np.eye(size, dtype=np.int64)


@dataclass(frozen=True)
class Graph:
    """An explicit list of neighbouring pairs of indices, for a space of `size` answers."""

    size: int
    edges: frozenset[tuple[int, int]]

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 1:
            raise NeighboursError(
                f"neighbours need a space of at least 1 answer, got {show(self.size)}"
            )
        if type(self.edges) is not frozenset:
            raise NeighboursError(
                f"neighbours must be a frozenset of pairs, got {show(self.edges)}; use Graph.of"
            )
        for j, k in map(_plain, self.edges):
            if not 0 <= j < k < self.size:
                raise NeighboursError(
                    f"a neighbouring pair must name two different answers from 0 to "
                    f"{self.size - 1}, got {show((j, k))}"
                )

    @classmethod
    def of(cls, size: int, edges: Iterable[tuple[int, int]]) -> "Graph":
        """Read pairs in any order; they must name two different answers of the space.

        Args:
            size: How many answers the space has.
            edges: Pairs of indices of neighbouring answers.

        Returns:
            The relation.

        Raises:
            NeighboursError: The size is not a whole number of at least 1, or an edge does not join
                two different answers.
        """
        if not isinstance(edges, Iterable):
            raise NeighboursError(f"neighbours must be a list of pairs, got {show(edges)}")
        return cls(size, frozenset(_ends(edge) for edge in edges))

    def pairs(self, size: int) -> Iterator[tuple[int, int]]:
        """Every pair of neighbouring indices, the smaller first.

        Args:
            size: How many answers the space has.

        Returns:
            Pairs of indices, lazily.

        Raises:
            NeighboursError: The graph has another size.
        """
        if size != self.size:
            raise NeighboursError(
                f"these neighbours are for {self.size} answers, but the space has {size}"
            )
        return iter(self._sorted)

    @cached_property
    def _sorted(self) -> tuple[tuple[int, int], ...]:
        return tuple(sorted(self.edges))

    def distances(self, size: int) -> npt.NDArray[np.int64]:
        """The lengths of shortest paths; −1 where there is no path.

        Args:
            size: How many answers the space has.

        Returns:
            A square matrix of whole numbers.

        Raises:
            NeighboursError: The graph has another size.
        """
        beside: list[list[int]] = [[] for _ in range(size)]
        for j, k in self.pairs(size):
            beside[j].append(k)
            beside[k].append(j)
        lengths = np.full((size, size), -1, dtype=np.int64)
        for start in range(size):
            lengths[start, start] = 0
            queue = deque([start])
            while queue:
                here = queue.popleft()
                for there in beside[here]:
                    if lengths[start, there] < 0:
                        lengths[start, there] = lengths[start, here] + 1
                        queue.append(there)
        return lengths


Neighbours: TypeAlias = Within | AllPairs | Graph
"""Any neighbouring relation."""


def _plain(edge: object) -> tuple[int, int]:
    """The pair, if it is one that stays as it is."""
    if type(edge) is tuple and len(edge) == 2 and all(type(end) is int for end in edge):
        return edge
    raise NeighboursError(f"a neighbouring pair must be two whole numbers, got {show(edge)}")


def _ends(edge: object) -> tuple[int, int]:
    """The two ends of a pair, the smaller first."""
    match edge:
        case (int() | np.integer() as j, int() | np.integer() as k) if not (
            isinstance(j, bool) or isinstance(k, bool)
        ):
            return int(min(j, k)), int(max(j, k))
    raise NeighboursError(f"a neighbouring pair must be two whole numbers, got {show(edge)}")


def neighbours_to_dict(neighbours: Neighbours) -> dict[str, Any]:
    """A relation as plain JSON values (see docs/reference/mechanism-file.md)."""
    if isinstance(neighbours, Within):
        return {"kind": "within", "steps": neighbours.steps}
    if isinstance(neighbours, AllPairs):
        return {"kind": "all-pairs"}
    return {
        "kind": "graph",
        "size": neighbours.size,
        "edges": [list(edge) for edge in neighbours.pairs(neighbours.size)],
    }


def neighbours_from_dict(data: object) -> Neighbours:
    """Read back what `neighbours_to_dict` wrote."""
    match data:
        case {"kind": "within", "steps": int(steps)}:
            return Within(steps)
        case {"kind": "all-pairs"}:
            return AllPairs()
        case {"kind": "graph", "size": int(size), "edges": list(edges)}:
            return Graph.of(size, edges)
    raise NeighboursError(
        f"neighbours must be within (steps), all-pairs or graph (size, edges), got {show(data)}"
    )


def sensitivity(answers: Numbers, neighbours: Neighbours) -> Fraction:
    """The largest difference between neighbouring answers, in their own units (001 Def. 2, ΔF).

    Where nobody has a neighbour it is one step, so that a noise always has a width.

    >>> sensitivity(Grid.between(0, 4, "0.1"), Within(4))
    Fraction(2, 5)
    >>> sensitivity(Grid.between(1, 5), AllPairs())
    Fraction(4, 1)
    """
    values = answers.values()
    places = places_apart(len(answers), neighbours)
    if isinstance(answers, Grid):
        return max(places, 1) * answers.step
    if isinstance(neighbours, Within | AllPairs):
        gaps = (values[j + places] - values[j] for j in range(len(values) - places))
    else:
        gaps = (abs(values[j] - values[k]) for j, k in neighbours.pairs(len(values)))
    return max(gaps, default=Fraction(0)) or min(
        (b - a for a, b in pairwise(values)), default=Fraction(1)
    )


def places_apart(size: int, neighbours: Neighbours) -> int:
    """The largest number of places between neighbours in the order of the space; 0 if none."""
    if isinstance(neighbours, AllPairs):
        return size - 1
    if isinstance(neighbours, Within):
        return min(neighbours.steps, size - 1)
    return max((k - j for j, k in neighbours.pairs(size)), default=0)
