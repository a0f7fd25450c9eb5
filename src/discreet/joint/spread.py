"""Counts of groups in each of which a person has at most one row, and rows in few of them.

The gauge is F(z⁺) + F(z⁻) with F(u) = max(c·max u, Σu): a person of c rows moves it by c. Where
each group has noise of its own, errors grow with c; here they do not beyond what all groups
together would cost (docs/proofs/one-row-a-group.md).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import comb
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.certifier.largest import certify_largest
from discreet.errors import DesignError
from discreet.exact import Epsilon, spendable, uniform_below, working_precision
from discreet.joint.radius import Radius
from discreet.joint.series import Ball, figure, horner, least_within, numerator, ratio_of
from discreet.model import Relation
from discreet.model.gauges import Form, GaugeNoise
from discreet.model.largest import LargestGauge
from discreet.sampling import LazyTable

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SPREAD = "max(c max z⁺, Σ z⁺) + max(c max z⁻, Σ z⁻)"
"""The gauge, as people write it."""
MOST_CELLS = 24
"""Of more groups, few of which are a person's, noise on each by itself is as good."""
_RAREST = Fraction(1, 10**18)
"""What is rarer is in no figure."""
_LONGEST = 1 << 16


@dataclass(frozen=True)
class SpreadNoise:
    """Noise on the counts of so many groups, of which a person is in at most `most`."""

    cells: int
    most: int
    certified: Certified[LargestGauge]

    @classmethod
    def of(
        cls, cells: int, epsilon: Epsilon, relation: Relation, *, most_groups: int
    ) -> "SpreadNoise":
        """The noise for people with a row in so many groups at most, certified."""
        if not 2 <= cells <= MOST_CELLS:
            raise DesignError(f"rows in different groups are for 2 to {MOST_CELLS} groups")
        most = min(most_groups, cells)
        ways = 1 if relation == Relation.ADD_OR_REMOVE else 2
        parts = tuple(
            GaugeNoise(
                dimension=cells,
                summands=(*_side(cells, most, 1, each=up), *_side(cells, most, -1, each=down)),
                equations=(),
                row=(tuple(((place, 1),) for place in range(cells)),),
                relation=relation,
                width=ways * most,
                rows_per_unit=most,
                rate=spendable(epsilon) / (ways * most),
                different=True,
            )
            for up in (False, True)
            for down in (False, True)
        )
        return cls(cells, most, certify_largest(LargestGauge(parts, same=True), epsilon))

    @property
    def rate(self) -> Fraction:
        """What one step of the gauge costs."""
        return self.certified.mechanism.parts[0].rate

    @property
    def law(self) -> "SpreadLaw":
        """How likely each noise is."""
        return _law(self.cells, self.most, self.rate)

    @property
    def gauge(self) -> str:
        """The gauge, as people write it."""
        return SPREAD

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return self.law.radius(1).drawable

    @property
    def error(self) -> float:
        """The mean absolute noise of one group."""
        return self.law.error

    @property
    def chances(self) -> Floats:
        """P(z of a group = t) for t = 0, 1, …, for figures."""
        return self.law.chances

    def reach(self, confidence: Fraction) -> int:
        """The least t with P(|z of a group| ≤ t) at least the confidence."""
        return self.law.reach(confidence)

    def draw(self) -> Counts:
        """One noise for all groups."""
        return self.law.draw()


def _side(cells: int, most: int, sign: int, *, each: bool) -> tuple[tuple[Form, ...], ...]:
    """What one direction adds to the gauge: c·max, or the sum of all."""
    nothing: Form = ()
    if each:
        return tuple((((place, sign),), nothing) for place in range(cells))
    return ((*(((place, sign * most),) for place in range(cells)), nothing),)


