"""Laws of composition (001 Props. 3 and 4) and of the trade-off curve."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.budget import (
    Disjoint,
    Sequential,
    Single,
    cost_from_dict,
    cost_to_dict,
    delta_after,
    epsilon_after,
)
from discreet.errors import BudgetError
from discreet.exact import Epsilon

singles = st.integers(0, 10**11).map(Single)
costs = st.recursive(
    singles,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda parts: Sequential(tuple(parts))),
        st.tuples(st.lists(inner, max_size=4), st.integers(1, 3)).map(
            lambda pair: Disjoint(tuple(pair[0]), pair[1])
        ),
    ),
    max_leaves=12,
)


@given(costs)
def test_a_cost_survives_the_books(cost):
    assert cost_from_dict(cost_to_dict(cost)) == cost


@given(st.lists(singles, min_size=1, max_size=6), st.integers(1, 6))
def test_disjoint_groups_cost_between_the_largest_and_the_sum(parts, touched):
    disjoint = Disjoint(tuple(parts), touched).total
    assert max(part.total for part in parts) <= disjoint <= Sequential(tuple(parts)).total


@given(st.lists(singles, min_size=2, max_size=6))
def test_a_changed_record_costs_the_two_dearest_groups(parts):
    dearest = sorted(part.total for part in parts)[-2:]
    assert Disjoint(tuple(parts), touched=2).total == sum(dearest)


@pytest.mark.parametrize("bad", [None, {}, {"single": "1"}, {"single": -1}, {"sequential": 3}, []])
def test_a_damaged_cost_is_refused_in_one_line(bad):
    with pytest.raises(BudgetError) as refused:
        cost_from_dict(bad)
    assert "\n" not in str(refused.value)


def exact_delta(epsilon: float, count: int, target: float) -> float:
    """Kairouz, Oh and Viswanath, in the form of Murtagh and Vadhan (2016), Theorem 1.4."""
    terms = (
        math.comb(count, i)
        * max(0.0, math.exp((count - i) * epsilon) - math.exp(target + i * epsilon))
        for i in range(count + 1)
    )
    return math.fsum(terms) / (1 + math.exp(epsilon)) ** count


@given(
    st.sampled_from(["0.05", "0.1", "0.5", "1"]),
    st.integers(1, 30),
    st.fractions(0, 3, max_denominator=20),
)
def test_equal_answers_follow_the_exact_theorem(epsilon, count, target):
    ours = delta_after([Epsilon.of(epsilon)] * count, target)
    assert ours == pytest.approx(
        exact_delta(float(epsilon), count, float(target)), rel=1e-9, abs=1e-12
    )


@given(st.lists(st.integers(1, 2 * 10**9), min_size=1, max_size=8), st.fractions(0, 4))
def test_mixed_answers_are_bounded_from_above(billionths, target):
    epsilons = [Epsilon(b) for b in billionths]
    spread = {Fraction(0): 1.0}
    for epsilon in epsilons:
        likely = 1 / (1 + math.exp(-float(epsilon)))
        wider: dict[Fraction, float] = {}
        for loss, weight in spread.items():
            wider[loss + epsilon.value] = wider.get(loss + epsilon.value, 0) + weight * likely
            wider[loss - epsilon.value] = wider.get(loss - epsilon.value, 0) + weight * (1 - likely)
        spread = wider
    truth = sum(w * -math.expm1(float(target - x)) for x, w in spread.items() if x > target)
    assert truth * (1 - 1e-9) <= delta_after(epsilons, target) <= truth + 2e-3


def test_nothing_asked_costs_nothing_and_all_of_epsilon_needs_no_delta():
    assert delta_after([], Fraction(0)) == 0
    assert delta_after([Epsilon.of("0.3")] * 4, Fraction(12, 10)) == 0


def test_many_small_answers_cost_less_than_their_sum():
    assert epsilon_after([Epsilon.of("0.01")] * 400, 1e-6) < 1.3
