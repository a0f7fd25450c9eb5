"""What the items of 001 are built from, by a second road."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify, tight_epsilon
from discreet.errors import NotCertified
from discreet.measures import testing_bounds as bounds_of
from discreet.measures import total_variation
from discreet.mechanisms import geometric, randomized_response
from discreet.model import AllPairs, Grid, Labels, Mechanism, Within
from discreet.papers.p001.choosing import BIDS, PRICES, auction, chance_to_lose, revenue
from discreet.papers.p001.composition import one_after_another, side_by_side
from discreet.papers.p001.definition import coins, processed, random_channel, random_row
from discreet.papers.p001.laplace import exact_quantile
from discreet.papers.p001.noisy_max import printed_scale
from discreet.papers.p001.testing import MECHANISMS, best_test, largest_divergence
from statistics_bounds import ALARM, tail_bound

COUNT = Grid.between(0, 3)
WEIGHTS = st.lists(st.integers(1, 9), min_size=4, max_size=4)


def _mechanism(rows):
    """Any positive matrix, made to have equal column sums by one more output."""
    matrix = np.array(rows).T
    spare = matrix.sum(axis=0).max() + 1 - matrix.sum(axis=0)
    return Mechanism.of(COUNT, Grid.between(0, len(matrix)), AllPairs(), np.vstack([matrix, spare]))


MATRICES = st.lists(WEIGHTS, min_size=4, max_size=4).map(_mechanism)


def _chances(mechanism):
    return [
        [Fraction(int(cell), mechanism.total) for cell in row] for row in mechanism.weights.tolist()
    ]


@given(MATRICES, MATRICES)
@settings(max_examples=30)
def test_side_by_side_multiplies_chances(first, second):
    joint = _chances(side_by_side(first, second))
    pairs = itertools.product(_chances(first), _chances(second))
    assert joint == [[a * b for a, b in zip(one, other, strict=True)] for one, other in pairs]


@given(MATRICES, st.lists(MATRICES, min_size=5, max_size=5))
@settings(max_examples=30)
def test_one_after_another_lets_the_second_depend_on_the_first(first, second):
    joint = _chances(one_after_another(first, second))
    expected = [
        [a * b for a, b in zip(row, other, strict=True)]
        for row, after in zip(_chances(first), second, strict=True)
        for other in _chances(after)
    ]
    assert joint == expected
    most = max(tight_epsilon(after).high for after in second)
    assert tight_epsilon(one_after_another(first, second)).low <= tight_epsilon(first).high + most


@given(MATRICES)
@settings(max_examples=30)
def test_processing_multiplies_by_the_channel_and_needs_no_more(mechanism):
    channel = random_channel(np.random.default_rng(), 3, 5)
    after = processed(mechanism, channel)
    exact = channel.astype(object) @ mechanism.weights.astype(object)
    assert (after.weights == exact).all()
    assert after.total == mechanism.total * 10**6
    assert tight_epsilon(after).low <= tight_epsilon(mechanism).high


def test_the_coins_and_the_random_row():
    assert coins().weights.tolist() == [[3, 1], [1, 3]]
    row = random_row(7)
    assert row.weights[1].tolist() == list(range(8))
    assert row.total == 7
    assert not tight_epsilon(row).is_finite


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", ["0.3", "1.7"])
def test_the_best_test_errs_as_total_variation_says_and_never_below_the_floor(name, epsilon):
    mechanism = MECHANISMS[name](epsilon)
    found = best_test(certify(mechanism, epsilon), 4_000)
    least = float(1 - total_variation(mechanism))
    assert found.alarm_rate + found.miss_rate == pytest.approx(least, abs=1e-12)
    assert least >= bounds_of(epsilon).tight - 1e-12 >= bounds_of(epsilon).pinsker - 1e-12
    assert tail_bound(found.false_alarms, 4_000, found.alarm_rate) > ALARM
    assert tail_bound(found.misses, 4_000, found.miss_rate) > ALARM
    assert largest_divergence(mechanism) <= float(epsilon) * math.tanh(float(epsilon) / 2) + 1e-9


def test_divergence_of_coins_is_the_textbook_number():
    mechanism = randomized_response(Labels.of(["0", "1"]), AllPairs(), "log 3")
    assert largest_divergence(mechanism) == pytest.approx(0.5 * math.log(3))


@given(st.integers(1, 10**6), st.floats(1e-6, 0.9))
def test_the_exact_quantile_fails_with_the_probability_it_says(dimensions, failure):
    t = exact_quantile(dimensions, failure)
    beyond = -math.expm1(dimensions * math.log1p(-math.exp(-t)))
    assert beyond == pytest.approx(failure, rel=1e-6)
    assert t <= math.log(dimensions / failure) * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_the_printed_scale_of_noisy_max_keeps_epsilon_or_twice_that(epsilon):
    certify(printed_scale(2, 6, epsilon, replaced=False), epsilon)
    replaced = printed_scale(2, 6, epsilon, replaced=True)
    certify(replaced, str(2 * float(epsilon)))
    with pytest.raises(NotCertified):
        certify(replaced, epsilon)


def test_the_auction_of_example_5():
    assert [revenue(price, BIDS) for price in PRICES] == [3, Fraction("1.01"), 3, 0]
    certify(auction("1"), "1")
    assert chance_to_lose() == pytest.approx(5 / 8, abs=1e-3)


def test_geometric_noise_is_a_mechanism_of_proposition_5():
    certify(geometric(Grid.between(0, 9), Within(2), "0.7"), "0.7")
