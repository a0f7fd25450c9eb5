"""R.2: whether the categories of the outputs hold every true answer."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify, uncovered_answer
from discreet.model import AllPairs, Grid, Labels, Listed, Mechanism, edges, extended, scaled
from ground_truth import grids, mechanisms, number_spaces


def flat(answers, outputs):
    return Mechanism.of(answers, outputs, AllPairs(), [[1] * len(answers)] * len(outputs))


@given(mechanisms(number_spaces()))
def test_the_first_answer_outside_every_category(mechanism):
    bounds = edges(mechanism.outputs)
    outside = [
        place
        for place, value in enumerate(mechanism.answers.values())
        if not any(low <= value <= high for low, high in pairwise(bounds))
    ]
    assert uncovered_answer(mechanism) == (outside[0] if outside else None)


@given(grids(), st.fractions(min_value="1/5", max_value=5), st.integers(100, 400))
def test_scaled_and_extended_outputs_cover(answers, factor, percent):
    assert uncovered_answer(flat(answers, scaled(answers, factor))) is None
    assert uncovered_answer(flat(answers, extended(answers, percent))) is None


@pytest.mark.parametrize(
    ("outputs", "covered"), [(["a", "b", "c"], True), (["b", "a"], True), (["a", "c"], False)]
)
def test_labels_cover_by_name(outputs, covered):
    mechanism = flat(Labels.of(["a", "b"]), Labels.of(outputs))
    assert certify(mechanism, 1).certificate.covers_answers == covered


@pytest.mark.parametrize(("answer", "covered"), [("-1", True), ("3", True), ("-1.001", False),
                                                 ("3.001", False)])  # fmt: skip
def test_the_ends_of_a_category_belong_to_it(answer, covered):
    mechanism = flat(Listed.of([answer]), Grid.between(0, 2, 2))
    assert (uncovered_answer(mechanism) is None) == covered


def test_an_answer_on_an_end_is_not_blamed_for_one_beyond():
    assert uncovered_answer(flat(Listed.of([-1, 0, 3, 5]), Grid.between(0, 2, 2))) == 3


def test_the_certificate_says_what_is_not_covered_without_refusing():
    mechanism = flat(Grid.between(0, 9), Grid.between(0, 8))
    assert uncovered_answer(mechanism) == 9
    assert not certify(mechanism, 1).certificate.covers_answers
