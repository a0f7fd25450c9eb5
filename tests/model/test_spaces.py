"""Spaces: ordered, exact, indexed both ways, and the same after a journey through JSON."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SpaceError
from discreet.model import Grid, Labels, Listed, numbers_of
from discreet.model.spaces import MOST, space_from_dict, space_to_dict
from ground_truth import grids, labels, listed

spaces = grids() | listed() | labels()


@given(spaces)
def test_value_and_index_undo_one_another(space):
    values = space.values()
    assert len(values) == len(space)
    for place, value in enumerate(values):
        assert space.value(place) == value
        assert space.index(value) == place


@given(grids() | listed())
def test_numbers_increase_and_floats_follow(space):
    values = space.values()
    assert list(values) == sorted(set(values))
    assert np.allclose(space.floats(), [float(value) for value in values], rtol=1e-15, atol=1e-14)
    assert numbers_of(space, "this") is space


@given(spaces)
def test_json_gives_the_same_space_back(space):
    assert space_from_dict(json.loads(json.dumps(space_to_dict(space)))) == space


@given(grids())
def test_between_names_both_ends(space):
    assert Grid.between(space.start, space.last, space.step) == space
    assert space.last == space.values()[-1]


def test_readings():
    assert Grid.between("0", "4", "0.1").values()[3] == Fraction(3, 10)
    assert Grid.between(3, 3).values() == (3,)
    assert Grid("1/2", 2, 3).values() == (Fraction(1, 2), Fraction(5, 2), Fraction(9, 2))
    assert Listed([1, "2.5"]) == Listed.of(["1", 2.5])
    assert Listed.of(iter([1, 2])).index("2") == 1
    assert Labels.of(name for name in "ab").names == ("a", "b")
    assert repr(Grid.between(0, 1, "1/2")) == "Grid(0, 1, step 1/2)"
    assert {Grid.between(0, 1): 1}[Grid(0, 1, 2)] == 1


def test_the_largest_space_is_allowed_and_one_more_is_not():
    assert len(Grid(0, 1, MOST)) == MOST
    with pytest.raises(SpaceError, match="at most 2,000,000 answers, got 2000001; use a larger"):
        Grid(0, 1, MOST + 1)


@given(grids(), st.fractions(min_value=-100, max_value=100))
def test_what_is_not_ours_has_no_index(space, number):
    if number in space.values():
        assert space.value(space.index(number)) == number
    else:
        with pytest.raises(SpaceError, match="is not one of"):
            space.index(number)


def test_labels_are_no_numbers():
    with pytest.raises(SpaceError, match=r"^a sum needs numbers, got 2 labels$"):
        numbers_of(Labels.of(["a", "b"]), "a sum")


def test_what_a_space_is_made_of_stays():
    names = ["A", "B"]
    labels = Labels(names)
    names.append("C")
    assert labels == Labels.of(["A", "B"])
    assert type(Grid(0, 1, np.int64(3)).size) is int
    with pytest.raises(SpaceError, match="labels must be a list of words, got 'AB'"):
        Labels("AB")
