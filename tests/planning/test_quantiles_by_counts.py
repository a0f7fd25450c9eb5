"""Order statistics read from noisy counts of every value: what is drawn, read and promised."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.exact import Epsilon, spendable
from discreet.joint.tables import TableNoise
from discreet.model import Relation
from discreet.planning import plan
from discreet.planning.joint import weighing
from discreet.planning.joint.quantiles import READ_NAME, READ_QUANTILES
from discreet.planning.percentiles import percentiles_of
from discreet.planning.releases import quantile_cells
from discreet.planning.releases.quantile_cells import CellReading
from discreet.statistics import Rank, Tally
from planning.facts import COLUMNS, GAPPY, asked, dataset

QUARTILES = "SELECT QUARTILES(mood)"


@pytest.fixture
def read(monkeypatch):
    """Sets are read from counts wherever they can be."""
    monkeypatch.setattr(weighing, "JOINERS", (replace(READ_QUANTILES, capped=False),))
    monkeypatch.setattr(weighing, "_ratio", lambda *_: 0.5)


def planned(sql, facts, **wanted):
    return plan(asked(sql, facts), facts, **({"epsilon": 1} | wanted))


@pytest.mark.parametrize("rows_per_unit", [1, 3])
@pytest.mark.parametrize(
    ("sql", "change", "columns", "cells", "cancelling"),
    [
        (QUARTILES, True, COLUMNS, 5, 5),
        (f"{QUARTILES} WHERE clinic = 'A'", True, COLUMNS, 5, 6),
        (QUARTILES, True, GAPPY, 5, 6),
        (f"{QUARTILES} GROUP BY clinic", True, COLUMNS, 15, 15),
        (f"{QUARTILES} WHERE weight > 0 GROUP BY clinic", True, COLUMNS, 15, 16),
        (QUARTILES, False, COLUMNS, 5, None),
        (f"{QUARTILES} GROUP BY clinic", False, COLUMNS, 15, None),
    ],
)
def test_noise_is_certified_for_every_cell_that_a_row_can_be_in(
    read, sql, change, columns, cells, cancelling, rows_per_unit
):
    """As many cells as there are values in groups, and one for the rest where rows may leave."""
    facts = dataset(400, public=change, change=change, per_person=rows_per_unit, columns=columns)
    made = planned(sql, facts)
    (joined,) = made.joined
    noise = joined.release.reading.noise
    assert (noise.told, noise.cancelling) == (cells, cancelling)
    gauge = noise.certified.mechanism
    assert gauge.rate * rows_per_unit == spendable(joined.epsilon)
    assert gauge.relation == (Relation.CHANGE if change else Relation.ADD_OR_REMOVE)
    assert gauge.rows_per_unit == gauge.width == rows_per_unit
    assert joined.release.certificate == noise.certified.certificate.digest
    assert joined.booked["body"]["gauge"]


def test_what_is_read_is_the_counts_with_their_part_of_one_noise(read, monkeypatch):
    facts = dataset(400)
    made = planned(f"{QUARTILES} GROUP BY clinic", facts, epsilon=3)
    release = made.joined[0].release
    noise = np.array([0, 0, 0, 0, 0, 0, -40, 0, 0, 40, 60, 0, 0, 0, -60])  # each part matters
    draws = []
    monkeypatch.setattr(
        type(release.reading.noise), "draw", lambda _: draws.append(0) or noise.copy()
    )
    tables = [np.array(one) for one in ([9, 0, 30, 2, 9], [0, 40, 0, 0, 0], [0, 0, 0, 0, 60])]
    waiting = release.ready([[Tally(one) for one in tables]] * 3, Fraction(19, 20))
    assert draws == []
    told = [[one.draw().value for one in by_group] for by_group in waiting]
    assert draws == [0]
    noisy = [(table + noise[5 * g : 5 * g + 5]).tolist() for g, table in enumerate(tables)]
    wanted = [release.reading.read(one) for one in noisy]
    assert [list(one) for one in zip(*told, strict=True)] == [list(one) for one in wanted]


@pytest.mark.parametrize("known", [True, False])
def test_no_quantile_is_off_by_more_rows_than_the_noise_misplaces(known):
    """All small tables and noises: what Claim 11 says, counted out."""
    for table in itertools.product(range(3), repeat=3):
        rows = sum(table)
        if rows == 0:
            continue
        reading = CellReading(
            shares=(Fraction(0), Fraction(1, 4), Fraction(2, 3), Fraction(1)),
            values=3,
            noise=None,
            total=rows if known else None,
        )
        for noise in itertools.product(range(-3, 4), repeat=3):
            if known and sum(noise):
                continue
            told = reading.read([one + z for one, z in zip(table, noise, strict=True)])
            assert list(told) == sorted(told)
            most = max(sum(z for z in noise if z > 0), -sum(z for z in noise if z < 0))
            for share, place in zip(reading.shares, told, strict=True):
                assert Rank(share).rows_to_change(np.array(table))[place] <= most


@pytest.mark.parametrize("change", [True, False])
def test_rows_off_are_those_that_noise_misplaces(read, change):
    """By the law of the noise, summed over all that is not too rare."""
    facts = dataset(60, public=change, change=change)
    made = planned(QUARTILES, facts, epsilon=2, confidence="90%")
    reading = made.joined[0].release.reading
    off = reading.rows_off(0.1)
    rate, far = float(reading.noise.rate), 24
    law = {(0, 0): 1.0}
    for _ in range(5):
        grown = {}
        for (up, down), weight in law.items():
            for z in range(-far, far + 1):
                at = (up + max(z, 0), down + max(-z, 0))
                if max(at) <= far:
                    grown[at] = grown.get(at, 0.0) + weight * math.exp(-rate * abs(z))
        law = grown
    kept = {at: weight for at, weight in law.items() if not change or at[0] == at[1]}
    beyond = math.fsum(w for at, w in kept.items() if max(at) > off) / math.fsum(kept.values())
    fewer = math.fsum(w for at, w in kept.items() if max(at) > off - 1)
    assert beyond <= 0.1
    if change:
        assert fewer / math.fsum(kept.values()) > 0.1
    assert made.parts[0].chosen.figures.rows_off == max(off, int(not change))


@pytest.mark.parametrize("finest", [10, 37, 200])
@pytest.mark.parametrize(("cells", "values"), [(5, 5), (9, 5), (None, 5)])
def test_rows_off_in_blocks_are_no_fewer_and_hardly_more(monkeypatch, finest, cells, values):
    """Wide noises are counted in blocks of rows, upwards."""
    relation = Relation.ADD_OR_REMOVE if cells is None else Relation.CHANGE
    noise = TableNoise.of(
        cells or values, Epsilon.of("0.1"), relation, total_is_public=cells is not None
    )

    def off():
        return quantile_cells._most_misplaced.__wrapped__(noise, values, 0.05)

    fine = off()
    monkeypatch.setattr(quantile_cells, "_FINEST", finest)
    block = math.ceil((60 + 4 * (cells or values)) / float(noise.rate) / finest)
    assert fine < off() < fine + (cells or values) * block + block


@pytest.mark.parametrize("groups", [4, 8])
def test_rows_off_in_a_group_count_its_own_cells(groups):
    """Against all noises of two cells, with those of the others that make up for them."""
    noise = TableNoise.of(2 * groups, Epsilon.of("0.5"), Relation.CHANGE, total_is_public=True)
    reading = CellReading(shares=(Fraction(1, 2),), values=2, noise=noise, total=None)
    off, rate, far = reading.rows_off(0.1), float(noise.rate), 90
    whole = replace(reading, values=2 * groups).rows_off(0.1)
    one = np.exp(-rate * np.abs(np.arange(-far, far + 1)))
    others = np.ones(1)
    for _ in range(2 * groups - 2):
        others = np.convolve(others, one)
    middle, found = len(others) // 2, {}
    for a, b in itertools.product(range(-far, far + 1), repeat=2):
        if abs(a + b) <= middle:
            most = max(max(a, 0) + max(b, 0), max(-a, 0) + max(-b, 0))
            weight = one[a + far] * one[b + far] * others[middle - a - b]
            found[most] = found.get(most, 0.0) + weight
    beyond = math.fsum(weight for most, weight in found.items() if most > off)
    assert beyond <= 0.1 * math.fsum(found.values())
    assert off < whole


def test_rows_off_are_known_however_many_groups_there_are():
    """Days of a year and five values: their numbers are beyond any floating-point number."""
    noises = [
        TableNoise.of(cells, Epsilon.of("0.5"), Relation.CHANGE, total_is_public=True)
        for cells in (100, 500, 2000)
    ]
    reading = CellReading(shares=(Fraction(1, 2),), values=2, noise=noises[0], total=None)
    assert len({replace(reading, noise=noise).rows_off(0.1) for noise in noises}) == 1
    whole = [replace(reading, noise=one, values=one.told).rows_off(0.1) for one in noises]
    assert whole == pytest.approx([222, 1046, 4070], rel=0.02)


def test_imagined_chances_are_near_those_of_draws(read):
    facts = dataset(100)
    made = planned(QUARTILES, facts, epsilon="0.5")
    reading, table = made.joined[0].release.reading, np.array([20, 30, 8, 2, 40])
    found = reading.chances(table[None, :])[:, 0]
    told = [reading.read((table + reading.noise.draw()).tolist()) for _ in range(400)]
    seen = [np.bincount(one, minlength=5) / 400 for one in zip(*told, strict=True)]
    assert np.abs(found - np.array(seen)).max() < 0.3
    assert found.sum(axis=1) == pytest.approx(1)


def test_few_values_are_read_from_counts_and_many_are_not():
    facts = dataset(200)
    made = planned("SELECT DECILES(mood)", facts, epsilon="0.5")
    assert made.joined[0].name == READ_NAME
    assert all(part.chosen.name == READ_NAME for part in made.parts)
    low, high = percentiles_of(made.parts[4].subject, made.wishes, made.parts[4].chosen)
    assert low < Fraction(1, 2) < high
    values = [by_group[0].value for by_group in made.ready([[Tally(np.array([9] * 5))]] * 9).draw()]
    assert values == sorted(values)


def test_no_law_is_worked_out_where_noise_would_drown_any_table(read):
    """At ε = 10⁻⁷ the law of its sums would take more memory than there is."""
    assert planned(QUARTILES, dataset(400), epsilon="0.01").joined
    assert not planned(QUARTILES, dataset(400), epsilon="0.0000001").joined
