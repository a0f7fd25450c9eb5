"""Moments of groups in each of which a person has at most one row: one noise for all groups.

With x a group's noise in units of what a row can do, x₁ that of its count and N the largest of all
|x|, the gauge is the largest N + x₁ of any group and the largest N − x₁: a person moves it by two
rows' worth, in however many groups they have a row (docs/proofs/one-row-a-group.md, Claim 4).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import flint

from discreet.certifier import Certified
from discreet.certifier.gauges import certify_gauge
from discreet.errors import DesignError
from discreet.exact import Epsilon, enclosed, uniform_below
from discreet.joint.moments import MomentShape
from discreet.joint.series import Ball
from discreet.model import Relation
from discreet.model.gauges import Form, GaugeNoise
from discreet.sampling import LazyTable, geometric
from discreet.sampling.laplace import can_be_drawn

SPREAD_MOMENTS = "max (N + x₁) + max (N − x₁) over groups, N = max |x| of a group"
"""The gauge, as people write it."""
MOST_SUMS = 100
"""Of more sums in all, a draw throws too many radii away."""
_MOST_COST = 4
"""What one person may cost at most: beyond it, too many radii are thrown away."""


@dataclass(frozen=True)
class SpreadMoments:
    """One noise for the moments of several groups."""

    shape: MomentShape
    """The box of one group; its first coordinate is the count."""
    groups: int
    certified: Certified[GaugeNoise]

    @classmethod
    def of(
        cls,
        shape: MomentShape,
        groups: int,
        epsilon: Epsilon,
        *,
        relation: Relation,
        rate: Fraction,
    ) -> "SpreadMoments":
        """The noise of a rate at most ε over all that a person can do, certified."""
        each, ways = len(shape.reaches), 1 if relation == Relation.ADD_OR_REMOVE else 2
        if not shape.counted or any(shape.alone) or shape.joint != 1:
            raise DesignError("one noise for groups with a row each is for boxes with a count")
        if each * groups > MOST_SUMS or rate / ways > _MOST_COST:
            raise DesignError(
                f"one noise for groups with a row each is for {MOST_SUMS} sums and ε = "
                f"{_MOST_COST * ways} at most"
            )
        starts = range(0, each * groups, each)
        width = 2 * ways * shape.top
        noise = GaugeNoise(
            dimension=each * groups,
            summands=tuple(
                tuple(form for start in starts for form in _side(shape, start, sign))
                for sign in (1, -1)
            ),
            equations=(),
            row=tuple(tuple(_moved(row, start) for row in shape.rows()) for start in starts),
            relation=relation,
            width=width,
            rows_per_unit=1,
            rate=rate / width,
        )
        return cls(shape, groups, certify_gauge(noise, epsilon))

    @property
    def rate(self) -> Fraction:
        """What one step of the gauge costs."""
        return self.certified.mechanism.rate

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn."""
        return can_be_drawn(self.rate / (len(self.shape.reaches) * self.groups + 2))

    def draw(self) -> list[tuple[int, ...]]:
        """One noise for all groups: two radii, then each group by itself."""
        ball = _Ball(self.shape, *self._radii())
        return [ball.draw() for _ in range(self.groups)]

    def _radii(self) -> tuple[int, int]:
        """Radii up and down, with weights e^(−rate·(up + down))·V(up, down)^groups (Claim 5).

        Their sum is proposed at a slower rate, and split evenly.
        """
        many = len(self.shape.reaches) * self.groups
        slower = self.rate / (many + 2)
        while True:
            both = geometric(slower)
            up = uniform_below(both + 1)
            chance = _Kept(
                shape=self.shape,
                groups=self.groups,
                rate=self.rate - slower,
                both=both,
                size=_Ball(self.shape, up, both - up).size,
            )
            if LazyTable.of_reals(chance.ends).draw() == 0:
                return up, both - up


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """With what probability radii are kept that were proposed."""

    shape: MomentShape
    groups: int
    rate: Fraction
    """What the proposal left."""
    both: int
    size: int

    def ends(self) -> list[Ball]:
        """Kept, or not."""
        shape, each = self.shape, len(self.shape.reaches)
        power, row = each * self.groups + 1, 2 * shape.top
        bound = Fraction((2**each - 1), each * 2**each * math.prod(shape.scales))
        whole = enclosed(Fraction(self.size) / bound) ** self.groups * (self.both + 1)
        best = max(power / self.rate, Fraction(row))
        fall = self.rate * (self.both + row - best)
        return [whole / enclosed(best) ** power * (-enclosed(fall)).exp(), flint.arb(1)]


@dataclass(frozen=True)
class _Ball:
    """The noises of one group with N + x₁ ≤ up and N − x₁ ≤ down."""

    shape: MomentShape
    up: int
    down: int

    @property
    def size(self) -> int:
        """How many there are."""
        return sum(math.prod(2 * end + 1 for end in ends) for _, ends in self._slices())

    def draw(self) -> tuple[int, ...]:
        """One of them, each as likely."""
        slices = self._slices()
        sums = list(accumulate(math.prod(2 * end + 1 for end in ends) for _, ends in slices))
        place = uniform_below(sums[-1])
        count, ends = next(one for one, last in zip(slices, sums, strict=True) if place < last)
        return (count, *(uniform_below(2 * end + 1) - end for end in ends))

    def _slices(self) -> list[tuple[int, list[int]]]:
        """For each noise of the count, how far the others reach."""
        top, scales = self.shape.top, self.shape.scales[1:]
        counts = range(-(self.down // (2 * top)), self.up // (2 * top) + 1)
        return [
            (one, [min(self.up - top * one, self.down + top * one) // scale for scale in scales])
            for one in counts
        ]


def _side(shape: MomentShape, start: int, sign: int) -> list[Form]:
    """The forms whose maximum is N + x₁ of a group, or N − x₁."""
    forms: list[Form] = [((start, 2 * sign * shape.top),), ()]
    for place, scale in enumerate(shape.scales[1:], start=start + 1):
        forms += [((start, sign * shape.top), (place, one * scale)) for one in (1, -1)]
    return forms


def _moved(form: Form, by: int) -> Form:
    return tuple((place + by, entry) for place, entry in form)
