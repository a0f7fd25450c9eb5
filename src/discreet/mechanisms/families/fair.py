"""Whole numbers from the start: the explicit fair mechanism, and randomized response.

The explicit fair mechanism (Cormode, Kulkarni & Srivastava 2018, "EM"; cited by 003 as [7];
docs/proofs/explicit-fair.md): every column is an arrangement of the same integer levels, so columns
have one sum by themselves; the matrix is fair, symmetric and monotone, exactly. Randomized response
(Warner 1965; 001 Example 1; docs/proofs/randomized-response.md), for two answers or any number, is
the same with two levels: where any answer may neighbour any other, it has the largest chance of
telling the truth that ε allows.
"""

import numpy as np

from discreet.errors import SpaceError
from discreet.exact import Epsilon, EpsilonLike
from discreet.model import (
    Integers,
    Mechanism,
    Neighbours,
    Space,
    category_of,
    numbers_of,
    places_apart,
)
from discreet.repair import BITS


def explicit_fair(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """Weight e^(−ε·level) for each output, levels 0, 1, 1, 2, 2, … away from the answer.

    Where neighbours lie up to Δ places apart the level is divided by Δ and rounded up: on all
    pairs that is randomized response.

    >>> from discreet.model import Grid, Within
    >>> explicit_fair(Grid.between(0, 4), Within(1), "log 2").weights // 2**57
    array([[4, 2, 1, 1, 1],
           [2, 4, 2, 1, 1],
           [2, 2, 4, 2, 2],
           [1, 1, 2, 4, 2],
           [1, 1, 1, 2, 4]])
    """
    numbers_of(answers, "the explicit fair mechanism")
    if outputs is not None and outputs != answers:
        raise SpaceError(
            "the outputs of the explicit fair mechanism are the answers themselves; leave the "
            "outputs out, or use laplace or staircase"
        )
    size = len(answers)
    places = max(places_apart(size, neighbours), 1)
    levels = -(-_levels(size) // places)
    weights = _falling(int(levels.max()), size, Epsilon.of(epsilon))[levels]
    return Mechanism.of(answers, answers, neighbours, weights, name="explicit-fair")


def _levels(size: int) -> Integers:
    """How far down each output stands in the column of each answer.

    Around the answer the levels go down with the distance on both sides; where one side has come
    to its end, the other goes down half as fast.
    """
    places = np.arange(size)
    apart = np.abs(places[:, None] - places[None, :])
    room = np.minimum(places, size - 1 - places)[None, :]
    return np.asarray(np.where(apart < room, apart, (apart + room + 1) // 2))


def _falling(deepest: int, size: int, epsilon: Epsilon) -> Integers:
    """Falling integers, each at least e^(−ε) of the one before; `size` of them fit a word."""
    ratio = epsilon.ratio_below
    weights = [1 << (BITS - size.bit_length())]
    for _ in range(deepest):
        weights.append(-(-weights[-1] * ratio.denominator // ratio.numerator))
    return np.array(weights, dtype=object)


def randomized_response(
    answers: Space, neighbours: Neighbours, epsilon: EpsilonLike, *, outputs: Space | None = None
) -> Mechanism:
    """The true output e^ε times as likely as each other one.

    At `log 3` and two answers these are the coins of 001 Example 1.

    >>> from discreet.model import AllPairs, Labels
    >>> randomized_response(Labels.of(["no", "yes"]), AllPairs(), "log 3").weights
    array([[3, 1],
           [1, 3]])
    """
    rows = outputs or answers
    true, other = _two_levels(len(rows), Epsilon.of(epsilon))
    weights = np.full((len(rows), len(answers)), other, dtype=object)
    weights[list(category_of(rows, answers)), np.arange(len(answers))] = true
    return Mechanism.of(answers, rows, neighbours, weights, name="randomized-response")


def _two_levels(size: int, epsilon: Epsilon) -> tuple[int, int]:
    """Two integers whose ratio is e^ε, from below: exactly, when ε is the log of a fraction."""
    ratio = epsilon.ratio_below
    if epsilon.log_of is not None:
        return ratio.numerator, ratio.denominator
    other = max(int((1 << BITS) / (ratio + size - 1)), 1)
    return int(other * ratio), other
