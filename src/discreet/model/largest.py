"""The largest of several gauges: one draw for several tables of counts, from one ε.

What it must fulfil to be private is checked by the certifier, part by part
(docs/proofs/marginals.md).
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from discreet.model.gauges import GaugeNoise


@dataclass(frozen=True)
class LargestGauge:
    """Noise on several parts with P(z) in proportion to e^(−rate·max M_i(z_i)).

    Every part says what a row adds to it; one row may move all of them at once.
    """

    parts: tuple[GaugeNoise, ...]

    def to_dict(self) -> dict[str, Any]:
        """The noise as plain JSON values."""
        return {"largest_of": [one.to_dict() for one in self.parts]}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what defines the noise."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()
