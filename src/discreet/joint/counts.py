"""Several counts of any conditions: one row may move all of them at once.

Where a row changes, the gauge of the noise z is its largest |z|. Where a row comes or goes, all
counts move the same way, and the gauge is max z⁺ + max z⁻. Errors grow half, or a third, as fast as
with a share of ε for each count (docs/proofs/counts-together.md).
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.certifier import Certified
from discreet.certifier.gauges import certify_gauge
from discreet.exact import Epsilon
from discreet.joint.count_laws import CountLaw, Floats, count_law
from discreet.model import Relation
from discreet.model.gauges import Form, GaugeNoise


@dataclass(frozen=True)
class CountNoise:
    """Noise on several counts, whatever their conditions."""

    counts: int
    certified: Certified[GaugeNoise]

    @classmethod
    def of(
        cls,
        counts: int,
        epsilon: Epsilon,
        *,
        relation: Relation,
        rate: Fraction,
        rows_per_unit: int = 1,
    ) -> "CountNoise":
        """The noise of a rate at most ε over the rows of a person, certified."""
        up, down = _forms(counts, 1), _forms(counts, -1)
        one_way = relation == Relation.ADD_OR_REMOVE
        noise = GaugeNoise(
            dimension=counts,
            summands=(((), *up), ((), *down)) if one_way else ((*up, *down),),
            equations=(),
            row=tuple(((), form) for form in up),
            relation=relation,
            width=rows_per_unit,
            rows_per_unit=rows_per_unit,
            rate=rate / rows_per_unit,
        )
        return cls(counts, certify_gauge(noise, epsilon))

    @property
    def rate(self) -> Fraction:
        """What one step of the gauge costs."""
        return self.certified.mechanism.rate

    @property
    def law(self) -> CountLaw:
        """How the noise is drawn and scatters."""
        return count_law(self.counts, self.certified.mechanism.relation, self.rate)

    def draw(self) -> list[int]:
        """One noise for all counts."""
        return self.law.draw()

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return self.law.drawable

    @property
    def error(self) -> float:
        """The mean absolute noise of one count."""
        return self.law.error

    @property
    def chances(self) -> Floats:
        """P(z = 0), P(z = 1), … for one count, for figures."""
        return self.law.chances

    def reach(self, confidence: Fraction) -> int:
        """The least t with P(|z| ≤ t) at least the confidence, for one count."""
        return self.law.reach(confidence)


def _forms(counts: int, sign: int) -> tuple[Form, ...]:
    return tuple(((place, sign),) for place in range(counts))
