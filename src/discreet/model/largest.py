"""The largest of several gauges: one draw for several tables of counts, from one ε.

What it must fulfil to be private is checked by the certifier, part by part
(docs/proofs/marginals.md).
"""

import hashlib
import json
from collections.abc import Sequence
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
    same: bool = False
    """Whether all parts are gauges of the same answers, not of some answers each."""

    def gauge(self, noise: Sequence[int]) -> int:
        """M of a noise on answers that all parts share."""
        return max(one.gauge(noise) for one in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """The noise as plain JSON values."""
        shared = {"same": True} if self.same else {}
        return {"largest_of": [one.to_dict() for one in self.parts], **shared}

    @property
    def facts(self) -> dict[str, Any]:
        """What the promise of ε rests on where all parts are of the same answers."""
        return self.parts[0].facts

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what defines the noise."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()
