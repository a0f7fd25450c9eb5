"""Integers that keep every ratio on a graph of databases, in machine words.

The same construction as `repair.envelope_integers`, for graphs with 10⁵ edges: an entry is raised
to a hair more than the least integer that keeps the ratio, or to its neighbour's own size where
that is less, so floats may do the arithmetic (docs/proofs/by-database.md, Claim 2). The certifier
compares the result exactly.
"""

import numpy as np

from discreet.databases.listing import Databases, Indices
from discreet.design.program import Floats
from discreet.errors import DesignError
from discreet.repair import BITS

_HAIR = 1 + 2.0**-50
_NEGLIGIBLE = 2.0**-40
_MOST_RESERVE = 0.5


def rounded(databases: Databases, matrix: Floats, ratio: float, filler: int) -> Indices:
    """Integers near a matrix with columns of sum about 1: ratios kept, columns sum to 2^62.

    What columns lack goes to row `filler`, once it is positive and flat enough to keep the ratios.
    """
    total = 1 << BITS
    share = np.maximum(matrix, 0.0)
    share = share / np.maximum(share.sum(axis=0), 1e-300)
    kept = share.max(axis=1) >= _NEGLIGIBLE
    reserve = len(matrix)
    while reserve <= _MOST_RESERVE * total:
        rows = np.floor(share[kept] * float(total - reserve)).astype(np.int64)
        raised = raised_rows(databases, rows, ratio)
        lacking = total - _sums(raised)
        if lacking.min() >= 0 and (raised_rows(databases, lacking[None], ratio) == lacking).all():
            weights = np.zeros(matrix.shape, dtype=np.int64)
            weights[kept] = raised
            weights[filler] += lacking
            return weights
        spread = float(lacking.max() - lacking.min())
        wanted = max(int(spread * (1 + 1e-6) / (ratio - 1)) + 8 - int(lacking.min()), 1)
        reserve += wanted + (reserve >> 3)
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


def _sums(rows: Indices) -> Indices:
    """Column sums; entries are below 2^62 and few enough that only a broken matrix overflows."""
    if len(rows) and float(rows.astype(np.float64).sum(axis=0).max()) > 2.0**62.5:
        raise DesignError("the solver's columns sum to more than 1; use fewer answers")
    return np.asarray(rows.sum(axis=0))
