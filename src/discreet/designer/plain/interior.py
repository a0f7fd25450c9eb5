"""From floats to integers that have all that is required (docs/proofs/interior-mixing.md).

For every combination of column and row monotone, symmetric, fair and every output, any outputs and
any neighbouring relation: `keep_requirements(request, matrix)`.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.certifier import certify
from discreet.designer.plain.interior_matrix import interior_matrix
from discreet.designer.programs.cells import Classes
from discreet.designer.programs.program import Indices
from discreet.designer.programs.written_out import is_honest
from discreet.designer.request import Floats, Request
from discreet.errors import DesignError, NotCertified
from discreet.measures import properties
from discreet.model import Integers, Mechanism, category_of
from discreet.repair import BITS

Flags = npt.NDArray[np.bool_]
_MIXED = tuple(2.0**-k for k in range(44, 9, -3))


def keep_requirements(request: Request, matrix: Floats) -> Mechanism:
    """Integers near a solver's matrix that are private and have all that the request requires.

    As little of a strictly interior matrix is mixed in as makes everything hold exactly: 2⁻⁴⁴ of
    it at first, eight times as much each time that certification or a property fails.

    >>> from discreet.model import Grid, Within
    >>> request = Request.of(Grid.between(0, 2), Within(1), "log 2", requirements="all")
    >>> rough = np.array([[0.5, 0.25, 0.2], [0.3, 0.5, 0.3], [0.2, 0.25, 0.5]])
    >>> kept = keep_requirements(request, rough)
    >>> properties(kept).missing(request.requirements), kept.probabilities().round(2).tolist()
    ((), [[0.5, 0.25, 0.2], [0.3, 0.5, 0.3], [0.2, 0.25, 0.5]])
    """
    inside, classes = interior_matrix(request)
    layout = _layout(request, classes)
    share = np.maximum(matrix, 0.0)
    share = share / share.sum(axis=0)
    for mixed in _MIXED:
        weights = _rounded((1.0 - mixed) * share + mixed * inside, classes, layout)
        if weights is None:
            continue
        mechanism = Mechanism.of(
            request.answers, request.outputs, request.neighbours, weights, name="design"
        )
        if _keeps_all(request, mechanism):
            return mechanism
    asked = ", ".join(request.requirements.names()) or "nothing else"
    raise DesignError(
        f"the solver's matrix is too far from private to be repaired with {asked} required; use a "
        f"larger ε or fewer answers"
    )


def _keeps_all(request: Request, mechanism: Mechanism) -> bool:
    if properties(mechanism).missing(request.requirements):
        return False
    try:
        certify(mechanism, request.epsilon, request.guarantee.delta)
    except NotCertified:
        return False
    return is_honest(request, mechanism)


@dataclass(frozen=True, eq=False)
class _Layout:
    """Where what a column lacks may go."""

    home: Indices
    free: list[Indices]
    """For each column the rows that may take some, the nearest to the answer's own first."""
    symmetric: bool
    pinned: Indices
    """Classes that reach over several columns: their weight is given."""


def _layout(request: Request, classes: Classes) -> _Layout:
    rows, columns = request.shape
    table = classes.of.reshape(rows, columns)
    symmetric = request.requirements.symmetric
    pinned = _reach_over_columns(table, classes, symmetric)
    home = np.array(category_of(request.outputs, request.answers))
    nearest = [np.argsort(np.abs(np.arange(rows) - at), kind="stable") for at in home]
    free = [order[~pinned[table[order, j]]] for j, order in enumerate(nearest)]
    return _Layout(home, free, symmetric, np.flatnonzero(pinned))


def _reach_over_columns(table: Indices, classes: Classes, symmetric: bool) -> Flags:
    """Whether a class has cells other than those of one row of columns that are alike throughout.

    With symmetry, their places in the matrix turned half round do not count either.
    """
    _, group, sizes = np.unique(table, axis=1, return_inverse=True, return_counts=True)
    group = group.ravel()
    expected = np.zeros(classes.count, dtype=np.int64)
    width = sizes[group]
    if symmetric:
        turned = group[::-1]
        row = np.arange(len(table))[:, None]
        itself = (row == row[::-1]) & (group == turned)
        expected[table] = np.where(itself, width, 2 * width)
    else:
        expected[table] = np.broadcast_to(width, table.shape)
    return classes.sizes > expected


def _rounded(matrix: Floats, classes: Classes, layout: _Layout) -> Integers | None:
    """Every class rounded down; what a column lacks or has too much is shared out in it."""
    total = 1 << BITS
    values = np.floor(classes.mean(matrix) * float(total)).astype(np.int64)
    if layout.symmetric:
        values[layout.pinned] &= ~1
    weights = values[classes.of].reshape(matrix.shape)
    lacking = total - weights.astype(object).sum(axis=0)
    columns = matrix.shape[1]
    for j in range((columns + 1) // 2 if layout.symmetric else columns):
        own_mirror = layout.symmetric and 2 * j == columns - 1
        if not _shared_out(weights[:, j], int(lacking[j]), layout.free[j], own_mirror):
            return None
        if layout.symmetric:
            weights[:, columns - 1 - j] = weights[::-1, j]
    return weights


def _shared_out(column: Integers, lacking: int, free: Indices, own_mirror: bool) -> bool:
    """Give each free row the same, and one more to the nearest; False where that cannot be."""
    if own_mirror:
        return _shared_out_evenly(column, lacking, free)
    if not len(free):
        return lacking == 0
    each, more = divmod(lacking, len(free))
    column[free] += each
    column[free[:more]] += 1
    return bool((column >= 0).all())


def _shared_out_evenly(column: Integers, lacking: int, free: Indices) -> bool:
    """The same in a column that is its own mirror: two rows at a time."""
    rows = len(column)
    upper = free[2 * free < rows - 1]
    middle = free[2 * free == rows - 1]
    half, odd = divmod(lacking, 2)
    if odd:
        if not len(middle):
            return False
        column[middle] += 1
    if not len(upper):
        column[middle] += 2 * half
        return bool(len(middle)) or half == 0
    each, more = divmod(half, len(upper))
    column[upper] += each
    column[upper[:more]] += 1
    column[rows - 1 - upper] = column[upper]
    return bool((column >= 0).all())
