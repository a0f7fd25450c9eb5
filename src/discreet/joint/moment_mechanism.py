"""Noise on moments with its law: for one selection of rows, for groups apart, or for all at once.

Where rows only come and go, a row is in one group, and each group has noise of its own; where one
changes, it may leave a group and enter another, and all groups share one noise
(docs/proofs/moments-together.md). So do they where a person has a row in several of them, and no
two in one (docs/proofs/one-row-a-group.md).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet.exact import Epsilon, spendable
from discreet.joint.box_law import BoxLaw
from discreet.joint.moment_groups import GroupedMoments
from discreet.joint.moment_laws import ALONE, Company, Floats, MomentLaw, PairLaw, array_bytes
from discreet.joint.moment_trials import even_noises
from discreet.joint.moments import MomentNoise, MomentShape
from discreet.joint.spread_moment_law import SpreadMomentLaw
from discreet.joint.spread_moments import SPREAD_MOMENTS, SpreadMoments
from discreet.model import Relation


@dataclass(frozen=True)
class MomentMechanism:
    """What noise sums have, and how likely it is."""

    noise: MomentNoise | GroupedMoments | SpreadMoments
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

    @classmethod
    def spread(
        cls, shape: MomentShape, groups: int, epsilon: Epsilon, relation: Relation
    ) -> "MomentMechanism":
        """For all groups at once, where a person has at most one row in each."""
        noise = SpreadMoments.of(shape, groups, epsilon, relation=relation, rate=spendable(epsilon))
        return cls(noise, SpreadMomentLaw(shape, noise.rate, groups=groups))

    @property
    def together(self) -> bool:
        """Whether all groups share one noise."""
        return not isinstance(self.noise, MomentNoise)

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
        if isinstance(self.noise, SpreadMoments):
            return {
                "gauge": SPREAD_MOMENTS,
                "units": list(shape.scales),
                **self.noise.certified.mechanism.facts,
            }
        return {
            "gauge": "Σ alone·|x| + joint·max|x|",
            "alone": list(shape.alone),
            "joint": shape.joint,
            "units": list(shape.scales),
            **self.noise.certified.mechanism.facts,
        }

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return self.law.bytes + array_bytes(self)

    @property
    def shape(self) -> MomentShape:
        """What it is the noise of."""
        return self.noise.shape

    def draw(self, groups: int) -> list[tuple[int, ...]]:
        """A noise for each group."""
        if isinstance(self.noise, MomentNoise):
            return [self.noise.draw() for _ in range(groups)]
        return self.noise.draw()

    @cached_property
    def even(self) -> Floats:
        """Evenly likely noises of one group, a line each: for figures."""
        if isinstance(self.law, SpreadMomentLaw):
            return self.law.even
        counts = self.law.counts if self.shape.counted else None
        return even_noises(self.shape, self.noise.rate, counts)


def _law(shape: MomentShape, rate: Fraction, company: Company = ALONE) -> MomentLaw:
    """In closed form for a count and a sum, enclosed for others."""
    pair = shape.counted and len(shape.reaches) == 2
    return (PairLaw if pair else BoxLaw)(shape, rate, company)
