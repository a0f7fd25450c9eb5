"""Counts: neighbours one step apart. The geometric mechanism, each ray told as what serves best.

Rays α^|i−j| with weights (1−α)/(1+α), and 1/(1+α) at the two ends, sum to 1 in every column; each
is mapped to the output with the least expected loss given the ray. This is optimal for every prior
and every loss that grows with the distance (Ghosh, Roughgarden & Sundararajan 2009; Table 3 of 003
is an instance). Proof: docs/proofs/counts.md.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.rays.integers import RayWorth, WeightedRays, finding
from discreet.designer.request import Finding, Method, Request
from discreet.model import Grid, LossName

_UNIT = 2.0**-53
_NOTHING = 1e-60


@dataclass(frozen=True, eq=False)
class Decays:
    """Moments of weights q around each place i, falling by α for every step to one side.

    mass is Σ q_j·α^d, first Σ d·q_j·α^d, second Σ d²·q_j·α^d, over the places j at a distance d
    from i to that side; i itself is among them.
    """

    mass: Floats
    first: Floats
    second: Floats

    @property
    def mirrored(self) -> "Decays":
        """The same of the line turned around."""
        return Decays(self.mass[::-1], self.first[::-1], self.second[::-1])


@dataclass(frozen=True, eq=False)
class GeometricRays:
    """Rays α^|i−j| seen by a goal: a prior q and the absolute, squared or zero-one loss."""

    prior: Floats
    epsilon: float
    loss: LossName
    step: float = 1.0

    @classmethod
    def of(cls, request: Request) -> "GeometricRays":
        """The rays of a request for a count."""
        step = float(request.answers.step) if isinstance(request.answers, Grid) else 1.0
        loss = LossName(request.goal.loss.name)
        return cls(request.prior, float(request.epsilon), loss, step)

    @property
    def plainest(self) -> "GeometricRays":
        """The same rays seen by the absolute error under a uniform prior."""
        if self.loss == LossName.ABSOLUTE and (self.prior == self.prior[0]).all():
            return self
        size = len(self.prior)
        return replace(self, prior=np.full(size, 1 / size), loss=LossName.ABSOLUTE)

    def best_outputs(self) -> Indices:
        """For each ray, the answer that is best told: a median, the mean's nearest, a mode."""
        if self.loss == LossName.ZERO_ONE:
            return self._modes()
        if self.loss == LossName.ABSOLUTE:
            return self._medians()
        mass = self._left.mass + self._right.mass - self.prior
        with np.errstate(invalid="ignore", divide="ignore"):
            beyond = np.nan_to_num((self._right.first - self._left.first) / mass)
        return np.clip(np.rint(self._places + beyond).astype(np.int64), 0, len(self.prior) - 1)

    def costs(self, outputs: Indices) -> tuple[Floats, Floats]:
        """Σ_j q_j·ℓ(output, j)·α^|i−j| for each ray i, and how far rounding may have put it off."""
        if self.loss == LossName.ZERO_ONE:
            mass = self._left.mass + self._right.mass - self.prior
            hit = self.prior[outputs] * self._fall(np.abs(self._places - outputs))
            return np.maximum(mass - hit, 0.0), 64 * _UNIT * mass
        if self.loss == LossName.ABSOLUTE:
            terms = self._absolute_terms(outputs)
        else:
            apart = (outputs - self._places).astype(np.float64)
            mass = self._left.mass + self._right.mass - self.prior
            second = self._left.second + self._right.second
            terms = [
                second,
                -2 * apart * self._right.first,
                2 * apart * self._left.first,
                apart**2 * mass,
            ]
        doubt = 256 * _UNIT * np.sum(np.abs(terms), axis=0)
        scale = self._scale
        return np.maximum(np.sum(terms, axis=0), 0.0) * scale, doubt * scale

    def constants(self) -> Floats:
        """The loss of always telling one answer, for each of them."""
        if self.loss == LossName.ZERO_ONE:
            return 1.0 - self.prior
        places = self._places.astype(np.float64)
        mean = float(self.prior @ places)
        if self.loss == LossName.SQUARED:
            return ((places - mean) ** 2 + float(self.prior @ (places - mean) ** 2)) * self._scale
        below, moment = np.cumsum(self.prior), np.cumsum(self.prior * places)
        losses: Floats = places * (2 * below - below[-1]) - 2 * moment + mean
        return np.maximum(losses, 0.0) * self._scale

    def worth(self, outputs: Indices, spare: int) -> RayWorth:
        """What the goal makes of the rays when these outputs are told, rounded up."""
        cost, doubt = self.costs(outputs)
        apart = np.abs(self._places - spare).astype(np.float64)
        power = np.sign(apart) if self.loss == LossName.ZERO_ONE else apart**self._moments
        return RayWorth(cost + doubt, self.constants()[outputs], self.prior * power * self._scale)

    @property
    def _scale(self) -> float:
        return self.step**self._moments

    @property
    def _moments(self) -> int:
        return {LossName.ZERO_ONE: 0, LossName.ABSOLUTE: 1, LossName.SQUARED: 2}[self.loss]

    @cached_property
    def _places(self) -> Indices:
        return np.arange(len(self.prior))

    @cached_property
    def _left(self) -> Decays:
        return decays_to_the_left(self.prior, math.exp(-self.epsilon), self._moments)

    @cached_property
    def _right(self) -> Decays:
        return decays_to_the_left(self.prior[::-1], math.exp(-self.epsilon), self._moments).mirrored

    def _fall(self, distance: Indices) -> Floats:
        fallen: Floats = np.exp(-self.epsilon * distance)
        return fallen

    def _modes(self) -> Indices:
        size = len(self.prior)
        left = likeliest_to_the_left(self.prior, self.epsilon)
        right = size - 1 - likeliest_to_the_left(self.prior[::-1], self.epsilon)[::-1]
        gain_left = self.prior[left] * self._fall(self._places - left)
        gain_right = self.prior[right] * self._fall(right - self._places)
        return np.where(gain_right > gain_left, right, left)

    def _medians(self) -> Indices:
        """Where a ray's running mass reaches half of it, by bisection to the left or right."""
        size = len(self.prior)
        half = (self._left.mass + self._right.mass - self.prior) / 2
        to_left = self._reached(self._left.mass, half)
        turned = self._reached(self._right.mass[::-1], half[::-1])
        to_right = size - 1 - turned[::-1]
        return np.where(self._left.mass >= half, to_left, to_right)

    def _absolute_terms(self, outputs: Indices) -> list[Floats]:
        """The parts of Σ_j q_j·|output − j|·α^|i−j|; the right of i seen in a mirror."""
        apart = (self._places - outputs).astype(np.float64)
        fallen = self._fall(np.abs(self._places - outputs))
        left, right = self._left, self._right
        is_left = apart >= 0
        near_mass = np.where(is_left, left.mass, right.mass)
        near_first = np.where(is_left, left.first, right.first)
        far_mass = np.where(is_left, right.mass, left.mass) - self.prior
        far_first = np.where(is_left, right.first, left.first)
        beyond = 2 * fallen * np.where(is_left, left.first[outputs], right.first[outputs])
        distance = np.abs(apart)
        return [beyond, distance * near_mass, -near_first, distance * far_mass, far_first]

    def _reached(self, mass: Floats, half: Floats) -> Indices:
        """The first m ≤ i with α^(i−m)·mass_m ≥ half_i, for each i; i itself where none is."""
        firsts = np.arange(len(mass))
        fall = math.exp(-self.epsilon)
        some = np.flatnonzero(np.concatenate([[False], fall * mass[:-1] >= half[1:]]))
        low, high = np.zeros(len(some), dtype=np.int64), some - 1
        while len(some) and (low < high).any():
            middle = (low + high) // 2
            enough = self._fall(some - middle) * mass[middle] >= half[some]
            low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        firsts[some] = low
        return firsts


