"""Whatever a solver proposes becomes integers that keep every ratio, near the proposal."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.model import AllPairs, Grid, Mechanism, Within
from discreet.repair import envelope_integers, filled_integers
from ground_truth import naive_worst_ratio, relations

epsilons = st.sampled_from(["0.01", "0.2", "log 2", "1", "4", "20"])


@st.composite
def private_matrices(draw):
    """A float matrix that keeps every ratio: a mixture of geometric rows, columns summing to 1."""
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 9))
    relation = draw(relations(columns))
    epsilon = Epsilon.of(draw(epsilons))
    apart = relation.distances(columns).astype(float)
    apart[apart < 0] = np.inf
    alpha = np.exp(-float(epsilon) / 2)
    peaks = draw(st.lists(st.integers(0, columns - 1), min_size=rows, max_size=rows))
    matrix = alpha ** apart[peaks] + 1e-3
    return matrix / matrix.sum(axis=0), relation, epsilon


def _mechanism(matrix, relation, weights):
    rows, columns = matrix.shape
    return Mechanism.of(Grid.between(0, columns - 1), Grid.between(0, rows - 1), relation, weights)


@settings(max_examples=60)
@given(private_matrices(), st.integers(0, 2**32), st.sampled_from([0.0, 1e-14, 1e-9, 1e-4]))
def test_repaired_integers_are_certified_and_near(private, seed, noise):
    matrix, relation, epsilon = private
    shaken = matrix + noise * np.random.default_rng(seed).uniform(-1, 1, matrix.shape)
    weights = envelope_integers(shaken, relation, epsilon.ratio_below, 0)
    mechanism = _mechanism(matrix, relation, weights)
    assert mechanism.total == 2**62
    certify(mechanism, epsilon)
    worst = naive_worst_ratio(mechanism)
    assert worst is not None
    assert worst <= epsilon.ratio_below
    room = 1 - 1 / float(epsilon.ratio_below)
    assert np.abs(mechanism.probabilities() - matrix).max() <= (noise + 2e-15) * (4 + 40 / room)


@pytest.mark.parametrize("relation", [Within(1), Within(3)])
def test_tails_far_below_the_last_bit_stay_positive(relation):
    """A tail of 2⁻¹¹⁵ is raised to whole numbers: no zero stands beside a weight."""
    matrix = np.exp(-2.0 * relation.distances(41))
    matrix /= matrix.sum(axis=0)
    weights = envelope_integers(matrix, relation, Epsilon.of(4).ratio_below, 20)
    certify(_mechanism(matrix, relation, weights), 4)
    assert min(weights.ravel()) > 0
    assert np.abs(weights.astype(float) / 2**62 - matrix).max() < 1e-9


@settings(max_examples=60)
@given(private_matrices(), st.integers(0, 2**32))
def test_what_columns_lack_is_private_by_itself(private, seed):
    """A row that held nothing takes what the columns lack, and must keep every ratio alone."""
    matrix, relation, epsilon = private
    noise = 1 + 1e-3 * np.random.default_rng(seed).uniform(-1, 1, matrix.shape[1])
    with_spare = np.vstack([np.zeros(matrix.shape[1]), matrix * noise])
    weights = envelope_integers(with_spare, relation, epsilon.ratio_below, 0)
    certify(_mechanism(with_spare, relation, weights), epsilon)


def test_zeros_of_a_solver_are_filled():
    matrix = np.eye(5) * 0.5 + np.full((5, 5), 0.1)
    matrix[0, 4] = 0.0
    matrix[1, 4] += 0.1
    weights = envelope_integers(matrix, AllPairs(), Epsilon.of(2).ratio_below, 2)
    certify(_mechanism(matrix, AllPairs(), weights), 2)


def test_rows_without_weight_stay_without():
    matrix = np.array([[1e-16, 0.0], [0.6, 0.4], [0.4, 0.6]])
    weights = envelope_integers(matrix, Within(1), Fraction(2), 1)
    assert weights[0].tolist() == [0, 0]


@given(private_matrices())
@settings(max_examples=30)
def test_no_cell_falls_below_its_least(private):
    matrix, relation, epsilon = private
    least = np.zeros(matrix.shape)
    least[:, 0] = (1 - 1e-6) / len(matrix)
    share = np.full(matrix.shape, 1 / len(matrix))
    weights = envelope_integers(share, relation, epsilon.ratio_below, 0, least=least)
    certify(_mechanism(matrix, relation, weights), epsilon)
    for i in range(len(matrix)):
        assert weights[i, 0] >= Fraction(least[i, 0]) * 2**62


def test_a_matrix_that_is_no_mechanism_is_refused():
    with pytest.raises(DesignError, match="too far from private"):
        envelope_integers(np.eye(3), Within(1), Epsilon.of("0.1").ratio_below, 0)


@settings(max_examples=60)
@given(private_matrices(), st.sampled_from([0.0, 2.0**-56, 1e-6, 0.01]))
def test_filled_columns_have_one_sum(private, mixed):
    matrix, _, _ = private
    weights = filled_integers(matrix, 0, mixed)
    assert weights.sum(axis=0).tolist() == [2**62] * matrix.shape[1]
    assert min(weights.ravel()) >= 0
    kept = weights[1:].astype(float) / 2**62
    assert np.abs(kept - (1 - mixed) * matrix[1:]).max(initial=0) < 1e-14
