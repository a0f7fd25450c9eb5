"""What paper 002 proves of paths, as functions: Example 3, Lemma 6, Theorem 2, Corollaries 3, 4.

Everywhere γ = e^−ε. The proofs that the paper leaves out, and a sharper form of Theorem 2, are in
docs/proofs/path-graph.md.
"""

import math
from dataclasses import dataclass

from discreet.errors import GoalError
from discreet.exact import Epsilon, EpsilonLike, show
from discreet.graphs.layered import layer_cost

_ROUNDING = 2.0**-40
MOST_REACH = 5_000
"""Longer reaches are not tried: they would help only on paths that nobody can list."""


def one_sided_path(epsilon: EpsilonLike) -> float:
    """The least mean distance from the end of an infinite path: γ/(1 − γ) (002 Example 3).

    >>> round(one_sided_path("log 2"), 12)
    1.0
    """
    return 1.0 / math.expm1(float(Epsilon.of(epsilon)))


def two_sided_path(epsilon: EpsilonLike) -> float:
    """The least mean distance from a node of an infinite path: 2γ/(1 − γ²) (002 (10)).

    >>> round(two_sided_path("log 2"), 12)
    1.333333333333
    """
    return _two_sided(float(Epsilon.of(epsilon)))


def lemma_7(epsilon: EpsilonLike, *, half: bool = False) -> float:
    """More than exp(−ε d) costs on any path, however long: 2γ/(1 − γ²) (002 Lemma 7).

    With `half`, more than exp(−ε d/2) costs: the same with √γ for γ.
    """
    rate = float(Epsilon.of(epsilon))
    return _two_sided(rate / 2.0 if half else rate)


def _two_sided(rate: float) -> float:
    """2γ/(1 − γ²) = 1/sinh ε."""
    return 1.0 / math.sinh(rate)


def middle_of_path(reach: int, epsilon: EpsilonLike) -> float:
    """f(ℓ): the optimum of LP[5] from the middle of a path with ℓ nodes on either side (002 (11)).

    >>> round(middle_of_path(1, "log 2"), 12)
    0.5
    """
    return layer_cost((1, *(2 for _ in range(_whole(reach, "the reach", 1)))), epsilon)


def middle_of_path_below(reach: int, epsilon: EpsilonLike) -> float:
    """A bound below f(ℓ): 2γ/(1 − γ²)·(1 − γ^ℓ − ℓ·γ^ℓ·(1 − γ)) (002 (12))."""
    rate, steps = float(Epsilon.of(epsilon)), _whole(reach, "the reach", 1)
    lost = -math.expm1(-rate * steps) - steps * math.exp(-rate * steps) * -math.expm1(-rate)
    return two_sided_path(epsilon) * lost


def long_path_share(slack: float) -> float:
    """1 − (s + 1)·e^−s: the share of 2γ/(1 − γ²) that f(ℓ) exceeds when ℓ ≥ s/(1 − γ) (002 (13)).

    >>> long_path_share(0.0), round(long_path_share(5.0), 4)
    (0.0, 0.9596)
    """
    return 1.0 - (_slack(slack, 0.0) + 1.0) * math.exp(-slack)


def least_reach(slack: float, epsilon: EpsilonLike) -> int:
    """The least ℓ that 002 (13) and Theorem 2 allow for a slack s: ⌈s/(1 − γ)⌉."""
    return max(1, math.ceil(_slack(slack, 0.0) / -math.expm1(-float(Epsilon.of(epsilon)))))


def theorem_2(nodes: int, epsilon: EpsilonLike, slack: float, reach: int | None = None) -> float:
    """A bound below LP[1] on a path of K nodes, for s ≥ 1, ℓ ≥ s/(1 − γ), K ≥ 4ℓ (002 Theorem 2).

    Without a reach ℓ, the least one is taken, which gives the best bound.

    >>> round(theorem_2(1000, "0.5", 4), 6), round(two_sided_path("0.5"), 6)
    (1.30747, 1.919035)
    """
    return min(_peripheral_and_central(nodes, epsilon, slack, reach))


def corollary_3(nodes: int, epsilon: EpsilonLike, slack: float, reach: int | None = None) -> float:
    """2γ/(1 − γ²)·(1 − 1/s)·(1 − (s + 1)e^−s), a lower bound on LP[1] (002 Corollary 3).

    It is the second term of Theorem 2, and so asks that the path be long enough for the first to
    be larger: K ≥ 2s²ℓ(1 + γ)/γ is. The paper asks for half of that, which is too little when
    γ > s/(s + 2), and misprints the bracket (docs/proofs/path-graph.md).
    """
    peripheral, central = _peripheral_and_central(nodes, epsilon, _slack(slack, 2.0), reach)
    if peripheral < central:
        steps = _allowed_reach(nodes, epsilon, slack, reach)
        long_enough = 2.0 * slack**2 * steps * (1.0 + math.exp(float(Epsilon.of(epsilon))))
        raise GoalError(
            f"Corollaries 3 and 4 need a longer path for s = {slack:g}, ℓ = {steps}: "
            f"{math.ceil(long_enough)} nodes are enough, got {nodes}; use theorem_2"
        )
    return central