def decays_to_the_left(weights: Floats, alpha: float, moments: int = 2) -> Decays:
    """The moments of what lies to the left, by doubling the distance looked at.

    Moments beyond the highest that is wanted are left at zero.

    >>> decays_to_the_left(np.array([1.0, 0.0, 2.0]), 0.5).mass.tolist()
    [1.0, 0.5, 2.25]
    """
    mass = weights.astype(np.float64)
    first, second = np.zeros_like(mass), np.zeros_like(mass)
    reach = 1
    while reach < len(mass) and alpha**reach > _NOTHING:
        fall, m, f = alpha**reach, mass[:-reach], first[:-reach]
        if moments > 1:
            second[reach:] += fall * (second[:-reach] + 2 * reach * f + float(reach) ** 2 * m)
        if moments > 0:
            first[reach:] += fall * (f + reach * m)
        mass[reach:] += fall * m
        reach *= 2
    return Decays(mass, first, second)


def likeliest_to_the_left(weights: Floats, epsilon: float) -> Indices:
    """For each place i, the place j ≤ i with the largest q_j·e^(−ε(i − j))."""
    with np.errstate(divide="ignore"):
        heights = np.log(weights) + epsilon * np.arange(len(weights))
    best = np.maximum.accumulate(heights)
    places = np.where(heights == best, np.arange(len(weights)), 0)
    latest: Indices = np.maximum.accumulate(places)
    return latest


