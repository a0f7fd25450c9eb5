"""Noise on all counts of a table at once, and on every sum of them (docs/proofs/workloads.md).

Where one record changes, the noise of all cells cancels (docs/proofs/cells.md); where one is added
or removed, it moves a single cell, and every cell has noise of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.certifier.gauges import certify_gauge
from discreet.exact import Epsilon, spendable
from discreet.joint.cells import CANCELLING, CellNoise
from discreet.joint.sums import sum_chances, sum_error, sum_reach, sum_reaches, sum_variance
from discreet.model import Relation
from discreet.model.gauges import GaugeNoise
from discreet.sampling import noise_tables
from discreet.sampling.laplace import can_be_drawn

Counts = npt.NDArray[np.int64]

INDEPENDENT = "Σ |z|"
"""The gauge of noise that each cell has by itself."""


@dataclass(frozen=True)
class TableNoise:
    """Noise on so many counts that exclude each other, certified at an ε."""

    told: int
    """How many counts are told; there may be one more cell, for the rest of the rows."""
    cancelling: int | None
    """How many noises cancel, "the rest" among them; None where every cell has its own."""
    rate: Fraction
    """Every noise is z with weight e^(−rate·|z|)."""
    certified: Certified[GaugeNoise]

    @classmethod
    def of(
        cls,
        cells: int,
        epsilon: Epsilon,
        relation: Relation,
        *,
        rows_per_unit: int = 1,
        total_is_public: bool = False,
    ) -> "TableNoise":
        """The noise for a relation; a person has at most so many rows."""
        if relation == Relation.CHANGE:
            every = max(cells if total_is_public else cells + 1, 2)
            joint = CellNoise.of(
                every, epsilon, rate=spendable(epsilon), rows_per_unit=rows_per_unit
            )
            return cls(cells, every, joint.rate / 2, joint.certified)
        alone = GaugeNoise(
            dimension=cells,
            summands=tuple((((place, 1),), ((place, -1),)) for place in range(cells)),
            equations=(),
            row=(tuple(((place, 1),) for place in range(cells)),),
            relation=relation,
            width=rows_per_unit,
            rows_per_unit=rows_per_unit,
            rate=spendable(epsilon) / rows_per_unit,
        )
        return cls(cells, None, alone.rate, certify_gauge(alone, epsilon))

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return can_be_drawn(self.rate)

    def draw(self) -> Counts:
        """One noise for every count that is told."""
        if self.cancelling is None:
            return noise_tables(self.rate).draw_many(self.told)
        return CellNoise(self.cancelling, self.certified).draw()[: self.told]

    @property
    def gauge(self) -> str:
        """The gauge of the noise on all cells, as people write it."""
        return INDEPENDENT if self.cancelling is None else CANCELLING

    def reach(self, many: int, confidence: Fraction) -> int:
        """How far the sum of so many counts is off at most, at a confidence, for any table."""
        return sum_reach(many, self.rate, confidence, of=self.cancelling)

    def reaches(self, sizes: Iterable[int], confidence: Fraction) -> dict[int, int]:
        """The same for sums of so many counts each."""
        return sum_reaches(sizes, self.rate, confidence, of=self.cancelling)

    def error(self, many: int) -> float:
        """How far the sum of so many counts is off on average, for any table."""
        return sum_error(many, self.rate, of=self.cancelling)

    def chances(self, many: int) -> npt.NDArray[np.float64]:
        """P(noise of the sum of so many counts = t) for t = 0, 1, …, for figures."""
        return sum_chances(many, self.rate, of=self.cancelling)

    @property
    def variance(self) -> float:
        """The variance of the noise of one count."""
        return sum_variance(1, self.rate, of=self.cancelling)

    @property
    def digest(self) -> str:
        """That of its certificate."""
        return self.certified.certificate.digest


@dataclass(frozen=True)
class SumOfCells:
    """The noise of the sum of some counts of a table: a roll-up, a marginal, a condition."""

    noise: TableNoise
    many: int

    @property
    def error(self) -> float:
        """Its mean absolute value."""
        return self.noise.error(self.many)

    @property
    def chances(self) -> npt.NDArray[np.float64]:
        """P(z = 0), P(z = 1), …, for figures."""
        return self.noise.chances(self.many)

    def reach(self, confidence: Fraction) -> int:
        """A t with P(|z| ≤ t) at least the confidence: the least, or a little more."""
        return self.noise.reach(self.many, confidence)
