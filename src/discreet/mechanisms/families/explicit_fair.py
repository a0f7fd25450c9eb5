"""The explicit fair mechanism (Cormode, Kulkarni & Srivastava 2018, "EM"; cited by 003 as [7]).

Proof: docs/proofs/explicit-fair.md. Every column is an arrangement of the same integer levels, so
columns have one sum by themselves; the matrix is fair, symmetric and monotone, exactly.
"""

import numpy as np

from discreet.errors import SpaceError
from discreet.exact import Epsilon, EpsilonLike
from discreet.mechanisms.sensitivities import places_apart
from discreet.model import Integers, Mechanism, Neighbours, Space, numbers_of
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
    weights = _weights(int(levels.max()), size, Epsilon.of(epsilon))[levels]
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


def _weights(deepest: int, size: int, epsilon: Epsilon) -> Integers:
    """Falling integers, each at least e^(−ε) of the one before; `size` of them fit a word."""
    ratio = epsilon.ratio_below
    weights = [1 << (BITS - size.bit_length())]
    for _ in range(deepest):
        weights.append(-(-weights[-1] * ratio.denominator // ratio.numerator))
    return np.array(weights, dtype=object)
