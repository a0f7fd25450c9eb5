"""The least of sums over all windows of values of each width: what ranges are scored by.

Work is O(T) for each width and each table, whatever they hold.
"""

import numpy as np

from discreet.statistics.answers import Tables

_AT_ONCE = 100
"""So many tables are worked on together: they stay near the processor."""


def least_by_width(one: Tables, less: Tables, other: Tables, more: Tables) -> Tables:
    """For every width w, the least of max(one[s + w] − less[s], other[s + w] + more[s]) over s.

    Each is a line of as many whole numbers for every table, or a single line; w goes from 0 on.

    >>> lines = (np.array(one) for one in ([5, 2, 9], [1, 0, 4], [0, 0, 0], [3, 0, 0]))
    >>> least_by_width(*lines).tolist()
    [2, 3, 8]
    """
    shape = one.shape
    lines = [each.reshape(-1, shape[-1]) for each in (one, less, other, more)]
    blocks = range(0, len(lines[0]), _AT_ONCE)
    parts = [_least(*(each[at : at + _AT_ONCE].T for each in lines)) for at in blocks]
    return np.concatenate(parts, axis=1).T.reshape(shape)


def _least(one: Tables, less: Tables, other: Tables, more: Tables) -> Tables:
    """The same for tables side by side: what is worked on lies in one piece."""
    one, less, other, more = (np.ascontiguousarray(each) for each in (one, less, other, more))
    least, left, right = (np.empty_like(one) for _ in range(3))
    for width in range(len(one)):
        room = len(one) - width
        ours, theirs = left[:room], right[:room]
        np.subtract(one[width:], less[:room], out=ours)
        np.add(other[width:], more[:room], out=theirs)
        np.maximum(ours, theirs, out=ours)
        ours.min(axis=0, out=least[width])
    return least
