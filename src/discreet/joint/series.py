"""Sums of whole weights times powers of e^(−rate), in closed form (docs/proofs/gauge-noise.md).

Nothing here is decided by a float: a figure is an Arb ball, and where a ball is too wide to decide,
the precision grows until it does.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import comb
from typing import Any

import flint

from discreet.errors import MechanismError
from discreet.exact import enclosed, working_precision

Weigh = Callable[[int], int]
"""Whole weights by s = 0, 1, 2, …: a polynomial for each remainder of s by the period."""
Ball = Any

_FIRST_BITS = 128
_MOST_BITS = 1 << 17
_FLOAT_BITS = 60


def numerator(weigh: Weigh, start: int, *, degree: int, period: int = 1) -> list[int]:
    """h with Σ weigh(start + s)·x^s = h(x)/(1 − x^period)^(degree + 1), multiplied out."""
    factors, most = degree + 1, period * (degree + 1)
    below = [0] * (most + 1)
    for j in range(factors + 1):
        below[j * period] = (-1) ** j * comb(factors, j)
    sizes = flint.fmpz_poly([weigh(start + s) for s in range(most + period)])
    terms = [int(one) for one in (sizes * flint.fmpz_poly(below)).coeffs()[: most + period]]
    if any(terms[most:]):
        raise MechanismError(f"these weights are no polynomials of degree {degree} in {period}s")
    return terms[:most]


def sum_from(weigh: Weigh, start: int, ratio: Any, *, degree: int, period: int = 1) -> Any:
    """Σ over s ≥ start of weigh(s)·ratio^s, in the arithmetic of the ratio.

    >>> sum_from(lambda s: s, 0, Fraction(1, 2), degree=1)
    Fraction(2, 1)
    """
    over = horner(numerator(weigh, start, degree=degree, period=period), ratio)
    return ratio**start * over / (1 - ratio**period) ** (degree + 1)


def horner(weights: Iterable[int], ratio: Any) -> Any:
    """Σ weights[j]·ratio^j."""
    total = 0 * ratio
    for weight in reversed(list(weights)):
        total = total * ratio + weight
    return total


def ratio_of(rate: Fraction) -> Ball:
    """e^(−rate) at the working precision."""
    return (-enclosed(rate)).exp()


def figure(value: Callable[[], Ball]) -> float:
    """A ball that is not 0, as near as a float can be."""
    for bits in _precisions(_FIRST_BITS):
        with working_precision(bits):
            ball = value()
            if ball.rel_accuracy_bits() >= _FLOAT_BITS:
                return float(ball)
    raise MechanismError(f"a figure is not known to {_FLOAT_BITS} bits at {_MOST_BITS} bits")


def least_within(beyond: Callable[[int], Ball], allowed: Fraction) -> int:
    """The least t ≥ 0 with beyond(t) ≤ allowed, for chances that fall as t grows.

    The chances are rational functions of e^(−rate), which is transcendental, so none of them is
    equal to a rational: balls that are narrow enough always decide.
    """
    if allowed <= 0:
        raise MechanismError("noise has no last value; allow for a chance above 0")
    far, bits = 1, _FIRST_BITS
    while True:
        enough, bits = at_most(beyond, far - 1, allowed, bits)
        if enough:
            break
        far *= 2
    low, high = far // 2, far  # beyond(low − 1) is too much, beyond(high − 1) is not
    while high - low > 1:
        middle = (low + high) // 2
        enough, bits = at_most(beyond, middle - 1, allowed, bits)
        low, high = (low, middle) if enough else (middle, high)
    return high - 1


def at_most(
    beyond: Callable[[int], Ball], far: int, bound: Fraction, first: int = _FIRST_BITS
) -> tuple[bool, int]:
    """Whether a chance is at most a bound, and how many bits that took."""
    for bits in _precisions(first):
        with working_precision(bits):
            chance, limit = beyond(far), enclosed(bound)
            if chance <= limit or chance > limit:
                return bool(chance <= limit), bits
    raise MechanismError(f"a comparison stays undecided at {_MOST_BITS} bits")


def _precisions(first: int) -> Iterable[int]:
    bits = first
    while bits <= _MOST_BITS:
        yield bits
        bits *= 2
