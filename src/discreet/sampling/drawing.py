"""Draws from a certified matrix: one uniform word and a binary search."""

from functools import lru_cache
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.errors import MechanismError
from discreet.exact import show
from discreet.model import Mechanism
from discreet.sampling.laplace import checked_count
from discreet.sampling.tables import BITS, Indices, LazyTable

_MOST_CELLS = 1 << 20
_MOST_COLUMNS = 1 << 12


def draw(certified: Certified, answer: int) -> int:
    """The index of an output, drawn exactly for the true answer of this index.

    Args:
        certified: What `certify` or `design` returned.
        answer: The index of the true answer.

    Returns:
        The index of the output.

    Raises:
        MechanismError: This is nothing certified, or there is no answer of this index.
    """
    return _column(certified, answer).draw()


def column_table(certified: Certified, answer: int) -> LazyTable:
    """What is drawn from for the true answer of this index: to be drawn from later.

    It is a copy, so that the time of the draw does not tell where the column lies in memory.
    """
    table = _column(certified, answer)
    return LazyTable(table.ends.copy(), table.slack, table.refine)


def _column(certified: Certified, answer: int) -> LazyTable:
    mechanism = _checked(certified)
    return _table(mechanism, _index(mechanism, answer))


def draw_many(certified: Certified, answer: int, count: int) -> Indices:
    """`count` independent draws for one true answer, as indices of outputs.

    Args:
        certified: What `certify` or `design` returned.
        answer: The index of the true answer.
        count: How many draws.

    Returns:
        Indices of outputs. Each draw costs the full ε.

    Raises:
        MechanismError: This is nothing certified, or there is no answer of this index.
        InvalidInput: The count is no whole number, or more than are made at once.
    """
    return _column(certified, answer).draw_many(checked_count(count))


def draw_each(certified: Certified, answers: npt.ArrayLike) -> Indices:
    """One independent draw for each true answer, given by their indices."""
    mechanism = _checked(certified)
    truths = np.asarray(answers)
    if truths.ndim != 1 or (truths.size and truths.dtype.kind not in "iu"):
        raise MechanismError("the true answers are given by a list of their indices")
    if truths.size == 0:
        return np.empty(0, dtype=np.int64)
    _index(mechanism, int(truths.min()))
    _index(mechanism, int(truths.max()))
    order = np.argsort(truths, kind="stable")
    distinct, starts = np.unique(truths[order], return_index=True)
    drawn = np.empty(len(truths), dtype=np.int64)
    for answer, where in zip(distinct, np.split(order, starts[1:]), strict=True):
        drawn[where] = _table(mechanism, int(answer)).draw_many(len(where))
    return drawn


def _checked(certified: Certified) -> Mechanism:
    # isinstance would believe what an object says of its own class.
    if type(certified) is not Certified or not isinstance(certified.mechanism, Mechanism):
        raise MechanismError(
            f"only a certified mechanism can be drawn from, got {show(certified)}; "
            "pass it through certify first"
        )
    return certified.mechanism


def _index(mechanism: Mechanism, answer: int) -> int:
    """The index, if it is one; the message cannot show it, for it is the private answer."""
    size = len(mechanism.answers)
    if isinstance(answer, bool) or not isinstance(answer, (int, np.integer)):
        raise MechanismError("the true answer is given by its index, a whole number")
    if not 0 <= answer < size:
        raise MechanismError(f"the index of the true answer must lie between 0 and {size - 1}")
    return int(answer)


def _table(mechanism: Mechanism, answer: int) -> LazyTable:
    rows, columns = mechanism.shape
    if rows * columns <= _MOST_CELLS and columns <= _MOST_COLUMNS:
        return _tables(mechanism)[answer]
    return _column_table(mechanism, answer)


@lru_cache(maxsize=32)
def _tables(mechanism: Mechanism) -> tuple[LazyTable, ...]:
    """The tables of all columns at once, so that the time does not tell which was asked for."""
    if mechanism.total > 1 << BITS:
        return tuple(_column_table(mechanism, j) for j in range(mechanism.shape[1]))
    columns = np.ascontiguousarray(mechanism.weights.T, dtype=np.uint64)
    ends = np.cumsum(columns, axis=1) << _shift(mechanism)
    return tuple(LazyTable.of_exact_ends(column) for column in ends)


def _column_table(mechanism: Mechanism, answer: int) -> LazyTable:
    column = mechanism.column(answer)
    if mechanism.total > 1 << BITS:
        return LazyTable.of_integers(list(accumulate(column.tolist())))
    return LazyTable.of_exact_ends(np.cumsum(column.astype(np.uint64)) << _shift(mechanism))


def _shift(mechanism: Mechanism) -> np.uint64:
    """How far sums are shifted for the total to become 2^63, or more than half of it."""
    return np.uint64(BITS - (mechanism.total - 1).bit_length())
