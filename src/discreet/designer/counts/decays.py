"""Sums over a line with geometrically falling weights, for all places at once."""

from dataclasses import dataclass

import numpy as np

from discreet.designer.programs.program import Floats, Indices

_NOTHING = 1e-60
_UNIT = 2.0**-53


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
