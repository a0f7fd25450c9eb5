"""What the two linear systems are made of, in whole numbers: how far nodes are, what errors cost.

Alike nodes (those that a symmetry of graph, prior and loss exchanges) have one weight and one
multiplier, so a class of them needs one equation and one unknown.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.request import Request
from discreet.errors import DesignError
from discreet.model import Integers


class DistanceRows(Protocol):
    """Distances from each model to all nodes, a row at a time: an array, or made when asked for."""

    def __getitem__(self, row: int, /) -> Any:
        """The row of a model, as an array of whole numbers."""

    def __len__(self) -> int:
        """How many models there are."""


Terms = list[tuple[int, int, int]]
"""Of one row of G: (class of the other node, distance, how many of them)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TightProblem:
    """Distances and costs, a row for one node (the model) of each class of alike nodes.

    `costs[y, x]` is q_x·ℓ(y, x) in units of `unit`, for a model y told and any node x true;
    `caps[x]` is the least that any other output costs where x is true.
    """

    distances: DistanceRows
    classes: Indices
    costs: DistanceRows
    caps: tuple[int, ...]
    unit: Fraction
    diameter: int

    @classmethod
    def of_request(cls, request: Request) -> "TightProblem":
        """Every answer in a class of its own; the prior and the losses as the floats they are."""
        size = len(request.answers)
        distances = request.neighbours.distances(size)
        if distances.min() < 0:
            raise DesignError("not all answers are connected by neighbours")
        costs, unit = weighed(request.loss, request.goal.prior.weights, size)
        return cls(
            distances=distances,
            classes=np.arange(size),
            costs=costs,
            caps=least_other_costs(costs),
            unit=unit,
            diameter=int(distances.max()),
        )

    @classmethod
    def of_metric(cls, distances: Indices, classes: Indices) -> "TightProblem":
        """The loss d(x, y) of 002 under a uniform prior, from the distances of all nodes.

        >>> d = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
        >>> TightProblem.of_metric(d, np.array([0, 1, 0])).costs.tolist()
        [[0, 1, 2], [1, 0, 1]]
        """
        models = np.unique(classes, return_index=True)[1]
        return cls.of_rows(distances[models], classes, int(distances.max()))

    @classmethod
    def of_rows(cls, rows: DistanceRows, classes: Indices, diameter: int) -> "TightProblem":
        """The same from the distances of one node of each class."""
        return cls(
            distances=rows,
            classes=classes,
            costs=rows,
            caps=(1,) * len(rows),
            unit=Fraction(1, len(classes)),
            diameter=diameter,
        )

    @property
    def size(self) -> int:
        """How many unknowns each system has."""
        return len(self.distances)

    @cached_property
    def members(self) -> tuple[int, ...]:
        """How many nodes each class has."""
        return tuple(np.bincount(self.classes).tolist())

    def in_floats(self, powers: Floats) -> tuple[Floats, Floats]:
        """G and c in floats, a row and a column for each class."""
        matrix, costs = np.empty((self.size, self.size)), np.empty(self.size)
        for row in range(self.size):
            fallen = powers[self.distances[row]]
            matrix[row] = np.bincount(self.classes, fallen, minlength=self.size)
            costs[row] = (fallen * self.costs[row].astype(np.float64)).sum()
        return matrix, costs

    def terms(self, row: int) -> Terms:
        """A row of G as sums of powers of γ."""
        width = self.diameter + 1
        codes, many = np.unique(self.classes * width + self.distances[row], return_counts=True)
        places, apart = np.divmod(codes, width)
        return list(zip(places.tolist(), apart.tolist(), many.tolist(), strict=True))

    def cost_by_distance(self, row: int) -> list[int]:
        """c_y as a polynomial in γ: what all nodes at each distance cost together."""
        sums = [0] * (self.diameter + 1)
        for apart, cost in zip(self.distances[row].tolist(), self.costs[row].tolist(), strict=True):
            sums[apart] += cost
        return sums


def weighed(loss: Floats, prior: Sequence[float] | None, size: int) -> tuple[Integers, Fraction]:
    """q_x·ℓ(y, x) as whole numbers of a unit, exactly: floats are fractions."""
    losses, loss_unit = _whole(loss.ravel().tolist())
    chances, chance_unit = _whole([1.0] * size if prior is None else list(prior))
    costs = np.array(losses, dtype=object).reshape(loss.shape) * np.array(chances, dtype=object)
    total = size if prior is None else 1
    return costs, loss_unit * chance_unit / total


def least_other_costs(costs: Integers) -> tuple[int, ...]:
    """For each answer, the least that an output other than itself costs."""
    others = costs.copy()
    np.fill_diagonal(others, costs.max() + 1)
    return tuple(others.min(axis=0).tolist())


def _whole(numbers: list[float]) -> tuple[list[int], Fraction]:
    ratios = [number.as_integer_ratio() for number in numbers]
    common = math.lcm(*{below for _, below in ratios})
    return [above * (common // below) for above, below in ratios], Fraction(1, common)
