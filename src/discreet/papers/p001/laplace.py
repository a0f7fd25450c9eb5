"""Propositions 5 and 6 and Example 3: Laplace noise, and how far off it may be."""

import math
from fractions import Fraction

import numpy as np

from discreet.certifier import certify, tight_epsilon
from discreet.exact import Epsilon
from discreet.graphs import histograms
from discreet.mechanisms import (
    GeometricMechanism,
    LaplaceMechanism,
    geometric,
    laplace,
    laplace_accuracy,
)
from discreet.model import AllPairs, Grid, Mechanism, Within
from discreet.papers.checking import at_most, equal, not_more_often, printed_number, statement
from discreet.papers.item import Figure, Outcome, Panel, PaperItem, PrintedTable, Series, Step
from discreet.papers.p001.composition import side_by_side
from discreet.sampling import discrete_laplace

SENSITIVITY, EPSILON = 2, 2
NAMES, FAILURE = 10_000, 0.05
SIZES = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)
_SURE = Fraction(19, 20)
RELEASES = 400
_FINE = Fraction(1, 100)
"""A grid so fine that its noise is Laplace noise, for the eye and for three digits."""


def exact_quantile(dimensions: int, failure: float) -> float:
    """What the largest of k Laplace noises exceeds with this probability, in units of Δ/ε.

    1 − (1 − e^−t)^k = δ: what the union bound of Prop. 6 rounds up to ln(k/δ).

    >>> round(exact_quantile(1, 0.05), 6) == round(math.log(20), 6)
    True
    """
    return -math.log(-math.expm1(math.log1p(-failure) / dimensions))


def largest_noises(dimensions: int, releases: int, sensitivity: int, epsilon: int) -> np.ndarray:
    """The largest of k noises, in many releases: exact draws on a grid of 0.01."""
    rate = LaplaceMechanism.of(sensitivity, epsilon, _FINE, on_grid=True).rate(dimensions)
    noise = discrete_laplace(rate, dimensions * releases).reshape(releases, dimensions)
    return np.asarray(np.abs(noise).max(axis=1) * float(_FINE))


def _counts_of_two(records: int, epsilon: str) -> Mechanism:
    """Both counts of a yes/no column, each with noise of scale 2/ε: f has k = 2, Δ_f = 2."""
    half = Epsilon.of(Fraction(epsilon) / 2)
    one = geometric(Grid.between(0, records), Within(1), half)
    other = Mechanism.of(one.answers, one.outputs, one.neighbours, one.weights[:, ::-1])
    return side_by_side(one, other)


def _proposition_5(step: Step) -> Outcome:
    lines = []
    for epsilon in ("0.1", "0.5", "1", "2", "4"):
        cases = {
            "count of 20, Δ = 1": laplace(Grid.between(0, 20), Within(1), epsilon),
            "rating 1..5, Δ = 4": laplace(Grid.between(1, 5), AllPairs(), epsilon),
            "sum of ten 0..3, Δ = 3": laplace(Grid.between(0, 30), Within(3), epsilon),
            "both counts of 8 bits, k = 2, Δ = 2": _counts_of_two(8, epsilon),
        }
        for name, mechanism in cases.items():
            certify(mechanism, epsilon)
            lines.append((name, float(epsilon), float(tight_epsilon(mechanism))))
    worst = max(lines, key=lambda line: line[2] / line[1])
    full = [line for line in lines if line[0].startswith("both counts")]
    return Outcome(
        tables=(
            PrintedTable(
                "laplace",
                ("f", "ε", "the matrix needs"),
                tuple(lines),
                "Laplace noise of scale Δ/ε, rounded to the possible answers, as exact integers",
            ),
        ),
        checks=(
            at_most(
                f"noise of scale Δ/ε is ε-private: {len(lines)} matrices certified",
                worst[2] / worst[1],
                1.0,
                printed="ε",
                note=f"nearest: {worst[0]}",
            ),
            equal(
                "for k = 2 the L₁ sensitivity 2 is used up entirely",
                min(line[2] / line[1] for line in full),
                1.0,
                within=1e-6,
            ),
        ),
        notes=("§2.2 lets a counting query range over {1, …, n}; a count may also be 0, as here.",),
    )


def _proposition_6(step: Step) -> Outcome:
    lines, checks = [], []
    whole = LaplaceMechanism.of(SENSITIVITY, EPSILON, on_grid=True)
    for place, size in enumerate(SIZES):
        step(place / len(SIZES), f"k = {size:,}")
        bound = laplace_accuracy(SENSITIVITY, EPSILON, _SURE, size)
        exact = exact_quantile(size, FAILURE) * SENSITIVITY / EPSILON
        noises = largest_noises(size, RELEASES, SENSITIVITY, EPSILON)
        beyond = int((noises >= bound).sum())
        lines.append(
            (
                size,
                bound,
                exact,
                float(np.quantile(noises, 1 - FAILURE)),
                float(whole.accuracy(_SURE, size)),
                beyond / RELEASES,
            )
        )
        checks.append(
            not_more_often(
                f"k = {size:,}: {RELEASES} releases, how many are off by the bound",
                beyond,
                RELEASES,
                FAILURE * (1 + float(_FINE)),
                printed="δ = 0.05",
            )
        )
    gap = max(line[1] - line[2] for line in lines)
    checks.append(
        at_most(
            "the union bound gives away at most ln(−ln(1 − δ)/δ) = 0.026 scales",
            gap * EPSILON / SENSITIVITY,
            math.log(-math.log1p(-FAILURE) / FAILURE),
        )
    )
    return Outcome(
        tables=(
            PrintedTable(
                "accuracy",
                (
                    "values k",
                    "ln(k/δ)·Δ/ε",
                    "exact quantile",
                    "measured quantile",
                    "whole-number noise",
                    "share beyond the bound",
                ),
                tuple(lines),
                f"Δ = {SENSITIVITY}, ε = {EPSILON}, δ = {FAILURE:g}; {RELEASES} releases measured "
                "on a grid of 0.01",
            ),
        ),
        figures=(_figure(lines),),
        checks=tuple(checks),
    )


