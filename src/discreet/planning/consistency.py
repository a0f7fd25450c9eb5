"""Counts made consistent: whole, not negative, and with the sum that everybody knows."""

from collections.abc import Sequence
from fractions import Fraction


def consistent_counts(counts: Sequence[int], total: int | None) -> list[int]:
    """The nearest counts (least squares) that are not negative and, if said, sum to the total.

    The best is max(0, count − t) for one level t, with what is left over taken one by one from
    the counts above it; looking at released counts only, this is post-processing.

    >>> consistent_counts([5, -2, 1], 6)
    [5, 0, 1]
    >>> consistent_counts([5, -2, 1], 3)
    [3, 0, 0]
    """
    if total is None or not counts:
        return [max(0, count) for count in counts]
    low, high = min(counts) - total - 1, max(counts)
    while high - low > 1:
        level = (low + high) // 2
        enough = sum(max(0, count - level) for count in counts) >= total
        low, high = (level, high) if enough else (low, level)
    lowered = [max(0, count - low) for count in counts]
    excess = sum(lowered) - total
    for place in sorted(range(len(counts)), key=lambda place: (counts[place], -place)):
        if excess and lowered[place] > 0:
            lowered[place] -= 1
            excess -= 1
    return lowered


def rising_counts(counts: Sequence[int | Fraction], most: int) -> list[int]:
    """The nearest counts (least squares) that never fall, from 0 to `most`, then made whole.

    Running totals are such counts. Neighbours that fall are put together at their mean, which is
    the projection onto counts that rise, and clamping keeps the order.

    >>> rising_counts([3, 1, 8, 12, 11], 11)
    [2, 2, 8, 11, 11]
    """
    pools: list[tuple[Fraction, int]] = []
    for count in counts:
        total, many = Fraction(count), 1
        while pools and pools[-1][0] * many >= total * pools[-1][1]:
            before, more = pools.pop()
            total, many = total + before, many + more
        pools.append((total, many))
    return [min(max(round(total / many), 0), most) for total, many in pools for _ in range(many)]
