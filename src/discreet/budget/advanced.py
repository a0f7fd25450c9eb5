"""The best (ε, δ) after many pure-ε answers: information beside the books, never the books.

The books add up pure ε. Kairouz, Oh and Viswanath (2015) give the exact trade-off for k answers of
equal ε; for mixed ones the same two-point argument gives a rigorous upper bound after rounding each
ε up to a grid (docs/proofs/composition.md).
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import BudgetError
from discreet.exact import Epsilon
from discreet.text import BILLION

_GRID = 4_000


def delta_after(epsilons: Sequence[Epsilon], target: Fraction) -> float:
    """The smallest δ (rounded up) with which all the answers together are (target, δ)-private.

    Every pure-ε mechanism is dominated by randomized response with that ε; the privacy loss of the
    product is a sum of independent ±ε, and δ = E max(0, 1 − e^(target − loss)).

    >>> twenty = [Epsilon.of("0.1")] * 20
    >>> delta_after(twenty, Fraction(2)) < 1e-12, 0 < delta_after(twenty, Fraction(1)) < 0.2
    (True, True)
    """
    if target < 0:
        raise BudgetError(f"the target epsilon cannot be negative, got {target}")
    if not epsilons:
        return 0.0
    unit = _unit([epsilon.value for epsilon in epsilons])
    losses = {0: 1.0}
    for epsilon in epsilons:
        step = math.ceil(epsilon.value / unit)
        likely = 1.0 / (1.0 + math.exp(-step * float(unit)))
        losses = _convolved(losses, step, likely)
    goal = float(target)
    escaped = math.fsum(
        weight * -math.expm1(goal - loss * float(unit))
        for loss, weight in losses.items()
        if loss * unit > target
    )
    margin = 1e-12 * len(epsilons)
    return min(1.0, escaped * (1.0 + margin))


def epsilon_after(epsilons: Sequence[Epsilon], delta: float) -> float:
    """The smallest ε (rounded up to 1e-6) for which `delta_after` is at most δ."""
    if not 0 < delta < 1:
        raise BudgetError(f"delta must lie between 0 and 1, got {delta}")
    low, high = 0, math.ceil(sum(float(epsilon.value) for epsilon in epsilons) * 10**6)
    while low < high:
        middle = (low + high) // 2
        if delta_after(epsilons, Fraction(middle, 10**6)) <= delta:
            high = middle
        else:
            low = middle + 1
    return high / 10**6


def _unit(values: Sequence[Fraction]) -> Fraction:
    """A grid on which equal ε are exact and the number of different losses stays small."""
    exact = Fraction(
        math.gcd(*(value.numerator * (BILLION // value.denominator) for value in values)), BILLION
    )
    coarse = sum(values, Fraction(0)) / _GRID
    return exact if sum(values, Fraction(0)) / exact <= _GRID else max(exact, coarse)


def _convolved(losses: dict[int, float], step: int, likely: float) -> dict[int, float]:
    spread: dict[int, float] = {}
    for loss, weight in losses.items():
        spread[loss + step] = spread.get(loss + step, 0.0) + weight * likely
        spread[loss - step] = spread.get(loss - step, 0.0) + weight * (1.0 - likely)
    return spread
