"""Exact draws from any finite distribution that Arb can enclose."""

from collections.abc import Callable, Sequence
from typing import Any, overload

from discreet.sampling.tables import Indices, LazyTable, checked_count


@overload
def real_choice(cumulative: Callable[[], Sequence[Any]], count: None = None) -> int: ...
@overload
def real_choice(cumulative: Callable[[], Sequence[Any]], count: int) -> Indices: ...
def real_choice(cumulative: Callable[[], Sequence[Any]], count: int | None = None) -> int | Indices:
    """The index i with probability (cumulative[i] − cumulative[i − 1]) / cumulative[last], exactly.

    `cumulative` gives Arb balls around the real numbers meant, in order, the last at least 1/4 and
    none above 1; it is called inside `working_precision`, again at a higher precision whenever a
    draw is undecided (docs/proofs/lazy-tables.md). Keep a `LazyTable.of_reals` to draw often.

    >>> from flint import arb
    >>> halves = lambda: [arb(0), arb(1) / 2 + arb(0).atan() / arb.pi(), arb(1)]
    >>> set(real_choice(halves, 200).tolist()) == {1, 2}
    True
    """
    table = LazyTable.of_reals(cumulative)
    return table.draw() if count is None else table.draw_many(checked_count(count))
