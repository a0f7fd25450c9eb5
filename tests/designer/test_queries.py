"""Questions become the spaces and neighbours that 003 §4.3 gives them."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.designer import count, maximum, mean, median, minimum, quantile, total
from discreet.errors import SpaceError
from discreet.model import AllPairs, Grid


@given(
    st.integers(1, 3),
    st.integers(-3, 3),
    st.integers(0, 3),
    st.sampled_from([1, "1/2", "0.1", 3]),
    st.sampled_from(["sum", "mean"]),
)
def test_answers_and_neighbours_are_those_of_all_databases(n, low, steps, step, name):
    high = low + steps * Fraction(step)
    query = total(n, low, high, step) if name == "sum" else mean(n, low, high, step)
    values = Grid.between(low, high, step).values()
    scale = 1 if name == "sum" else n
    databases = list(product(values, repeat=n))
    assert {sum(records) / Fraction(scale) for records in databases} == set(query.answers.values())
    farthest = max(
        (abs(query.answers.index(sum(records) / Fraction(scale))
             - query.answers.index((sum(records) - records[0] + value) / Fraction(scale)))
         for records in databases for value in values),
        default=0,
    )  # fmt: skip
    assert query.neighbours.steps == max(1, farthest)


def test_counts_are_neighbours_one_apart():
    query = count(10)
    assert query.answers == Grid.between(0, 10)
    assert query.neighbours.steps == 1


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (minimum(1, 5), "min"),
        (maximum(1, 5), "max"),
        (median(1, 5), "median"),
        (quantile("0.9", 1, 5), "quantile"),
    ],
)
def test_one_record_moves_an_order_statistic_anywhere(query, name):
    assert (query.name, query.answers, query.neighbours) == (name, Grid.between(1, 5), AllPairs())


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda: count(0), "a question needs at least one record, got n = 0"),
        (lambda: mean(0, 0, 4), "a question needs at least one record, got n = 0"),
        (lambda: mean("10", 0, 4), "the number of records must be a whole number, got '10'"),
        (lambda: count(True), "the number of records must be a whole number, got True"),
        (lambda: mean(10, 4, 0), "the range is reversed"),
        (lambda: total(10, 0, 1, "0.3"), "is not a whole number of steps"),
        (lambda: quantile(2, 0, 9), "the share of a quantile must lie between 0 and 1, got 2"),
        (lambda: mean(10**6, 0, 9), "a space can have at most 2,000,000 answers"),
    ],
)
def test_questions_that_make_no_sense(ask, complaint):
    with pytest.raises(SpaceError, match=complaint):
        ask()
