"""Example 3 and Lemma 6: the least mean distance from a node of a path, infinite or not."""

import math
from itertools import pairwise

from discreet.graphs import layer_cost, optimum_5
from discreet.graphs.path_bounds import (
    least_reach,
    long_path_share,
    middle_of_path,
    middle_of_path_below,
    one_sided_path,
    two_sided_path,
)
from discreet.papers.checking import at_most, equal, statement
from discreet.papers.item import (
    Check,
    Figure,
    Outcome,
    Panel,
    PaperItem,
    PrintedTable,
    Series,
    Step,
)
from discreet.papers.p002.examples import named

EPSILONS = ("0.1", "0.5", "1", "2")
REACHES = (1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 128)


def _example_3(step: Step) -> Outcome:
    lines, checks = [], []
    for epsilon in ("0.1", "log 2", "1", "2", "4"):
        one, two = one_sided_path(epsilon), two_sided_path(epsilon)
        long_one = layer_cost([1] * 2000, epsilon)
        long_two = middle_of_path(2000, epsilon)
        lines.append((epsilon, one, long_one, two, long_two))
        checks += [
            equal(
                f"γ/(1 − γ) at ε = {epsilon}, and LP[5] on 2,000 nodes",
                one,
                long_one,
                printed="γ/(1 − γ)",
            ),
            equal(
                f"2γ/(1 − γ²) at ε = {epsilon}, and LP[5] on 2,000 nodes either side",
                two,
                long_two,
                printed="2γ/(1 − γ²)",
            ),
        ]
    checks += [
        equal("at γ = 1/2 the first is 1", one_sided_path("log 2"), 1.0),
        equal("and the second 4/3", two_sided_path("log 2"), 4 / 3),
    ]
    return Outcome(
        tables=(
            PrintedTable(
                "infinite",
                ("ε", "γ/(1 − γ)", "2,000 nodes", "2γ/(1 − γ²)", "2,000 nodes either side"),
                tuple(lines),
                "the least mean distance from the end, and from the middle, of a path",
            ),
        ),
        checks=tuple(checks),
    )


def _lemma_6(step: Step) -> Outcome:
    lines, checks, panels = [], [], []
    for place, epsilon in enumerate(EPSILONS):
        step(place / len(EPSILONS), f"ε = {epsilon}")
        ours = [middle_of_path(reach, epsilon) for reach in REACHES]
        below = [middle_of_path_below(reach, epsilon) for reach in REACHES]
        limit = two_sided_path(epsilon)
        shares = [
            limit * long_path_share(reach * -math.expm1(-float(epsilon))) for reach in REACHES
        ]
        checks += _holds(epsilon, ours, below, shares, limit)
        lines += [
            (float(epsilon), reach, *row)
            for reach, *row in zip(REACHES, ours, below, shares, strict=True)
        ]
        at = tuple(float(reach) for reach in REACHES)
        panels.append(
            Panel(
                title=f"ε = {epsilon}",
                x_label="nodes on either side ℓ",
                y_label="mean distance f(ℓ)",
                series=(
                    Series("2γ/(1 − γ²)", at, (limit,) * len(at), "paper"),
                    Series("(12)", at, tuple(below), "paper"),
                    Series("(13) at s = (1 − γ)ℓ", at, tuple(shares), "paper"),
                    Series("f(ℓ)", at, tuple(ours), "ours"),
                ),
                log_x=True,
            )
        )
    return Outcome(
        tables=(
            PrintedTable(
                "middle",
                ("ε", "ℓ", "f(ℓ)", "(12)", "(13)"),
                tuple(lines),
                "the optimum of LP[5] from the middle of 2ℓ + 1 nodes, and the bounds below it",
            ),
        ),
        figures=(
            Figure(
                "lemma-6",
                "f(ℓ) rises to 2γ/(1 − γ²), and is there once ℓ is a few times 1/(1 − γ).",
                tuple(panels),
            ),
        ),
        checks=tuple(checks),
    )


def _holds(
    epsilon: str, ours: list[float], below: list[float], shares: list[float], limit: float
) -> list[Check]:
    solved = [
        (optimum_5(named(f"path {2 * reach + 1}"), reach, epsilon).value, value)
        for reach, value in zip(REACHES[:6], ours, strict=False)
    ]
    worst = max(solved, key=lambda pair: abs(pair[0] / pair[1] - 1))
    rises = all(a < b or b > limit * (1 - 1e-9) for a, b in pairwise(ours))
    reach = least_reach(3.0, epsilon)
    return [
        equal(
            f"(11) at ε = {epsilon}: LP[5] solved as a program", *worst, within=1e-7, printed="(11)"
        ),
        statement(
            f"f is strictly increasing, ε = {epsilon}",
            rises,
            f"from {ours[0]:.6g} to {ours[-1]:.6g}",
            printed="strictly increasing",
        ),
        at_most(
            f"(12) lies below f, ε = {epsilon}: largest (12) ÷ f",
            max(b / o for b, o in zip(below, ours, strict=True)),
            1.0,
            printed="f(ℓ) > (12)",
        ),
        at_most(
            f"(13) lies below (12) at s = (1 − γ)ℓ, ε = {epsilon}",
            max(s - b for s, b in zip(shares, below, strict=True)),
            0.0,
            printed="f(ℓ) > (13)",
        ),
        at_most(
            f"s = 3: ℓ = {reach} nodes give {long_path_share(3.0):.4f} of the limit or more",
            long_path_share(3.0),
            middle_of_path(reach, epsilon) / limit,
        ),
    ]


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="002/example-3",
        title="Infinite paths",
        paper="002",
        claim="The least mean distance from the end of an infinite path is γ/(1 − γ), from its "
        "middle "
        "2γ/(1 − γ²), with γ = e^−ε.",
        run=_example_3,
        seconds=1,
    ),
    PaperItem(
        id="002/lemma-6",
        title="Finite paths from their middle",
        paper="002",
        claim="f(ℓ) rises strictly to 2γ/(1 − γ²) and exceeds (12), and (13) when ℓ ≥ s/(1 − γ).",
        run=_lemma_6,
        seconds=1,
    ),
)
