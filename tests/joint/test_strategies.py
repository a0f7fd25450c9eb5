"""Workloads: privacy against every small table, least squares, errors and promised figures."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.certifier.strategies import certify_strategy
from discreet.errors import MechanismError, NotCertified
from discreet.exact import Epsilon
from discreet.joint.strategies import Layer, PlainSums, Setting, Strategy, prefixes, ranges, tree
from discreet.joint.tables import TableNoise
from discreet.model import Relation
from statistics_bounds import tail_bound

HALF = Epsilon.of("0.5")
MATRICES = (
    np.eye(3, dtype=np.int64),
    tree(3, 2, (2, 1)),
    tree(3, 2, (1, 1, 1)),
    np.array([[1, 0, 0], [0, 2, -1], [3, 1, 1], [1, 1, 1]]),
)


def _tables(cells, rows):
    return [np.array(one) for one in itertools.product(range(rows + 1), repeat=cells)
            if sum(one) <= rows]  # fmt: skip


def _neighbours(one, other, relation, people):
    """Whether so many rows of one person lead from one table to the other, by the relation."""
    moved = other - one
    if relation == Relation.CHANGE:
        return moved.sum() == 0 and np.abs(moved).sum() <= 2 * people
    return (np.all(moved >= 0) or np.all(moved <= 0)) and np.abs(moved).sum() <= people


@pytest.mark.parametrize("relation", [Relation.CHANGE, Relation.ADD_OR_REMOVE])
@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("matrix", MATRICES, ids=str)
def test_no_output_tells_neighbouring_tables_apart_by_more_than_epsilon(matrix, relation, people):
    """Every output of every pair: log P moves by rate·Σ|Δ| at most, and that is attained."""
    noise = PlainSums.of(matrix, HALF, relation, rows_per_unit=people).certified.mechanism
    tables = _tables(3, 3)
    outputs = np.array([matrix @ one for one in tables])
    farthest = 0
    for one, other in itertools.product(tables, repeat=2):
        if _neighbours(one, other, relation, people):
            steps = np.abs(outputs - matrix @ one).sum(axis=1)
            steps -= np.abs(outputs - matrix @ other).sum(axis=1)
            farthest = max(farthest, int(np.abs(steps).max()))
    assert farthest == noise.width
    assert noise.rate * noise.width == HALF.value
    narrow = replace(noise, width=noise.width - 1)
    with pytest.raises((NotCertified, MechanismError), match=r"one person can move|positive"):
        certify_strategy(narrow, HALF)
    with pytest.raises(NotCertified, match="cost more"):
        certify_strategy(replace(noise, rate=noise.rate + Fraction(1, 10**9)), HALF)


@pytest.mark.parametrize("relation", [Relation.CHANGE, Relation.ADD_OR_REMOVE])
@pytest.mark.parametrize("people", [1, 2, 3])
def test_noise_on_a_table_is_private_for_every_small_table(relation, people):
    noise = TableNoise.of(3, HALF, relation, rows_per_unit=people, total_is_public=True)
    gauge = noise.certified.mechanism
    farthest = 0
    tables = _tables(3, 3)
    for one, other in itertools.product(tables, repeat=2):
        if _neighbours(one, other, relation, people):
            for output in tables:
                if relation == Relation.CHANGE and output.sum() != one.sum():
                    continue
                near, far = (gauge.gauge((output - table).tolist()) for table in (one, other))
                farthest = max(farthest, abs(near - far))
    assert farthest == gauge.width == people
    assert gauge.rate * gauge.width == HALF.value


@pytest.mark.parametrize(
    "columns", [((("0", 1),),), (((0, 1.5),),), (((0, 1), (0, 2)),), (((3, 1),),)]
)
def test_what_is_no_whole_matrix_is_not_certified(columns):
    noise = PlainSums.of(MATRICES[0], HALF, Relation.CHANGE).certified.mechanism
    with pytest.raises(MechanismError):
        certify_strategy(replace(noise, columns=columns), HALF)


def _setting(cells, relation, epsilon="0.1", **more):
    return Setting(
        cells=cells, epsilon=Epsilon.of(epsilon), relation=relation, total_is_public=True, **more
    )


@pytest.mark.parametrize("relation", [Relation.CHANGE, Relation.ADD_OR_REMOVE])
@pytest.mark.parametrize("public", [True, False])
def test_without_noise_every_strategy_finds_the_counts(relation, public):
    setting = replace(_setting(20, relation, "1"), total_is_public=public)
    for strategy in setting.strategies(prefixes(20)):
        counts = np.arange(strategy.cells) % 7
        measured = [one.matrix @ counts for one in strategy.layers]
        found = strategy.estimate(measured, int(counts.sum()))
        assert found == pytest.approx(counts, abs=1e-8)


@pytest.mark.parametrize("relation", [Relation.CHANGE, Relation.ADD_OR_REMOVE])
def test_a_variance_is_that_of_the_noises_it_is_made_of(relation):
    """Worked out here from the weights with which noises enter, layer by layer."""
    workload = prefixes(24)
    for strategy in _setting(24, relation, "1").strategies(workload):
        told = strategy.variances(workload)
        for answer, variance in list(zip(workload.rows, told, strict=True))[::5]:
            found = 0.0
            for layer in strategy.layers:
                weights = layer.weight * layer.matrix @ strategy.covariance @ answer
                many = layer.noise.cancelling
                spread = np.square(weights).sum()
                if many is not None:
                    spread = (spread - weights.sum() ** 2 / many) * many / (many - 1)
                found += layer.noise.variance * spread
            assert variance == pytest.approx(found, rel=1e-6, abs=1e-9)
        assert strategy.rmse(workload) == pytest.approx(math.sqrt(np.mean(told)), rel=1e-9)


@pytest.mark.parametrize("relation", [Relation.CHANGE, Relation.ADD_OR_REMOVE])
def test_intervals_hold_as_often_as_they_say(relation):
    workload, times = prefixes(20), 400
    strategy = list(_setting(20, relation, "1").strategies(workload))[-1]
    reaches = [float(one) for one in strategy.reaches(workload, Fraction(4, 5))]
    counts = np.arange(20) % 6
    held = np.zeros(20)
    for _ in range(times):
        found = strategy.estimate(strategy.measure(counts), int(counts.sum()))
        held += np.abs(workload.rows @ (found - counts)) <= np.array(reaches) + 1e-6
    for many in held[:-1]:
        assert many / times >= 0.8 or tail_bound(int(many), times, 0.8) > 1e-9


@pytest.mark.parametrize(
    ("workload", "relation", "cells", "wanted"),
    [
        (prefixes, Relation.CHANGE, 16, 4.4),
        (prefixes, Relation.CHANGE, 64, 8.2),
        (ranges, Relation.CHANGE, 64, 9.2),
        (prefixes, Relation.ADD_OR_REMOVE, 16, 3.6),
        (prefixes, Relation.ADD_OR_REMOVE, 64, 5.3),
        (ranges, Relation.ADD_OR_REMOVE, 64, 5.6),
        (prefixes, Relation.ADD_OR_REMOVE, 128, 7.1),
    ],
)
def test_root_mean_square_errors_are_as_promised(workload, relation, cells, wanted):
    asked = workload(cells)
    setting = _setting(cells, relation)
    assert setting.best(asked).rmse(asked) / 10 <= 1.05 * wanted


def test_more_rows_of_a_person_cost_as_many_times_the_error():
    one, three = (
        Strategy("cells", (Layer(MATRICES[0], PlainSums.of(
            MATRICES[0], Epsilon.of("0.01"), Relation.ADD_OR_REMOVE, rows_per_unit=rows)),))
        for rows in (1, 3)
    )  # fmt: skip
    assert three.rmse(prefixes(3)) == pytest.approx(3 * one.rmse(prefixes(3)), rel=1e-3)
