"""R.1 and R.3 for mechanisms that give each distance one level (002 Theorem 1).

Neighbours x, x' see any output at distances that differ by at most one, and on a graph that looks
the same from every node all columns hold the same layers: so the ratios of consecutive levels are
all there are, and one sum is the sum of every column (docs/proofs/theorem-1.md). That the graph is
such a graph is a fact of its construction; the numbers are checked here.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Protocol, TypeVar

from discreet.certifier.certified import Certified, _seal
from discreet.errors import MechanismError, NotCertified
from discreet.exact import EpsilonLike, show
from discreet.model import Guarantee


class Layered(Protocol):
    """What is certified: a level for each layer, and how many outputs each layer holds."""

    @property
    def levels(self) -> tuple[int, ...]:
        """The weight of an output at distance 0, 1, …"""

    @property
    def layer_sizes(self) -> tuple[int, ...]:
        """How many outputs lie at distance 0, 1, … of any answer."""

    @property
    def total(self) -> int:
        """The sum of every column."""

    @property
    def digest(self) -> str:
        """SHA-256 of what defines the mechanism."""


L = TypeVar("L", bound=Layered)


def certify_layers(mechanism: L, epsilon: EpsilonLike) -> Certified[L]:
    """Prove pure ε for a layered mechanism in integers, or raise NotCertified."""
    promise = Guarantee.of(epsilon)
    _check_ratios(_checked_levels(mechanism), promise, promise.epsilon.ratio_below)
    return _seal(mechanism, promise, covers_answers=True, again=certify_layers)


def _checked_levels(mechanism: Layered) -> tuple[int, ...]:
    """The levels, read once, if they and the layers are whole and sum to the total."""
    levels, sizes = mechanism.levels, mechanism.layer_sizes
    for numbers, what in ((levels, "levels"), (sizes, "layer sizes")):
        if type(numbers) is not tuple or not all(type(n) is int and n > 0 for n in numbers):
            raise MechanismError(f"{what} must be positive whole numbers, got {show(numbers)}")
    if len(levels) != len(sizes):
        raise MechanismError(f"there are {len(levels)} levels for {len(sizes)} layers")
    if mechanism.total != sum(size * level for size, level in zip(sizes, levels, strict=True)):
        raise MechanismError("the layers do not sum to the total of the mechanism")
    return levels


def _check_ratios(levels: Sequence[int], promise: Guarantee, ratio: Fraction) -> None:
    p, q = ratio.numerator, ratio.denominator
    for distance, (near, far) in enumerate(pairwise(levels)):
        if max(near, far) * q > p * min(near, far):
            raise NotCertified(
                f"not private at {promise}: the levels at distances {distance} and {distance + 1} "
                f"are {show(near)} and {show(far)}, more than {float(ratio):.6g} times apart"
            )
