"""The local basis says the same as "all columns sum to 1", in fewer entries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.designer.rays.goal import Distances, Line, LossTable
from discreet.designer.rays.pool import intervals
from discreet.designer.rays.program import Columns, LocalBasis


def matrix_of(columns: Columns, rows: int) -> np.ndarray:
    """Sparse columns written out; no place may be named twice."""
    count = len(columns.starts) - 1
    full = np.zeros((rows, count))
    for k in range(count):
        part = slice(columns.starts[k], columns.starts[k + 1])
        assert len(set(columns.rows[part].tolist())) == len(columns.rows[part])
        full[columns.rows[part], k] = columns.values[part]
    return full


def operator(line: Line) -> np.ndarray:
    """T/(1 − α), by its definition."""
    matrix = np.zeros((line.size, line.size))
    for j in range(line.size):
        beside = [k for k in (j - line.steps, j + line.steps) if 0 <= k < line.size]
        matrix[j, j] = 1 + line.alpha**2 if len(beside) == 2 else 1.0
        matrix[j, beside] = -line.alpha
    return matrix / (1 - line.alpha)


def heights(line: Line, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    places = np.arange(line.size)
    away = np.maximum(np.maximum(first[:, None] - places, places - last[:, None]), 0)
    return line.alpha ** (-(-away // line.steps)).astype(float)


@st.composite
def bases(draw: st.DrawFn) -> LocalBasis:
    line = Line(draw(st.integers(1, 30)), draw(st.integers(1, 9)), draw(st.floats(0.05, 0.95)))
    return LocalBasis(line, draw(st.booleans()), draw(st.booleans()))


def folded(basis: LocalBasis, full: np.ndarray) -> np.ndarray:
    """What the basis makes of T·x, by the definition: mirrored rows added, rows subtracted."""
    if basis.symmetric:
        full = (full + full[::-1])[: basis.rows]
    if basis.differenced:
        full = np.concatenate([full[:1], np.diff(full, axis=0)])
    return full


@settings(max_examples=80, deadline=None)
@given(bases())
def test_columns_are_the_operator_applied_to_rays(basis: LocalBasis) -> None:
    line = basis.line
    first, last = intervals(line, symmetric=False)
    wanted = folded(basis, operator(line) @ heights(line, first, last).T)
    of_intervals = matrix_of(basis.interval_columns(first, last), basis.rows)
    assert np.allclose(of_intervals, wanted, atol=1e-11 / (1 - line.alpha))
    levels = np.rint(np.log(heights(line, first, last)) / np.log(line.alpha)).astype(np.int64)
    of_levels = matrix_of(basis.ray_columns(levels), basis.rows)
    assert np.allclose(of_levels, wanted, atol=1e-11 / (1 - line.alpha))
    units = matrix_of(basis.unit_columns(), basis.rows)
    assert np.allclose(units, folded(basis, operator(line)[:, : basis.rows]), atol=1e-12)
    side = folded(basis, operator(line) @ np.ones((line.size, 1)))[:, 0]
    assert np.allclose(basis.right_side, side, atol=1e-12)


@settings(max_examples=80, deadline=None)
@given(bases(), st.data())
def test_prices_say_the_same_as_multipliers(basis: LocalBasis, data: st.DataObject) -> None:
    """Σ over rows of multiplier times column is the price of the ray, for every ray."""
    line = basis.line
    numbers = st.lists(st.floats(-2, 2), min_size=basis.rows, max_size=basis.rows)
    duals = np.array(data.draw(numbers))
    first, last = intervals(line, symmetric=False)
    by_rows = duals @ matrix_of(basis.interval_columns(first, last), basis.rows)
    by_prices = heights(line, first, last) @ basis.prices(duals)
    scale = 1 + np.abs(basis.prices(duals)).sum()
    assert np.allclose(by_rows, by_prices, atol=1e-11 * scale)
    assert np.allclose(line.inside(basis.prices(duals), first, last), by_prices, atol=1e-11 * scale)


@pytest.mark.parametrize("steps", [4, 20, 99])
def test_a_column_is_short_whatever_the_line(steps: int) -> None:
    line = Line(60 * steps + 1, steps, np.exp(-0.5))
    first = np.arange(25 * steps, 26 * steps)
    last = first + steps // 2
    local = LocalBasis(line, symmetric=True, differenced=False).interval_columns(first, last)
    assert np.diff(local.starts).max() <= 3 * steps
    shorter = LocalBasis(line, symmetric=True, differenced=True).interval_columns(first, last)
    assert np.diff(shorter.starts).max() <= 5


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 25), st.integers(1, 8), st.floats(0.05, 0.95), st.sampled_from([1, 2]), st.data()
)
def test_costs_of_intervals_are_the_least_over_outputs(size, steps, alpha, power, data) -> None:
    line = Line(size, steps, alpha)
    first, last = intervals(line, symmetric=False)
    places = np.arange(size)
    table = np.abs(places[:, None] - places).astype(float) ** power
    every = table @ heights(line, first, last).T
    for goal in (Distances(line, power), LossTable(line, table, places, True)):
        cost, told = goal.interval_costs(first, last)
        assert np.allclose(cost, every.min(axis=0), rtol=1e-10, atol=1e-10)
        assert np.allclose(every[told, np.arange(len(first))], cost, rtol=1e-10, atol=1e-10)
    told = np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=len(first),
                                       max_size=len(first))))  # fmt: skip
    at = Distances(line, power).costs_at(first, last, told)
    assert np.allclose(at, every[told, np.arange(len(first))], rtol=1e-10, atol=1e-10)
    assert np.allclose(Distances(line, power).constants(places), table.sum(axis=1))
