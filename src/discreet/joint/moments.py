"""Count, sum and squares of one column: one noise for all (docs/proofs/moments-together.md).

A row adds 1 to the count, u to the sum and 2u² − B² to the squares, where u is its value in half
steps from the middle of the range, |u| ≤ B. The gauge is a maximum over the three, each in units of
what one row can do to it; weights on single coordinates move noise from one to another.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

from discreet.certifier import Certified
from discreet.certifier.gauges import certify_gauge
from discreet.exact import Epsilon
from discreet.exact.randomness import uniform_below
from discreet.joint.radius import Radius
from discreet.model import Relation
from discreet.model.gauges import Form, GaugeNoise
from discreet.sampling import geometric, noise_tables
from discreet.sampling.laplace import can_be_drawn


@dataclass(frozen=True, kw_only=True)
class MomentShape:
    """A gauge M(z) = Σ alone·scale·|z| + joint·max scale·|z| over the coordinates.

    >>> count_and_sum = MomentShape(reaches=(1, 3), alone=(0, 0), joint=1, counted=True)
    >>> count_and_sum.scales, count_and_sum.gauge((2, -5)), count_and_sum.gauge((1, -5))
    ((3, 1), 6, 5)
    """

    reaches: tuple[int, ...]
    """How far one row moves each coordinate at most."""
    alone: tuple[int, ...]
    """What each coordinate weighs by itself."""
    joint: int
    """What the largest of them weighs."""
    counted: bool
    """Whether the first coordinate is the number of rows: to it a row adds 1, or nothing."""
    levels: int = 1
    """Into so many the largest reach is divided: reaches that divide no other need several."""

    @property
    def top(self) -> int:
        """What one row does to each coordinate at most, in the units of the gauge."""
        return self.levels * max(self.reaches)

    @property
    def scales(self) -> tuple[int, ...]:
        """The unit of each coordinate on the gauge."""
        return tuple(self.top // reach for reach in self.reaches)

    def gauge(self, noise: tuple[int, ...]) -> int:
        """M of a noise."""
        sizes = [scale * abs(one) for scale, one in zip(self.scales, noise, strict=True)]
        single = sum(weight * size for weight, size in zip(self.alone, sizes, strict=True))
        return single + self.joint * max(sizes)

    def width(self, relation: Relation) -> int:
        """How far one row moves the answers, on the gauge.

        One that comes or goes moves every coordinate by its reach; one that changes leaves the
        count as it is and moves the others by twice their reach.
        """
        coming = (sum(self.alone) + self.joint) * self.top
        others = sum(self.alone[1:] if self.counted else self.alone) + self.joint
        changing = 2 * others * self.top
        if relation == Relation.ADD_OR_REMOVE:
            return coming
        return max(coming, changing) if self.counted else changing

    def forms(self) -> tuple[Form, ...]:
        """The linear forms whose maximum is M."""
        dimension, scales = len(self.reaches), self.scales
        single = [place for place, weight in enumerate(self.alone) if weight]
        most = [(place, sign) for place in range(dimension) for sign in (1, -1)]
        forms = set()
        for signs in product((1, -1), repeat=len(single)):
            entries = dict(zip(single, signs, strict=True))
            for place, sign in most if self.joint else most[:1]:
                form = [entries.get(at, 0) * self.alone[at] * scales[at] for at in range(dimension)]
                form[place] += sign * self.joint * scales[place]
                forms.add(tuple((at, entry) for at, entry in enumerate(form) if entry))
        return tuple(sorted(forms))

    def rows(self) -> tuple[Form, ...]:
        """Corners of a box that holds whatever a row adds; nothing, where it is not selected."""
        ends = [(1,) if self.counted and at == 0 else (-1, 1) for at in range(len(self.reaches))]
        corners = tuple(
            tuple((at, sign * self.reaches[at]) for at, sign in enumerate(signs))
            for signs in product(*ends)
        )
        return ((), *corners) if self.counted else corners


def count_and_sum(far: int, *, alone: tuple[int, int] = (0, 0), joint: int = 1) -> MomentShape:
    """Count and sum of values up to so many half steps from the middle."""
    return MomentShape(reaches=(1, far), alone=alone, joint=joint, counted=True)


def with_squares(far: int, *, alone: int = 0) -> MomentShape:
    """Count, sum and squares; `alone` is what the count weighs by itself."""
    return MomentShape(reaches=(1, far, far**2), alone=(alone, 0, 0), joint=1, counted=True)


def squares_of_known(far: int) -> MomentShape:
    """Sum and squares of a public number of rows."""
    return MomentShape(reaches=(far, far**2), alone=(0, 0), joint=1, counted=False)


_MOST_LEVELS = 1024
_SEVERAL = 3
"""From so many coordinates on a radius is drawn first."""


def boxed(reaches: tuple[int, ...], *, counted: bool, alone: int = 0) -> MomentShape:
    """A box of any coordinates, a count first where there is one; `alone` is what it weighs alone.

    A reach that divides no multiple below 1,024 of the largest is rounded up to one that does: the
    noise of that coordinate is then wider by less than a thousandth.
    """
    levels = min(math.lcm(*reaches) // max(reaches), _MOST_LEVELS)
    weights = (alone, *(0,) * (len(reaches) - 1))
    return MomentShape(reaches=reaches, alone=weights, joint=1, counted=counted, levels=levels)


@dataclass(frozen=True)
class MomentNoise:
    """One noise for all coordinates of a shape, certified."""

    shape: MomentShape
    certified: Certified[GaugeNoise]

    @classmethod
    def of(
        cls,
        shape: MomentShape,
        epsilon: Epsilon,
        *,
        relation: Relation,
        rate: Fraction,
        rows_per_unit: int = 1,
    ) -> "MomentNoise":
        """The noise of a rate at most ε over all that a person can do, certified."""
        width = rows_per_unit * shape.width(relation)
        noise = GaugeNoise(
            dimension=len(shape.reaches),
            summands=(shape.forms(),),
            equations=(),
            row=(shape.rows(),),
            relation=relation,
            width=width,
            rows_per_unit=rows_per_unit,
            rate=rate / width,
        )
        return cls(shape, certify_gauge(noise, epsilon))

    @property
    def rate(self) -> Fraction:
        """What one step of the gauge costs."""
        return self.certified.mechanism.rate

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn."""
        return can_be_drawn(self.rate / len(self.shape.reaches))

    def draw(self) -> tuple[int, ...]:
        """One noise for all coordinates."""
        return drawn(self.shape, self.rate)


