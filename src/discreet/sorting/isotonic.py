"""The nearest list that is sorted, not negative and of a given total, exactly.

Least squares by pooling adjacent violators, then one shift: docs/proofs/isotonic.md.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from math import lcm

from discreet.errors import InvalidInput
from discreet.exact import RationalLike, rational


def decreasing_fit(numbers: Iterable[RationalLike]) -> tuple[Fraction, ...]:
    """The decreasing list nearest to the given one in squares.

    >>> decreasing_fit([5, 1, 2, 3, 0])
    (Fraction(5, 1), Fraction(2, 1), Fraction(2, 1), Fraction(2, 1), Fraction(0, 1))
    """
    exact = [number if type(number) is int else rational(number) for number in numbers]
    unit = lcm(*(number.denominator for number in exact))
    blocks: list[tuple[int, int]] = []
    for number in exact:
        total, size = number.numerator * (unit // number.denominator), 1
        while blocks and blocks[-1][0] * size <= total * blocks[-1][1]:
            before, longer = blocks.pop()
            total, size = total + before, size + longer
        blocks.append((total, size))
    return tuple(mean for total, size in blocks for mean in [Fraction(total, size * unit)] * size)


def sorted_counts_fit(
    numbers: Iterable[RationalLike], *, total: int | None = None, at_most: int | None = None
) -> tuple[Fraction, ...]:
    """The nearest decreasing list without negative numbers whose sum is `total`, or `at_most` that.

    >>> [str(entry) for entry in sorted_counts_fit([5, 1, 2, -3], total=6)]
    ['13/3', '5/6', '5/6', '0']
    >>> [str(entry) for entry in sorted_counts_fit([5, 1, 2, -3], at_most=9)]
    ['5', '3/2', '3/2', '0']
    """
    fit = decreasing_fit(numbers)
    for wanted in (total, at_most):
        if wanted is not None and (wanted < 0 or (wanted > 0 and not fit)):
            raise InvalidInput("a total must be 0 or more, and the total of no counts is 0")
    positive = tuple(max(entry, Fraction(0)) for entry in fit)
    if total is not None:
        return _shifted(fit, total)
    if at_most is not None and sum(positive) > at_most:
        return _shifted(fit, at_most)
    return positive


def _shifted(fit: Sequence[Fraction], total: int) -> tuple[Fraction, ...]:
    """(fit − shift)⁺ with the one shift that gives the total, found block by block."""
    blocks = [(entry, len(list(equal))) for entry, equal in groupby(fit)]
    running, kept, shift = Fraction(0), 0, Fraction(0)
    for entry, size in blocks:
        running, kept = running + entry * size, kept + size
        candidate = (running - total) / kept
        if kept > size and entry <= candidate:
            break
        shift = candidate
    left = ((max(entry - shift, Fraction(0)), size) for entry, size in blocks)
    return tuple(entry for count, size in left for entry in [count] * size)


def whole_counts(counts: Sequence[Fraction]) -> tuple[int, ...]:
    """Whole numbers, still sorted, with the same sum if it was whole (else the nearest whole sum).

    Each entry is rounded down, and the largest remainders up, the first of equal ones first: of
    all whole lists with that sum it is the nearest.

    >>> whole_counts(sorted_counts_fit([5, 1, 2, -3], total=6))
    (4, 1, 1, 0)
    """
    down = [entry.numerator // entry.denominator for entry in counts]
    rests = [entry - floor for entry, floor in zip(counts, down, strict=True)]
    spare = (2 * sum(rests, Fraction(0)) + 1) // 2
    for place in sorted(range(len(down)), key=lambda i: (-rests[i], i))[:spare]:
        down[place] += 1
    return tuple(down)
