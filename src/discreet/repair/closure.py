"""The smallest integers above a row that keep every ratio.

Proof that two passes suffice on a line, and one on all pairs: docs/proofs/closure.md.
"""

from fractions import Fraction

import numpy as np

from discreet.model import AllPairs, Graph, Integers, Neighbours, Within

_CELLS = 4_000_000
"""How many entries of a graph's rows are compared at once."""


def close_rows(rows: Integers, neighbours: Neighbours, ratio: Fraction) -> Integers:
    """Raise entries, as little as possible, until r[j]·q ≤ p·r[k] for all neighbours j, k.

    >>> from discreet.model import Within
    >>> close_rows(np.array([[16, 0, 0, 0]]), Within(1), Fraction(2)).tolist()
    [[16, 8, 4, 2]]
    """
    closed = rows.astype(object)
    p, q = ratio.numerator, ratio.denominator
    if isinstance(neighbours, AllPairs):
        closed[:] = np.maximum(closed, _divided(closed.max(axis=1), p, q)[:, None])
        return closed
    if isinstance(neighbours, Within):
        for view in (closed, closed[:, ::-1]):
            _sweep(view, neighbours.steps, p, q)
        return closed
    return _relax(closed, neighbours, p, q)


def _divided(values: Integers, p: int, q: int) -> Integers:
    """⌈value·q/p⌉, in integers."""
    return -(-values * q // p)


def _sweep(rows: Integers, steps: int, p: int, q: int) -> None:
    """Raise each entry for the sake of the `steps` entries before it, in order, in place.

    Those are the end of one stretch of `steps` columns and the start of the next, so their largest
    is known from two running maxima, whatever `steps` is.
    """
    for start in range(0, rows.shape[1], steps):
        stretch = rows[:, start : start + steps]
        earlier = _largest_from_each_on(rows[:, start - steps : start]) if start else None
        so_far = np.zeros(len(rows), dtype=object)
        for k in range(stretch.shape[1]):
            before = so_far if earlier is None else np.maximum(so_far, earlier[:, k])
            stretch[:, k] = np.maximum(stretch[:, k], _divided(before, p, q))
            so_far = np.maximum(so_far, stretch[:, k])


def _largest_from_each_on(stretch: Integers) -> Integers:
    reversed_maxima: Integers = np.maximum.accumulate(stretch[:, ::-1], axis=1)
    return reversed_maxima[:, ::-1]


def _relax(rows: Integers, graph: Graph, p: int, q: int) -> Integers:
    """Raise for the sake of all neighbours at once, round after round, until nothing changes."""
    ends = np.array(list(graph.pairs(rows.shape[1])), dtype=np.int64).reshape(-1, 2)
    if not len(ends):
        return rows
    source, target = np.concatenate([ends, ends[:, ::-1]]).T
    order = np.argsort(target, kind="stable")
    touched, first = np.unique(target[order], return_index=True)
    part = max(1, _CELLS // len(source))
    for start in range(0, len(rows), part):
        active = rows[start : start + part]
        pending = np.arange(len(active))
        while len(pending):
            current = active[pending]
            lowered = _divided(current, p, q)
            wanted = np.maximum.reduceat(lowered[:, source[order]], first, axis=1)
            raised = current[:, touched] < wanted
            current[:, touched] = np.maximum(current[:, touched], wanted)
            active[pending] = current
            pending = pending[raised.any(axis=1)]
    return rows
