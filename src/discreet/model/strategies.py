"""Strategy noise: sums of cells that overlap, each with its own noise (docs/proofs/workloads.md).

What is measured is A·x for a matrix A of whole numbers: cells, blocks of cells, weighted sums. The
answers that are wanted are worked out from these. What A must fulfil to be private is checked by
the certifier, in integers.
"""

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet.model.gauges import Form
from discreet.model.neighbours import Relation


@dataclass(frozen=True, kw_only=True)
class StrategyNoise:
    """Two-sided geometric noise of a rate on each of so many measured sums."""

    sums: int
    columns: tuple[Form, ...]
    """For each cell, what one row in it adds to the sums."""
    relation: Relation
    """What may happen to one row."""
    width: int
    """All sums together move by at most so much for one person."""
    rows_per_unit: int
    rate: Fraction

    def to_dict(self) -> dict[str, Any]:
        """The noise as plain JSON values."""
        return {
            "sums": self.sums,
            "columns": self.columns,
            "relation": self.relation,
            "width": self.width,
            "rows_per_unit": self.rows_per_unit,
            "rate": str(self.rate),
        }

    @property
    def facts(self) -> dict[str, Any]:
        """What the promise of ε rests on, without what is measured: far fewer words."""
        return {
            "dimension": self.sums,
            "relation": self.relation,
            "rows_per_unit": self.rows_per_unit,
            "width": self.width,
            "rate": str(self.rate),
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what defines the noise."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()
