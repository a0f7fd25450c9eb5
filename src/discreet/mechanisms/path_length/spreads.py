"""How many records must change for a range or a count to become y (docs/proofs/path-length.md)."""

from collections.abc import Iterator

import numpy as np

from discreet.mechanisms.path_length.reading import Lengths


def range_changes(counts: Lengths) -> Lengths:
    """Records to change for the largest minus the smallest to be 0, 1, …, T − 1 steps.

    Some window of that width must hold all records and have both its ends held; whoever is outside
    moves, and movers (or, for want of them, others) take the ends. O(T) for each width.

    >>> range_changes(np.array([2, 0, 1, 0])).tolist()
    [1, 1, 0, 1]
    """
    return np.array([np.maximum(out, ends).min() for out, ends in _windows(counts)])


def range_steps(counts: Lengths) -> Lengths:
    """Records to add or remove: those outside a window go, and each end that nobody holds comes.

    >>> range_steps(np.array([2, 0, 1, 0])).tolist()
    [1, 2, 0, 1]
    """
    return np.array([(out + ends).min() for out, ends in _windows(counts)])


def _windows(counts: Lengths) -> Iterator[tuple[Lengths, Lengths]]:
    """For each width: how many records lie outside each window, and how many ends nobody holds."""
    size = len(counts)
    up_to = np.append(0, np.cumsum(counts))
    empty = (counts == 0).astype(np.int64)
    for width in range(size):
        inside = up_to[width + 1 :] - up_to[: size - width]
        ends = empty[: size - width] + empty[width:] if width else empty
        yield up_to[-1] - inside, ends


def count_changes(counted: int, most: int) -> Lengths:
    """Records to change, or to add and remove, for min(count, most) to be 0, …, most.

    >>> count_changes(2, 4).tolist(), count_changes(7, 4).tolist()
    ([2, 1, 0, 1, 2], [7, 6, 5, 4, 0])
    """
    lengths = np.abs(np.arange(most + 1, dtype=np.int64) - counted)
    lengths[most] = max(0, most - counted)
    return lengths
