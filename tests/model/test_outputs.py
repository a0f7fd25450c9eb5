"""Outputs: categories cover the answers, meet half way, and are chosen without favour."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SpaceError
from discreet.model import Grid, Labels, Listed, category_of, edges, extended, scaled
from ground_truth import grids, labels, listed, number_spaces, small_fractions

factors = st.fractions(min_value=Fraction(1, 9), max_value=9, max_denominator=9)
mirrored_grids = grids(max_size=9)


def turned(space):
    """The same space seen from the other end."""
    if isinstance(space, Grid):
        return Grid(-space.last, space.step, space.size)
    return Listed(tuple(-value for value in reversed(space.values())))


@given(grids(max_size=12), factors)
def test_scaled_outputs_cover_every_answer_and_stay_in_range(answers, factor):
    outputs = scaled(answers, factor)
    assert outputs.step == answers.step * factor
    bounds = edges(outputs)
    assert bounds[0] <= answers.start
    assert answers.last <= bounds[-1]
    assert answers.start <= outputs.start
    assert outputs.last <= answers.last
    assert outputs.start - answers.start == answers.last - outputs.last


@given(grids())
def test_scaling_by_one_changes_nothing(answers):
    assert scaled(answers, 1) == answers
    assert extended(answers, 100) == answers


@given(grids(), st.integers(100, 900))
def test_extended_outputs_are_centred_and_hold_the_answers(answers, percent):
    outputs = extended(answers, percent)
    assert set(answers.values()) <= set(outputs.values())
    assert outputs.start + outputs.last == answers.start + answers.last
    assert abs(len(outputs) - len(answers) * Fraction(percent, 100)) <= 1


@given(number_spaces())
def test_categories_meet_half_way(outputs):
    bounds, values = edges(outputs), outputs.values()
    assert len(bounds) == len(values) + 1
    for (low, high), value in zip(pairwise(bounds), values, strict=True):
        assert low < value < high
    for bound, (left, right) in zip(bounds[1:-1], pairwise(values), strict=True):
        assert bound - left == right - bound


@given(number_spaces(), number_spaces(max_size=12))
def test_the_category_of_an_answer_is_a_nearest_output(outputs, answers):
    chosen = category_of(outputs, answers)
    assert list(chosen) == sorted(chosen)
    for place, answer in zip(chosen, answers.values(), strict=True):
        distance = abs(outputs.value(place) - answer)
        assert distance == min(abs(value - answer) for value in outputs.values())


@given(number_spaces(), number_spaces(max_size=12))
def test_ties_are_settled_alike_from_both_ends(outputs, answers):
    values = outputs.values()
    middle = (values[0] + values[-1]) / 2
    seen = category_of(outputs, answers)
    other = category_of(turned(outputs), turned(answers))[::-1]
    for answer, one, two in zip(answers.values(), seen, other, strict=True):
        in_the_very_middle = answer == middle and len(values) % 2 == 0
        assert one == len(values) - 1 - two or in_the_very_middle


@given(st.integers(1, 9), small_fractions)
def test_an_answer_between_two_outputs_goes_to_the_one_nearer_the_middle(size, start):
    outputs = Grid(start, 2, size)
    between = Grid(start - 1, 2, size + 1)
    chosen = category_of(outputs, between)
    middle = (outputs.start + outputs.last) / 2
    for answer, place in zip(between.values(), chosen, strict=True):
        if outputs.start < answer < outputs.last:
            other = outputs.values().index(2 * answer - outputs.value(place))
            assert (abs(outputs.value(place) - middle), place) < (
                abs(outputs.value(other) - middle), other,
            )  # fmt: skip


@given(grids() | listed() | labels())
def test_every_answer_is_its_own_category(space):
    assert category_of(space, space) == tuple(range(len(space)))


def test_labels_are_found_by_name():
    assert category_of(Labels.of(["c", "b", "a"]), Labels.of(["a", "b"])) == (2, 1)
    with pytest.raises(SpaceError, match="'x' is not one of the 1 labels"):
        category_of(Labels.of(["a"]), Labels.of(["x"]))


def test_the_paper_s_figures():
    likert = Grid.between(0, 40)
    assert scaled(likert, 5).values() == tuple(range(0, 41, 5))
    assert scaled(likert, 4).size == 11
    assert extended(Grid.between(0, 9)).values() == tuple(range(-10, 20))
