"""The largest of several gauges, checked part by part (docs/proofs/marginals.md)."""

from discreet.certifier.certified import Certified, _seal
from discreet.certifier.gauges import certify_gauge
from discreet.errors import MechanismError
from discreet.exact import EpsilonLike
from discreet.model import Guarantee
from discreet.model.gauges import GaugeNoise
from discreet.model.largest import LargestGauge


def certify_largest(noise: LargestGauge, epsilon: EpsilonLike) -> Certified[LargestGauge]:
    """Prove pure ε for the largest of several gauges in integers, or raise NotCertified.

    Each part must be private at ε by itself, for the same people and at the same rate: then one
    person moves the largest gauge no farther than the farthest of them.
    """
    if not noise.parts:
        raise MechanismError("the largest of gauges needs at least one gauge")
    first = noise.parts[0]
    for one in noise.parts:
        if _shared(one) != _shared(first):
            raise MechanismError(
                "the parts of one draw must have the same rate, and rows that change in the "
                "same way"
            )
        if noise.same and (one.dimension, one.row) != (first.dimension, first.row):
            raise MechanismError("gauges of the same answers must have the same rows")
        certify_gauge(one, epsilon)
    return _seal(noise, Guarantee.of(epsilon), covers_answers=True, again=certify_largest)


def _shared(one: GaugeNoise) -> tuple[object, ...]:
    return one.rate, one.relation, one.rows_per_unit, one.different
