"""How far one record moves the answer (001 Def. 2), how much ε there is to spend; read exactly."""

import math
from fractions import Fraction
from itertools import pairwise

from discreet.errors import InvalidInput
from discreet.exact import Epsilon, RationalLike, log_lower, rational, show
from discreet.model import AllPairs, Grid, Neighbours, Numbers, Within


def private_number(value: object) -> Fraction:
    """A number of somebody's table, exactly; an error that cannot show it, for it is private."""
    try:
        return rational(value)
    except InvalidInput:
        raise InvalidInput("every value must be a finite number like 3, 0.5 or 1/3") from None


def nearest_step(value: RationalLike, granularity: Fraction) -> int:
    """The multiple of the granularity nearest to a value, halves upward.

    >>> nearest_step("2.6", Fraction(1, 2)), nearest_step("0.5", Fraction(1))
    (5, 1)
    """
    return math.floor(private_number(value) / granularity + Fraction(1, 2))


def check_positive(what: str, value: Fraction) -> None:
    """An error unless the value is above 0."""
    if value <= 0:
        raise InvalidInput(f"the {what} must be positive, got {show(value)}")


def check_said(what: str, value: bool) -> None:
    """An error unless the value is true or false: any other word would count as true."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} must be True or False, got {show(value)}")


def failure_of(confidence: RationalLike, among: int = 1) -> Fraction:
    """How often each of `among` may fail, so that together they keep the confidence.

    >>> failure_of("0.95", 10)
    Fraction(1, 200)
    """
    sure = rational(confidence, "the confidence")
    if not 0 < sure < 1:
        raise InvalidInput(f"the confidence must lie between 0 and 1, got {show(confidence)}")
    if isinstance(among, bool) or not isinstance(among, int) or among < 1:
        raise InvalidInput(f"there must be at least 1 value or output, got {show(among)}")
    return (1 - sure) / among


_FINE = 10**18


def sensitivity(answers: Numbers, neighbours: Neighbours) -> Fraction:
    """The largest difference between neighbouring answers, in their own units (001 Def. 2, ΔF).

    Where nobody has a neighbour it is one step, so that a noise always has a width.

    >>> from discreet.model import AllPairs, Grid, Within
    >>> sensitivity(Grid.between(0, 4, "0.1"), Within(4))
    Fraction(2, 5)
    >>> sensitivity(Grid.between(1, 5), AllPairs())
    Fraction(4, 1)
    """
    values = answers.values()
    places = places_apart(len(answers), neighbours)
    if isinstance(answers, Grid):
        return max(places, 1) * answers.step
    if isinstance(neighbours, Within | AllPairs):
        gaps = (values[j + places] - values[j] for j in range(len(values) - places))
    else:
        gaps = (abs(values[j] - values[k]) for j, k in neighbours.pairs(len(values)))
    return max(gaps, default=Fraction(0)) or min(
        (b - a for a, b in pairwise(values)), default=Fraction(1)
    )


def places_apart(size: int, neighbours: Neighbours) -> int:
    """The largest number of places between neighbours in the order of the space; 0 if none."""
    if isinstance(neighbours, AllPairs):
        return size - 1
    if isinstance(neighbours, Within):
        return min(neighbours.steps, size - 1)
    return max((k - j for j, k in neighbours.pairs(size)), default=0)


def spendable(epsilon: Epsilon) -> Fraction:
    """A rational at most ε, for exact samplers: ε itself, or its first 18 digits when it is a log.

    >>> spendable(Epsilon.of("0.5")), float(spendable(Epsilon.of("log 3")))
    (Fraction(1, 2), 1.0986122886681098)
    """
    if epsilon.log_of is None:
        return epsilon.value
    return Fraction(int(log_lower(epsilon.log_of) * _FINE), _FINE)
