"""The bounds of 002 for paths: never on the wrong side of what the programs say."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.errors import GoalError
from discreet.graphs import full_exponential, half_exponential, layer_cost, optimum_1, path
from discreet.graphs.path_bounds import (
    balanced_bound,
    best_theorem_2,
    corollary_3,
    corollary_4,
    least_reach,
    lemma_7,
    long_path_share,
    middle_of_path,
    middle_of_path_below,
    one_sided_path,
    theorem_2,
    two_sided_path,
)

EPSILON = st.integers(1, 40).map(lambda tenths: f"{tenths / 10:g}")
NODES = st.integers(2, 44)


@given(EPSILON)
def test_example_3_is_the_limit_of_long_paths(epsilon):
    gamma = math.exp(-float(epsilon))
    assert one_sided_path(epsilon) == pytest.approx(gamma / (1 - gamma))
    assert two_sided_path(epsilon) == pytest.approx(2 * gamma / (1 - gamma**2))
    assert layer_cost([1] * 2000, epsilon) == pytest.approx(one_sided_path(epsilon), rel=1e-9)
    assert middle_of_path(2000, epsilon) == pytest.approx(two_sided_path(epsilon), rel=1e-9)


@given(st.integers(1, 200), EPSILON)
def test_lemma_6_bounds_the_middle_of_a_path(reach, epsilon):
    value = middle_of_path(reach, epsilon)
    rounding = 1e-12 * value
    assert value <= middle_of_path(reach + 1, epsilon) + rounding
    assert middle_of_path_below(reach, epsilon) <= value + rounding
    assert value <= two_sided_path(epsilon) + rounding
    slack = reach * -math.expm1(-float(epsilon))
    assert two_sided_path(epsilon) * long_path_share(slack) <= value + rounding


@given(st.floats(0.1, 30), EPSILON)
def test_the_least_reach_is_the_least_that_13_allows(slack, epsilon):
    gap = -math.expm1(-float(epsilon))
    reach = least_reach(slack, epsilon)
    assert reach * gap >= slack * (1 - 1e-12)
    assert reach == 1 or (reach - 1) * gap < slack
    value = middle_of_path(reach, epsilon)
    assert two_sided_path(epsilon) * long_path_share(slack) <= value * (1 + 1e-12)


@given(NODES, EPSILON, st.floats(1, 6), st.integers(0, 3))
@settings(max_examples=25)
def test_lower_bounds_never_exceed_the_optimum(nodes, epsilon, slack, more):
    best = optimum_1(path(nodes), epsilon).value
    bounds = [balanced_bound(nodes, epsilon).value]
    reach = least_reach(slack, epsilon) + more
    bounds.append(balanced_bound(nodes, epsilon, reach).value)
    if nodes >= 4 * reach:
        bounds.append(theorem_2(nodes, epsilon, slack, reach))
    found = best_theorem_2(nodes, epsilon)
    if found is not None:
        bounds.append(found.value)
    assert max(bounds) <= best


def test_theorem_2_is_never_better_at_another_slack():
    """Not in quarters: at (80, 0.2) s = 1.63 gives 0.9305, and the nearest quarters 0.732."""
    best = best_theorem_2(80, "0.2").value
    slacks = [1 + step / 100 for step in range(400)]
    values = [theorem_2(80, "0.2", s) for s in slacks if least_reach(s, "0.2") <= 80 // 4]
    assert 0.93 < max(values) <= best * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", ["2", "3", "4"])
def test_long_paths_where_the_corollaries_apply(epsilon):
    nodes = 90
    best = optimum_1(path(nodes), epsilon).value
    assert corollary_3(nodes, epsilon, 2) <= best
    cost = half_exponential(path(nodes), epsilon).cost
    assert corollary_4(nodes, epsilon, 2) <= best / cost


@given(NODES, EPSILON)
@settings(max_examples=25)
def test_lemma_7_is_above_what_the_exponentials_cost(nodes, epsilon):
    graph = path(nodes)
    assert full_exponential(graph, epsilon).cost < lemma_7(epsilon)
    assert half_exponential(graph, epsilon).cost < lemma_7(epsilon, half=True)


@given(st.integers(2, 10**6), EPSILON, st.floats(1, 10), st.integers(0, 40))
def test_balancing_the_dilemma_is_never_worse_than_theorem_2(nodes, epsilon, slack, more):
    reach = least_reach(slack, epsilon) + more
    assume(nodes >= 4 * reach)
    balanced = balanced_bound(nodes, epsilon, reach).value
    assert theorem_2(nodes, epsilon, slack, reach) <= balanced * (1 + 1e-12) + 1e-12


@given(EPSILON, st.floats(2, 8), st.integers(0, 30))
def test_the_mended_condition_of_corollary_3_is_enough(epsilon, slack, more):
    reach = least_reach(slack, epsilon) + more
    gamma = math.exp(-float(epsilon))
    nodes = math.ceil(2 * slack**2 * reach * (1 + gamma) / gamma)
    value = corollary_3(nodes, epsilon, slack, reach)
    assert value == pytest.approx(theorem_2(nodes, epsilon, slack, reach))
    ratio = math.sqrt(gamma) / (1 + gamma) * (1 - 1 / slack) * long_path_share(slack)
    assert corollary_4(nodes, epsilon, slack, reach) == pytest.approx(ratio)


def test_the_printed_condition_of_corollary_3_is_not_enough():
    epsilon, slack = "0.05", 2.0
    gamma, reach = math.exp(-0.05), least_reach(2.0, "0.05")
    nodes = math.ceil(slack**2 * reach * (1 + gamma) / gamma)
    term = two_sided_path(epsilon) * (1 - 1 / slack) * long_path_share(slack)
    assert theorem_2(nodes, epsilon, slack, reach) < term / 2
    with pytest.raises(GoalError, match="need a longer path for s = 2"):
        corollary_3(nodes, epsilon, slack, reach)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theorem_2(100, 1, 0.5), "the slack s must be a number of at least 1, got 0.5"),
        (lambda: theorem_2(100, 1, math.nan), "the slack s must be a number"),
        (lambda: theorem_2(5, 1, 2), "needs a path of at least 4ℓ = 16 nodes, got 5"),
        (lambda: theorem_2(100, 1, 2, 3), "the reach ℓ must be at least"),
        (lambda: corollary_3(1000, 1, 1.5), "the slack s must be a number of at least 2"),
        (lambda: middle_of_path(0, 1), "the reach must be a whole number of at least 1, got 0"),
        (lambda: balanced_bound(1, 1), "the number of nodes must be a whole number of at least 2"),
    ],
)
def test_conditions_that_do_not_hold_are_named(call, message):
    with pytest.raises(GoalError, match=message):
        call()
