"""Table 1 and Theorems 1 and 2 of paper 003."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify, tight_epsilon, uncovered_answer
from discreet.measures import properties
from discreet.mechanisms import build, laplace, snapped
from discreet.model import AllPairs, Grid, Mechanism, Within, extended
from discreet.repair import close_rows
from ground_truth import grids, relations
from mechanism_families import NOISES

LIKERT = Grid.between(1, 5)


def test_table_1_to_all_three_digits():
    printed = [
        [0.559, 0.441, 0.344, 0.268, 0.208],
        [0.098, 0.118, 0.098, 0.076, 0.059],
        [0.076, 0.098, 0.118, 0.098, 0.076],
        [0.059, 0.076, 0.098, 0.118, 0.098],
        [0.208, 0.268, 0.344, 0.441, 0.559],
    ]
    assert laplace(LIKERT, AllPairs(), 1).probabilities().round(3).tolist() == printed


def test_section_1_1_sixty_percent_of_laplace_falls_outside_the_likert_scale():
    wide = laplace(LIKERT, AllPairs(), 1, outputs=Grid.between(-400, 406)).probabilities()[:, 2]
    within_3_of_3 = wide[401:406]
    assert 1 - within_3_of_3.sum() == pytest.approx(np.exp(-2.5 / 4), abs=1e-9)
    assert np.exp(-2 / 4) == pytest.approx(0.6, abs=0.01)  # the text counts from 1 to 5 exactly


@st.composite
def private_mechanisms(draw):
    """Random weights on a grid wider than the answers, closed under ratios, at a random ε."""
    answers = draw(grids())
    outputs = extended(answers, draw(st.sampled_from([100, 200, 300, 500])))
    relation = draw(relations(len(answers)))
    ratio = draw(st.fractions(min_value="1.01", max_value=9, max_denominator=100))
    cells = draw(
        st.lists(
            st.integers(0, 10**6),
            min_size=len(outputs) * len(answers),
            max_size=len(outputs) * len(answers),
        )
    )
    rows = np.array(cells, dtype=object).reshape(len(outputs), len(answers))
    rows[0] += 1
    weights = close_rows(rows, relation, ratio)
    weights[0] += 10**9  # room for the columns' remainders: a constant keeps every ratio
    weights[0] += weights.sum(axis=0).max() - weights.sum(axis=0)
    return Mechanism.of(answers, outputs, relation, weights)


@given(private_mechanisms())
def test_theorem_1_snapping_keeps_every_epsilon_and_r2_and_r3(mechanism):
    inside = snapped(mechanism)
    assert inside.outputs == mechanism.answers
    assert uncovered_answer(inside) is None
    assert inside.total == mechanism.total
    tight = tight_epsilon(mechanism)
    if tight.witness is None:
        return
    after = tight_epsilon(inside)
    assert after.witness is not None
    assert after.witness.ratio <= tight.witness.ratio
    epsilon = float(tight.high) + 1e-9
    certify(mechanism, epsilon)
    certify(inside, epsilon)


@st.composite
def symmetric_monotone_noise(draw):
    """Whole weights that fall away from the answer, all of them inside a wide range."""
    size, reach = draw(st.integers(1, 7)), draw(st.integers(0, 9))
    falls = draw(st.lists(st.integers(0, 9), min_size=reach + 1, max_size=reach + 1))
    heights = np.cumsum(falls)[::-1] + 1
    answers = Grid.between(0, size - 1)
    outputs = Grid.between(-reach - 1, size + reach)
    apart = np.abs(np.arange(len(outputs))[:, None] - reach - 1 - np.arange(size)[None, :])
    weights = np.where(apart <= reach, heights[np.minimum(apart, reach)], 0)
    return Mechanism.of(answers, outputs, Within(1), weights)


@given(symmetric_monotone_noise())
def test_theorem_2_snapping_keeps_row_monotone_and_symmetric(mechanism):
    before, after = properties(mechanism), properties(snapped(mechanism))
    for verdict in (before.row_monotone, before.symmetric, before.column_monotone, before.fair):
        assert verdict.holds
    assert after.row_monotone.holds
    assert after.symmetric.holds


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "log 3", "5"])
@pytest.mark.parametrize("neighbours", [Within(1), Within(3), AllPairs()])
def test_theorem_2_holds_in_the_integers_of_every_noise_family(name, epsilon, neighbours):
    for size in (2, 5, 12):
        verdicts = properties(build(name, Grid.between(0, size - 1), neighbours, epsilon))
        assert verdicts.row_monotone.holds, verdicts.row_monotone.counterexample
        assert verdicts.symmetric.holds


@pytest.mark.parametrize("name", NOISES)
def test_snapping_loses_column_monotonicity_and_fairness(name):
    """The spikes of Table 1: 5 is likelier than 2 when the answer is 2."""
    verdicts = properties(build(name, LIKERT, AllPairs(), 1))
    assert not verdicts.column_monotone.holds
    assert not verdicts.fair.holds
    table = build(name, LIKERT, AllPairs(), 1).weights
    assert table[4, 1] > table[1, 1]
