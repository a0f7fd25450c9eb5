"""Gauge noise: one draw for several whole answers, likelier the smaller its gauge.

The gauge M is a sum of maxima of linear forms with whole coefficients. What it must fulfil to be
private is checked by the certifier, in integers (docs/proofs/gauge-noise.md).
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from discreet.model.neighbours import Relation

Form: TypeAlias = tuple[tuple[int, int], ...]
"""A vector of whole numbers by its entries other than 0: (coordinate, entry) pairs."""


@dataclass(frozen=True, kw_only=True)
class GaugeNoise:
    """Noise z on whole answers with P(z) in proportion to e^(−rate·M(z)).

    M(z) is the sum over `summands` of the largest of their forms at z. A row adds to the answers
    one of the alternatives of each block of `row`.
    """

    dimension: int
    summands: tuple[tuple[Form, ...], ...]
    equations: tuple[Form, ...]
    """Forms that are 0 for every noise: noise on the cells of a table cancels, for example."""
    row: tuple[tuple[Form, ...], ...]
    relation: Relation
    """What may happen to one row."""
    width: int
    """At most so far, by the gauge, one person moves the answers."""
    rows_per_unit: int
    rate: Fraction
    different: bool = False
    """Whether no two rows of a person add the same: each of theirs is another alternative."""

    def gauge(self, noise: Sequence[int]) -> int:
        """M of a noise."""
        return sum(
            max(sum(entry * noise[place] for place, entry in form) for form in forms)
            for forms in self.summands
        )

    def to_dict(self) -> dict[str, Any]:
        """The noise as plain JSON values."""
        return {
            "dimension": self.dimension,
            "summands": self.summands,
            "equations": self.equations,
            "row": self.row,
            "relation": self.relation,
            "width": self.width,
            "rows_per_unit": self.rows_per_unit,
            "rate": str(self.rate),
            **self._spread,
        }

    @property
    def facts(self) -> dict[str, Any]:
        """What the promise of ε rests on, without the forms: far fewer words."""
        return {
            "dimension": self.dimension,
            "relation": self.relation,
            "rows_per_unit": self.rows_per_unit,
            "width": self.width,
            "rate": str(self.rate),
            **self._spread,
        }

    @property
    def _spread(self) -> dict[str, Any]:
        return {"different": True} if self.different else {}

    @property
    def text(self) -> str:
        """What defines the noise, as it is hashed."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what defines the noise."""
        return hashlib.sha256(self.text.encode()).hexdigest()
