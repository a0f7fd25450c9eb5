"""Integers that keep every ratio on a graph of databases, in machine words.

The same construction as `repair.envelope_integers`, for graphs with 10⁵ edges: an entry is raised
to a hair more than the least integer that keeps the ratio, or to its neighbour's own size where
that is less, so floats may do the arithmetic (docs/proofs/by-database.md, Claim 2). The certifier
compares the result exactly.
"""

import numpy as np

from discreet.databases.listing import Databases, Indices
from discreet.designer.programs.program import Floats
from discreet.errors import DesignError
from discreet.repair import BITS

_HAIR = 1 + 2.0**-50
_NEGLIGIBLE = 2.0**-40


def rounded(databases: Databases, matrix: Floats, ratio: float, filler: int) -> Indices:
    """Integers near a matrix with columns of sum about 1: ratios kept, columns sum to 2^62.

    What columns lack goes to row `filler`, once it is positive and flat enough to keep the ratios.
    """
    total = 1 << BITS
    share = np.maximum(matrix, 0.0)
    share = share / np.maximum(share.sum(axis=0), 1e-300)
    kept = share.max(axis=1) >= _NEGLIGIBLE
    scale, slack = total - len(matrix), len(matrix)
    while scale > 0:
        rows = np.floor(share[kept] * float(scale)).astype(np.int64)
        raised = raised_rows(databases, rows, ratio)
        lacking = total - raised.astype(object).sum(axis=0)
        if lacking.min() >= 0 and _keeps(databases, lacking.astype(np.int64), ratio):
            weights = np.zeros(matrix.shape, dtype=np.int64)
            weights[kept] = raised
            weights[filler] += lacking.astype(np.int64)
            return weights
        # At this scale sums would lie low enough, and flat enough, for what is lacking.
        highest, lowest = (total - end for end in (lacking.min(), lacking.max()))
        room = (highest + (highest - lowest) / (ratio - 1)) / scale
        slack = 2 * slack + 8
        scale = min(int(total / room), scale) - slack
    raise DesignError("the solver's matrix is too far from private to be repaired; use a larger ε")


def raised_rows(databases: Databases, rows: Indices, ratio: float) -> Indices:
    """Entries raised, little more than is needed, until every ratio is kept."""
    raised = rows.copy()
    shrink = _HAIR / ratio
    changed = True
    while changed:
        before = raised.copy()
        for one, other in databases.matchings:
            for source, target in ((one, other), (other, one)):
                needed = _least(raised[:, source], shrink)
                raised[:, target] = np.maximum(raised[:, target], needed)
        changed = bool((raised != before).any())
    return raised


def _least(entries: Indices, shrink: float) -> Indices:
    """An integer that is at least entry / e^ε, and never above the entry."""
    return np.asarray(np.minimum(entries, np.ceil(entries * shrink).astype(np.int64) + 1))


def _keeps(databases: Databases, row: Indices, ratio: float) -> bool:
    return bool((raised_rows(databases, row[None], ratio)[0] == row).all())
