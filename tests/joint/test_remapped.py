"""The best replies to noise on small tables: law and errors against plain enumeration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.exact import Epsilon
from discreet.joint import CellNoise
from discreet.joint.remapped import TOTAL, RemappedCells, work
from statistics_bounds import assert_follows


def _tables(rows, cells):
    every = itertools.product(range(rows + 1), repeat=cells)
    return np.array([one for one in every if sum(one) == rows])


def _made(rows, cells, rate, *, told=None, likely=None, per_person=1):
    rate, tables = Fraction(rate), _tables(rows, cells)
    counts = np.arange(rows + 1)
    return RemappedCells(
        noise=CellNoise.of(cells, Epsilon.of(rate), rate=rate, rows_per_unit=per_person),
        tables=tables,
        likely=np.full(len(tables), 1 / len(tables)) if likely is None else likely(tables),
        costs=np.abs(counts[:, None] - counts).astype(float),
        told_cells=told or cells,
    )


def _noisy(rows, cells, rate, far):
    """All noisy tables near, and how likely each true table leads there: outputs × tables."""
    tables = _tables(rows, cells)
    front = np.array(list(itertools.product(range(-far, rows + far + 1), repeat=cells - 1)))
    outputs = np.column_stack([front, rows - front.sum(axis=1)])
    away = np.abs(outputs[:, None] - tables[None, :]).sum(axis=2) / 2
    weights = np.exp(-float(rate) * away)
    return outputs, weights / weights.sum(axis=0)


def _best(law, likely, apart):
    """What replies cost at least in all: for each output the cheapest of all tables."""
    return float((law * likely @ apart).min(axis=1).sum())


@pytest.mark.parametrize(
    ("rows", "cells", "rate", "far", "misplaced"),
    [(6, 3, "1", 30, 1.262), (10, 3, "0.5", 50, 2.360), (6, 4, "1", 12, 1.686),
     (4, 4, "0.5", 17, 1.697)],
)  # fmt: skip
def test_rows_are_misplaced_as_by_plain_enumeration_and_as_the_theory_says(
    rows, cells, rate, far, misplaced
):
    """All noisy tables near, all replies to each; what is left out is less than 1 in 1,000."""
    made = _made(rows, cells, rate)
    told = np.abs(np.arange(rows + 1)[None, :, None] - made.tables.T[:, None, :])
    ours = (told * (made.weights / TOTAL)).sum(axis=(0, 1)) / 2
    apart = np.abs(made.tables[:, None] - made.tables[None, :]).sum(axis=2) / 2
    _, law = _noisy(rows, cells, rate, far)
    assert ours @ made.likely == pytest.approx(_best(law, made.likely, apart), rel=2e-3)
    assert ours @ made.likely == pytest.approx(misplaced, abs=6e-4)


def _uneven(tables):
    """A prior that knows its cells."""
    weights = 1 + tables @ np.arange(tables.shape[1]) ** 2
    return weights / weights.sum()


@pytest.mark.parametrize(
    ("rows", "cells", "told", "per_person"),
    [(3, 2, 2, 1), (3, 3, 3, 1), (3, 3, 2, 2), (2, 4, 3, 1)],
)
def test_the_law_is_that_of_all_noises_summed(rows, cells, told, per_person):
    """With a rest that is not told, and persons of several rows: every cell, count and table."""
    made = _made(rows, cells, "3", told=told, likely=_uneven, per_person=per_person)
    outputs, law = _noisy(rows, cells, Fraction(3, per_person), 12)
    replies = np.array([made.reply(one) for one in outputs])
    assert (replies.sum(axis=1) == rows).all()
    assert replies.min() >= 0
    for cell in range(told):
        for count in range(rows + 1):
            chance = law[replies[:, cell] == count].sum(axis=0)
            assert made.weights[cell, count] / TOTAL == pytest.approx(chance, abs=1e-6)
    apart = np.abs(made.tables[:, None, :told] - made.tables[None, :, :told]).sum(axis=2)
    costs = law * made.likely @ apart
    which = [made.tables.tolist().index(one) for one in replies.tolist()]
    assert costs[np.arange(len(which)), which] == pytest.approx(costs.min(axis=1))


@pytest.mark.parametrize(
    ("rows", "cells", "per_person"), [(4, 3, 1), (4, 3, 2), (5, 3, 3), (3, 4, 1)]
)
def test_replies_tell_neighbouring_tables_apart_by_epsilon_at_most(rows, cells, per_person):
    """All tables that differ in so many rows, all counts told, within what was rounded down."""
    made = _made(rows, cells, "1", per_person=per_person)
    apart = np.abs(made.tables[:, None] - made.tables[None, :]).sum(axis=2) // 2
    lost = TOTAL - made.weights.sum(axis=1).min()
    assert 0 <= lost < TOTAL * 1e-9
    for one, other in np.argwhere((apart > 0) & (apart <= per_person)):
        left, right = made.weights[:, :, one], made.weights[:, :, other]
        assert (left <= math.e * (right + lost)).all()


def test_draws_follow_the_law():
    made = _made(5, 3, "0.5")
    table = made.tables[7]
    told = np.array([made.reply(table + made.noise.draw()) for _ in range(4_000)])
    for cell in range(3):
        assert_follows(told[:, cell], made.weights[cell, :, 7] / TOTAL)


@pytest.mark.parametrize(("rows", "cells"), [(3, 2), (6, 3), (4, 4), (2, 6)])
def test_how_much_there_is_to_go_through_is_known_beforehand(rows, cells):
    made = _made(rows, cells, "1")
    needed = len(made.outputs) * len(made.tables)
    assert needed <= work(rows, cells) <= 3 * needed
    assert work(10**9, 2) is work(1, 40) is None
