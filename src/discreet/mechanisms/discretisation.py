"""From a density to a matrix: the mass of each output's category (003 Def. 2), and snapping.

What falls outside the range is answered by the nearest end (docs/proofs/snapping.md).


Proof that the matrix is as private as the density: docs/proofs/discretisation.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.exact import Epsilon, EpsilonLike
from discreet.model import (
    Integers,
    Mechanism,
    Neighbours,
    Numbers,
    Space,
    category_of,
    edges,
    numbers_of,
)
from discreet.repair import integer_mechanism

Floats: TypeAlias = npt.NDArray[np.float64]

Bound: TypeAlias = Fraction | float
"""An end of an interval: an exact number, or ±infinity."""

Density: TypeAlias = Callable[[Bound, Bound, Fraction, float], float]
"""The probability of an output between low and high, given the answer, at a given ε."""

Cdf: TypeAlias = Callable[[float, float, float], float]
"""Pr(output ≤ x) given the answer, at a given ε."""

_MISSING = 1e-9


@dataclass(frozen=True)
class Noise:
    """Symmetric noise added to the answer, known by the mass of its upper half at a given ε.

    `half(low, high, epsilon)` is the mass between 0 ≤ low ≤ high ≤ ∞; it should be accurate in
    relative terms far out in the tail, which differences of a cdf are not.

    >>> flat = Noise(lambda low, high, _: max(min(float(high), 1.0) - float(low), 0.0) / 2)
    >>> flat.mass(Fraction(-1, 4), Fraction(1, 2), 1.0)
    0.375
    """

    half: Callable[[Bound, Bound, float], float]

    def mass(self, low: Bound, high: Bound, epsilon: float) -> float:
        """The probability that the noise falls between two bounds."""
        if low >= 0:
            return self.half(low, high, epsilon)
        if high <= 0:
            return self.half(-high, -low, epsilon)
        return self.half(Fraction(0), -low, epsilon) + self.half(Fraction(0), high, epsilon)


def density_of(cdf: Cdf, survival: Cdf | None = None) -> Density:
    """A density known by its cdf, and best also by Pr(output > x), which keeps the upper tail.

    >>> exponential = density_of(lambda x, f, rate: -math.expm1(-rate * max(x - f, 0.0)))
    >>> round(exponential(Fraction(1), math.inf, Fraction(0), 1.0), 6)
    0.367879
    """

    def mass(low: Bound, high: Bound, answer: Fraction, epsilon: float) -> float:
        def at(curve: Cdf, bound: Bound, before: float, after: float) -> float:
            if math.isinf(bound):
                return after if bound > 0 else before
            return curve(float(bound), float(answer), epsilon)

        if survival is not None and low >= answer:
            return at(survival, low, 1.0, 0.0) - at(survival, high, 1.0, 0.0)
        return at(cdf, high, 0.0, 1.0) - at(cdf, low, 0.0, 1.0)

    return mass


def category_masses(
    law: Density | Noise, outputs: Numbers, answers: Numbers, epsilon: float, *, snap: bool = False
) -> Floats:
    """The mass of every category (rows) under every answer (columns), 003 (2); or (16) if snapped.

    >>> from discreet.model import Grid
    >>> flat = density_of(lambda x, f, _: min(max((x - f) / 4 + 0.5, 0.0), 1.0))
    >>> category_masses(flat, Grid.between(0, 1), Grid.between(0, 1), 1.0).tolist()
    [[0.25, 0.25], [0.25, 0.25]]
    >>> category_masses(flat, Grid.between(0, 1), Grid.between(0, 1), 1.0, snap=True).tolist()
    [[0.625, 0.375], [0.375, 0.625]]
    """
    bounds: list[Bound] = list(edges(outputs))
    if snap:
        bounds[0], bounds[-1] = -math.inf, math.inf
    if isinstance(law, Noise):
        return _noise_masses(law, bounds, answers.values(), epsilon)
    return np.array(
        [
            [law(bounds[i], bounds[i + 1], answer, epsilon) for answer in answers.values()]
            for i in range(len(outputs))
        ]
    )


def _noise_masses(
    noise: Noise, bounds: list[Bound], answers: tuple[Fraction, ...], epsilon: float
) -> Floats:
    """Noise depends on the distance alone: each distinct interval is measured once.

    Distances are whole numbers over one denominator, so equal ones are known to be equal.
    """
    whole = [bound for bound in bounds if isinstance(bound, Fraction)]
    unit = math.lcm(*(number.denominator for number in (*whole, *answers)))
    marks = [int(b * unit) if isinstance(b, Fraction) else b for b in bounds]
    known: dict[tuple[int | float, int | float], float] = {}
    masses = np.empty((len(bounds) - 1, len(answers)))
    for j, place in enumerate([int(answer * unit) for answer in answers]):
        for i in range(len(bounds) - 1):
            key = (marks[i] - place, marks[i + 1] - place)
            if key not in known:
                low, high = (Fraction(k, unit) if isinstance(k, int) else k for k in key)
                known[key] = noise.mass(low, high, epsilon)
            masses[i, j] = known[key]
    return masses


def discretised(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    law: Density | Noise,
    *,
    outputs: Space | None = None,
    name: str = "density",
    normalise: bool = False,
) -> Mechanism:
    """The mechanism matrix of a density whose support the outputs cover (003 Defs. 2, 3).

    Mass outside the outputs is an error, unless it is to be spread over all of them (`normalise`);
    to pool it at the ends, see `snapping.snapped_density`.
    """
    columns, rows = numbers_of(answers, name), numbers_of(outputs or answers, name)

    def propose(at: float) -> Floats:
        masses = category_masses(law, rows, columns, at)
        if not normalise:
            _check_nothing_missing(masses, columns)
        return masses

    return integer_mechanism(columns, rows, neighbours, propose, Epsilon.of(epsilon), name=name)


def _check_nothing_missing(masses: Floats, answers: Numbers) -> None:
    missing = 1.0 - masses.sum(axis=0)
    worst = int(missing.argmax())
    if missing[worst] > _MISSING:
        raise DesignError(
            f"{missing[worst]:.3g} of the mass under answer {answers.value(worst)} lies outside "
            "the outputs; snap it to the ends or use a wider range of outputs"
        )


def snapped(mechanism: Mechanism, outputs: Space | None = None) -> Mechanism:
    """The mechanism that answers with the nearest of `outputs` (by default, of its answers).

    Rows are added, exactly: a post-processing (001 Prop. 1), so every ε it keeps is kept.

    >>> from discreet.model import Grid, Within
    >>> answers, wide = Grid.between(0, 1), Grid.between(-1, 2)
    >>> snapped(Mechanism.of(answers, wide, Within(1), [[2, 1], [4, 2], [2, 4], [1, 2]])).weights
    array([[6, 3],
           [3, 6]])
    """
    target = numbers_of(outputs or mechanism.answers, "snapping")
    nearest = category_of(target, numbers_of(mechanism.outputs, "snapping"))
    weights: Integers = np.zeros((len(target), len(mechanism.answers)), mechanism.weights.dtype)
    np.add.at(weights, np.array(nearest), mechanism.weights)
    return Mechanism.of(
        mechanism.answers,
        target,
        mechanism.neighbours,
        weights,
        name=mechanism.name,
        notes={**mechanism.notes, "snapped": True},
    )


def snapped_density(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    law: Density | Noise,
    *,
    outputs: Space | None = None,
    name: str = "density",
) -> Mechanism:
    """The boundary-snapping matrix of a density (003 Def. 4, formula 16)."""
    columns, rows = numbers_of(answers, name), numbers_of(outputs or answers, name)

    def propose(at: float) -> npt.NDArray[np.float64]:
        return category_masses(law, rows, columns, at, snap=True)

    return integer_mechanism(columns, rows, neighbours, propose, Epsilon.of(epsilon), name=name)
