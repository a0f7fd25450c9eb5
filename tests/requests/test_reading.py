"""One reading of a request: text and JSON values come to the same, and errors name their field."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.cli.failures import as_option
from discreet.errors import InvalidInput, NeighboursError, named
from discreet.model import AllPairs, Grid, Within
from discreet.questions import Question
from discreet.requests import (
    Order,
    read_answer_space,
    read_database_design,
    read_design,
    read_prior,
)
from discreet.statistics import Count


@given(st.integers(1, 50), st.integers(-20, 20), st.integers(1, 9))
def test_text_and_values_are_the_same_request(n, low, steps):
    step = Fraction(1, 2)
    high = low + steps * step
    as_text = read_answer_space("mean", n=str(n), low=str(low), high=str(high), step="0.5")
    assert as_text == read_answer_space("mean", n=n, low=low, high=high, step=step)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6))
def test_a_prior_is_the_same_as_text_and_as_a_list(parts):
    shares = [f"{part}/{sum(parts)}" for part in parts]
    assert read_prior(",".join(shares)) == read_prior(shares)


def test_a_custom_space_is_protected_against_any_change_unless_steps_are_given():
    assert read_answer_space("custom", low=0, high=4).neighbours == AllPairs()
    assert read_answer_space("custom", low=0, high=4, neighbours=2).neighbours == Within(2)


def test_everything_is_exact():
    wanted = read_design(statistic="custom", low="0", high="0.3", step="0.1", epsilon="1/3").wanted
    assert wanted.answers == Grid(Fraction(0), Fraction(1, 10), 4)
    assert wanted.epsilon.billionths == 333_333_333


FAULTS = {
    "statistic": {"statistic": "mode"},
    "epsilon": {"epsilon": None},
    "n": {"n": None},
    "low": {"statistic": "sum"},
    "step": {"statistic": "custom", "n": None, "labels": "a,b", "step": 2},
    "share": {"share": 0.5},
    "labels": {"labels": ["a"]},
    "neighbours": {"neighbours": 1},
    "outputs": {"outputs": "wide"},
    "delta": {"delta": 2},
    "prior": {"prior": "normal"},
    "loss": {"loss": "cubic"},
    "require": {"require": "nice"},
}


@pytest.mark.parametrize(("field", "fault"), FAULTS.items(), ids=FAULTS)
def test_an_error_names_the_field_that_is_to_be_mended(field, fault):
    with pytest.raises(InvalidInput) as refused:
        read_design(**{"statistic": "count", "n": 3, "epsilon": 1, **fault})
    assert refused.value.field == field
    assert "\ue000" not in str(refused.value)


WISHES = {
    "epsilon": {"epsilon": "x"},
    "within": {"epsilon": None, "within": "x"},
    "loss": {"loss": "cubic"},
    "prior": {"prior": [0.5, 0.6]},
    "remap": {"remap": "normal"},
    "require": {"require": "nice"},
    "confidence": {"confidence": 2},
    "worst_case": {"worst_case": 1},
}


@pytest.mark.parametrize(("field", "fault"), WISHES.items(), ids=WISHES)
def test_so_does_an_error_about_an_order(field, fault):
    with pytest.raises(InvalidInput) as refused:
        Order.of(Question((Count(),)), **{"epsilon": 1, **fault})
    assert refused.value.field == field


def test_by_database_the_same_fields_are_named():
    with pytest.raises(InvalidInput) as refused:
        read_database_design(statistic="quantile", epsilon=1, n=3, low=1, high=3)
    assert refused.value.field == "share"


def test_every_front_end_spells_fields_its_own_way():
    error = NeighboursError(f"{named('worst_case')} or {named('n', 10)}, not {named('range')}")
    assert str(error) == "worst_case or n=10, not low and high"
    assert error.spelled(as_option) == "--worst-case or --n 10, not --range LOW HIGH"


def test_an_error_keeps_its_field_between_processes():
    error = pickle.loads(pickle.dumps(InvalidInput(f"{named('n')} is required")))
    assert (error.field, error.spelled(as_option)) == ("n", "--n is required")
