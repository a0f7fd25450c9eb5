"""Smooth sensitivity: the bound by brute force, its smoothness, the matrix and the sampler."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.errors import (
    DesignError,
    GoalError,
    InvalidInput,
    NeighboursError,
    NotCertified,
    SpaceError,
)
from discreet.mechanisms import (
    SmoothSensitivityMechanism,
    databases,
    smooth_bound,
    smooth_sensitivity,
)
from discreet.mechanisms.families.smooth_sensitivity import cauchy_noise
from discreet.mechanisms.smooth_bounds import STATISTICS, rank_of
from discreet.model import AllPairs, Grid, Labels, Mechanism, Within
from statistics_bounds import assert_follows

TOP = 4


def _statistic(records, rank):
    return sorted(records)[rank - 1]


def _local(records, rank):
    """The largest change of the statistic when one record changes, by trying every change."""
    here = _statistic(records, rank)
    return max(
        abs(_statistic([*records[:at], value, *records[at + 1 :]], rank) - here)
        for at in range(len(records))
        for value in range(TOP + 1)
    )


def _changed(records):
    return {
        tuple(sorted((*records[:at], value, *records[at + 1 :])))
        for at in range(len(records))
        for value in range(TOP + 1)
    }


def _by_definition(records, rank, beta):
    """max over databases of e^(−β·distance)·local sensitivity, by widening circles."""
    known, circle, best = {tuple(sorted(records))}, {tuple(sorted(records))}, 0.0
    for distance in range(len(records) + 1):
        best = max(best, *(math.exp(-beta * distance) * _local(list(x), rank) for x in circle))
        circle = set().union(*(_changed(x) for x in circle)) - known or circle
        known |= circle
    return best


columns = st.lists(st.integers(0, TOP), min_size=1, max_size=5)
statistics = st.sampled_from(STATISTICS)


@given(columns, statistics, st.floats(0.001, 3))
def test_the_bound_is_smooth_sensitivity_by_its_definition(records, statistic, beta):
    rank = rank_of(statistic, len(records))
    found = smooth_bound(records, rank, 0, TOP, beta).at(beta)
    assert found == pytest.approx(_by_definition(records, rank, beta), rel=1e-12)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=80), statistics, st.floats(0.0001, 1))
def test_divide_and_conquer_finds_the_largest_of_all_pairs(records, statistic, beta):
    rank = rank_of(statistic, len(records))
    ordered = [0, *sorted(records), 60]
    wanted = max(
        (ordered[j] - ordered[i]) * math.exp(-beta * (j - i - 1))
        for i in range(rank + 1)
        for j in range(rank, len(ordered))
        if i < j
    )
    assert smooth_bound(records, rank, 0, 60, beta).at(beta) == pytest.approx(wanted, rel=1e-12)


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=40),
    statistics,
    st.floats(0.001, 1),
    st.data(),
)
def test_one_changed_record_moves_the_bound_by_no_more_than_e_to_beta(records, kind, beta, data):
    rank = rank_of(kind, len(records))
    at = data.draw(st.integers(0, len(records) - 1))
    other = [*records[:at], data.draw(st.integers(0, 60)), *records[at + 1 :]]
    one, two = (smooth_bound(column, rank, 0, 60, beta).at(beta) for column in (records, other))
    assert abs(math.log(one / two)) <= beta * (1 + 1e-9)
    assert one >= abs(_statistic(records, rank) - _statistic(other, rank))


def test_a_hundred_thousand_records_take_no_time_to_speak_of():
    records = np.random.default_rng().integers(0, 10**6, 100_000).tolist()
    found = smooth_bound(records, 50_000, 0, 10**6, 0.1)
    ordered = [0, *sorted(records), 10**6]
    near = range(49_900, 50_101)
    wanted = max(
        (ordered[j] - ordered[i]) * math.exp(-0.1 * (j - i - 1))
        for i in near
        for j in near
        if i <= 50_000 <= j and i < j
    )
    assert found.at(0.1) == pytest.approx(wanted, rel=1e-12)


@given(st.floats(-9, 9), st.floats(0, 9), st.floats(0.01, 100))
def test_cauchy_mass_is_the_difference_of_arctangents(low, width, scale):
    high = low + width
    wanted = (math.atan(high / scale) - math.atan(low / scale)) / math.pi
    assert cauchy_noise(scale).mass(low, high, 1.0) == pytest.approx(wanted, rel=1e-9, abs=1e-15)
    beyond = 0.5 - math.atan(low / scale) / math.pi
    assert cauchy_noise(scale).mass(low, math.inf, 1.0) == pytest.approx(beyond, rel=1e-9)


@given(st.floats(-50, 50), st.floats(-3, 3), st.floats(0.1, 10), st.floats(-2, 2))
def test_the_density_moves_by_alpha_for_a_shift_and_beta_for_a_stretch(x, shift, scale, stretch):
    """The two halves of the proof: |log ratio| ≤ |shift|/scale and ≤ |log stretch|."""

    def density(at, width):
        return width / (math.pi * (width**2 + at**2))

    moved = math.log(density(x + shift, scale) / density(x, scale))
    assert abs(moved) <= 2 * math.asinh(abs(shift) / scale / 2) + 1e-9
    assert 2 * math.asinh(abs(shift) / scale / 2) <= abs(shift) / scale + 1e-12
    stretched = math.log(density(x, scale * math.exp(stretch)) / density(x, scale))
    assert abs(stretched) <= abs(stretch) + 1e-9


def test_databases_are_sorted_and_joined_when_one_record_differs():
    space, graph = databases(Grid.between(0, 2), 3)
    for (j, one), (k, other) in itertools.combinations(enumerate(space.names), 2):
        ours, theirs = one.split(","), other.split(",")
        common = sum(min(ours.count(v), theirs.count(v)) for v in set(ours))
        assert ((j, k) in graph.edges) == (common == 2)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_half_the_scale_is_rejected(statistic):
    """The pair of scale and β is needed: noise four times narrower is caught by the certifier."""
    values = Grid.between(0, 9)
    narrow = smooth_sensitivity(values, AllPairs(), 4, statistic=statistic, records=2)
    with pytest.raises(NotCertified):
        certify(narrow, 1)
    certify(narrow, 4)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_sampler_draws_from_the_column_of_its_database(statistic):
    values = Grid.between(0, 4)
    matrix = smooth_sensitivity(values, AllPairs(), 5, statistic=statistic, records=3)
    sampler = SmoothSensitivityMechanism.of(values, 5, statistic)
    for records in ([0, 0, 4], [2, 2, 2]):
        column = matrix.answers.index(",".join(map(str, records)))
        drawn = [int(sampler.draw(records)) for _ in range(1500)]
        assert_follows(drawn, matrix.probabilities()[:, column])


def test_records_outside_or_between_values_are_moved_to_the_nearest():
    """The median of 500 equal records takes 250 changes: its noise is e^−20000 of a step."""
    sampler = SmoothSensitivityMechanism.of(Grid.between(0, 4), 100, "median")
    assert sampler.draw([9] * 500) == 4
    assert sampler.draw(["1.4"] * 500) == 1


def test_a_refusal_does_not_show_the_private_record():
    sampler = SmoothSensitivityMechanism.of(Grid.between(0, 4), 1, "max")
    with pytest.raises(InvalidInput) as refused:
        sampler.draw([1, "12345 EUR"])
    assert "12345" not in str(refused.value)


def test_what_cannot_be_done_is_said():
    grid = Grid.between(0, 4)
    with pytest.raises(GoalError, match="one of min, median, max, got 'mode'"):
        smooth_sensitivity(grid, AllPairs(), 1, statistic="mode")
    with pytest.raises(NeighboursError, match="needs all pairs"):
        smooth_sensitivity(grid, Within(1), 1)
    with pytest.raises(SpaceError, match="evenly spaced"):
        smooth_sensitivity(Labels.of(["a", "b"]), AllPairs(), 1)
    with pytest.raises(SpaceError, match="make 92,378 databases"):
        smooth_sensitivity(Grid.between(0, 9), AllPairs(), 1, records=10)
    with pytest.raises(InvalidInput, match="above 1, got 1"):
        smooth_sensitivity(grid, AllPairs(), 1, multiplier=1)
    with pytest.raises(InvalidInput, match="at least 1 record"):
        databases(grid, 0)
    sampler = SmoothSensitivityMechanism.of(grid, "1e-8", "max")
    with pytest.raises(DesignError, match="precisely enough"):
        sampler.draw([1, 2])
    with pytest.raises(InvalidInput, match="at least 1 record, got none"):
        sampler.draw([])


def test_a_private_matrix_covers_its_values():
    certified = certify(smooth_sensitivity(Grid.between(0, 2), AllPairs(), 1, records=2), 1)
    assert isinstance(certified.mechanism, Mechanism)
    assert certified.mechanism.shape == (3, 6)