def table_costs(costs: Floats, epsilon: float) -> tuple[Floats, Floats]:
    """Σ_j costs[o, j]·e^(−ε|i−j|) for each output o and place i, and what rounding may have added.

    >>> table_costs(np.array([[1.0, 0.0, 2.0]]), float(np.log(2)))[0].tolist()
    [[1.5, 1.5, 2.25]]
    """
    sums = costs.astype(np.float64)
    fall = np.exp(-epsilon)
    for turned, source in ((sums, costs), (sums[:, ::-1], costs[:, ::-1])):
        carried = np.zeros(len(costs))
        for place in range(1, costs.shape[1]):
            carried = fall * (carried + source[:, place - 1])
            turned[:, place] += carried
    return sums, 64 * _UNIT * costs.shape[1] * sums


LEAST_EPSILON = 1e-6
"""Below this a ladder hardly falls at all, and integers of 62 bits cannot follow it."""

MOST_TABLE = 4_000_000
"""Losses of other kinds are written out, up to so many cells."""


def why_not(request: Request) -> str | None:
    """Why the closed form does not suit a request; None when it does."""
    if not request.is_plain:
        return "only for pure ε and one prior, without requirements"
    if request.steps != 1:
        return "neighbours are more than one step apart"
    if float(request.epsilon) < LEAST_EPSILON:
        return f"ε is below {LEAST_EPSILON}"
    if not _by_distance(request) and request.shape[0] * request.shape[1] > MOST_TABLE:
        return "the loss is too large to write out"
    return None if _crosses_once(request) else "larger answers do not prefer larger outputs"


def run(request: Request) -> Finding:
    """The best mechanism for a count, in time proportional to the number of answers."""
    size, alpha = len(request.answers), math.exp(-float(request.epsilon))
    weight = np.full(size, (1 - alpha) / (1 + alpha))
    weight[[0, -1]] = 1 / (1 + alpha) if size > 1 else 1.0
    shift = request.first_output if _by_distance(request) else None
    if shift is None:
        return _run_table(request, weight)
    rays = GeometricRays.of(request)
    outputs = rays.best_outputs()
    cost, doubt = rays.costs(outputs)
    spare = int(rays.constants().argmin())
    worth, plainest = rays.worth(outputs, spare), rays.plainest
    absolute = worth if plainest is rays else plainest.worth(outputs, spare)
    return finding(
        request,
        WeightedRays(np.arange(size), np.arange(size), weight, outputs + shift),
        _bound(weight, cost - doubt),
        spare_output=spare + shift,
        name="count",
        worth=worth,
        absolute=absolute if isinstance(request.answers, Grid) else None,
    )


def _run_table(request: Request, weight: Floats) -> Finding:
    """The same for any outputs and losses, with every loss written out."""
    costs, doubts = table_costs(request.loss * request.prior, float(request.epsilon))
    outputs: Indices = costs.argmin(axis=0)
    places = np.arange(len(weight))
    return finding(
        request,
        WeightedRays(places, places, weight, outputs),
        _bound(weight, (costs - doubts).min(axis=0)),
        spare_output=int((request.loss @ request.prior).argmin()),
        name="count",
    )


def _bound(weight: Floats, cost: Floats) -> float:
    return max(0.0, float((weight * cost).sum()) * (1 - 2.0**-44))


COUNTS = Method(
    name="counts",
    title="The geometric mechanism with the best remap",
    citation="Ghosh, Roughgarden & Sundararajan 2009; 003 Table 3",
    why_not=why_not,
    run=run,
)


def _by_distance(request: Request) -> bool:
    """Whether the quick sums of `GeometricRays` know the loss."""
    named = request.goal.loss.named
    if named is None or request.first_output is None:
        return False
    return named == LossName.ZERO_ONE or isinstance(request.answers, Grid)


def _crosses_once(request: Request) -> bool:
    """The assumption of docs/proofs/counts.md: sorted by output, differences rise with answers."""
    if request.goal.loss.named is not None:
        return True
    differences = request.loss[:-1] - request.loss[1:]
    slack = 1e-12 * float(request.loss.max(initial=0.0))
    return bool((np.diff(differences, axis=1) >= -slack).all())
