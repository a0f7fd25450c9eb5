"""exp(−ε d/2), exp(−ε d) and the best of their kind, as exact integers on any graph.

exp(−ε d/2) keeps ε on every graph; exp(−ε d) keeps 2ε, and ε where Theorem 1 of 002 applies.
"""

from dataclasses import dataclass

import numpy as np

from discreet.certifier import Certified, TightEpsilon, certify, tight_epsilon
from discreet.exact import Epsilon, EpsilonLike
from discreet.graphs.database_graph import DatabaseGraph
from discreet.measures import expected_loss
from discreet.mechanisms.families.exponential import exponential
from discreet.model import Goal, Mechanism
from discreet.repair import integer_mechanism


@dataclass(frozen=True)
class Exponential:
    """exp(−rate·d) as certified integers, what it costs, and the smallest ε that it keeps."""

    rate: float
    certified: Certified
    cost: float
    tight: TightEpsilon


def half_exponential(graph: DatabaseGraph, epsilon: EpsilonLike) -> Exponential:
    """exp(−ε d/2), certified at ε: the exponential mechanism with the record-exchange metric.

    >>> from discreet.graphs.families import path
    >>> half = half_exponential(path(12), "0.5")
    >>> round(half.cost, 6), round(float(half.tight), 6)
    (2.409293, 0.403935)
    """
    eps = Epsilon.of(epsilon)
    return _measured(graph, float(eps) / 2, _by_distance(graph, eps), eps)


def full_exponential(graph: DatabaseGraph, epsilon: EpsilonLike) -> Exponential:
    """exp(−ε d), certified at 2ε (002 Lemma 1); `tight` tells how much it really needs.

    >>> from discreet.graphs.families import path
    >>> full = full_exponential(path(12), "0.5")
    >>> round(full.cost, 6), round(float(full.tight), 6)
    (1.509285, 0.7132)
    """
    eps = Epsilon.of(epsilon)
    return _measured(graph, float(eps), _by_distance(graph, _doubled(eps)), _doubled(eps))


def widest_exponential(graph: DatabaseGraph, epsilon: EpsilonLike) -> Exponential:
    """exp(−a d) with the largest rate a that keeps ε, as near as integers come; certified at ε.

    >>> from discreet.graphs.families import path
    >>> widest = widest_exponential(path(12), "0.5")
    >>> 0.25 < widest.rate < 0.5, widest.cost < half_exponential(path(12), "0.5").cost
    (True, True)
    """
    eps = Epsilon.of(epsilon)
    mechanism = integer_mechanism(
        graph.space,
        graph.space,
        graph.neighbours,
        lambda at: np.exp(-_widest_rate(graph, at) * graph.distances),
        eps,
        name="exponential",
        home=np.arange(len(graph.distances)),
    )
    return _measured(graph, _widest_rate(graph, float(eps)), mechanism, eps)


def _widest_rate(graph: DatabaseGraph, epsilon: float) -> float:
    """The largest rate that keeps ε, in floats: only ever a proposal."""
    low, high = epsilon / 2, epsilon
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _needed(graph, middle) <= epsilon else (low, middle)
    return low


def _by_distance(graph: DatabaseGraph, epsilon: Epsilon) -> Mechanism:
    return exponential(
        graph.space, graph.neighbours, epsilon, scores=(-graph.distances).tolist(), sensitivity=1
    )


def _measured(
    graph: DatabaseGraph, rate: float, mechanism: Mechanism, epsilon: Epsilon
) -> Exponential:
    certified = certify(mechanism, epsilon)
    cost = expected_loss(mechanism, Goal(graph.loss))
    return Exponential(rate, certified, cost, tight_epsilon(mechanism))


def _needed(graph: DatabaseGraph, rate: float) -> float:
    """The ε that exp(−rate·d) needs, in floats: only ever a proposal."""
    columns = np.exp(-rate * graph.distances).sum(axis=0)
    one, other = graph.directed[:, 0], graph.directed[:, 1]
    farther = (graph.distances[:, other] - graph.distances[:, one]).max(axis=0)
    return float((rate * farther + np.log(columns[other] / columns[one])).max())


def _doubled(epsilon: Epsilon) -> Epsilon:
    if epsilon.log_of is not None:
        return Epsilon.of(f"log {epsilon.log_of**2}")
    return Epsilon(2 * epsilon.billionths)
