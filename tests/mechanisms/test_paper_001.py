"""The examples of paper 001, each as it is printed."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.certifier import certify, tight_epsilon
from discreet.errors import InvalidInput, NotCertified
from discreet.mechanisms import (
    GeometricMechanism,
    LaplaceMechanism,
    databases,
    exponential,
    laplace_accuracy,
    noisy_max,
    randomized_response,
)
from discreet.mechanisms.families.laplace import truncated_geometric
from discreet.model import AllPairs, Graph, Grid, Labels, Mechanism, Within
from statistics_bounds import ALARM, tail_bound

BIT = Labels.of(["0", "1"])


def test_example_1_two_coins_are_private_at_exactly_log_3():
    coins = randomized_response(BIT, AllPairs(), "log 3")
    assert coins.weights.tolist() == [[3, 1], [1, 3]]
    assert certify(coins, "log 3").guarantee.epsilon.log_of == 3
    assert tight_epsilon(coins).witness.ratio == 3
    with pytest.raises(NotCertified):
        certify(coins, "1.098612288")


@pytest.mark.parametrize("rows", [2, 3, 10])
def test_example_2_releasing_a_random_row_is_rejected_with_a_witness(rows):
    """The printed pair: no ones, against a single one."""
    ones = Grid.between(0, rows - 1)
    weights = [[rows - count for count in range(rows)], list(range(rows))]
    release = Mechanism.of(ones, Grid.between(0, 1), Within(1), weights)
    for epsilon in ("0.5", "100"):
        with pytest.raises(NotCertified, match="output 1 is possible under 1 and impossible") as no:
            certify(release, epsilon)
        assert "under 0; no finite ε allows that" in str(no.value)


def test_example_3_no_count_of_ten_thousand_first_names_is_off_by_more():
    assert math.ceil(100 * laplace_accuracy(2, 2, "0.95", 10_000)) / 100 == 12.21
    assert 24.41 < laplace_accuracy(2, 1, "0.95", 10_000) <= 24.42
    names = LaplaceMechanism.of(2, 2, on_grid=True)
    assert names.accuracy("0.95", 10_000) == 12
    assert LaplaceMechanism.of(2, 1, on_grid=True).accuracy("0.95", 10_000) == 24
    fine = LaplaceMechanism.of(2, 2, "0.001", on_grid=True)
    assert abs(fine.accuracy("0.95", 10_000) - Fraction("12.206")) <= Fraction("0.001")


def test_example_3_the_promise_is_kept_by_what_is_drawn():
    counts, times = np.zeros(10_000, dtype=np.int64), 150
    names = GeometricMechanism.counting(2, sensitivity=2)
    off = sum(int(np.abs(names.draw_counts(counts)).max() > 12) for _ in range(times))
    assert off <= 0.05 * times or tail_bound(off, times, 0.05) > ALARM


def _count_vectors(queries, largest):
    return list(itertools.product(range(largest + 1), repeat=queries))


def _relation(vectors, moves):
    moves = list(moves)
    index = {vector: place for place, vector in enumerate(vectors)}
    edges = {
        (index[vector], index[moved])
        for vector in vectors
        for move in moves
        if (moved := tuple(c + m for c, m in zip(vector, move, strict=True))) in index
        and moved != vector
    }
    return Graph.of(len(vectors), edges)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_example_4_noisy_max_of_counts_costs_epsilon_when_a_record_is_added(epsilon):
    vectors = _count_vectors(3, 3)
    space = Labels(tuple(",".join(map(str, vector)) for vector in vectors))
    queries = Labels.of(["a", "b", "c"])
    table = [[vector[i] for vector in vectors] for i in range(3)]
    added = _relation(vectors, itertools.product((0, 1), repeat=3))
    counts = noisy_max(
        space, added, epsilon, outputs=queries, scores=table, sensitivity=1, monotone=True
    )
    certify(counts, epsilon)
    assert float(tight_epsilon(counts)) > 0.7 * float(Fraction(epsilon))


def test_example_4_needs_twice_the_noise_when_a_record_is_replaced():
    """A replaced record raises one count and lowers another: the printed scale is too small."""
    vectors = _count_vectors(2, 6)
    space = Labels(tuple(",".join(map(str, vector)) for vector in vectors))
    queries = Labels.of(["a", "b"])
    table = [[vector[i] for vector in vectors] for i in range(2)]
    added = _relation(vectors, itertools.product((0, 1), repeat=2))
    replaced = _relation(vectors, itertools.product((-1, 0, 1), repeat=2))
    printed = noisy_max(space, added, 1, outputs=queries, scores=table, monotone=True)
    moved = Mechanism.of(space, queries, replaced, printed.weights)
    with pytest.raises(NotCertified):
        certify(moved, 1)
    with pytest.raises(InvalidInput, match="not monotone"):
        noisy_max(space, replaced, 1, outputs=queries, scores=table, monotone=True)
    certify(noisy_max(space, replaced, 1, outputs=queries, scores=table), 1)


PRICES = Labels.of(["1", "1.01", "3", "3.01"])


def _revenue(price, bids):
    return Fraction(price) * sum(Fraction(bid) >= Fraction(price) for bid in bids.split(","))


def _auction(epsilon):
    space, neighbours = databases(Grid.between(0, 4), 3)
    return exponential(space, neighbours, epsilon, outputs=PRICES, scores=_revenue)


def test_example_5_the_revenue_at_each_price():
    assert [_revenue(price, "1,1,3") for price in PRICES.names] == [3, Fraction("1.01"), 3, 0]


@pytest.mark.parametrize("epsilon", ["0.1", "1", "20"])
def test_examples_5_and_6_the_auction_is_private_and_keeps_its_bound(epsilon):
    auction = _auction(epsilon)
    certify(auction, epsilon)
    spread, width = float(Fraction(epsilon)), 3.01
    for bids, column in zip(auction.answers.names, auction.probabilities().T, strict=True):
        revenue = np.array([float(_revenue(price, bids)) for price in PRICES.names])
        weights = np.exp(spread * revenue / (2 * width))
        assert np.allclose(column, weights / weights.sum(), rtol=1e-6)
        for t in (0.0, 0.5, 1.0, 3.0):
            bound = revenue.max() - 2 * width / spread * (t + math.log(len(revenue)))
            assert column[revenue <= bound].sum() <= math.exp(-t)


def test_proposition_7_rejects_a_sensitivity_that_is_too_small():
    space, neighbours = databases(Grid.between(0, 4), 3)
    with pytest.raises(InvalidInput, match=r"changes by 301/100 .* sensitivity 3; declare"):
        exponential(space, neighbours, 1, outputs=PRICES, scores=_revenue, sensitivity=3)


def test_remark_1_distance_as_utility_is_laplace_with_twice_the_scale():
    answers, wide = Grid.between(0, 4), Grid.between(-600, 604)
    by_score = exponential(answers, Within(2), 1, outputs=wide).probabilities()
    by_noise = truncated_geometric(len(wide), 600, len(answers), 1 / 4)
    assert np.allclose(by_score[1:-1], by_noise[1:-1], rtol=1e-9, atol=1e-15)
