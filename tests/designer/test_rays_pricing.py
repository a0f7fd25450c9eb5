"""The cheapest ray of all, against every ray written down; and the bound it proves."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.designer.programs.program import Program, ProgramRows
from discreet.designer.programs.solver import solve
from discreet.designer.rays.bound import (
    Windows,
    bound_and_rays,
    bound_at,
    least_of_outputs,
    least_rays,
    least_rays_with_levels,
    lowering,
)
from discreet.designer.rays.goal import Distances, Line, LossTable

costs = st.floats(-3, 3, allow_subnormal=False)


def every_ray(size: int, steps: int) -> list[list[int]]:
    """Every list of levels, beginning at 0, that differ by at most 1 within `steps`."""
    rays = [[0]]
    for _ in range(size - 1):
        rays = [
            [*ray, level]
            for ray in rays
            for level in range(max(ray[-steps:]) - 1, min(ray[-steps:]) + 2)
        ]
    return rays


def windows_of(table: np.ndarray, anchors: np.ndarray) -> Windows:
    """What lies around the anchors, without rounding."""
    outputs, size = table.shape
    padded = np.concatenate([table, np.zeros((outputs, 1))], axis=1)
    apart = np.arange(1, size)[:, None]
    right = np.minimum(anchors + apart, size)
    left = np.where(anchors - apart >= 0, anchors - apart, size)
    every = np.arange(outputs)
    sides = np.concatenate([padded[every, right], padded[every, left]], axis=1)
    return Windows(table[every, anchors], sides)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, float]:
    size, outputs = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    rows = st.lists(costs, min_size=size, max_size=size)
    table = np.array(draw(st.lists(rows, min_size=outputs, max_size=outputs)))
    anchors = st.lists(st.integers(0, size - 1), min_size=outputs, max_size=outputs)
    return table, np.array(draw(anchors)), draw(st.integers(1, 5)), draw(st.floats(0.1, 0.95))


@settings(max_examples=150, deadline=None)
@given(tables())
def test_the_least_of_all_rays_is_found_and_never_overstated(drawn) -> None:
    table, anchors, steps, alpha = drawn
    levels = np.array(every_ray(table.shape[1], steps))
    every = np.arange(len(table))
    heights = alpha ** (levels[:, None, :] - levels[:, anchors][:, :, None]).astype(float)
    values = (table * heights).sum(axis=2)
    truth = values.min(axis=0)
    size = np.abs(table * heights).sum(axis=2).max(axis=0)
    found = least_rays(windows_of(table, anchors), steps, alpha)
    assert (found <= truth + 1e-15 * size).all()
    assert (found >= truth - 1e-12 * size).all()
    again, right, left = least_rays_with_levels(windows_of(table, anchors), steps, alpha)
    assert np.array_equal(again, found)
    for i in every:
        ray = _joined(right[i], left[i], int(anchors[i]), table.shape[1])
        assert _is_ray(ray, steps)
        reached = float(table[i] @ alpha ** ray.astype(float))
        assert abs(reached - truth[i]) <= 1e-12 * size[i]


def _joined(right: np.ndarray, left: np.ndarray, anchor: int, size: int) -> np.ndarray:
    return np.concatenate([left[:anchor][::-1], [0], right[: size - 1 - anchor]])


def _is_ray(levels: np.ndarray, steps: int) -> bool:
    return all(
        abs(levels[j] - levels[k]) <= 1
        for j in range(len(levels))
        for k in range(j, min(j + steps + 1, len(levels)))
    )


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 7),
    st.integers(1, 4),
    st.floats(0.1, 0.95),
    st.sampled_from([1, 2]),
    st.data(),
)
def test_the_bound_is_what_all_rays_say(size, steps, alpha, power, data) -> None:
    """For any prices: Σ y, lowered until all v_i ≥ 0, whether by distances or by a table.

    It never says less than Σ y + Σ_i min(0, v_i), and never more than the best rays cost.
    """
    prices = np.array(data.draw(st.lists(st.floats(0, 4), min_size=size, max_size=size)))
    prices = (prices + prices[::-1]) / 2
    line = Line(size, steps, alpha)
    places = np.arange(size)
    table = np.abs(places[:, None] - places).astype(float) ** power
    levels = np.array(every_ray(size, steps))
    heights = alpha ** (levels[:, None, :] - levels[:, :, None]).astype(float)
    least = ((table - prices) * heights).sum(axis=2).min(axis=0)
    simple = prices.sum() + np.minimum(least, 0).sum()
    heights = alpha ** levels.astype(float)
    best = _cost_of_the_best(heights, (table @ heights.T).min(axis=0))
    scale = 1 + np.abs(table - prices).sum() * alpha ** -float(size)
    for goal in (Distances(line, power), LossTable(line, table, places, False)):
        bound = bound_at(goal, prices)
        assert bound <= best + 1e-9 * scale
        assert bound >= simple - 1e-8 * scale
        again, levels_found = bound_and_rays(goal, prices, 1e-9)
        assert again == bound
        assert all(_is_ray(ray, steps) for ray in levels_found)


def _cost_of_the_best(heights: np.ndarray, costs: np.ndarray) -> float:
    """The program over every ray there is."""
    rays, size = heights.shape
    columns = np.tile(np.arange(rays), (size, 1))
    sums = ProgramRows.equal("sum", columns, heights.T, 1.0)
    program = Program.of(costs, np.zeros(rays), np.full(rays, np.inf), [sums])
    return solve(program, "simplex").value


@settings(max_examples=100, deadline=None)
@given(tables())
def test_lowered_prices_leave_no_ray_that_costs_less(drawn) -> None:
    net, anchors, steps, alpha = drawn
    levels = np.array(every_ray(net.shape[1], steps))
    heights = alpha ** (levels[:, None, :] - levels[:, anchors][:, :, None]).astype(float)
    lacking = np.maximum(-(net * heights).sum(axis=2).min(axis=0), 0.0)
    lowered = lowering(Line(net.shape[1], steps, alpha), anchors, lacking)
    left = ((net + lowered) * heights).sum(axis=2).min(axis=0)
    assert (left >= -1e-12 * (1 + lacking)).all()
    assert lowered.min() >= 0
    assert lowered.sum() <= lacking.sum() * (1 + 1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.floats(0.1, 0.99), st.sampled_from([1, 2]), st.integers(0, 2**32))
def test_what_is_told_of_any_ray_costs_what_a_table_says(size, alpha, power, seed) -> None:
    places = np.arange(size)
    table = np.abs(places[:, None] - places).astype(float) ** power
    heights = alpha ** np.random.default_rng(seed).integers(0, 5, (7, size)).astype(float)
    cost, told = Distances(Line(size, 3, alpha), power).losses(heights)
    every = table @ heights.T
    assert np.allclose(cost, every.min(axis=0), rtol=1e-12, atol=0)
    assert np.allclose(cost, every[told, np.arange(7)], rtol=1e-12, atol=0)


def test_only_half_of_the_outputs_is_looked_at_where_distances_count() -> None:
    goal = Distances(Line(9, 2, 0.5), 1)
    least, outputs = least_of_outputs(goal, np.full(9, 2.0))
    assert len(least) == len(outputs) == 5
