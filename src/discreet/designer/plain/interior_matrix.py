"""A matrix strictly inside all that is required, for rounding (docs/proofs/interior-mixing.md).

Where a solver's matrix touches an inequality, rounding may break it. Mixed with a little of a
matrix that has room in every inequality, it has room too. Such a matrix lies near the uniform one,
so that its ratios are close to 1 and it suits every neighbouring relation.
"""

import math

import numpy as np

from discreet.designer.programs.cells import (
    Classes,
    between_classes,
    column_sums,
    equal_cells,
    order_of,
)
from discreet.designer.programs.orderings import Comparisons
from discreet.designer.programs.program import NO_BOUND, Floats, Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.request import Request
from discreet.exact import Epsilon
from discreet.model import category_of

_STRICT = 1e-9


def interior_matrix(request: Request) -> tuple[Floats, Classes]:
    """A matrix with room in every inequality required that leaves room, and the cells it ties.

    Cells that every permitted matrix gives the same weight are of one class.

    >>> from discreet.model import Grid, Within
    >>> request = Request.of(Grid.between(0, 2), Within(1), 2, requirements="all")
    >>> inside, classes = interior_matrix(request)
    >>> inside.round(3).tolist(), classes.count
    ([[0.403, 0.298, 0.252], [0.345, 0.403, 0.345], [0.252, 0.298, 0.403]], 4)
    """
    order, equal = order_of(request), equal_cells(request)
    classes = Classes.joined(math.prod(request.shape), equal)
    direction = _explicit(request)
    if not _has_room(direction, order, classes):
        direction, classes = _found(request, order, equal)
    return tilted(direction, request.epsilon), classes


def tilted(direction: Floats, epsilon: Epsilon) -> Floats:
    """The uniform matrix, moved in a direction so little that all ratios stay near 1.

    They are at most e^(ε/2), and at most e^(1/2) whatever ε is.
    """
    ratio = math.exp(min(float(epsilon), 1.0) / 2)
    amplitude = (ratio - 1) / (ratio + 1) / max(float(np.abs(direction).max()), 1e-300)
    return (1.0 + amplitude * direction) / len(direction)


def fair_direction(size: int) -> Floats:
    """What to add to a uniform square matrix: columns sum to 0, the diagonal is level.

    Turned half round it is the same, and away from the diagonal it falls strictly, by at least
    1/(2·size) for each step along a row and 1/size along a column.

    >>> fair_direction(3).round(3).tolist()
    [[0.667, -0.333, -0.778], [0.111, 0.667, 0.111], [-0.778, -0.333, 0.667]]
    """
    answer = np.arange(size)
    below = answer[:, None] - answer
    reach = size - answer
    fall = below / reach * (2 + (3 * below - 2 * reach + 1) / (2 * size))
    lower = np.where(below >= 0, fall, 0.0)
    return (size - 1) / size - (lower + lower[::-1, ::-1])


def _explicit(request: Request) -> Floats:
    """The columns of a square matrix that belong to the answers' own outputs."""
    home = np.array(category_of(request.outputs, request.answers))
    return fair_direction(len(request.outputs))[:, home]


def _has_room(direction: Floats, order: Comparisons, classes: Classes) -> bool:
    """Whether a direction is level within classes and strict in every comparison between them."""
    cells = direction.ravel()
    level = classes.spread(classes.mean(cells))
    between = classes.of[order.smaller] != classes.of[order.larger]
    rises = cells[order.larger] - cells[order.smaller]
    return bool((np.abs(cells - level) <= _STRICT).all() and (rises[between] > _STRICT).all())


def _found(request: Request, order: Comparisons, equal: Comparisons) -> tuple[Floats, Classes]:
    """Two programs: which comparisons can be strict, then the flattest way to make them so."""
    cells = math.prod(request.shape)
    loose = Classes.joined(cells, equal)
    pairs = between_classes(order, loose)
    can_be = solve(_most_strict(request, pairs, loose)).x[loose.count :] > 0.5
    tied = Comparisons(pairs.smaller[~can_be], pairs.larger[~can_be])
    merged = Classes.joined(loose.count, tied)
    classes = Classes(merged.of[loose.of], merged.count)
    flattest = solve(_flattest(request, between_classes(order, classes), classes))
    direction = flattest.x[: classes.count]
    return classes.spread(direction).reshape(request.shape), classes


def _most_strict(request: Request, pairs: Comparisons, classes: Classes) -> Program:
    """As many comparisons as can be are strict by 1: directions may be as long as they like."""
    count = classes.count
    strictness = count + np.arange(len(pairs))
    order = ProgramRows.at_most(
        "order",
        np.stack([pairs.smaller, pairs.larger, strictness], axis=1),
        np.array([1.0, -1.0, 1.0]),
    )
    cost = np.concatenate([np.zeros(count), -np.ones(len(pairs))])
    lower = np.concatenate([np.full(count, -NO_BOUND), np.zeros(len(pairs))])
    upper = np.concatenate([np.full(count, NO_BOUND), np.ones(len(pairs))])
    return Program.of(cost, lower, upper, [column_sums(request, classes, 0.0), order])


def _flattest(request: Request, pairs: Comparisons, classes: Classes) -> Program:
    """The direction whose largest cell is smallest while every comparison is strict by 1."""
    count = classes.count
    order = ProgramRows.at_most(
        "order", np.stack([pairs.smaller, pairs.larger], axis=1), np.array([1.0, -1.0]), -1.0
    )
    each, largest = np.arange(count), np.full(count, count)
    height = ProgramRows.at_most(
        "height",
        np.concatenate([np.stack([each, largest], axis=1)] * 2),
        np.repeat([[1.0, -1.0], [-1.0, -1.0]], count, axis=0),
    )
    free = np.full(count + 1, NO_BOUND)
    cost = np.zeros(count + 1)
    cost[-1] = 1.0
    return Program.of(cost, -free, free, [column_sums(request, classes, 0.0), order, height])
