"""Totals and marginals of a table: privacy against every small table, exact laws, whole rows."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.joint.fitting import Measured, fitted, whole_rows
from discreet.joint.levels import CellBlocks, OneRadius, PrivacyTerms, best_levels, measured
from discreet.model import Relation
from statistics_bounds import tail_bound

CHANGE, COMING = Relation.CHANGE, Relation.ADD_OR_REMOVE
ONE = Epsilon.of(1)
FIRST = CellBlocks(np.array([0, 0, 1, 1]), 2)
SECOND = CellBlocks(np.array([0, 1, 0, 1]), 2)
MARGINS = [(0, 1), (2, 3), (0, 2), (1, 3)]


def _tables(rows):
    every = itertools.product(range(rows + 1), repeat=4)
    return [np.array(one) for one in every if sum(one) <= rows]


def _neighbours(one, other, relation, rows):
    moved = other - one
    if relation == CHANGE:
        return moved.sum() == 0 and np.abs(moved).sum() <= 2 * rows
    return (np.all(moved >= 0) or np.all(moved <= 0)) and np.abs(moved).sum() <= rows


def _log_chance(blocks, noise, output, table, relation):
    """−log P(output), but for a constant: from the definition of each noise, in whole numbers."""
    off = output - blocks.sums(table)
    sizes = int(np.abs(off).sum())
    return noise.rate * sizes if relation == COMING else noise.rate * (sizes + abs(int(off.sum())))


@pytest.mark.parametrize("relation", [CHANGE, COMING])
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize(
    "levels", [[CellBlocks.apart(4)], [FIRST, SECOND]], ids=["cells", "margins"]
)
def test_no_output_tells_neighbours_apart_by_more_than_epsilon(relation, rows, public, levels):
    """All small tables, all neighbours, all outputs near them, by the laws of all levels."""
    charge = PrivacyTerms(
        epsilon=ONE, relation=relation, rows_per_unit=rows, total_is_public=public
    )
    made = measured(levels, MARGINS, charge)
    tables = _tables(3)
    farthest = Fraction(0)
    for one, other in itertools.combinations(tables, 2):
        if not _neighbours(one, other, relation, rows):
            continue
        # Levels are independent, so the outputs that tell most may be sought one by one.
        apart = Fraction(0)
        for blocks, noise in made.levels:
            outputs = {tuple(blocks.sums(table)) for table in tables}
            apart += max(
                abs(
                    _log_chance(blocks, noise, np.array(output), one, relation)
                    - _log_chance(blocks, noise, np.array(output), other, relation)
                )
                for output in outputs
            )
        farthest = max(farthest, apart)
    assert farthest == 1 if len(levels) == 1 else Fraction(1, 2) < farthest <= 1
    assert sum(Fraction(noise.certified.guarantee.epsilon.value) for _, noise in made.levels) <= 1


@pytest.mark.parametrize("relation", [CHANGE, COMING])
@pytest.mark.parametrize("billionths", [1, 2, 3, 4, 5, 7, 10**9])
def test_levels_together_spend_no_billionth_more_than_is_charged(billionths, relation):
    """Of few billionths too: a level that has no whole one has none, and is not measured."""
    charge = PrivacyTerms(epsilon=Epsilon(billionths), relation=relation)
    third = CellBlocks(np.array([0, 1, 1, 0]), 2)
    sums = [*MARGINS, (0, 3), (1, 2)]
    found = [best_levels(4, [FIRST, SECOND, third], sums, charge)]
    if billionths < 3:
        with pytest.raises(DesignError, match="too small for 3 tables"):
            measured([FIRST, SECOND, third], sums, charge)
    else:
        found.append(measured([FIRST, SECOND, third], sums, charge))
    for made in found:
        spent = [noise.certified.guarantee.epsilon.billionths for noise in made.tables]
        assert sum(spent) == billionths or isinstance(made, OneRadius)


def test_a_total_is_read_where_it_takes_fewest_blocks():
    charge = PrivacyTerms(epsilon=ONE, relation=COMING)
    made = measured([CellBlocks.apart(4), FIRST], [(0, 1), (0, 1, 2, 3), (2,)], charge)
    assert [(one.level, one.blocks) for one in made.told] == [(1, (0,)), (1, (0, 1)), (0, (2,))]


def test_the_strategy_errs_least_of_all_that_are_tried():
    """Marginals alone are measured by themselves; with the cells they are added up."""
    first = CellBlocks(np.repeat(np.arange(10), 10), 10)
    second = CellBlocks(np.tile(np.arange(10), 10), 10)
    sums = [np.flatnonzero(one.of_cell == b).tolist() for one in (first, second) for b in range(10)]
    cells = [(cell,) for cell in range(100)]
    for relation in (CHANGE, COMING):
        charge = PrivacyTerms(epsilon=ONE, relation=relation, total_is_public=True)
        assert len(best_levels(100, [first, second], sums, charge).parts) == 2
        whole = best_levels(100, [CellBlocks.apart(100), first], [*cells, *sums[:10]], charge)
        assert whole.is_cells


def test_a_public_total_is_exact_and_others_vary_as_their_law_says():
    charge = PrivacyTerms(epsilon=ONE, relation=CHANGE, total_is_public=True)
    made = measured([CellBlocks.apart(4)], [(0, 1, 2, 3), (0, 1), (3,)], charge)
    counts, draws = np.array([5, 0, 7, 2]), 4000
    told = np.array([made.read(made.measure(made.truths(counts))) for _ in range(draws)])
    assert np.all(told[:, 0] == 14)
    for place, (true, error) in enumerate(zip((14, 5, 2), made.errors, strict=True)):
        off = np.abs(told[:, place] - true)
        assert abs(off.mean() - error) <= 8 * (off.std() + 1e-9) / math.sqrt(draws)
        far = made.reaches(Fraction(19, 20))[place]
        missed = int((off > far).sum())
        assert missed <= draws / 20 or tail_bound(missed, draws, Fraction(1, 20)) > 1e-9


@given(
    st.lists(st.integers(-5, 30), min_size=2, max_size=2),
    st.lists(st.integers(-5, 30), min_size=2, max_size=2),
    st.integers(0, 40),
)
def test_fitted_rows_are_whole_in_range_and_of_the_right_number(first, second, rows):
    parts = [
        Measured(FIRST, np.array(first), 1.0), Measured(SECOND, np.array(second), 0.5),
    ]  # fmt: skip
    table = fitted(parts, 4, rows)
    assert table.min() >= 0
    assert table.sum() == pytest.approx(rows)
    found = whole_rows(table, rows, [FIRST, SECOND])
    assert found.dtype == np.int64
    assert found.min() >= 0
    assert found.sum() == rows


@given(st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any))
def test_without_noise_the_marginals_are_those_of_the_table(counts):
    """What was measured exactly is told exactly: the fit comes to it, and rows keep it."""
    table = np.array(counts)
    parts = [Measured(one, one.sums(table), 1.0) for one in (FIRST, SECOND)]
    found = whole_rows(fitted(parts, 4, sum(counts)), sum(counts), [FIRST, SECOND])
    for one in (FIRST, SECOND):
        assert np.abs(one.sums(found) - one.sums(table)).max() <= 1


def test_rows_are_moved_until_no_move_brings_the_marginals_nearer():
    """Largest remainders alone would leave the rare word of a large table without rows."""
    rare, even = np.array([0.9, 0.1]), np.full(50, 0.02)
    table = 40 * np.outer(rare, even).ravel()
    word = CellBlocks(np.repeat([0, 1], 50), 2)
    assert Counter(word.of_cell[np.repeat(np.arange(100), whole_rows(table, 40))]) == {0: 40}
    assert word.sums(whole_rows(table, 40, [word])).tolist() == [36, 4]
