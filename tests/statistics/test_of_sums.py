"""Variances, covariances and lines: their values, their ranges, and their ends over boxes."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.model import Grid, Relation
from discreet.statistics import NAMES, OfSums, Products, Rows, SharpBox, Slot, SumBox, Takes

FIRST, SECOND = Grid.between("-1", "2", "0.5"), Grid.between(10, 13)
NAMED = [words.name for words in NAMES.values() if isinstance(words.make(1), OfSums)]
STEP = Fraction(1, 10**6)
rows_of = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=9)


def made(name):
    words = NAMES[name]
    others = (SECOND,) if words.takes is Takes.PAIRS else ()
    rows = Rows(values=FIRST, most=9, relation=Relation.EITHER, others=others)
    statistic = words.make(None)
    return statistic, statistic.form(rows)


def summed(rows):
    first, second = [i for i, _ in rows], [j for _, j in rows]
    return Products(
        len(rows),
        (sum(first), sum(second)),
        (sum(i * i for i in first), sum(j * j for j in second)),
        sum(i * j for i, j in rows),
    )


def plainly(name, rows):
    """By the definition, exactly but for roots; None where SQL has NULL."""
    x, y = [FIRST.value(i) for i, _ in rows], [SECOND.value(j) for _, j in rows]
    n, less = len(rows), 0 if name.startswith("population") else 1
    needed = 1 if NAMES[name].takes is Takes.PAIRS and "covariance" not in name else 1 + less
    if n < needed:
        return None
    means = sum(x) / n, sum(y) / n
    squares = [
        sum((one - mean) ** 2 for one in some) for some, mean in zip((x, y), means, strict=True)
    ]
    product = sum((one - means[0]) * (other - means[1]) for one, other in zip(x, y, strict=True))
    match name.removeprefix("population_"):
        case "variance":
            return squares[0] / (n - less)
        case "stddev":
            return math.sqrt(squares[0] / (n - less))
        case "covariance":
            return product / (n - less)
        case "correlation":
            return product / math.sqrt(squares[0] * squares[1]) if all(squares) else None
        case "slope":
            return product / squares[1] if squares[1] else None
        case "intercept":
            return means[0] - product / squares[1] * means[1] if squares[1] else None


@pytest.mark.parametrize("name", NAMED)
@given(rows_of)
@settings(max_examples=60, deadline=None)
def test_values_are_those_of_the_definition_and_lie_in_the_range(name, rows):
    statistic, form = made(name)
    found, right = statistic.value(summed(rows), form), plainly(name, rows)
    assert form.low <= Fraction(found) <= form.high
    assert 0 <= statistic.place(summed(rows), form) < form.size
    if right is None:
        assert found == min(max(0.0, float(form.low)), float(form.high))
    else:
        assert found == pytest.approx(float(right), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", NAMED)
@given(rows_of, st.lists(st.integers(0, 6), min_size=12, max_size=12))
@settings(max_examples=120, deadline=None)
def test_a_box_that_holds_the_sums_has_ends_that_hold_the_value(name, rows, off):
    statistic, form = made(name)
    sums = summed(rows).sums(form.fars)
    ranges = [(one - off[2 * k], one + off[2 * k + 1]) for k, one in enumerate(sums)]
    low, high = ranges[Slot.ROWS]
    ranges[Slot.ROWS] = max(1, low), max(1, high)
    ends = statistic.ends(SumBox(tuple(ranges), form.fars, low < statistic.few), form.grids, STEP)
    value = statistic.value(summed(rows), form)
    if ends is not None:
        assert float(ends[0]) - 1e-9 <= value <= float(ends[1]) + 1e-9


@pytest.mark.parametrize("name", NAMED)
@given(rows_of, st.lists(st.integers(-6, 6), min_size=6, max_size=6))
@settings(max_examples=120, deadline=None)
def test_a_box_with_weighted_sums_has_ends_that_hold_the_value(name, rows, noise):
    """As far as the noise itself reaches, with the weights that it is asked for."""
    statistic, form = made(name)
    sums = summed(rows).sums(form.fars)
    drawn = tuple(one + off for one, off in zip(sums, noise, strict=True))
    ranges = [(one - abs(off), one + abs(off)) for one, off in zip(drawn, noise, strict=True)]
    low, high = ranges[Slot.ROWS]
    ranges[Slot.ROWS] = max(1, low), max(1, high)

    def reach(weights, share):
        assert 0 < share < 1
        assert all(weight >= 0 for weight in weights.values())
        return sum(weight * abs(noise[slot]) for slot, weight in weights.items())

    plain = SumBox(tuple(ranges), form.fars, low < statistic.few)
    box = SharpBox(plain.ranges, plain.fars, plain.empty, drawn, reach)
    ends, value = statistic.ends(box, form.grids, STEP), statistic.value(summed(rows), form)
    if ends is not None:
        assert float(ends[0]) - 1e-9 <= value <= float(ends[1]) + 1e-9


@pytest.mark.parametrize("name", NAMED)
def test_ends_over_a_box_are_those_of_all_sums_in_it(name):
    """Every whole number of rows, sum, square and product of a small box, one by one."""
    statistic, form = made(name)
    centre = summed([(0, 0), (6, 3), (3, 1), (5, 2), (1, 1)]).sums(form.fars)
    slots = [slot for slot in Slot if slot in statistic.slots]
    ranges = [(one - 1, one + 1) if slot in slots else (0, 0) for slot, one in enumerate(centre)]
    box = SumBox(tuple(ranges), form.fars, empty=False)
    low, high = statistic.ends(box, form.grids, STEP)
    found = []
    for each in itertools.product(*(range(a, b + 1) for a, b in ranges)):
        point = SumBox(tuple((one, one) for one in each), form.fars, empty=False)
        found.append(statistic.ends(point, form.grids, STEP))
    assert low <= min(one[0] for one in found)
    assert max(one[1] for one in found) <= high
    if name not in ("correlation", "slope", "intercept"):  # the others are taken one by one
        least, largest = min(one[0] for one in found), max(one[1] for one in found)
        sampled = not name.startswith("population")
        slack = (largest - least) * (Fraction(1, 4) if sampled else Fraction(1, 50)) + 2 * STEP
        assert low >= least - slack
        assert high <= largest + slack


@pytest.mark.parametrize("name", NAMED)
def test_the_range_is_reached_or_nearly(name):
    """Over all tables of two rows."""
    statistic, form = made(name)
    cells = list(itertools.product(range(7), range(4)))
    values = [
        statistic.value(summed(rows), form)
        for rows in itertools.combinations_with_replacement(cells, 2)
    ]
    assert max(values) <= float(form.high)
    assert max(values) >= 0.9 * float(form.high)
    assert np.isfinite(values).all()
