"""w = G⁻¹1 and λ = G⁻¹c, and what their signs prove (docs/proofs/tight-constraints.md).

Small systems are solved over the rationals, with γ rounded up to one; larger ones in balls around
real numbers, with γ = e^−ε itself. Every sign is decided or called undecided; none is guessed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from discreet.designer.programs.program import Floats
from discreet.designer.tight.problem import TightProblem
from discreet.errors import DesignError
from discreet.exact import Epsilon, EpsilonLike
from discreet.exact.numbers import enclosed, exp_upper, working_precision

MOST_EXACT = 80
"""So many unknowns are solved over the rationals; their digits grow with the square of this."""
MOST_BALLS = 400
"""So many unknowns are solved in balls, in a few seconds."""
MOST_FLOATS = 5_000
"""So many unknowns are solved in floats: a matrix of 200 MB."""
_GAMMA_BITS = 64
_PRECISIONS = (160, 320, 640)


class SolverArithmetic(Enum):
    """What the systems were solved in."""

    RATIONALS = "rationals"
    BALLS = "balls around real numbers"
    FLOATS = "floats"


@dataclass(frozen=True, eq=False, kw_only=True)
class TightConstraints:
    """p(y|x) = w_y·γ^d(x,y) for one node of each class, with what is proved of it.

    Attributes:
        gamma: A rational of at least e^−ε.
        weights: w for each class, none negative where `private`.
        multipliers: λ for each class.
        arithmetic: How they were solved. Over the rationals the systems hold exactly at `gamma`;
            the other numbers are dyadic, next to the solutions at e^−ε.
        private: Whether w ≥ 0; in floats, whether no weight found there is negative.
        optimal: Whether w ≥ 0 and λ_x ≤ q_x·ℓ(y, x) for all x ≠ y, decided: nothing is better.
            Floats decide nothing: there the bound alone says how good it is.
        lower_bound: What no private mechanism with these outputs can beat at ε itself.
    """

    gamma: Fraction
    weights: tuple[Fraction, ...]
    multipliers: tuple[Fraction, ...]
    arithmetic: SolverArithmetic
    private: bool
    optimal: bool
    lower_bound: Fraction


def tight_constraints(problem: TightProblem, epsilon: EpsilonLike) -> TightConstraints:
    """Solve both systems and decide the theorem's conditions.

    Raises:
        DesignError: G is singular, too close to it to tell, or too large to solve.

    >>> import numpy as np
    >>> line = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    >>> solution = tight_constraints(TightProblem.of_metric(line, np.arange(3)), "log 2")
    >>> [str(weight) for weight in solution.weights], solution.optimal, float(solution.lower_bound)
    (['2/3', '1/3', '2/3'], True, 0.5555555555555556)
    """
    eps = Epsilon.of(epsilon)
    if problem.size <= MOST_EXACT:
        return _over_rationals(problem, eps)
    if problem.size > MOST_BALLS:
        return _in_floats(problem, eps)
    solution = None
    for bits in _PRECISIONS:
        solution, decided = _in_balls(problem, eps, bits)
        if decided:
            break
    if solution is None:
        raise DesignError(_singular(eps))
    return solution


def _over_rationals(problem: TightProblem, epsilon: Epsilon) -> TightConstraints:
    gamma = rational_gamma(epsilon)
    exact = flint.fmpq(gamma.numerator, gamma.denominator)
    powers = [exact**apart for apart in range(problem.diameter + 1)]
    try:
        solved = _solved(problem, powers, flint.fmpq_mat, flint.fmpq)
    except ZeroDivisionError:
        raise DesignError(_singular(epsilon)) from None
    weights = tuple(_fraction(solved[k, 0]) for k in range(problem.size))
    multipliers = tuple(_fraction(solved[k, 1]) * problem.unit for k in range(problem.size))
    private = all(weight >= 0 for weight in weights)
    kept = all(m <= cap * problem.unit for m, cap in zip(multipliers, problem.caps, strict=True))
    return TightConstraints(
        gamma=gamma,
        weights=weights,
        multipliers=multipliers,
        arithmetic=SolverArithmetic.RATIONALS,
        private=private,
        optimal=private and kept,
        lower_bound=proven_bound(problem, epsilon, multipliers),
    )


def _in_balls(
    problem: TightProblem, epsilon: Epsilon, bits: int
) -> tuple[TightConstraints | None, bool]:
    """The solution at e^−ε, and whether this precision decides every sign; None if singular."""
    with working_precision(bits):
        try:
            solved = _solved(problem, powers_of_gamma(problem, epsilon), flint.arb_mat, flint.arb)
        except ZeroDivisionError:
            return None, False
        weights = [solved[k, 0] for k in range(problem.size)]
        multipliers = [solved[k, 1] for k in range(problem.size)]
        private = _decided(weights, [0] * problem.size)
        kept = _decided(problem.caps, multipliers)
        rounded = [_dyadic(weight) for weight in weights]
        scaled = tuple(_dyadic(multiplier) * problem.unit for multiplier in multipliers)
    solution = TightConstraints(
        gamma=rational_gamma(epsilon),
        weights=tuple(max(weight, Fraction(0)) if private else weight for weight in rounded),
        multipliers=scaled,
        arithmetic=SolverArithmetic.BALLS,
        private=bool(private),
        optimal=bool(private and kept),
        lower_bound=proven_bound(problem, epsilon, scaled),
    )
    return solution, private is not None and kept is not None


def _in_floats(problem: TightProblem, epsilon: Epsilon) -> TightConstraints:
    """Near the solution at e^−ε, with a bound that holds all the same."""
    if problem.size > MOST_FLOATS:
        raise DesignError(
            f"the tight-constraints systems have {problem.size:,} unknowns; the limit is "
            f"{MOST_FLOATS:,}; use a smaller graph, or one with more symmetry"
        )
    powers = float_powers(problem.diameter, epsilon)
    matrix, costs = problem.in_floats(powers)
    try:
        solved = np.linalg.solve(matrix, np.stack([np.ones(problem.size), costs], axis=1))
    except np.linalg.LinAlgError:
        raise DesignError(_singular(epsilon)) from None
    multipliers = np.minimum(solved[:, 1], np.array(problem.caps, dtype=np.float64))
    # Products of n rounded numbers and sums of n of them are off by n + 2 units, at most.
    doubt = (len(problem.classes) + 8) * 2.0**-52
    excess = matrix @ multipliers - costs
    excess += doubt * (matrix @ np.abs(multipliers) + costs)
    shift = max(0.0, float(excess.max()))
    lowered = [Fraction(multiplier) - Fraction(shift) for multiplier in multipliers.tolist()]
    return TightConstraints(
        gamma=rational_gamma(epsilon),
        weights=tuple(map(Fraction, solved[:, 0].tolist())),
        multipliers=tuple(Fraction(m) * problem.unit for m in multipliers.tolist()),
        arithmetic=SolverArithmetic.FLOATS,
        private=bool((solved[:, 0] >= 0).all()),
        optimal=False,
        lower_bound=_summed(problem, lowered),
    )


def float_powers(diameter: int, epsilon: Epsilon) -> Floats:
    """e^(−ε·d) for every distance, each the nearest float or next to it."""
    exact = (
        (exp_upper(-apart * epsilon.value) for apart in range(diameter + 1))
        if epsilon.log_of is None
        else (epsilon.log_of**-apart for apart in range(diameter + 1))
    )
    return np.array([float(power) for power in exact])


def _singular(epsilon: Epsilon) -> str:
    return (
        f"the tight-constraints systems are singular at ε = {epsilon}, or too nearly so to decide; "
        f"use another ε, or the linear program"
    )


def proven_bound(
    problem: TightProblem, epsilon: Epsilon, multipliers: Sequence[Fraction]
) -> Fraction:
    """Σ λ after λ was lowered, first under its caps, then until Gλ ≤ c: below every private cost.

    True of any multipliers at all, so nobody need believe where they came from.
    """
    lowered = [
        min(multiplier, cap * problem.unit) / problem.unit
        for multiplier, cap in zip(multipliers, problem.caps, strict=True)
    ]
    with working_precision(_PRECISIONS[0]):
        powers = powers_of_gamma(problem, epsilon)
        tried = [enclosed(multiplier) for multiplier in lowered]
        excess = flint.arb(0)
        for row in range(problem.size):
            spent = sum(
                (many * powers[apart] * tried[place] for place, apart, many in problem.terms(row)),
                flint.arb(0),
            )
            excess = excess.max(spent - _evaluated(problem.cost_by_distance(row), powers))
        shift = _dyadic(excess.upper())
    return _summed(problem, [multiplier - shift for multiplier in lowered])


def _summed(problem: TightProblem, multipliers: Sequence[Fraction]) -> Fraction:
    """Σ λ over all nodes, in real costs."""
    terms = (many * one for many, one in zip(problem.members, multipliers, strict=True))
    return sum(terms, Fraction(0)) * problem.unit


def rational_gamma(epsilon: Epsilon) -> Fraction:
    """A short rational of at least e^−ε, equal to it where ε is the logarithm of a fraction."""
    if epsilon.log_of is not None:
        return 1 / epsilon.log_of
    above = exp_upper(-epsilon.value)
    scale = 1 << _GAMMA_BITS
    return Fraction(-(-above.numerator * scale // above.denominator), scale)


def powers_of_gamma(problem: TightProblem, epsilon: Epsilon) -> list[Any]:
    """e^(−ε·d) for every distance, as balls of the working precision."""
    if epsilon.log_of is not None:
        base = enclosed(epsilon.log_of)
        return [base ** (-apart) for apart in range(problem.diameter + 1)]
    return [enclosed(-epsilon.value * apart).exp() for apart in range(problem.diameter + 1)]


def _solved(
    problem: TightProblem, powers: list[Any], matrix: Callable[..., Any], number: Callable[..., Any]
) -> Any:
    """[w, λ] by class, from G·[w, λ] = [1, c]: in whatever field the powers are."""
    size = problem.size
    left, right = [], []
    for row in range(size):
        line = [number(0)] * size
        for place, apart, many in problem.terms(row):
            line[place] += many * powers[apart]
        left += line
        right += [number(1), _evaluated(problem.cost_by_distance(row), powers)]
    return matrix(size, size, left).solve(matrix(size, 2, right))


def _evaluated(costs: list[int], powers: list[Any]) -> Any:
    return sum((cost * power for cost, power in zip(costs, powers, strict=True)), 0 * powers[0])


def _decided(ones: Sequence[Any], others: Sequence[Any]) -> bool | None:
    """Whether one ≥ other throughout: a comparison of balls is true only where it is certain."""
    pairs = list(zip(ones, others, strict=True))
    if any(one < other for one, other in pairs):
        return False
    return True if all(one >= other for one, other in pairs) else None


def _dyadic(ball: Any) -> Fraction:
    mantissa, power = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(power)


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))
