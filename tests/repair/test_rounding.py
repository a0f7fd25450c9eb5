"""Rounding: floats propose, integers keep every ratio; tails never vanish on one side."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify, tight_epsilon
from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.measures import properties
from discreet.model import AllPairs, Grid, Within
from discreet.repair import BITS, integer_mechanism
from ground_truth import relations

EPSILONS = ["0.000001", "0.01", "0.5", "1", "log 3", "5", "50"]


@st.composite
def private_proposals(draw):
    """Weights exp(level·ε/2) with levels that differ by at most 1 between neighbours.

    A column's sum then changes by at most e^(ε/2) as well, so the columns are ε-private.
    """
    size, rows = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    relation = draw(relations(size))
    distances = relation.distances(size)
    reach = np.where(distances < 0, size, distances)
    sources = draw(
        st.lists(
            st.lists(st.floats(0, 4), min_size=size, max_size=size), min_size=rows, max_size=rows
        )
    )
    levels = np.array([(np.array(row)[:, None] + reach).min(axis=0) for row in sources])
    return relation, levels, Grid(0, 1, size), Grid(0, 1, rows)


@given(private_proposals(), st.sampled_from(EPSILONS))
def test_a_private_proposal_is_certified_as_integers(case, epsilon):
    relation, levels, answers, outputs = case
    eps = Epsilon.of(epsilon)
    mechanism = integer_mechanism(
        answers, outputs, relation, lambda at: np.exp(-levels * at / 2), eps
    )
    certify(mechanism, eps)
    assert mechanism.total == 1 << BITS
    wanted = np.exp(-levels * float(eps) / 2)
    assert np.allclose(mechanism.probabilities(), wanted / wanted.sum(axis=0), rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("relation", [Within(1), Within(3), AllPairs()])
def test_tails_far_below_a_float_are_kept(relation):
    space = Grid.between(0, 120)
    reach = relation.distances(121)
    eps = Epsilon.of(20)
    mechanism = integer_mechanism(space, space, relation, lambda at: np.exp(-at * reach / 2), eps)
    certify(mechanism, eps)
    assert (mechanism.weights > 0).all()
    if relation == Within(1):
        assert math.exp(-20 * 60) == 0.0


@settings(max_examples=40)
@given(st.integers(2, 12), st.integers(1, 4), st.sampled_from(["0.1", "1", "log 3"]), st.booleans())
def test_symmetric_monotone_proposals_stay_so(size, steps, epsilon, everywhere):
    relation = AllPairs() if everywhere else Within(steps)
    space = Grid(0, 1, size)
    places = np.arange(size)
    apart = np.abs(places[:, None] - places[None, :])
    scale = 2 * (size - 1 if everywhere else steps)
    mechanism = integer_mechanism(
        space, space, relation, lambda at: np.exp(-at * apart / scale), Epsilon.of(epsilon)
    )
    found = properties(mechanism)
    assert found.symmetric
    assert found.row_monotone
    assert found.column_monotone
    assert found.every_output


def test_an_output_that_is_never_proposed_is_never_given():
    space = Grid.between(0, 2)
    flat = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    mechanism = integer_mechanism(space, space, AllPairs(), lambda _: flat, Epsilon.of(1))
    assert mechanism.weights[1].tolist() == [0, 0, 0]
    assert float(tight_epsilon(mechanism)) == 0


def test_a_proposal_that_is_not_private_is_no_design():
    space = Grid.between(0, 1)
    greedy = np.array([[0.9, 0.1], [0.1, 0.9]])
    with pytest.raises(
        DesignError, match=r"^no integer matrix near greedy satisfies ε = 1 on 2 answ"
    ):
        integer_mechanism(space, space, AllPairs(), lambda _: greedy, Epsilon.of(1), name="greedy")


@pytest.mark.parametrize("bits", [20, 40, 62])
def test_columns_sum_to_the_power_asked_for(bits):
    space = Grid.between(0, 3)
    reach = Within(1).distances(4)
    mechanism = integer_mechanism(
        space, space, Within(1), lambda at: np.exp(-at * reach / 2), Epsilon.of(1), bits=bits
    )
    assert mechanism.total == 1 << bits
    certify(mechanism, 1)


@pytest.mark.parametrize(
    "proposal",
    [
        [[np.nan, 1.0], [1.0, 1.0]],
        [[np.inf, 1.0], [1.0, 1.0]],
        [[0.0, 1.0], [0.0, 1.0]],
        [[2.0, -1.0], [-1.0, 2.0]],
    ],
)
def test_what_cannot_be_probabilities_is_refused_by_name(proposal):
    two = Grid.between(0, 1)
    with pytest.raises(DesignError, match=r"^odd gives probabilities that are negative, not numbe"):
        integer_mechanism(
            two, two, AllPairs(), lambda _: np.array(proposal), Epsilon.of(1), name="odd"
        )