@dataclass(frozen=True)
class SpreadLaw:
    """z on `cells` groups with P(z) in proportion to e^(−rate·(F(z⁺) + F(z⁻))).

    Given which groups are above 0 and which below, the two sides have nothing to do with each
    other, and each is uniform in the ball of its radius.
    """

    cells: int
    most: int
    rate: Fraction

    def draw(self) -> Counts:
        """One noise: how many groups are above and below 0, which, and how far."""
        above, below = self._split[self._table.draw()]
        noise, places = np.zeros(self.cells, dtype=np.int64), list(range(self.cells))
        for at in range(above + below):
            other = at + uniform_below(self.cells - at)
            places[at], places[other] = places[other], places[at]
        noise[places[:above]] = self._side(above)
        noise[places[above : above + below]] = [-far for far in self._side(below)]
        return noise

    def _side(self, many: int) -> list[int]:
        """So many sizes, all above 0."""
        if not many:
            return []
        radius = self.radius(many).draw()
        return _in_ball(many, self.most, radius)

    def radius(self, many: int) -> Radius:
        """The radius of one side with so many groups."""
        return _radius(many, self.most, self.rate)

    @cached_property
    def _split(self) -> list[tuple[int, int]]:
        every = range(self.cells + 1)
        return [(above, below) for above in every for below in range(self.cells + 1 - above)]

    @cached_property
    def _table(self) -> LazyTable:
        return LazyTable.of_reals(self._ends)

    def _ends(self) -> list[Ball]:
        """The running sums of how likely each split is."""
        sums = [flint.arb(0)]
        sides = self._sides()
        for above, below in self._split:
            ways = comb(self.cells, above) * comb(self.cells - above, below)
            sums.append(sums[-1] + ways * sides[above] * sides[below])
        return [*(end / sums[-1] for end in sums[1:-1]), flint.arb(1)]

    def _sides(self) -> list[Ball]:
        """Σ e^(−rate·s) over radii and sizes of one side with 0, 1, 2, … groups."""
        ratio = ratio_of(self.rate)
        one = 1 / (1 - ratio)
        return [one, *(self._tails(many, ratio)[0] for many in range(1, self.cells + 1))]

    def _tails(self, many: int, ratio: Ball) -> list[Ball]:
        """The differences at t = 1 of e^(rate·c·t)·Σ over balls in which one size is t or more."""
        below = (1 - ratio**self.most) ** (many + 1)
        first = ratio**self.most
        return [horner(one, ratio) * first / below for one in _differences(many, self.most)]

    def _steps(self) -> list[Ball]:
        """D with P(z of a group ≥ t) = e^(−rate·c·(t − 1))·Σ C(t − 1, l)·D_l, from t = 1 on."""
        cells, ratio = self.cells, ratio_of(self.rate)
        tails = [self._tails(many, ratio) for many in range(1, cells + 1)]
        sides = [1 / (1 - ratio), *(one[0] for one in tails)]
        rest = [
            sum((comb(left, many) * sides[many] for many in range(left + 1)), flint.arb(0))
            for left in range(cells + 1)
        ]
        every = sum(
            (comb(cells, above) * sides[above] * rest[cells - above] for above in range(cells + 1)),
            flint.arb(0),
        )
        steps = [flint.arb(0)] * (cells + 1)
        for above, by_order in enumerate(tails, start=1):
            weight = comb(cells - 1, above - 1) * rest[cells - above] / every
            for order, much in enumerate(by_order):
                steps[order] += weight * much
        return steps

    def _known(self) -> tuple[list[Ball], Ball]:
        """The steps and e^(−rate·c), at the working precision."""
        return _kept(self, flint.ctx.prec)

    def above(self, far: int) -> Ball:
        """P(z of a group > far), at the working precision."""
        steps, ratio = self._known()
        chosen, total = 1, flint.arb(0)
        for order, much in enumerate(steps):
            total += chosen * much
            chosen = chosen * (far - order) // (order + 1)
        return total * ratio**far

    def beyond(self, far: int) -> Ball:
        """P(|z of a group| > far)."""
        return 2 * self.above(far)

    @property
    def error(self) -> float:
        """The mean absolute noise of one group: twice the sum of P(z ≥ t)."""
        return _error(self)

    def _mean(self) -> Ball:
        steps, ratio = self._known()
        left = 1 - ratio
        return sum(
            (2 * much * ratio**order / left ** (order + 1) for order, much in enumerate(steps)),
            flint.arb(0),
        )

    def reach(self, confidence: Fraction) -> int:
        """The least t with P(|z of a group| ≤ t) at least the confidence."""
        return _reach(self, confidence)

    @property
    def chances(self) -> Floats:
        """P(z of a group = 0), P(z = 1), …, for figures."""
        return _chances(self)


@lru_cache(maxsize=64)
def _law(cells: int, most: int, rate: Fraction) -> SpreadLaw:
    return SpreadLaw(cells, most, rate)


