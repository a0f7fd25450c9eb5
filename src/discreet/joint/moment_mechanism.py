"""Noise on moments with its law: for one selection of rows, for groups apart, or for all at once.

Where rows only come and go, a row is in one group, and each group has noise of its own; where one
changes, it may leave a group and enter another, and all groups share one noise
(docs/proofs/moments-together.md).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet.exact import Epsilon
from discreet.joint.box_law import BoxLaw
from discreet.joint.moment_groups import GroupedMoments
from discreet.joint.moment_laws import ALONE, Company, Floats, MomentLaw, PairLaw
from discreet.joint.moment_trials import even_noises
from discreet.joint.moments import MomentNoise, MomentShape
from discreet.mechanisms.sensitivities import spendable
from discreet.model import Relation


@dataclass(frozen=True)
class MomentMechanism:
    """What noise sums have, and how likely it is."""

    noise: MomentNoise | GroupedMoments
    law: MomentLaw

    @classmethod
    def of(
        cls, shape: MomentShape, epsilon: Epsilon, relation: Relation, rows_per_unit: int
    ) -> "MomentMechanism":
        """For one selection, or for each group by itself."""
        noise = MomentNoise.of(
            shape,
            epsilon,
            relation=relation,
            rate=spendable(epsilon),
            rows_per_unit=rows_per_unit,
        )
        return cls(noise, _law(shape, noise.rate))

    @classmethod
    def grouped(
        cls, shape: MomentShape, groups: int, epsilon: Epsilon, *, rest: bool, rows_per_unit: int
    ) -> "MomentMechanism":
        """For all groups at once, where a row that changes leaves one and enters another."""
        noise = GroupedMoments.of(
            shape,
            groups,
            epsilon,
            rest=rest,
            rate=spendable(epsilon),
            rows_per_unit=rows_per_unit,
        )
        return cls(noise, _law(shape, noise.rate, Company(groups - 1, rest)))

    @property
    def together(self) -> bool:
        """Whether all groups share one noise."""
        return isinstance(self.noise, GroupedMoments)

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn."""
        return self.noise.drawable

    @property
    def certificate(self) -> str:
        """The digest of its certificate."""
        return self.noise.certified.certificate.digest

    @property
    def body(self) -> dict[str, Any]:
        """What the certificate is about, as plain JSON values; x is a noise in its unit."""
        shape = self.shape
        return {
            "gauge": "Σ alone·|x| + joint·max|x|",
            "alone": list(shape.alone),
            "joint": shape.joint,
            "units": list(shape.scales),
            **self.noise.certified.mechanism.facts,
        }

    @property
    def shape(self) -> MomentShape:
        """What it is the noise of."""
        return self.noise.shape

    def draw(self, groups: int) -> list[tuple[int, ...]]:
        """A noise for each group."""
        if isinstance(self.noise, GroupedMoments):
            return self.noise.draw()
        return [self.noise.draw() for _ in range(groups)]

    @cached_property
    def even(self) -> Floats:
        """Evenly likely noises of one group, a line each: for figures."""
        counts = self.law.counts if self.shape.counted else None
        return even_noises(self.shape, self.noise.rate, counts)


def _law(shape: MomentShape, rate: Fraction, company: Company = ALONE) -> MomentLaw:
    """In closed form for a count and a sum, enclosed for others."""
    pair = shape.counted and len(shape.reaches) == 2
    return (PairLaw if pair else BoxLaw)(shape, rate, company)
