"""Variances and covariances from rows, sums, squares and products of half steps.

A value is u half steps from the middle of its range, |u| ≤ B, as docs/proofs/moments-together.md
has it: sums are Σu, squares Σ(2u² − B²), products Σuv. Ends over boxes are exact.
"""

import math
from fractions import Fraction
from typing import TypeAlias

Range: TypeAlias = tuple[int, int]
"""From a whole number to another, or the same."""
Ends: TypeAlias = tuple[Fraction, Fraction]


def mean_ends(rows: Range, totals: Range) -> Ends:
    """The least and the largest mean of a sum and a number of rows, from 1 on."""
    low = Fraction(totals[0], rows[0] if totals[0] < 0 else rows[1])
    high = Fraction(totals[1], rows[0] if totals[1] > 0 else rows[1])
    return low, high


def variance_ends(rows: Range, totals: Range, squares: Range, far: int) -> Ends:
    """The least and the largest variance: docs/proofs/moments-together.md, Claim 7.

    >>> variance_ends((2, 2), (0, 0), (2, 2), 1)
    (Fraction(1, 1), Fraction(1, 1))
    """
    sizes = abs(totals[0]), abs(totals[1])
    nearest = 0 if totals[0] <= 0 <= totals[1] else min(sizes)
    flat, most = Fraction(far**2, 2), Fraction(far**2)
    high = flat + _largest(Fraction(squares[1], 2), nearest**2, rows)
    low = flat - _largest(Fraction(-squares[0], 2), -(max(sizes) ** 2), rows)
    return min(max(low, Fraction(0)), most), min(max(high, Fraction(0)), most)


def covariance_ends(rows: Range, first: Range, second: Range, products: Range, most: int) -> Ends:
    """The least and the largest covariance: the same, Claim 8."""
    corners = [one * other for one in first for other in second]
    high = _largest(Fraction(products[1]), min(corners), rows)
    low = -_largest(Fraction(-products[0]), -max(corners), rows)
    return max(low, Fraction(-most)), min(high, Fraction(most))


def _largest(slope: Fraction, square: int, rows: Range) -> Fraction:
    """The largest slope·y − square·y² for y = 1/rows between its ends: there, or at its top."""
    ends = [Fraction(1, rows[1]), Fraction(1, rows[0])]
    if square > 0 and ends[0] < (top := slope / (2 * square)) < ends[1]:
        ends.append(top)
    return max(slope * y - square * y**2 for y in ends)


def quotient_ends(over: Ends, under: Ends) -> Ends | None:
    """The least and the largest quotient by a number that is not negative; None where it may be 0.

    >>> quotient_ends((Fraction(-1), Fraction(4)), (Fraction(2), Fraction(4)))
    (Fraction(-1, 2), Fraction(2, 1))
    """
    if under[0] <= 0:
        return None
    low = over[0] / (under[0] if over[0] < 0 else under[1])
    high = over[1] / (under[0] if over[1] > 0 else under[1])
    return low, high


def product_ends(one: Ends, other: Ends) -> Ends:
    """The least and the largest product."""
    corners = [first * second for first in one for second in other]
    return min(corners), max(corners)


def rounded_out(ends: Ends, step: Fraction) -> Ends:
    """The ends as multiples of a step, outwards."""
    return step * math.floor(ends[0] / step), step * math.ceil(ends[1] / step)


def root_below(number: Fraction, step: Fraction) -> Fraction:
    """The largest multiple of a step whose square is at most the number.

    >>> root_below(Fraction(2), Fraction(1, 100))
    Fraction(141, 100)
    """
    return step * math.isqrt(math.floor(number / step**2))


def root_above(number: Fraction, step: Fraction) -> Fraction:
    """The smallest multiple of a step whose square is at least the number."""
    below = root_below(number, step)
    return below if below**2 == number else below + step


def signed_root(number: Fraction, step: Fraction, *, above: bool) -> Fraction:
    """The root of the size with the sign of the number, rounded up or down to a step."""
    if number < 0:
        return -signed_root(-number, step, above=not above)
    return root_above(number, step) if above else root_below(number, step)