def drawn(shape: MomentShape, rate: Fraction) -> tuple[int, ...]:
    """Noise with weights e^(−rate·M).

    A box of several coordinates has a radius first. Else, with the average in place of the
    maximum, the coordinates are independent. They are kept with probability
    e^(−rate·joint·(maximum − average)): so many coins in a row.
    """
    many = len(shape.scales)
    blocks = _blocks(shape, rate) if many >= _SEVERAL and shape.joint else None
    if blocks:
        return _in_a_ball(shape, rate, *blocks)
    tables = [noise_tables(one) for one in _rates(shape, rate)]
    while True:
        noise = tuple(table.draw() for table in tables)
        sizes = [scale * abs(one) for scale, one in zip(shape.scales, noise, strict=True)]
        if not shape.joint or kept(rate * shape.joint / many, many * max(sizes) - sum(sizes)):
            return noise


def _rates(shape: MomentShape, rate: Fraction) -> list[Fraction]:
    """The rate of each coordinate, with the average in place of the maximum."""
    shared = Fraction(shape.joint, len(shape.scales))
    weighed = zip(shape.scales, shape.alone, strict=True)
    return [rate * scale * (alone + shared) for scale, alone in weighed]


def _in_a_ball(shape: MomentShape, rate: Fraction, blocks: Radius, unit: int) -> tuple[int, ...]:
    """A radius of the box, then uniform within, then coins for what is weighed alone.

    The radius lies among the `unit` up to k·unit; k is drawn as if the ball of k·unit were as
    large as a polynomial in k, and the radius is kept in proportion to how large its ball is
    (docs/proofs/moments-together.md, Claim 2).
    """
    scales, single = shape.scales, [at for at, weight in enumerate(shape.alone) if weight]
    within = noise_tables(rate * shape.joint)
    starts = math.prod(_starts(scales, unit))
    while True:
        times = blocks.draw()
        radius = (times - 1) * unit + 1 + within.draw_size() % unit
        if radius < 0:
            continue
        ends = [radius // scale for scale in scales]
        inside = math.prod(2 * end + 1 for end in ends)
        if uniform_below(blocks.ball(times)) >= starts * inside:
            continue
        noise = tuple(uniform_below(2 * end + 1) - end for end in ends)
        if all(kept(rate, shape.alone[at] * scales[at] * abs(noise[at])) for at in single):
            return noise


@lru_cache(maxsize=64)
def _blocks(shape: MomentShape, rate: Fraction) -> tuple[Radius, int] | None:
    """In which block of radii the radius lies, and how many radii each has.

    Of about 1/rate radii or some times as many, as makes for the fewest tries: short ones suit
    coordinates that a row moves far, long ones those that it moves little. None, if independent
    coordinates take fewer. Every way is exact, so that floats may choose.
    """
    scales, rate_of_radii = shape.scales, rate * shape.joint
    units = {
        min(shape.top, max(1, math.floor(times / rate_of_radii)))
        for times in range(1, len(scales) + 1)
    }
    unit = max(units)
    if rate_of_radii * shape.top > 1:
        tries, unit = min((_tries(scales, unit, float(rate_of_radii)), unit) for unit in units)
        if tries > math.prod(1 / math.tanh(one / 2) for one in _rates(shape, rate)):
            return None
    starts = _starts(scales, unit)
    blocks = Radius.of(
        lambda times: math.prod(2 * times * unit + start for start in starts),
        dimension=len(scales),
        rate=rate_of_radii * unit,
    )
    return blocks, unit


def _tries(scales: tuple[int, ...], unit: int, rate: float) -> float:
    """How many radii are proposed for a noise, times the sum of all weights e^(−rate·M).

    That of the independent coordinates is the product of the sums of their weights.
    """
    starts = _starts(scales, unit)
    weights, block = 0.0, rate * unit
    for times in range(10 + math.ceil(4 * (len(scales) + 10) / block)):
        larger = math.prod(1 + 2 * times * unit / start for start in starts)
        weights += larger * math.exp(-block * times)
    return weights * math.exp(block - rate) * -math.expm1(-block)


def _starts(scales: tuple[int, ...], unit: int) -> list[int]:
    """Of each coordinate its unit, or less where that is wide: see Claim 2."""
    return [min(scale, 2 * unit) for scale in scales]


def kept(rate: Fraction, steps: int) -> bool:
    """A coin that comes up with probability e^(−rate·steps)."""
    return steps <= 0 or geometric(rate) >= steps
