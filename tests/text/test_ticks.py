"""An axis is marked from end to end."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from discreet.text import ticks


@given(st.integers(1, 2000), st.integers(2, 50))
def test_ticks_spread_from_end_to_end(size, most):
    places = ticks(size, most)
    assert places[0] == 0
    assert places[-1] == size - 1
    assert len(places) == min(size, most)
    assert all(a < b for a, b in itertools.pairwise(places))
