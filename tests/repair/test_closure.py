"""Closure: the least rows above the given ones that keep every ratio."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.model import AllPairs, Graph, Within
from discreet.repair import close_rows
from ground_truth import naive_pairs, relations

ratios = st.fractions(min_value=Fraction(51, 50), max_value=8, max_denominator=50)


@st.composite
def cases(draw, largest=400):
    size = draw(st.integers(1, 9))
    row = st.lists(st.integers(0, largest), min_size=size, max_size=size)
    rows = np.array(draw(st.lists(row, min_size=1, max_size=3)), dtype=object)
    return rows, draw(relations(size)), draw(ratios)


def least_fixed_point(row, relation, ratio):
    """Raise one entry by one unit at a time, wherever a ratio is broken."""
    row = list(row)
    while broken := [k for j, k in naive_pairs(relation, len(row)) if row[j] > ratio * row[k]]:
        row[broken[0]] += 1
    return row


@given(cases(largest=60))
def test_the_least_fixed_point(case):
    rows, relation, ratio = case
    closed = close_rows(rows, relation, ratio)
    assert closed.tolist() == [least_fixed_point(row, relation, ratio) for row in rows.tolist()]


@given(cases(largest=2**62))
def test_closed_above_and_idempotent(case):
    rows, relation, ratio = case
    before = rows.copy()
    closed = close_rows(rows, relation, ratio)
    assert (rows == before).all()
    assert (closed >= rows).all()
    assert (close_rows(closed, relation, ratio) == closed).all()
    for j, k in naive_pairs(relation, rows.shape[1]):
        assert (closed[:, j] <= closed[:, k] * ratio).all()


@given(cases(largest=10**6), st.data())
def test_larger_rows_have_larger_closures(case, data):
    rows, relation, ratio = case
    more = rows + data.draw(st.integers(0, 1000))
    assert (close_rows(rows, relation, ratio) <= close_rows(more, relation, ratio)).all()


@given(st.integers(1, 9), st.integers(1, 12), ratios, st.data())
def test_one_relation_said_three_ways(size, steps, ratio, data):
    row = data.draw(st.lists(st.integers(0, 10**9), min_size=size, max_size=size))
    rows = np.array([row], dtype=object)
    said = Within(steps)
    graph = Graph.of(size, said.pairs(size))
    assert (close_rows(rows, said, ratio) == close_rows(rows, graph, ratio)).all()
    if steps >= size - 1:
        assert (close_rows(rows, said, ratio) == close_rows(rows, AllPairs(), ratio)).all()


def test_a_row_without_weight_stays_so():
    rows = np.zeros((1, 4), dtype=object)
    assert close_rows(rows, Within(1), Fraction(2)).tolist() == [[0, 0, 0, 0]]