def _figure(lines: list[tuple[int, float, float, float, float, float]]) -> Figure:
    at = tuple(float(line[0]) for line in lines)
    columns = list(zip(*lines, strict=True))
    left = Panel(
        title="error of the worst value, 95 % sure",
        x_label="values k",
        y_label="error in units of Δ/ε",
        series=(
            Series("ln(k/δ), as printed", at, columns[1], "paper"),
            Series("exact quantile", at, columns[2], "bound"),
            Series("measured", at, columns[3], "ours"),
        ),
        log_x=True,
    )
    chances = tuple(0.001 * 2**step for step in range(10))
    curves = [
        Series(
            f"k = {size:,}",
            chances,
            tuple(-math.expm1(size * math.log1p(-chance / size)) for chance in chances),
            "ours",
        )
        for size in (2, 10_000)
    ]
    right = Panel(
        title="how often the bound is exceeded",
        x_label="δ promised",
        y_label="probability that some value is off by more",
        series=(Series("δ, as printed", chances, chances, "paper"), *curves),
        log_x=True,
        log_y=True,
    )
    return Figure(
        "proposition-6",
        "The printed accuracy ln(k/δ)·Δ/ε is nearly exact: a union bound over independent noises "
        "loses 0.026 scales at δ = 5 %.",
        (left, right),
    )


def _example_3(step: Step) -> Outcome:
    bounds = {eps: laplace_accuracy(SENSITIVITY, eps, _SURE, NAMES) for eps in (2, 1)}
    exact = {eps: exact_quantile(NAMES, FAILURE) * SENSITIVITY / eps for eps in (2, 1)}
    names = GeometricMechanism.counting(2, sensitivity=2)
    step(0.1, "releases of 10,000 counts")
    counts = np.zeros(NAMES, dtype=np.int64)
    off = sum(int(np.abs(names.draw_counts(counts)).max() > 12) for _ in range(RELEASES // 2))
    lines = [
        (
            float(eps),
            bounds[eps],
            exact[eps],
            float(LaplaceMechanism.of(2, eps, on_grid=True).accuracy(_SURE, NAMES)),
        )
        for eps in (2, 1)
    ]
    return Outcome(
        tables=(
            PrintedTable(
                "first-names",
                ("ε", "ln(k/δ)·Δ/ε", "exact quantile", "whole-number noise"),
                tuple(lines),
                "10,000 counts, sensitivity 2, 95 % sure",
            ),
        ),
        checks=(
            statement(
                "one person moves the counts by 2 in all",
                _moves_by(3, 4) == 2,
                f"{_moves_by(3, 4)}, over all tables of 4 people with 3 names",
                printed="2",
            ),
            at_most("ln(10000/0.05) ≤ 12.21", bounds[2], 12.21, printed="12.21"),
            printed_number(
                "12.21 is the bound rounded up", "12.21", math.ceil(100 * bounds[2]) / 100
            ),
            at_most("ε = 1 yields 24.42 at most", bounds[1], 24.42, printed="24.42"),
            at_most(
                "whole-number noise keeps 12 where Laplace noise keeps 12.21", lines[0][3], 12.21
            ),
            not_more_often(
                "releases with some count off by more than 12",
                off,
                RELEASES // 2,
                FAILURE,
                printed="95 %",
            ),
        ),
        notes=(
            "The size of the population, 300,000,000, plays no part: errors do not grow with it.",
        ),
    )


def _moves_by(values: int, records: int) -> int:
    """The L₁ sensitivity of a histogram, over every pair of neighbouring tables."""
    nodes = histograms(records, values)
    counts = np.array([[int(part) for part in name.split(".")] for name in nodes.space.names])
    return int(
        np.abs(counts[nodes.directed[:, 0]] - counts[nodes.directed[:, 1]]).sum(axis=1).max()
    )


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="001/proposition-5",
        title="The Laplace mechanism",
        paper="001",
        claim="Laplace noise of scale Δ/ε on every coordinate is ε-private.",
        run=_proposition_5,
        seconds=0.5,
    ),
    PaperItem(
        id="001/proposition-6",
        title="How far off Laplace noise is",
        paper="001",
        claim="With probability 1 − δ no coordinate is off by ln(k/δ)·Δ/ε or more.",
        run=_proposition_6,
        seconds=1,
    ),
    PaperItem(
        id="001/example-3",
        title="First names",
        paper="001",
        claim="With ε = 2, no count of 10,000 first names is off by more than 12.21, 95 % sure; "
        "with "
        "ε = 1, 24.42.",
        run=_example_3,
        seconds=1,
    ),
)
