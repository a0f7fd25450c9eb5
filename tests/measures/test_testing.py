"""No test between neighbours errs less than the bounds say, and the tight one is reached."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import tight_epsilon
from discreet.measures import testing_bounds as bounds_of
from discreet.measures import total_variation
from discreet.model import AllPairs, Grid, Labels, Mechanism
from ground_truth import labels, mechanisms, naive_delta, naive_pairs, number_spaces, probability

epsilons = st.fractions(min_value=Fraction(1, 10**6), max_value=60)


@given(epsilons)
def test_the_tight_bound_is_never_below_pinsker_s(epsilon):
    bounds = bounds_of(epsilon)
    assert 0 <= bounds.pinsker <= bounds.tight <= 1
    assert bounds.tight == pytest.approx(1 - math.tanh(float(epsilon) / 2), rel=1e-6, abs=1e-15)
    assert bounds.pinsker == pytest.approx(max(0, 1 - math.sqrt(float(epsilon) / 2)), abs=1e-6)


@given(mechanisms(number_spaces() | labels()))
def test_total_variation_is_the_escape_at_epsilon_zero(mechanism):
    assert total_variation(mechanism) == naive_delta(mechanism, Fraction(1))


@settings(max_examples=50)
@given(mechanisms(number_spaces(max_size=4), scales=(1, 2**70)))
def test_the_best_test_errs_by_one_minus_the_distance(mechanism):
    rows = range(len(mechanism.outputs))
    least = min(
        (
            sum(probability(mechanism, i, j if test[i] else k) for i in rows)
            for j, k in naive_pairs(mechanism.neighbours, len(mechanism.answers))
            for test in product([True, False], repeat=len(rows))
        ),
        default=Fraction(1),
    )  # fmt: skip
    assert least == 1 - total_variation(mechanism)
    tight = tight_epsilon(mechanism)
    if tight.is_finite and 0 < tight.high < 99:
        bounds = bounds_of(tight.high + Fraction(1, 10**9))
        assert bounds.tight <= least + Fraction(1, 10**12)
        assert bounds.pinsker <= least + Fraction(1, 10**12)


@given(st.fractions(min_value="101/100", max_value=1000, max_denominator=1000))
def test_randomized_response_reaches_the_tight_bound(ratio):
    coins = Labels.of(["no", "yes"])
    p, q = ratio.numerator, ratio.denominator
    flip = Mechanism.of(coins, coins, AllPairs(), [[p, q], [q, p]])
    assert float(1 - total_variation(flip)) == pytest.approx(bounds_of(f"log {ratio}").tight)


def test_machine_words_do_not_overflow():
    space = Grid.between(0, 1)
    top = 2**63 - 1
    honest = Mechanism.of(space, space, AllPairs(), [[top, 0], [0, top]])
    assert total_variation(honest) == 1
    alone = Grid.between(0, 0)
    assert total_variation(Mechanism.of(alone, alone, AllPairs(), [[1]])) == 0
