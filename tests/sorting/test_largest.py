"""The largest counts: sensitivity, noise, bounds from above, bounds from below."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.designer import design
from discreet.errors import InvalidInput
from discreet.graphs import sorted_histograms
from discreet.model import Goal, Loss, Relation
from discreet.sorting import (
    LargestCounts,
    largest_counts,
    least_error,
    sorted_counts_fit,
    sorted_sensitivity,
    theorem_3,
)
from statistics_bounds import assert_follows, folded

COUNTS = st.lists(st.integers(0, 9), min_size=1, max_size=7)


@given(COUNTS, st.integers(1, 8), st.data())
def test_one_record_moves_the_sorted_counts_by_no_more(counts, largest, data):
    relation = data.draw(st.sampled_from([Relation.CHANGE, Relation.ADD_OR_REMOVE]))
    other = list(counts)
    other[data.draw(st.integers(0, len(counts) - 1))] += 1
    if relation == Relation.CHANGE:
        source = data.draw(st.integers(0, len(counts) - 1))
        other[source] = max(0, other[source] - 1)
    one, two = largest_counts(counts, largest), largest_counts(other, largest)
    moved = sum(abs(a - b) for a, b in zip(one, two, strict=True))
    assert moved <= sorted_sensitivity(largest, relation)


def test_the_sensitivity_is_reached():
    assert sum(abs(a - b) for a, b in zip((5, 3), (6, 2), strict=True)) == sorted_sensitivity(
        2, Relation.CHANGE
    )
    assert sorted_sensitivity(1, Relation.CHANGE) == 1
    assert sorted_sensitivity(5, Relation.EITHER) == 2


@pytest.mark.parametrize("relation", list(Relation))
def test_noise_is_discrete_laplace_of_scale_sensitivity_over_epsilon(relation):
    mechanism = LargestCounts.of(2, 1, relation)
    assert mechanism.rate == Fraction(1, 1 if relation == Relation.ADD_OR_REMOVE else 2)
    truth, reach = (90, 40), 12
    drawn = [mechanism.draw([40, 90, 7]).noisy for _ in range(4000)]
    alpha = math.exp(-float(mechanism.rate))
    law = [(1 - alpha) / (1 + alpha) * alpha ** abs(k) for k in range(-reach, reach + 1)]
    law[0] = law[-1] = alpha**reach / (1 + alpha)
    for place in range(2):
        noise = folded((noisy[place] - truth[place] for noisy in drawn), reach)
        assert_follows(noise, law)


@given(COUNTS, st.integers(1, 8), st.sampled_from(list(Relation)), st.booleans())
def test_what_is_released_could_be_true(counts, largest, relation, declared):
    values = max(largest, len(counts)) if declared else None
    released = LargestCounts.of(largest, "0.3", relation, values).draw(counts)
    for told in (released.fitted, released.whole):
        assert list(told) == sorted(told, reverse=True)
        assert min(told) >= 0
        if relation == Relation.CHANGE:
            assert sum(told) <= sum(counts)
            if values == largest or largest >= sum(counts):
                assert sum(told) == sum(counts)


def test_the_bounds_hold_on_average_and_with_confidence():
    counts, trials = [300, 80, 80, 20, 5, 5, 5, 0], 300
    for relation in (Relation.CHANGE, Relation.ADD_OR_REMOVE):
        mechanism = LargestCounts.of(8, "0.5", relation, 8)
        drawn = [mechanism.draw(counts).fitted for _ in range(trials)]
        errors = np.array([[abs(float(a) - b) for a, b in zip(fit, counts, strict=True)]
                           for fit in drawn])  # fmt: skip
        assert errors.sum(axis=1).mean() <= 1.5 * mechanism.expected_error_bound
        beyond = (errors.max(axis=1) > mechanism.likely_bound("0.95")).sum()
        assert beyond <= 60


def test_a_known_total_may_double_the_largest_error_and_the_bound_allows_it():
    truth, off = [10, *[1] * 50], 1
    told = sorted_counts_fit([10 - off, *[1 + off] * 50], total=sum(truth))
    assert Fraction(19, 10) * off < 10 - told[0] <= 2 * off
    public, private = LargestCounts.of(9, 1), LargestCounts.of(9, "0.5", Relation.ADD_OR_REMOVE)
    assert public.rate == private.rate
    assert public.likely_bound() == 2 * private.likely_bound()


def test_expected_noise_is_the_sum_of_the_law():
    mechanism = LargestCounts.of(4, "0.7")
    alpha = math.exp(-0.35)
    mean = sum(abs(k) * alpha ** abs(k) for k in range(-400, 401)) * (1 - alpha) / (1 + alpha)
    assert mechanism.expected_noise == pytest.approx(4 * mean)
    square = sum(k * k * alpha ** abs(k) for k in range(-600, 601)) * (1 - alpha) / (1 + alpha)
    assert mechanism.expected_error_bound == pytest.approx(4 * math.sqrt(square))


@pytest.mark.parametrize(
    ("records", "values", "largest", "epsilon"),
    [(8, 2, 1, "0.1"), (8, 2, 2, "0.1"), (8, 3, 2, "0.5"), (9, 3, 3, "0.3"), (6, 4, 2, "2")],
)
def test_no_mechanism_beats_the_lower_bound(records, values, largest, epsilon):
    graph = sorted_histograms(records, values, largest)
    nodes = np.array([[int(part) for part in name.split(".")] for name in graph.space.names])
    table = np.abs(nodes[:, None, :] - nodes[None, :, :]).sum(axis=2).tolist()
    goal = Goal(Loss.of_table(table), worst_case=True)
    best = design(graph.space, graph.neighbours, epsilon, goal, cache=None)
    bound = least_error(records, largest, epsilon, Relation.CHANGE)
    assert best.value / 25 < bound <= best.value


@given(
    st.integers(1, 10**6), st.integers(1, 300), st.floats(0.001, 5), st.sampled_from(list(Relation))
)
def test_the_bounds_never_cross(total, largest, epsilon, relation):
    above = LargestCounts.of(largest, epsilon, relation).expected_error_bound
    assert 0 < least_error(total + 1, largest, epsilon, relation) <= above


@pytest.mark.parametrize(
    ("total", "largest", "epsilon", "number"),
    [(3, 100, "0.1", 1), (10**6, 10**5, "0.1", 2), (10**6, 20, "0.1", 3), (10**7, 100, "0.02", 3)],
)
def test_every_regime_of_theorem_3_has_a_constant(total, largest, epsilon, number):
    regimes = theorem_3(total, largest, epsilon)
    assert [regime.number for regime in regimes if regime.holds] == [number]
    regime = regimes[number - 1]
    assert regime.value <= 20 * LargestCounts.of(largest, epsilon).expected_noise
    assert least_error(total, largest, epsilon, Relation.EITHER) >= regime.value / 6


def test_theorem_3_speaks_only_of_small_epsilon():
    assert not any(regime.holds for regime in theorem_3(1000, 5, 1))
    assert [regime.holds for regime in theorem_3(3, 5, "0.1")] == [True, False, False]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LargestCounts.of(0, 1), "the number of counts must be a whole number from 1"),
        (lambda: LargestCounts.of(5, 1, values=3), "of 3 values, at most 3 counts can be released"),
        (lambda: LargestCounts.of(2, 1).draw([1.5, 2]), "counts must be whole numbers from 0"),
        (lambda: LargestCounts.of(2, 1).draw([-1, 2]), "counts must be whole numbers from 0"),
        (lambda: LargestCounts.of(2, 1).likely_bound(1), "the confidence must lie between 0 and 1"),
        (lambda: least_error(0, 1, 1, Relation.CHANGE), "the total must be a whole number from 1"),
    ],
)
def test_messages(call, words):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert words in str(caught.value)
