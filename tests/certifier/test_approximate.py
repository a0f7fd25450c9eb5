"""(ε, δ): the smallest δ is the one of the definition, over all events."""

from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify, smallest_delta
from discreet.errors import NotCertified
from discreet.exact import Epsilon
from discreet.model import AllPairs, Grid, Mechanism
from ground_truth import labels, mechanisms, naive_delta, naive_pairs, number_spaces, probability

any_mechanism = mechanisms(number_spaces(max_size=5) | labels(max_size=5))
ratios = st.fractions(min_value=Fraction(101, 100), max_value=20)


@given(any_mechanism, ratios)
def test_exact_when_the_ratio_is_rational(mechanism, ratio):
    bounds = smallest_delta(mechanism, f"log {ratio}")
    assert bounds.low == bounds.high == naive_delta(mechanism, ratio)


@given(any_mechanism, st.fractions(min_value=Fraction(1, 1000), max_value=5))
def test_enclosed_tightly_otherwise(mechanism, epsilon):
    bounds, eps = smallest_delta(mechanism, epsilon), Epsilon.of(epsilon)
    assert bounds.high == naive_delta(mechanism, eps.ratio_below)
    assert bounds.low == naive_delta(mechanism, eps.ratio_above)
    assert 0 <= bounds.high - bounds.low < Fraction(1, 10**40)


@given(mechanisms(number_spaces(max_size=4), scales=(1,)), ratios)
def test_no_event_escapes_by_more(mechanism, ratio):
    """001 Def. 1 as it stands: all events, not only the sum of positive parts."""
    rows = range(len(mechanism.outputs))
    events = list(chain.from_iterable(combinations(rows, size) for size in range(len(rows) + 1)))
    worst = max(
        (
            sum((probability(mechanism, i, j) - ratio * probability(mechanism, i, k)
                 for i in event), Fraction(0))
            for j, k in naive_pairs(mechanism.neighbours, len(mechanism.answers))
            for event in events
        ),
        default=Fraction(0),
    )  # fmt: skip
    assert smallest_delta(mechanism, f"log {ratio}").high == worst


@given(any_mechanism, ratios)
def test_certified_from_the_smallest_delta_on(mechanism, ratio):
    needed = smallest_delta(mechanism, f"log {ratio}").high
    if 0 < needed < 1:
        certified = certify(mechanism, f"log {ratio}", needed)
        assert certified.guarantee.delta == needed
        with pytest.raises(NotCertified, match=r"; ask for that δ or a larger ε$"):
            certify(mechanism, f"log {ratio}", needed * Fraction(10**30 - 1, 10**30))


@given(any_mechanism, ratios)
def test_the_delta_that_a_refusal_suggests_will_do(mechanism, ratio):
    tiny = Fraction(1, 10**60)
    if not tiny < smallest_delta(mechanism, f"log {ratio}").high < Fraction(99, 100):
        return
    with pytest.raises(NotCertified) as caught:
        certify(mechanism, f"log {ratio}", tiny)
    suggested = str(caught.value).split("need δ = ")[1].split(";")[0]
    assert certify(mechanism, f"log {ratio}", suggested)


def test_the_witness_needs_the_delta():
    space = Grid.between(0, 2)
    mechanism = Mechanism.of(space, space, AllPairs(), [[9, 5, 5], [1, 5, 5], [0, 0, 0]])
    bounds = smallest_delta(mechanism, "log 2")
    assert (bounds.likelier, bounds.rarer, bounds.high) == (1, 0, Fraction(3, 10))
    flat = Mechanism.of(space, space, AllPairs(), [[1, 1, 1], [1, 1, 1], [1, 1, 1]])
    assert smallest_delta(flat, 1).likelier is None
