"""A named loss is known by what it is, never by what a function happens to be called."""

import pytest

from discreet.errors import GoalError
from discreet.model import Loss, LossName, Requirement, Requirements
from discreet.planning import Wishes


def squared(_output, _answer):
    return 1.0


def test_a_function_called_like_a_named_loss_is_not_that_loss():
    assert Loss.of(squared).name == LossName.SQUARED
    assert Loss.of(squared).named is None
    assert Loss.of_table([[0, 1]], name="absolute").named is None
    with pytest.raises(GoalError, match="must be one of absolute, squared, zero-one"):
        Wishes.of(loss=squared)


@pytest.mark.parametrize("name", LossName)
def test_a_named_loss_is_read_in_any_case(name):
    assert Loss.of(f" {name.upper()} ").named is name


@pytest.mark.parametrize("name", Requirement)
def test_a_requirement_is_a_field_by_its_name(name):
    wanted = Requirements.of(name)
    assert wanted.names() == (name,)
    assert getattr(wanted, name.field)
