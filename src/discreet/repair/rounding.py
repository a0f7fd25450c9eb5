"""A proposed real matrix becomes an integer mechanism (docs/proofs/rounding.md).

Rows are raised to the smallest integers that keep every ratio: two passes suffice on a line, and
one on all pairs (docs/proofs/closure.md).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.model import (
    AllPairs,
    Graph,
    Integers,
    Mechanism,
    Neighbours,
    Space,
    Within,
    category_of,
)

BITS = 62
"""Columns sum to 2^62: every weight fits a machine word, and 2^-62 is nobody's loss."""

Proposal = Callable[[float], npt.NDArray[np.float64]]
"""The matrix of a family at a given ε, in floats."""

_CELLS = 4_000_000
"""How many entries of a graph's rows are compared at once."""

_SHRINKING = (2.0**-34, 2.0**-30, 2.0**-26, 2.0**-22, 2.0**-18)
_LEAST_HOME = 2.0**-20
_ROUNDING = 1e-9


def integer_mechanism(
    answers: Space,
    outputs: Space,
    neighbours: Neighbours,
    propose: Proposal,
    epsilon: Epsilon,
    *,
    name: str = "custom",
    notes: Mapping[str, Any] | None = None,
    bits: int = BITS,
    home: npt.NDArray[np.int64] | None = None,
) -> Mechanism:
    """Integers as near the proposal as may be, keeping every ratio at ε.

    The proposal is taken at an ε a hair smaller, scaled and rounded down; tails are raised to the
    smallest integers that keep the ratios; what a column lacks goes to the output that holds its
    own answer (or the likeliest one), for which the hair leaves room. Exact symmetry survives, and
    monotone rows and columns up to units in the tails: measures.properties tells. Where outputs are
    not categories of answers, `home` says which output is each answer's own.
    """
    ratio = epsilon.ratio_below
    if home is None:
        home = np.array(category_of(outputs, answers))
    for hair in _SHRINKING:
        wanted = propose(float(epsilon) * (1.0 - hair))
        _check_masses(wanted, name)
        weights = _filled(wanted, neighbours, ratio, home, 1 << bits)
        if weights is not None and _keeps(weights, neighbours, ratio):
            return Mechanism.of(answers, outputs, neighbours, weights, name=name, notes=notes)
    raise DesignError(
        f"no integer matrix near {name} satisfies ε = {epsilon} on {len(answers)} answers; use a "
        "larger ε or fewer answers"
    )


def _check_masses(wanted: npt.NDArray[np.float64], name: str) -> None:
    """Whether these can be probabilities, up to a constant for each column and to rounding."""
    if not np.isfinite(wanted).all() or wanted.min() < -_ROUNDING or wanted.sum(axis=0).min() <= 0:
        raise DesignError(
            f"{name} gives probabilities that are negative, not numbers, or all zero; check its "
            "density"
        )


def _normalised(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Columns of sum 1; left as they are but for rounding, so equal cells stay equal."""
    sums = matrix.sum(axis=0)
    return matrix if np.abs(sums - 1.0).max() < 1e-12 else matrix / sums


def _symmetrised(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    turned = matrix[::-1, ::-1]
    if np.allclose(matrix, turned, rtol=1e-9, atol=1e-13):
        return (matrix + turned) / 2
    return matrix


def _filled(
    wanted: npt.NDArray[np.float64],
    neighbours: Neighbours,
    ratio: Fraction,
    home: npt.NDArray[np.int64],
    total: int,
) -> Integers | None:
    """Round down, close, and give every column's remainder to one entry of it."""
    share = _symmetrised(_normalised(wanted))
    used = share.max(axis=1) > 0
    columns = np.arange(share.shape[1])
    keeper = np.where(share[home, columns] >= _LEAST_HOME, home, share.argmax(axis=0))
    reserve = 0
    for _ in range(40):
        weights = np.zeros(share.shape, dtype=object)
        floors = np.floor(share[used] * float(total - reserve))
        weights[used] = close_rows(
            np.maximum(floors.astype(np.int64), 1).astype(object), neighbours, ratio
        )
        lacking = total - weights.sum(axis=0)
        if (lacking >= 0).all():
            weights[keeper, columns] += lacking
            return weights
        reserve = 2 * reserve + int(-lacking.min()) + len(share)
    return None


def _keeps(weights: Integers, neighbours: Neighbours, ratio: Fraction) -> bool:
    return bool((close_rows(weights, neighbours, ratio) == weights).all())


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
