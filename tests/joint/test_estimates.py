"""Sums estimated from other sums: exact on every table, with errors and intervals that hold."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.exact import Epsilon
from discreet.joint.estimates import Estimates
from discreet.joint.strategies import Setting, prefixes, ranges
from discreet.model import Relation
from statistics_bounds import tail_bound

CHANGE, COMING = Relation.CHANGE, Relation.ADD_OR_REMOVE


def _made(relation, workload, cells, *, rows=100, public=True, epsilon="1"):
    setting = Setting(
        cells=cells, epsilon=Epsilon.of(epsilon), relation=relation, total_is_public=public
    )
    return [Estimates(one, workload(cells), rows) for one in setting.strategies(workload(cells))]


@pytest.mark.parametrize("relation", [CHANGE, COMING])
@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("workload", [prefixes, ranges])
def test_without_noise_every_sum_is_found_but_for_what_rounding_may_leave(
    relation, public, workload
):
    counts = np.arange(20) % 7
    rows = int(counts.sum()) + (0 if public else 9)
    for one in _made(relation, workload, 20, rows=rows, public=public):
        told = one.read(one.truths(counts))
        true = one.workload.rows @ counts
        for found, truth, left in zip(told, true.tolist(), one._left_over, strict=True):
            assert abs(found - truth) <= left < Fraction(1, 10**6)


@pytest.mark.parametrize("relation", [CHANGE, COMING])
def test_draws_err_and_are_covered_as_said(relation):
    counts, draws = np.array([0, 3, 0, 9, 1, 0, 0, 2] * 3), 500
    one = _made(relation, prefixes, 24, rows=int(counts.sum()))[-1]
    truths, true = one.truths(counts), np.cumsum(counts)
    told = np.array([[float(v) for v in one.read(one.measure(truths))] for _ in range(draws)])
    off = told - true
    for place in (0, 7, 11, 20):
        spread = math.sqrt(np.square(off[:, place]).mean())
        assert spread == pytest.approx(math.sqrt(one.variances[place]), rel=0.3)
        assert abs(off[:, place]).mean() == pytest.approx(one.errors[place], rel=0.3)
    for confidence in (Fraction(19, 20), Fraction(1, 2)):
        for place, far in enumerate(one.reaches(confidence)):
            held = int((np.abs(off[:, place]) <= float(far) + 1e-9).sum())
            share = float(confidence)
            assert held >= share * draws or tail_bound(held, draws, confidence) > 1e-9


def test_of_a_public_total_nothing_is_left_to_chance():
    for one in _made(CHANGE, prefixes, 20, rows=57):
        assert one.errors[-1] == pytest.approx(0, abs=1e-6)
        assert one.reaches(Fraction(19, 20))[-1] < Fraction(1, 1000)
