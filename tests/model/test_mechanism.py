"""A mechanism is frozen whole numbers with one column sum, whatever it was made from."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import MechanismError, NeighboursError
from discreet.model import AllPairs, Graph, Grid, Guarantee, Mechanism, Within
from ground_truth import labels, matrices, mechanisms, number_spaces

TWO = Grid.between(0, 1)


@given(mechanisms(number_spaces() | labels()))
def test_columns_are_distributions(mechanism):
    rows, columns = mechanism.shape
    for j in range(columns):
        assert sum(mechanism.column(j).tolist()) == mechanism.total
    shares = mechanism.probabilities()
    assert shares.shape == (rows, columns)
    assert np.allclose(shares.sum(axis=0), 1, atol=1e-12)


@given(mechanisms(number_spaces() | labels()))
def test_it_travels_unchanged(mechanism):
    for other in (pickle.loads(pickle.dumps(mechanism)), copy.deepcopy(mechanism)):
        assert mechanism.same_as(other)
        assert other.weights.tolist() == mechanism.weights.tolist()
        assert not other.weights.flags.writeable


@given(st.data(), st.sampled_from([np.int8, np.int64, np.uint64, object]))
def test_every_kind_of_integer_gives_the_same_mechanism(data, kind):
    rows = data.draw(matrices(2, 2, largest=5))
    plain = Mechanism.of(TWO, TWO, AllPairs(), rows)
    assert plain.same_as(Mechanism.of(TWO, TWO, AllPairs(), np.array(rows, dtype=kind)))


def test_the_array_given_is_copied_and_frozen():
    given_weights = np.array([[1, 2], [2, 1]])
    mechanism = Mechanism.of(TWO, TWO, AllPairs(), given_weights)
    given_weights[0, 0] = 5
    assert mechanism.weights[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        mechanism.weights[0, 0] = 5
    with pytest.raises(AttributeError):
        mechanism.total = 7
    with pytest.raises(TypeError):
        mechanism.notes["x"] = 1


@pytest.mark.parametrize("total", [2**62, 2**63 - 1, 2**63, 2**64, 10**300])
def test_weights_of_any_length_are_kept(total):
    mechanism = Mechanism.of(TWO, TWO, AllPairs(), [[total - 1, 0], [1, total]])
    assert mechanism.total == total
    assert mechanism.weights.tolist() == [[total - 1, 0], [1, total]]
    assert mechanism.probabilities()[0, 0] == pytest.approx(float(Fraction(total - 1, total)))


@given(st.data())
def test_the_digest_tells_mechanisms_apart(data):
    one = data.draw(matrices(2, 2))
    two = data.draw(matrices(2, 2))
    first = Mechanism.of(TWO, TWO, AllPairs(), one, name="a", notes={"x": 1})
    second = Mechanism.of(TWO, TWO, AllPairs(), two, name="b")
    assert (one == two) == first.same_as(second)
    assert first.digest != Mechanism.of(TWO, TWO, Within(1), one).digest
    assert first.digest != Mechanism.of(TWO, Grid.between(1, 2), AllPairs(), one).digest


def test_a_graph_must_fit():
    with pytest.raises(NeighboursError, match="are for 3 answers, but the space has 2"):
        Mechanism.of(TWO, TWO, Graph.of(3, []), [[1, 1], [1, 1]])


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([[1, 1]], "the matrix must have 2 rows (outputs) and 2 columns (answers), "
                   "got shape 1 by 2"),
        ([[1], [1, 2]], "a matrix must be rows of the same length, got [[1], [1, 2]]"),
        ([[1, 0.5], [1, 1.5]], "weights must be whole numbers, got 0.5 at row 0, column 1"),
        ([[2, -1], [1, 4]], "weights cannot be negative, got -1 at row 0, column 1"),
        (
            [[1, 1], [1, 2]],
            "every column must have the same sum, but column 0 has 2 and column 1 has 3",
        ),
        ([[0, 0], [0, 0]], "column 0 has no weight at all; a column must be a distribution"),
    ],
)  # fmt: skip
def test_a_matrix_that_is_no_mechanism(weights, complaint):
    with pytest.raises(MechanismError) as caught:
        Mechanism.of(TWO, TWO, AllPairs(), weights)
    assert str(caught.value) == complaint


def test_guarantees_are_exact():
    assert Guarantee.of("0.5", "1e-6").delta == Fraction(1, 10**6)
    assert str(Guarantee.of("log 3")) == "ε = log 3"
