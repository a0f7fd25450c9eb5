"""Tight constraints as design methods: where they are proved best, and where nothing else suits."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.designer.programs.program import Indices
from discreet.designer.request import Finding, Method, Request, constant_output
from discreet.designer.tight.integers import tight_integers
from discreet.designer.tight.problem import TightProblem
from discreet.designer.tight.solving import TightConstraints, tight_constraints
from discreet.errors import DesignError
from discreet.model import Mechanism

MOST_ANSWERS = 400
"""So many answers without a known symmetry: a system of as many unknowns takes seconds."""


def why_not(request: Request) -> str | None:
    """Why the two systems do not suit a request; None when they may."""
    if not request.is_plain:
        return "only for pure ε and one prior, without requirements"
    if request.steps is not None:
        return "neighbours lie on a line"
    if request.outputs != request.answers:
        return "the outputs are not the answers"
    if len(request.answers) > MOST_ANSWERS:
        return f"more than {MOST_ANSWERS} answers"
    return None


def run(request: Request) -> Finding:
    """The mechanism, where it passes the test that nothing is better."""
    problem = TightProblem.of_request(request)
    solution = tight_constraints(problem, request.epsilon)
    if not solution.optimal:
        raise DesignError(
            "a multiplier is too large" if solution.private else "a weight is negative"
        )
    return finding(request, np.asarray(problem.distances), solution.weights, solution)


def run_anyway(request: Request) -> Finding:
    """The mechanism wherever it is private, with the bound that was proved."""
    problem = TightProblem.of_request(request)
    solution = tight_constraints(problem, request.epsilon)
    if not solution.private:
        raise DesignError("a weight is negative")
    return finding(request, np.asarray(problem.distances), solution.weights, solution)


def finding(
    request: Request,
    distances: Indices,
    weights: Sequence[Fraction],
    solution: TightConstraints,
) -> Finding:
    """Whole numbers near w_y·γ^d(x,y), and the bound below every private cost, rounded down."""
    cells = tight_integers(
        weights, distances, request.epsilon.ratio_below, constant_output(request)
    )
    mechanism = Mechanism.of(
        request.answers, request.outputs, request.neighbours, cells, name="tight constraints"
    )
    return Finding(mechanism, float_below(solution))


def float_below(solution: TightConstraints) -> float:
    """The proven bound as a float that is not above it, and not below 0, which no cost is."""
    nearest = float(solution.lower_bound)
    return max(0.0, nearest - abs(nearest) * 2.0**-50)


_CITATION = "ElSalamouny, Chatzikokolakis & Palamidessi 2013; docs/proofs/tight-constraints.md"

TIGHT = Method(
    name="tight",
    title="The tight-constraints mechanism, where it is proved best",
    citation=_CITATION,
    why_not=why_not,
    run=run,
)

TIGHT_ANYWAY = Method(
    name="tight-anyway",
    title="The tight-constraints mechanism, with the gap to a proven bound",
    citation=_CITATION,
    why_not=why_not,
    run=run_anyway,
)
