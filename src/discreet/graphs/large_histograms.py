"""Histograms too many to list with all their distances: one row for each class of alike nodes.

Exchanging values exchanges histograms, so those with the same counts in another order are alike:
135,751 histograms of 40 records over five values have 1,747 classes.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import numpy.typing as npt

from discreet.errors import SpaceError
from discreet.graphs.database_graph import MOST_NODES
from discreet.graphs.orbits import Classes
from discreet.graphs.symmetric import check_count

Counts = npt.NDArray[np.int16]
MOST_RECORDS = 30_000
MOST_LARGE = 400_000
"""So many nodes are gone through, class by class."""


@dataclass(frozen=True)
class LargeHistograms:
    """(N, T)-histograms by their vectors; neighbours differ by moving one record (002 Example 1).

    Nodes come in the order of `histograms`; `LargeHistograms` is the same graph, never listed.

    >>> few = LargeHistograms(4, 3)
    >>> few.size, len(few.models), few.label(1), few.rows[0][:3].tolist()
    (15, 4, '0.1.3', [0, 1, 2])
    """

    records: int
    values: int

    def __post_init__(self) -> None:
        check_count(self.records, "the number of records", 1, MOST_RECORDS)
        check_count(self.values, "the number of values", 2, 1_000)
        if self.size > MOST_LARGE:
            raise SpaceError(
                f"{self.name} has {self.size:,} nodes; the limit is {MOST_LARGE:,}; use fewer "
                f"records or values"
            )

    @property
    def name(self) -> str:
        """The name of the graph."""
        return f"histograms {self.records} {self.values}"

    @property
    def size(self) -> int:
        """How many nodes there are: C(N + T − 1, T − 1)."""
        return comb(self.records + self.values - 1, self.values - 1)

    @property
    def diameter(self) -> int:
        """The largest distance."""
        return self.records

    @cached_property
    def counts(self) -> Counts:
        """A line for each node."""
        return compositions(self.records, self.values)

    def label(self, node: int) -> str:
        """The counts of a node, with dots between them."""
        return ".".join(map(str, self.counts[node].tolist()))

    @cached_property
    def classes(self) -> Classes:
        """The class of each node: its counts in order, whatever value has them."""
        return self._kinds[1]

    @cached_property
    def models(self) -> npt.NDArray[np.int64]:
        """The first node of each class."""
        return self._kinds[0]

    @cached_property
    def _kinds(self) -> tuple[npt.NDArray[np.int64], Classes]:
        ordered = np.sort(self.counts, axis=1)
        _, first, kinds = np.unique(ordered, axis=0, return_index=True, return_inverse=True)
        return first, kinds.reshape(-1).astype(np.int64)

    @property
    def rows(self) -> "ModelRows":
        """The distances from each model to all nodes."""
        return ModelRows(self)

    def distances_from(self, node: int) -> Counts:
        """½‖x − y‖₁ to all nodes: what the others have more of, as all have equally many."""
        more = np.zeros(self.size, dtype=np.int16)
        for value in range(self.values):
            column = self._columns[value]
            more += np.maximum(column - column[node], 0)
        return more

    @cached_property
    def _columns(self) -> Counts:
        return np.ascontiguousarray(self.counts.T)


@dataclass(frozen=True)
class ModelRows:
    """The distances from the model of each class, made when they are asked for."""

    graph: LargeHistograms

    def __getitem__(self, row: int) -> Counts:
        return self.graph.distances_from(int(self.graph.models[row]))

    def __len__(self) -> int:
        return len(self.graph.models)


def compositions(total: int, parts: int) -> Counts:
    """Every way to write `total` as an ordered sum of `parts` numbers, in order, a line each.

    >>> compositions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    if parts == 1:
        return np.array([[total]], dtype=np.int16)
    blocks = []
    for first in range(total + 1):
        rest = compositions(total - first, parts - 1)
        blocks.append(np.hstack([np.full((len(rest), 1), first, dtype=np.int16), rest]))
    return np.vstack(blocks)


def too_large_to_list(records: int, values: int) -> bool:
    """Whether `histograms` refuses so many nodes."""
    return comb(records + values - 1, values - 1) > MOST_NODES
