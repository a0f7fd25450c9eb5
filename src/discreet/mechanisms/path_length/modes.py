"""How many records must change for a value to become the mode (docs/proofs/path-length.md).

The mode is the most frequent value, the first of those that tie.
"""

import numpy as np

from discreet.mechanisms.path_length.reading import Lengths


def mode_changes(counts: Lengths) -> Lengths:
    """Records to change when one may change its value: each leaves a rival and joins y.

    With k changes y has h_y + k records, which must exceed what earlier values and reach what later
    values keep: Σ_j (h_j − (h_y + k − [j < y]))⁺ ≤ k. Without the ties [j < y] the smallest k
    depends on h_y alone; ties ask for one more at most.

    >>> mode_changes(np.array([5, 0, 4])).tolist()
    [0, 4, 1]
    """
    top = int(counts.max())
    larger = np.cumsum(np.bincount(counts, minlength=top + 1)[::-1])[::-1]
    surplus = np.append(np.cumsum(larger[:0:-1])[::-1], 0)
    level = np.searchsorted(np.arange(top + 1) - surplus, counts)
    changes = level - counts
    descending = np.argsort(-counts, kind="stable")
    for height in np.unique(level):
        rivals = np.sort(descending[: larger[height]])
        here = np.flatnonzero(level == height)
        tied_before = np.searchsorted(rivals, here)
        changes[here] += surplus[height] + tied_before > changes[here]
    return np.asarray(changes, dtype=np.int64)


def mode_steps(counts: Lengths) -> Lengths:
    """Records to add or remove: adding y until it leads is as short as anything.

    >>> mode_steps(np.array([5, 0, 4])).tolist()
    [0, 6, 2]
    """
    running = np.maximum.accumulate(counts)
    before = np.append(-1, running[:-1]) + 1
    after = np.append(np.maximum.accumulate(counts[::-1])[::-1][1:], 0)
    return np.asarray(np.maximum(np.maximum(before, after) - counts, 0))