@lru_cache(maxsize=64)
def _kept(law: SpreadLaw, bits: int) -> tuple[list[Ball], Ball]:
    return law._steps(), ratio_of(law.rate) ** law.most


@lru_cache(maxsize=256)
def _error(law: SpreadLaw) -> float:
    return figure(law._mean)


@lru_cache(maxsize=256)
def _reach(law: SpreadLaw, confidence: Fraction) -> int:
    return least_within(law.beyond, 1 - confidence)


@lru_cache(maxsize=16)
def _chances(law: SpreadLaw) -> Floats:
    far = law.reach(1 - _RAREST) + 1
    if far > _LONGEST:
        raise DesignError(f"noise of rate {law.rate} is too wide to compute its errors; spend more")
    bits = 64 + 8 * law.cells
    with working_precision(bits):
        tails = np.array([float(law.above(t)) for t in range(far)])
    chances = tails - np.append(tails[1:], 0.0)
    return np.concatenate([[1 - 2 * tails[0]], chances])


@dataclass(frozen=True)
class _Balls:
    """How many sizes, so many and all above 0, have gauge s or less: 1 … ⌊s/c⌋ that sum to s or
    less. Sizes that are too large are taken away, as many at a time as there may be."""

    many: int
    most: int

    def size(self, radius: int) -> int:
        """V(s)."""
        cap, many = radius // self.most, self.many
        return sum(
            sign * comb(max(radius - over * cap, 0), many)
            for over, sign in enumerate(_signs(many)[: self.most + 1])
        )

    def from_least(self, least: int) -> list[int]:
        """How many have a first size that is so large or larger, for s = c·least, and so on."""
        radii = np.arange(self.most * (self.many + 2)) + self.most * least
        caps, total = radii // self.most, np.zeros(len(radii), dtype=object)
        for over, sign in enumerate(_signs(self.many - 1)[: self.most]):
            fits, too_large = radii - least + 1 - over * caps, radii - (over + 1) * caps
            total = total + sign * (self._column[fits] - self._column[too_large])
        return [int(one) for one in total]

    @cached_property
    def _column(self) -> Any:
        """C(0, many), C(1, many), … as far as they are needed."""
        farthest = 2 * self.most * (self.many + 2)
        return np.array([comb(of, self.many) for of in range(farthest)], dtype=object)


@lru_cache(maxsize=64)
def _signs(many: int) -> list[int]:
    """(−1)^i·C(many, i)."""
    return [(-1) ** some * comb(many, some) for some in range(many + 1)]


@lru_cache(maxsize=1024)
def _radius(many: int, most: int, rate: Fraction) -> Radius:
    return Radius.of(_Balls(many, most).size, dimension=many, rate=rate, period=most)


@lru_cache(maxsize=1024)
def _differences(many: int, most: int) -> list[list[int]]:
    """Of balls with a size of t or more, Σ over s ≥ ct is x^(ct)·h_t(x)/(1 − x^c)^(r + 1), and h_t
    is a polynomial in t of degree r: its differences at t = 1."""
    balls = _Balls(many, most)
    polynomials = [
        flint.fmpz_poly(numerator(balls.from_least(least).__getitem__, 0, degree=many, period=most))
        for least in range(1, many + 2)
    ]
    differences = []
    while polynomials:
        differences.append([int(one) for one in polynomials[0].coeffs()])
        polynomials = [later - now for now, later in pairwise(polynomials)]
    return differences


def _in_ball(many: int, most: int, radius: int) -> list[int]:
    """So many sizes above 0, uniform among those of gauge s or less.

    Drawn where all fit below the largest, or where all sum to little, whichever are fewer, until
    both hold.
    """
    cap = radius // most
    by_cap = cap**many <= comb(radius, many)
    while True:
        if by_cap:
            sizes = [1 + uniform_below(cap) for _ in range(many)]
        else:
            ends = sorted(_subset(radius, many))
            sizes = [high - low for low, high in zip([0, *ends[:-1]], ends, strict=True)]
        if max(sizes) <= cap and sum(sizes) <= radius:
            return sizes


def _subset(of: int, many: int) -> set[int]:
    """A uniform subset of 1 … of, by Floyd's way."""
    subset: set[int] = set()
    for last in range(of - many + 1, of + 1):
        drawn = 1 + uniform_below(last)
        subset.add(last if drawn in subset else drawn)
    return subset
