"""Wishes that cannot be had are refused before anything is planned."""

import pytest

from discreet.errors import GoalError
from discreet.planning import Wishes


@pytest.mark.parametrize("wish", ["worst_case", "unbiased", "consistent"])
@pytest.mark.parametrize("given", ["no", None, 1, 0, []])
def test_a_yes_or_no_is_true_or_false(wish, given):
    with pytest.raises(GoalError, match=f"{wish} must be True or False, got"):
        Wishes.of(**{wish: given})


def test_consistent_counts_are_not_unbiased():
    with pytest.raises(GoalError, match="leave out unbiased or consistent"):
        Wishes.of(unbiased=True, consistent=True)
    assert Wishes.of(unbiased=True).unbiased
    assert Wishes.of(consistent=True).consistent
