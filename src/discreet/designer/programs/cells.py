"""Cells that a request makes equal: one variable is enough for all of them."""

from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.orderings import (
    Comparisons,
    column_order,
    held_answers,
    own_cells,
    row_order,
    turned_cells,
)
from discreet.designer.programs.program import Indices, ProgramRows
from discreet.designer.programs.written_out import honest_cells
from discreet.designer.request import Floats, Request
from discreet.model import Graph, Labels, category_of

_SAME = 1e-14


@dataclass(frozen=True, eq=False)
class Classes:
    """Which class each cell belongs to (`of`), cells numbered row by row, and how many there are.

    Cells of one class must weigh the same: a cell and its place in the matrix turned half round
    (14), every answer's own cell (15), answers held by one category (12), (13).
    """

    of: Indices
    count: int

    @classmethod
    def joined(cls, cells: int, equal: Comparisons) -> "Classes":
        """The coarsest classes in which each pair is together.

        >>> pairs = Comparisons(np.array([0, 4]), np.array([3, 3]))
        >>> Classes.joined(5, pairs).of.tolist()
        [0, 1, 2, 0, 0]
        """
        label = np.arange(cells)
        while True:
            lowest = np.minimum(label[equal.smaller], label[equal.larger])
            before = label.copy()
            np.minimum.at(label, before[equal.smaller], lowest)
            np.minimum.at(label, before[equal.larger], lowest)
            label = label[label]
            if (label == before).all():
                break
        _, of = np.unique(label, return_inverse=True)
        return cls(of.astype(np.int64), int(of.max()) + 1)

    @property
    def sizes(self) -> Indices:
        """How many cells each class has."""
        return np.bincount(self.of, minlength=self.count)

    def mean(self, cells: Floats) -> Floats:
        """The average of each class."""
        sums = np.bincount(self.of, cells.ravel(), minlength=self.count)
        return sums.astype(np.float64) / self.sizes

    def spread(self, values: Floats) -> Floats:
        """Every cell's class's value."""
        return values[self.of]


def order_of(request: Request) -> Comparisons:
    """All comparisons of cells that column and row monotonicity ask for, where they are asked."""
    parts = []
    if request.requirements.column_monotone:
        parts.append(column_order(request.outputs, request.answers))
    if request.requirements.row_monotone:
        parts.append(row_order(request.outputs, request.answers))
    return joined_comparisons(parts)


def equal_cells(request: Request) -> Comparisons:
    """Pairs of cells that the request makes equal in so many words."""
    parts = [_both_ways(order_of(request), len(request.outputs) * len(request.answers))]
    if request.requirements.symmetric:
        parts.append(turned_cells(*request.shape))
    if request.requirements.fair:
        own = own_cells(request.outputs, request.answers)
        parts.append(Comparisons(own[:-1], own[1:]))
    return joined_comparisons(parts)


def mirror_doubt(request: Request) -> float | None:
    """How far a bound may be off when only symmetric matrices are looked at; None: they may lose.

    A request that is the same when turned half round, but for the rounding of its losses, has a
    symmetric optimum: the mean of any optimum and its mirror image.
    """
    if isinstance(request.answers, Labels) or isinstance(request.outputs, Labels):
        return None
    rows, columns = request.shape
    home = np.array(category_of(request.outputs, request.answers))
    inside, beyond = held_answers(request.outputs, request.answers)
    turned = [(home, rows - 1 - home[::-1]), (inside, columns - beyond[::-1])]
    if request.requirements.every_output:
        honest = honest_cells(request)
        turned.append((honest, rows * columns - 1 - honest[::-1]))
    if isinstance(request.neighbours, Graph) or not all(np.array_equal(*pair) for pair in turned):
        return None
    cost = request.loss if request.goal.worst_case else request.loss * request.prior
    apart = np.abs(cost - cost[::-1, ::-1]).max(axis=0) / 2
    if apart.max() > _SAME * cost.max():
        return None
    return float(apart.max() if request.goal.worst_case else apart.sum())


def between_classes(order: Comparisons, classes: Classes) -> Comparisons:
    """Comparisons of cells as comparisons of classes, each once and none with itself."""
    smaller, larger = classes.of[order.smaller], classes.of[order.larger]
    apart = smaller != larger
    both = np.unique(smaller[apart] * classes.count + larger[apart])
    return Comparisons(both // classes.count, both % classes.count)


def column_sums(request: Request, classes: Classes, to: float) -> ProgramRows:
    """Each column sums to `to`; a class counts as often as it is in the column."""
    rows, columns = request.shape
    column = np.tile(np.arange(columns), rows)
    both, times = np.unique(column * classes.count + classes.of, return_counts=True)
    sides = np.full(columns, to)
    return ProgramRows(
        name="sums",
        row=both // classes.count,
        column=both % classes.count,
        value=times.astype(np.float64),
        lower=sides,
        upper=sides,
    )


def joined_comparisons(parts: list[Comparisons]) -> Comparisons:
    """Several lists of comparisons as one."""
    none = np.zeros(0, dtype=np.int64)
    return Comparisons(
        np.concatenate([none, *(part.smaller for part in parts)]),
        np.concatenate([none, *(part.larger for part in parts)]),
    )


def _both_ways(order: Comparisons, cells: int) -> Comparisons:
    """The comparisons whose reverse is asked for too."""
    forward = order.smaller * cells + order.larger
    backward = order.larger * cells + order.smaller
    twice = np.isin(forward, backward)
    return Comparisons(order.smaller[twice], order.larger[twice])
