"""Integers with all four properties, from the sums above the diagonal alone (docs/proofs/band.md).

Column by column, each cell above the diagonal lies between what privacy demands (the cell Δ
columns before it, divided by e^ε) and what falling rows allow (the cell before it). Filling from
the diagonal outwards until the column's sum is reached keeps everything, in integers, and no other
way of reaching the same sums has a smaller loss.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from discreet.designer.variant2.band import BandPlan
from discreet.model import Integers
from discreet.repair import BITS

Choose = Callable[[int, int, int], int | None]
"""The sum of a column, given its number, the least and the most it can be; None to give up."""

_WORD = 1 << 31
_NEGLIGIBLE = Fraction(1, 1 << 45)


def roomy_plan(size: int, steps: int, shrink: float) -> BandPlan:
    """A symmetric plan that touches no bound: every sum could be larger or smaller.

    In units of the diagonal, sums rise by (1 + α)/2 with each column from 0 to some level, stay
    there, and rise again towards the last column as much as they rose from the first.

    >>> roomy_plan(5, 1, 0.5).sums[0].round(3).tolist()
    [0.0, 0.188, 0.375, 0.562, 0.75]
    """
    slope = (1 + shrink) / 2
    columns = np.arange(size)
    half = min(slope * (size - 1) / 2, 2 * shrink * steps / (1 - shrink))
    rising = np.minimum(slope * columns, half)
    sums = rising + half - rising[::-1]
    diagonal = 1 / (1 + 2 * half)
    return BandPlan(diagonal, (diagonal * sums,))


def integer_matrix(
    plan: BandPlan, steps: int, ratio: Fraction, *, bits: int = BITS
) -> Integers | None:
    """The matrix of a plan, or None if its sums cannot be, even when moved into their ranges.

    One triangle means a symmetric matrix; of two, the second is the lower one turned half round.
    Every column sums to 2^bits.

    >>> plan = BandPlan(0.5, (np.array([0.0, 0.25, 0.5]),))
    >>> integer_matrix(plan, 1, Fraction(2), bits=4).tolist()
    [[8, 4, 2], [6, 8, 6], [2, 4, 8]]
    """
    total, last = 1 << bits, len(plan.sums[0]) - 1
    own = int(plan.diagonal * total) & ~1
    wanted = np.rint(plan.sums[0] * float(total)).astype(np.int64)
    mirrored = len(plan.sums) == 1
    chosen = [0] * (last + 1)

    def forced(j: int, least: int, most: int) -> int | None:
        rest = (total - own) // 2 if mirrored and 2 * j == last else total - own - chosen[last - j]
        return rest if least <= rest <= most else None

    def free(j: int, least: int, most: int) -> int | None:
        if j == last or (mirrored and 2 * j >= last):
            return forced(j, least, most)
        chosen[j] = min(max(int(wanted[j]), least), most)
        return chosen[j]

    above = _filled(own, last + 1, steps, ratio, free)
    if above is None:
        return None
    chosen[last] = total - own
    below = above if mirrored else _filled(own, last + 1, steps, ratio, forced)
    if below is None:
        return None
    weights = above + below[::-1, ::-1]
    np.fill_diagonal(weights, own)
    return weights


def _filled(own: int, size: int, steps: int, ratio: Fraction, choose: Choose) -> Integers | None:
    """The triangle above the diagonal, column by column from the left."""
    shrunk = Shrinking(ratio)
    weights = np.zeros((size, size), dtype=np.int64)
    columns = weights.T
    columns[0, 0] = own
    lowest = int(shrunk(np.array([own]))[0])
    first = choose(0, 0, 0)
    if first != 0:
        return None
    for j in range(1, size):
        column = columns[j, :j]
        column[:] = lowest
        if j >= steps:
            column[: j - steps + 1] = shrunk(columns[j - steps, : j - steps + 1])
        room = columns[j - 1, :j] - column
        least = int(column.sum())
        chosen = choose(j, least, least + int(room.sum()))
        if chosen is None:
            return None
        outward = room[::-1]
        before = np.cumsum(outward) - outward
        column[::-1] += np.clip(chosen - least - before, 0, outward)
        columns[j, j] = own
    return weights


class Shrinking:
    """⌈weight·q/p⌉ for many weights of at most 2^62 at once, in exact machine words where possible.

    p/q ≤ ratio falls short of it by a share of less than 2⁻⁴⁵.

    >>> Shrinking(Fraction(2))(np.array([7, 2**62])).tolist()
    [4, 2305843009213693952]
    """

    def __init__(self, ratio: Fraction) -> None:
        short = simple_below(ratio, min(_WORD - 1, int((2 * _WORD - 1) / ratio)))
        self.fits = short is not None and ratio - short < ratio * _NEGLIGIBLE
        self.ratio = short if self.fits and short is not None else ratio

    def __call__(self, weights: Integers) -> Integers:
        """Divide and round up."""
        p, q = self.ratio.numerator, self.ratio.denominator
        if not self.fits:
            exact: Integers = -(-weights.astype(object) * q // p)
            return exact.astype(np.int64)
        high, low = np.divmod(weights.astype(np.uint64), np.uint64(_WORD))
        whole, rest = np.divmod(high * np.uint64(q), np.uint64(p))
        carried = rest * np.uint64(_WORD) + low * np.uint64(q)
        more = (carried + np.uint64(p - 1)) // np.uint64(p)
        return (whole * np.uint64(_WORD) + more).astype(np.int64)


def simple_below(ratio: Fraction, largest: int) -> Fraction | None:
    """The largest fraction that is at most `ratio` and whose denominator is at most `largest`.

    >>> simple_below(Fraction(314159, 100000), 10), simple_below(Fraction(14, 10), 3)
    (Fraction(25, 8), Fraction(4, 3))
    """
    if largest < 1:
        return None
    nearest = ratio.limit_denominator(largest)
    if nearest <= ratio:
        return nearest
    a, b = nearest.numerator, nearest.denominator
    below = pow(a, -1, b) if b > 1 else 0
    q = below + b * ((largest - below) // b)
    return Fraction((a * q - 1) // b, q)
