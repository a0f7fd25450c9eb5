"""Scores: what is declared of them is checked over the whole public table."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.errors import GoalError, InvalidInput
from discreet.mechanisms import build, exponential, permute_and_flip
from discreet.mechanisms.scores import read_scores
from discreet.model import AllPairs, Grid, Labels, Within, places_apart, sensitivity
from ground_truth import naive_pairs, number_spaces, relations

ABC = Labels.of(["a", "b", "c"])


@given(number_spaces(), st.data())
def test_sensitivity_is_the_largest_difference_of_neighbours(answers, data):
    neighbours = data.draw(relations(len(answers)))
    values = answers.values()
    pairs = naive_pairs(neighbours, len(answers))
    found = max((abs(values[j] - values[k]) for j, k in pairs), default=None)
    if found is None:
        assert sensitivity(answers, neighbours) > 0
    else:
        assert sensitivity(answers, neighbours) == found
    assert places_apart(len(answers), neighbours) == max((abs(j - k) for j, k in pairs), default=0)


@st.composite
def scored(draw):
    size, rows = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cells = st.fractions(min_value=-5, max_value=5, max_denominator=6)
    table = draw(
        st.lists(st.lists(cells, min_size=size, max_size=size), min_size=rows, max_size=rows)
    )
    answers, outputs = Labels(tuple("abcde"[:size])), Labels(tuple("vwxyz"[:rows]))
    return answers, outputs, draw(relations(size)), table


@given(scored())
def test_the_sensitivity_found_is_that_of_the_table(case):
    answers, outputs, neighbours, table = case
    pairs = naive_pairs(neighbours, len(answers))
    wanted = max((abs(row[j] - row[k]) for row in table for j, k in pairs), default=Fraction(0))
    read = read_scores(answers, outputs, neighbours, table)
    assert read.sensitivity == (wanted or 1)
    assert all(
        Fraction(int(read.table[i, j]), read.unit) == table[i][j]
        for i, j in itertools.product(range(len(outputs)), range(len(answers)))
    )
    one_way = all(
        len({np.sign(float(row[j] - row[k])) for row in table} - {0.0}) <= 1 for j, k in pairs
    )
    if one_way:
        assert read_scores(answers, outputs, neighbours, table, monotone=True).monotone
    else:
        with pytest.raises(InvalidInput, match="the score is not monotone: between answers"):
            read_scores(answers, outputs, neighbours, table, monotone=True)


@given(scored(), st.sampled_from(["exponential", "permute-and-flip"]), st.sampled_from([0.1, 1, 5]))
def test_any_score_is_private_and_a_monotone_one_with_half_the_noise(case, name, epsilon):
    answers, outputs, neighbours, table = case
    family = {"exponential": exponential, "permute-and-flip": permute_and_flip}[name]
    certify(family(answers, neighbours, epsilon, outputs=outputs, scores=table), epsilon)
    rising = np.cumsum([[abs(cell) for cell in row] for row in table], axis=1)
    certify(
        family(answers, Within(1), epsilon, outputs=outputs, scores=rising, monotone=True), epsilon
    )


def test_a_function_and_a_table_of_scores_are_one():
    grid = Grid.between(0, 4)

    def by_square(output, answer):
        return -((output - answer) ** 2)

    table = [[-((i - j) ** 2) for j in range(5)] for i in range(5)]
    one, other = (exponential(grid, Within(1), 1, scores=s) for s in (by_square, table))
    assert one.same_as(other)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scores": [[1, 2]]}, GoalError, "must have 3 rows .outputs. of 3 numbers"),
        ({"scores": [[1, 2, "x"]] * 3}, GoalError, "a score must be a number like 0.5 or 1/3"),
        ({"scores": lambda *_: float("nan")}, GoalError, "a score must be finite"),
        ({"sensitivity": 0}, InvalidInput, "sensitivity of the score must be positive, got 0"),
        ({"sensitivity": "0.5"}, InvalidInput, "changes by 1 between neighbours"),
        ({"monotone": True}, InvalidInput, "between answers a and b some outputs gain"),
    ],
)
def test_scores_that_make_no_sense(options, error, message):
    with pytest.raises(error, match=message):
        exponential(ABC, AllPairs(), 1, **options)


def test_scores_far_beyond_floats_are_still_certified():
    certify(exponential(ABC, AllPairs(), 1, scores=[[0, 1, 2], ["1e400", 0, 0], [3, 3, 3]]), 1)
    certify(build("exponential", ABC, AllPairs(), 1, sensitivity="1e300"), 1)
