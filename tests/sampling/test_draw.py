"""Draws from certified matrices: as often as the weights say, and only when certified."""

from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.errors import InvalidInput, MechanismError
from discreet.model import AllPairs, Labels, Mechanism
from discreet.sampling import draw, draw_each, draw_many
from discreet.sampling.tables import BITS
from statistics_bounds import assert_follows

drawing = import_module("discreet.sampling.tables")


def _mechanism(columns):
    answers = Labels.of([f"answer {j}" for j in range(len(columns))])
    outputs = Labels.of([f"output {i}" for i in range(len(columns[0]))])
    weights = [list(row) for row in zip(*columns, strict=True)]
    return Mechanism.of(answers, outputs, AllPairs(), weights)


def _certified(columns):
    return certify(_mechanism(columns), 100)


SMALL = _certified([[3, 0, 1, 2], [1, 0, 3, 2], [2, 0, 2, 2]])
LARGE = _certified([[5 * 10**40 + 1, 2 * 10**40, 10**40], [10**40, 2 * 10**40, 5 * 10**40 + 1]])
TOTALS = [2**62, 2**63 - 1, 2**63, 2**63 + 1, 2**64, 2**64 + 1, 3**60]


@pytest.mark.parametrize("certified", [SMALL, LARGE])
def test_every_way_to_draw_follows_the_column(certified):
    mechanism = certified.mechanism
    for answer in range(mechanism.shape[1]):
        law = [Fraction(int(w), mechanism.total) for w in mechanism.column(answer)]
        assert_follows(draw_many(certified, answer, 100_000), law)
        assert_follows([draw(certified, answer) for _ in range(5000)], law)


@pytest.mark.parametrize("certified", [SMALL, LARGE])
def test_a_different_answer_for_each_draw(certified):
    mechanism = certified.mechanism
    answers = np.arange(90_000) % mechanism.shape[1]
    drawn = draw_each(certified, answers)
    for answer in range(mechanism.shape[1]):
        law = [Fraction(int(w), mechanism.total) for w in mechanism.column(answer)]
        assert_follows(drawn[answers == answer], law)


@pytest.mark.parametrize("total", TOTALS)
def test_totals_around_a_machine_word(total):
    third = total // 3
    certified = _certified([[third, total - third], [total - third, third]])
    assert_follows(
        draw_many(certified, 0, 50_000), [Fraction(third, total), 1 - Fraction(third, total)]
    )


@given(st.lists(st.integers(0, 30), min_size=2, max_size=5).filter(any), st.randoms())
def test_over_all_integers_a_column_is_drawn_as_often_as_it_weighs(weights, random):
    columns = [weights, random.sample(weights, len(weights))]
    mechanism = _mechanism(columns)
    bits = (sum(weights) - 1).bit_length()
    every = np.arange(1 << bits, dtype=np.uint64) << np.uint64(BITS - bits)
    for answer, column in enumerate(columns):
        found = drawing._table(mechanism, answer).locate(every)
        assert np.bincount(found, minlength=len(column))[: len(column)].tolist() == column


def test_columns_too_many_to_keep_are_drawn_the_same_way(monkeypatch):
    monkeypatch.setattr(drawing, "_MOST_CELLS", 3)
    law = [Fraction(3, 6), 0, Fraction(1, 6), Fraction(2, 6)]
    assert_follows(draw_many(SMALL, 0, 20_000), law)
    assert draw(LARGE, 1) in range(3)


def test_an_uncertified_matrix_cannot_be_drawn_from():
    for refused in (
        lambda: draw(SMALL.mechanism, 0),
        lambda: draw_many(SMALL.mechanism, 0, 1),
        lambda: draw_each(SMALL.mechanism, [0]),
    ):
        with pytest.raises(MechanismError, match="only a certified mechanism"):
            refused()


@pytest.mark.parametrize("answer", [-1, 3, 77, True, 1.0, "1", None])
def test_an_index_that_is_none_is_refused_without_being_shown(answer):
    for refused in (lambda: draw(SMALL, answer), lambda: draw_many(SMALL, answer, 2)):
        with pytest.raises(MechanismError, match="the true answer") as problem:
            refused()
        assert "77" not in str(problem.value)


@pytest.mark.parametrize("answers", [[0, 3], [-1], [[0]], 0, [0.5], ["a"]])
def test_lists_of_indices_are_checked(answers):
    with pytest.raises(MechanismError, match="true answer"):
        draw_each(SMALL, answers)


def test_empty_requests():
    assert draw_many(SMALL, 0, 0).shape == draw_each(SMALL, []).shape == (0,)
    with pytest.raises(InvalidInput, match="number of draws"):
        draw_many(SMALL, 0, -1)
