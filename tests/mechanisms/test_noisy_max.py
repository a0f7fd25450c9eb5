"""Report noisy max: its chances, and the nodes that sum them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DesignError
from discreet.mechanisms import NoisyMaxMechanism, noisy_max
from discreet.mechanisms.families.noisy_max import winning
from discreet.mechanisms.lattice import NODES, enough_nodes, run_nodes, sum_nodes
from discreet.model import AllPairs, Grid, Labels


@given(st.integers(1, 10**6), st.integers(0, 2 * NODES - 1))
def test_few_nodes_sum_polynomials_over_long_runs(length, degree):
    nodes, weights = run_nodes(length)
    assert len(nodes) <= NODES
    assert weights.sum() == pytest.approx(length, rel=1e-12)
    if degree <= 3:
        n = length - 1
        sums = (length, n * (n + 1) / 2, n * (n + 1) * (2 * n + 1) / 6, (n * (n + 1) / 2) ** 2)
        assert weights @ nodes**degree == pytest.approx(sums[degree], rel=1e-11)
    rate = 1 / length
    geometric = -math.expm1(-1) / -math.expm1(-rate)
    assert weights @ np.exp(-rate * nodes) == pytest.approx(geometric, rel=1e-12)


@given(st.lists(st.integers(-500, 500), min_size=2, max_size=6, unique=True), st.integers(1, 900))
def test_runs_never_cross_a_break(marks, longest):
    nodes, weights = sum_nodes(sorted(marks), lambda _: longest)
    assert weights.sum() == pytest.approx(max(marks) - min(marks))
    for start, end in itertools.pairwise(sorted(marks)):
        inside = (nodes >= start - 0.5) & (nodes < end - 0.5)
        assert weights[inside].sum() == pytest.approx(end - start)


@given(st.lists(st.floats(1e-6, 30), min_size=1, max_size=60))
def test_few_nodes_are_enough_for_a_product_that_grows_slowly(slopes):
    exact = len(slopes) // 2 + 1
    found, wanted = (
        weights @ np.prod(1 + np.outer(slopes, (nodes + 1) / 2), axis=0)
        for nodes, weights in map(
            np.polynomial.legendre.leggauss, (enough_nodes(sum(slopes), exact), exact)
        )
    )
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("size", "rate"), [(4, 0.01), (41, 0.02), (41, 0.5), (101, 0.01)])
def test_the_nodes_give_what_a_sum_over_every_integer_gives(size, rate):
    """The sum of the docstring, with no nodes in v: chances of 0 … size − 1."""
    scores = np.arange(size)
    values = np.arange(-math.ceil(50 / rate), size + math.ceil(50 / rate))
    alpha = math.exp(-rate)
    above = values[None, :] - scores[:, None]
    tail = np.exp(-rate * np.abs(above)) / (1 + alpha)
    equal, below = tail * (1 - alpha), np.where(above > 0, 1 - tail, tail * alpha)
    wanted = np.zeros(size)
    for lot, share in zip(*np.polynomial.legendre.leggauss(size // 2 + 1), strict=True):
        losing = below + (lot + 1) / 2 * equal
        wanted += share / 2 * (equal * losing.prod(axis=0) / losing).sum(axis=1)
    assert np.allclose(winning(scores, rate), wanted, rtol=1e-11)


def _brute_force(scores, rate, reach):
    alpha = math.exp(-rate)
    steps = np.arange(-reach, reach + 1)
    law = (1 - alpha) / (1 + alpha) * alpha ** np.abs(steps)
    chances = np.zeros(len(scores))
    for drawn in itertools.product(range(len(steps)), repeat=len(scores)):
        noisy = [score + steps[place] for score, place in zip(scores, drawn, strict=True)]
        best = [i for i, value in enumerate(noisy) if value == max(noisy)]
        for i in best:
            chances[i] += math.prod(law[place] for place in drawn) / len(best)
    return chances


@pytest.mark.parametrize(("scores", "rate"), [([0, 1, 3], 2.5), ([2, 2, 2], 3.0), ([0, 4], 0.7)])
def test_the_chances_are_those_of_every_combination_of_noises(scores, rate):
    reach = math.ceil(26 / rate)
    wanted = _brute_force(scores, rate, reach)
    assert np.allclose(winning(np.array(scores), rate), wanted, rtol=1e-8, atol=1e-12)


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=8),
    st.floats(1e-4, 20),
    st.integers(-1000, 1000),
)
def test_chances_sum_to_one_grow_with_the_score_and_ignore_a_common_shift(scores, rate, shift):
    chances = winning(np.array(scores), rate)
    assert chances.sum() == pytest.approx(1)
    order = np.argsort(scores, kind="stable")
    assert (np.diff(chances[order]) >= -1e-12).all()
    assert np.allclose(chances, winning(np.array(scores) + shift, rate), rtol=1e-12)
    equal = np.array(scores)[:, None] == np.array(scores)[None, :]
    assert np.allclose(chances[:, None] * equal, chances[None, :] * equal, rtol=1e-9)


def test_scores_too_fine_or_outputs_too_many_are_refused_with_advice():
    labels = Labels.of(["a", "b"])
    with pytest.raises(DesignError, match="round the scores to a coarser step"):
        noisy_max(labels, AllPairs(), 1, scores=[["1e-30", 0], [0, 1]])
    with pytest.raises(DesignError, match="too much work for 1501 outputs; use permute-and-flip"):
        noisy_max(Grid.between(0, 1500), AllPairs(), "0.01")


def test_accuracy_is_twice_what_no_noise_exceeds():
    """Each of k noises exceeds t with probability 2e^(−t−1)/(1 + 1/e) at rate 1."""
    noise = NoisyMaxMechanism.of(1, 1, monotone=True)
    for outputs in (2, 100, 10**6):
        t = noise.accuracy("0.99", outputs) // 2
        for steps, enough in ((t, True), (t - 1, False)):
            beyond = 2 * math.exp(-(steps + 1)) / (1 + math.exp(-1))
            assert (outputs * beyond <= 0.01) is enough