def _peripheral_and_central(
    nodes: int, epsilon: EpsilonLike, slack: float, reach: int | None
) -> tuple[float, float]:
    """The two terms of Theorem 2: much weight near the ends, or little."""
    steps = _allowed_reach(nodes, epsilon, slack, reach)
    if nodes < 4 * steps:
        raise GoalError(
            f"Theorem 2 needs a path of at least 4ℓ = {4 * steps} nodes, got {nodes}; "
            "use balanced_bound"
        )
    peripheral = (1.0 - 4.0 * slack * steps / nodes) / -math.expm1(-float(Epsilon.of(epsilon)))
    central = two_sided_path(epsilon) * (1.0 - 1.0 / slack) * long_path_share(slack)
    return peripheral, central


def corollary_4(nodes: int, epsilon: EpsilonLike, slack: float, reach: int | None = None) -> float:
    """A bound below LP[1] ÷ the cost of exp(−ε d/2): √γ/(1 + γ)·(1 − 1/s)·(1 − (s + 1)e^−s).

    Under the conditions of Corollary 3 (002 Corollary 4, whose two lines are equal).
    """
    below = corollary_3(nodes, epsilon, slack, reach)
    return below / lemma_7(epsilon, half=True)


@dataclass(frozen=True)
class PathBound:
    """A bound below LP[1] on a path, and the reach ℓ (and slack s) that it was best for."""

    value: float
    reach: int
    slack: float | None = None


def balanced_bound(nodes: int, epsilon: EpsilonLike, reach: int | None = None) -> PathBound:
    """The dilemma of 002 (14) and (16), balanced: ℓ·f(ℓ)·(1 − 4ℓ/K)/(ℓ + f(ℓ)) ≤ LP[1].

    Valid for any ℓ with K > 4ℓ, and never below Theorem 2 for that ℓ; the best ℓ unless one is
    given. Short paths have the trivial bound 0.

    >>> balanced_bound(1000, "0.5").value > theorem_2(1000, "0.5", 4)
    True
    """
    _whole(nodes, "the number of nodes", 2)
    best = PathBound(0.0, 0)
    reaches = _reaches(nodes, epsilon) if reach is None else [_whole(reach, "the reach", 1)]
    for steps in reaches:
        if nodes > 4 * steps:
            central = middle_of_path(steps, epsilon)
            value = steps * central * (1.0 - 4.0 * steps / nodes) / (steps + central)
            if value > best.value:
                best = PathBound(value, steps)
    return best


def _reaches(nodes: int, epsilon: EpsilonLike) -> list[int]:
    """Every reach while there are few, then ever sparser ones: any of them gives a bound."""
    most = min((nodes - 1) // 4, MOST_REACH)
    dense = range(1, min(most, 64) + 1)
    sparse = {round(64 * 1.1**power) for power in range(60)}
    return sorted({*dense, *(reach for reach in sparse if reach <= most)})


def best_theorem_2(nodes: int, epsilon: EpsilonLike) -> PathBound | None:
    """Theorem 2 at its best; None when no s ≥ 1 meets its conditions.

    For a reach ℓ the largest s it allows is ℓ(1 − γ), and a smaller s trades the central term for
    the peripheral one, which falls with s: the best s is that or where the two terms meet.

    >>> round(best_theorem_2(80, "0.2").value, 4)
    0.9625
    """
    best = None
    fall = -math.expm1(-float(Epsilon.of(epsilon)))
    for steps in range(1, min(nodes // 4, MOST_REACH) + 1):
        slack = _best_slack(nodes, epsilon, steps, steps * fall * (1.0 - _ROUNDING))
        if slack is not None:
            value = theorem_2(nodes, epsilon, slack, steps)
            if best is None or value > best.value:
                best = PathBound(value, steps, slack)
    return best


def _best_slack(nodes: int, epsilon: EpsilonLike, steps: int, most: float) -> float | None:
    """The s from 1 to `most` for which the smaller of the two terms is largest, by bisection.

    The central term grows with s and the peripheral one falls.
    """
    if most < 1.0:
        return None
    low, high = 1.0, most
    peripheral, central = _peripheral_and_central(nodes, epsilon, high, steps)
    if central <= peripheral:
        return high
    for _ in range(50):
        middle = (low + high) / 2
        peripheral, central = _peripheral_and_central(nodes, epsilon, middle, steps)
        low, high = (middle, high) if central <= peripheral else (low, middle)
    return low


def _allowed_reach(nodes: int, epsilon: EpsilonLike, slack: float, reach: int | None) -> int:
    _whole(nodes, "the number of nodes", 2)
    least = least_reach(_slack(slack, 1.0), epsilon)
    if reach is None:
        return least
    if _whole(reach, "the reach", 1) < least:
        raise GoalError(f"the reach ℓ must be at least s/(1-γ) = {least} here, got {reach}")
    return reach


def _slack(slack: float, least: float) -> float:
    if not least <= slack < math.inf:
        raise GoalError(f"the slack s must be a number of at least {least:g}, got {show(slack)}")
    return slack


def _whole(value: int, what: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise GoalError(f"{what} must be a whole number of at least {least}, got {show(value)}")
    return value
