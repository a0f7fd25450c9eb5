"""Outputs that are scored alike are put together: the law is that of all of them one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.planning.releases.alike import likely_quickly
from discreet.planning.releases.choice import flipped
from discreet.planning.releases.stepping import stepped

lines = st.lists(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.3, 4.0]), st.integers(1, 400)),
        min_size=1,
        max_size=8,
    ),
    min_size=1,
    max_size=3,
)


def spread(found):
    """A score for each of 1,200 outputs, in runs; tables differ in where runs end and how many."""
    return np.array(
        [
            np.resize(np.concatenate([np.full(many, -score) for score, many in one]), 1_200)
            for one in found
        ]
    )


@given(lines)
def test_scores_put_together_have_the_law_of_all_of_them(found):
    scores, near = spread(found), {"rel": 2e-3, "abs": 1e-7}
    assert likely_quickly(scores, None) == pytest.approx(flipped(scores), **near)
    assert likely_quickly(scores, 1.0) == pytest.approx(stepped(scores, 1.0), **near)


@given(lines, st.integers(2, 5))
def test_ways_are_told_together(found, each):
    """A score that stands for several outputs is told as likely as all of them."""
    scores, ways = spread(found), np.full(1_200, each)
    every = np.repeat(scores, each, axis=1)
    for step in (None, 1.0):
        one_by_one = likely_quickly(every, step).reshape(*scores.shape, each).sum(axis=2)
        assert likely_quickly(scores, step, ways) == pytest.approx(one_by_one, abs=1e-9)
