"""Sizes that come close enough are found exactly, and in few tries, where errors fall."""

import math

from hypothesis import example, given
from hypothesis import strategies as st

from discreet.planning.search import first_within, short_numbers

SIZES = short_numbers(3, 10**5, 10**11 - 1)
PLACES = st.integers(0, len(SIZES) - 1)


@given(
    st.floats(1e-3, 1e6),
    st.floats(0.2, 4),
    st.sampled_from([1, 6, 50, 10**4]),
    st.booleans(),
    PLACES,
)
@example(1.0, 1.0, 1, True, 3600)
def test_the_first_size_that_is_close_enough_is_found(scale, power, wanted, in_steps, start):
    """Whether errors fall smoothly or in steps, are the same for small sizes, or never suffice."""
    tried = []

    def reach(place):
        tried.append(place)
        error = min(scale * (SIZES[place] / 10**9) ** -power, 20 * wanted)
        return math.ceil(error) if in_steps else error

    found = first_within(SIZES, reach, wanted, start)
    assert len(tried) == len(set(tried)) <= 32
    assert found == len(SIZES) or reach(found) <= wanted
    assert found == 0 or reach(found - 1) > wanted


@given(PLACES, PLACES, st.integers(0, 10**9))
def test_a_size_that_is_nearly_the_first_will_do(first, start, near):
    found = first_within(SIZES, lambda place: 1 + (place < first), 1, start, near)
    assert found >= first
    assert found == first or SIZES[found] - SIZES[first - 1] <= near or first == 0
