"""Requirements are read from their names and print as them."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import GoalError
from discreet.model import Requirements

NAMES = [entry.name.replace("_", "-") for entry in fields(Requirements)]


@given(st.sets(st.sampled_from(NAMES)))
def test_names_are_read_back(names):
    wanted = Requirements.of(names)
    assert set(wanted.names()) == names
    assert Requirements.of(",".join(wanted.names())) == wanted
    assert Requirements.of(" , ".join(names).upper().replace("-", "_")) == wanted
    assert bool(wanted) == bool(names)


def test_all_means_variant_2_of_the_paper():
    assert Requirements.of("all").names() == ("column-monotone", "fair", "row-monotone",
                                              "symmetric")  # fmt: skip
    assert Requirements.of("all, every-output").every_output
    assert Requirements.of("none") == Requirements.of("") == Requirements.of([]) == Requirements()
    assert repr(Requirements()) == "Requirements(none)"


def test_the_unknown_is_answered_with_what_there_is():
    with pytest.raises(GoalError) as caught:
        Requirements.of("fair, honest")
    assert str(caught.value) == (
        "unknown requirement 'honest'; requirements: column-monotone, every-output, fair, "
        "row-monotone, symmetric, all and none"
    )
