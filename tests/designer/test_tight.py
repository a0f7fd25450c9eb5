"""Tight constraints: exact systems, a test that no near miss passes, private integers."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.designer import design
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.designer.request import Request
from discreet.designer.tight import SolverArithmetic, TightProblem, solving, tight_constraints
from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.model import Goal, Graph, Labels, Loss
from graphs.strategies import EPSILONS, connected_graphs

CHANCE = st.integers(1, 9)


@st.composite
def requests(draw, most=6):
    """A graph, any prior, any loss that is 0 for the truth and not for others."""
    graph = draw(connected_graphs(most=most))
    size = graph.size
    chances = draw(st.lists(CHANCE, min_size=size, max_size=size))
    costs = draw(st.lists(st.integers(1, 5), min_size=size * size, max_size=size * size))
    table = np.array(costs, dtype=float).reshape(size, size)
    if draw(st.booleans()):
        table = graph.distances.astype(float)
    np.fill_diagonal(table, 0.0)
    prior = [chance / sum(chances) for chance in chances]
    goal = Goal.of(Loss.of_table(table.tolist()), prior)
    return Request.of(graph.space, graph.neighbours, draw(EPSILONS), goal)


@given(requests())
@settings(max_examples=60, deadline=None)
def test_optimal_where_it_says_so_and_bounded_everywhere(request):
    best = solve(plain_program(request)).value
    problem = TightProblem.of_request(request)
    try:
        found = tight_constraints(problem, request.epsilon)
    except DesignError:
        return
    assert float(found.lower_bound) <= best * (1 + 1e-7) + 1e-9
    if found.optimal:
        assert float(found.lower_bound) == pytest.approx(best, rel=1e-7, abs=1e-9)
        chosen = design(
            request.answers, request.neighbours, request.epsilon, request.goal,
            method="tight", cache=None,
        )  # fmt: skip
        assert chosen.value == pytest.approx(best, rel=1e-7, abs=1e-9)
        assert chosen.gap < 1e-9
        keeps_every_ratio(chosen.mechanism, request)
    elif found.private:
        anyway = design(
            request.answers, request.neighbours, request.epsilon, request.goal,
            method="tight-anyway", cache=None,
        )  # fmt: skip
        assert anyway.lower_bound <= best * (1 + 1e-7) + 1e-9
        assert best <= anyway.value * (1 + 1e-7) + 1e-9
        keeps_every_ratio(anyway.mechanism, request)


def keeps_every_ratio(mechanism, request):
    """Every ratio in integers, cell by cell: shares no code with what made the matrix."""
    ratio = request.epsilon.ratio_below
    for j, k in request.neighbours.pairs(len(request.answers)):
        for row in mechanism.weights.tolist():
            assert row[j] * ratio.denominator <= row[k] * ratio.numerator
            assert row[k] * ratio.denominator <= row[j] * ratio.numerator
    assert {sum(column) for column in mechanism.weights.T.tolist()} == {mechanism.total}


@given(requests())
@settings(max_examples=30, deadline=None)
def test_over_the_rationals_both_systems_hold_exactly(request):
    problem = TightProblem.of_request(request)
    try:
        found = tight_constraints(problem, request.epsilon)
    except DesignError:
        return
    assert found.arithmetic == SolverArithmetic.RATIONALS
    assert found.gamma >= 1 / request.epsilon.ratio_above
    chances = [Fraction(chance) for chance in request.goal.prior.weights]
    for y, told in enumerate(request.loss.tolist()):
        powers = [found.gamma ** int(apart) for apart in problem.distances[y]]
        assert sum(p * w for p, w in zip(powers, found.weights, strict=True)) == 1
        costs = [q * Fraction(loss) for q, loss in zip(chances, told, strict=True)]
        wanted = sum(p * cost for p, cost in zip(powers, costs, strict=True))
        assert sum(p * m for p, m in zip(powers, found.multipliers, strict=True)) == wanted


@given(requests(), st.sampled_from([SolverArithmetic.BALLS, SolverArithmetic.FLOATS]))
@settings(max_examples=30, deadline=None)
def test_balls_decide_what_rationals_decide_and_floats_prove_nearly_as_much(request, arithmetic):
    problem = TightProblem.of_request(request)
    try:
        exact = tight_constraints(problem, request.epsilon)
    except DesignError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solving, "MOST_EXACT", 0)
        if arithmetic == SolverArithmetic.FLOATS:
            patch.setattr(solving, "MOST_BALLS", 0)
        other = tight_constraints(problem, request.epsilon)
    assert other.arithmetic == arithmetic
    if arithmetic == SolverArithmetic.BALLS:
        assert other.lower_bound == pytest.approx(exact.lower_bound, rel=1e-12, abs=1e-15)
        assert not (other.optimal and not exact.optimal)
    else:
        assert not other.optimal
        best = solve(plain_program(request)).value
        assert float(other.lower_bound) <= best * (1 + 1e-7) + 1e-9


def path_of(size):
    """Distances of a path."""
    return np.abs(np.subtract.outer(np.arange(size), np.arange(size)))


@pytest.mark.parametrize("balls", [False, True])
def test_a_near_miss_does_not_pass(monkeypatch, balls):
    """Caps at the multipliers themselves pass; any cap lower, by however little, does not."""
    problem = TightProblem.of_metric(path_of(5), np.arange(5))
    known = tight_constraints(problem, "log 3")
    wanted = [multiplier / problem.unit for multiplier in known.multipliers]
    fine = math.lcm(*(cap.denominator for cap in wanted)) << 300
    exactly = [cap * fine for cap in wanted]
    limit = replace(
        problem, costs=problem.costs.astype(object) * fine, unit=problem.unit / fine,
        caps=tuple(int(cap) for cap in exactly),
    )  # fmt: skip
    if balls:
        monkeypatch.setattr(solving, "MOST_EXACT", 0)
    # Balls cannot tell equal from a hair more, and do not claim to.
    assert tight_constraints(limit, "log 3").optimal is not balls
    for place, step in product(range(5), (1, fine >> 200)):
        lower = [cap - step * (k == place) for k, cap in enumerate(limit.caps)]
        assert not tight_constraints(replace(limit, caps=tuple(lower)), "log 3").optimal


@pytest.mark.parametrize("balls", [False, True])
def test_a_singular_system_is_refused(monkeypatch, balls):
    """The complete bipartite graph on 3 + 3 nodes at γ = 1/2."""
    if balls:
        monkeypatch.setattr(solving, "MOST_EXACT", 0)
    edges = [(one, other) for one in range(3) for other in range(3, 6)]
    distances = Graph.of(6, edges).distances(6)
    problem = TightProblem.of_metric(distances, np.arange(6))
    with pytest.raises(
        DesignError, match=r"singular at ε = log 2.*use another ε, or the linear program"
    ):
        tight_constraints(problem, "log 2")
    assert tight_constraints(problem, "log 5").private


def test_a_graph_is_designed_without_a_program():
    star = Graph.of(5, [(0, leaf) for leaf in range(1, 5)])
    space = Labels.of(["hub", "a", "b", "c", "d"])
    found = design(space, star, 3, Goal.of("zero-one"), cache=None)
    assert found.method == "tight"
    assert found.gap < 1e-12
    plain = design(space, star, 3, Goal.of("zero-one"), method="plain", cache=None)
    assert found.value == pytest.approx(plain.value, rel=1e-8)
    assert certify(found.mechanism, 3).guarantee.epsilon == Epsilon.of(3)
