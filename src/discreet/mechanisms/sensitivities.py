"""How far one record can move the answer (001 Def. 2), and how much ε there is to spend on it."""

from fractions import Fraction
from itertools import pairwise

from discreet.exact import Epsilon, log_lower
from discreet.model import AllPairs, Grid, Neighbours, Numbers, Within

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
