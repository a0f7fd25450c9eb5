"""Corollary 2 beyond paths: infinite trees, whose layers are regular and grow by a factor b.

With equality in (C5) layer d has the mass (bγ)^d, up to a factor. Where bγ < 1 the mean distance
from the root is bγ/(1 − bγ). Where bγ ≥ 1 the ratios ask for endless mass: LP[5]^∞ has no point.
"""

import math

from discreet.graphs import layer_cost, optimum_5
from discreet.papers.checking import equal, statement
from discreet.papers.item import Check, Outcome, PaperItem, PrintedTable, Step
from discreet.papers.p002.examples import tree

BRANCHES = (2, 3)
EPSILONS = ("0.5", "1", "1.5", "2", "3")
DEPTHS = (20, 40, 80, 160)
_DEEP = 400
"""Deep enough for the closed form where bγ is at most 0.75."""


def _run(step: Step) -> Outcome:
    lines = []
    checks: list[Check] = []
    for branches in BRANCHES:
        step(branches / 4, f"trees with {branches} branches")
        for epsilon in EPSILONS:
            growth = branches * math.exp(-float(epsilon))
            costs = [_cost(branches, depth, epsilon) for depth in DEPTHS]
            limit = growth / (1 - growth) if growth < 1 else None
            lines.append((branches, float(epsilon), growth, *costs, limit))
            if growth < 0.75 and limit is not None:
                checks.append(
                    equal(
                        f"b = {branches}, ε = {epsilon}: bγ/(1 − bγ), and LP[5] at depth {_DEEP}",
                        limit,
                        _cost(branches, _DEEP, epsilon),
                    )
                )
        checks.append(
            equal(
                f"b = {branches}: equality in (C5) is LP[5] from the root of a tree of depth 3",
                optimum_5(tree(branches, 3), 0, "1").value,
                _cost(branches, 3, "1"),
                within=1e-7,
                printed="an optimal solution that satisfies all constraints in (C5) with equality",
            )
        )
    wide = 2 * math.exp(-0.5)
    checks.append(
        statement(
            "LP[4]^∞ and LP[5]^∞ are bounded and feasible",
            wide < 1,
            f"on the tree with two branches at ε = 0.5, bγ = {wide:.4g}: below a node with mass p "
            f"the ratios ask for p·{wide:.4g}^d in the d-th layer, which has no sum",
            printed="bounded and feasible",
            note="A slip: the layers' sizes times γ^d must have a finite sum, as on paths.",
        )
    )
    columns = ("b", "ε", "bγ", *(f"depth {depth}" for depth in DEPTHS), "bγ/(1 − bγ)")
    title = "the least mean distance from the root of a tree, finite and infinite"
    table = PrintedTable("trees", columns, tuple(lines), title)
    return Outcome(tables=(table,), checks=tuple(checks))


def _cost(branches: int, depth: int, epsilon: str) -> float:
    """LP[4], which is LP[5] here as layers are regular."""
    return layer_cost([branches**layer for layer in range(depth + 1)], epsilon)


ITEMS: tuple[PaperItem, ...] = (
    PaperItem(
        id="002/corollary-2",
        title="Infinite trees",
        paper="002",
        claim="On infinite graphs with regular layers LP[5] has an optimum with equality in (C5): "
        "on a tree with b branches it is bγ/(1 − bγ), where bγ < 1.",
        run=_run,
        seconds=2,
    ),
)
