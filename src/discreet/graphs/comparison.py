"""How far the exponential mechanisms are from the optimum, and what the theory says of it."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.certifier import tight_epsilon
from discreet.designer.entry import Design
from discreet.designer.request import Progress, may_end, raise_when_out_of_time, relative_gap
from discreet.errors import DesignError
from discreet.exact import Epsilon, EpsilonLike
from discreet.graphs.best import best_mechanism, walk_of_path
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.exponentials import (
    Exponential,
    full_exponential,
    half_exponential,
    widest_exponential,
)
from discreet.graphs.histogram_mechanism import TightHistograms
from discreet.graphs.layered import layer_cost, mean_layer
from discreet.graphs.optimum import (
    Optimum,
    mean_optima_4_and_5,
    optima_2_and_3,
)
from discreet.graphs.orbits import alike_cells, alike_nodes
from discreet.graphs.path_bounds import balanced_bound, best_theorem_2, lemma_7
from discreet.graphs.symmetric import SymmetricGraph
from discreet.graphs.theorem_1 import (
    ClosedForm,
    Conditions,
    ImplicitClosedForm,
    conditions,
    implicit_exponential,
    optimal_exponential,
)
from discreet.graphs.tight import TightMechanism, tight_mechanism
from discreet.measures import PropertyVerdict

MECHANISM, PROGRAM, BELOW, ABOVE = "mechanism", "program", "bound below", "bound above"
TIGHT = "tight constraints"
_PROVED = 1e-6
"""A gap up to which a mechanism is called optimal."""
_TIME_IS_UP = "time ran out; allow more with --patience"
_EXPONENTIALS: dict[str, Callable[[DatabaseGraph, Epsilon], Exponential]] = {
    "exp(-ε d/2)": half_exponential,
    "exp(-a d)": widest_exponential,
    "exp(-ε d)": full_exponential,
}
MOST_ROWS = 300_000
"""LP[2] to LP[5] are solved while classes of nodes times nodes are no more than this."""


@dataclass(frozen=True, kw_only=True)
class CostLine:
    """One line of the table: a cost in record exchanges, and what kind of number it is."""

    name: str
    kind: str
    value: float
    keeps: float | None = None
    """The smallest ε that a mechanism keeps."""
    lower_bound: float | None = None
    """What no point of the program can beat, where that was proved."""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The line as plain JSON values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "value": self.value,
            "tight_epsilon": self.keeps,
            "lower_bound": self.lower_bound,
            "note": self.note,
        }


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All there is to say of one graph at one ε: programs, mechanisms, bounds (002)."""

    name: str
    nodes: int
    layers: int
    epsilon: Epsilon
    conditions: Conditions
    lines: tuple[CostLine, ...]
    best: Design | ClosedForm | ImplicitClosedForm | TightHistograms | None

    def line(self, name: str) -> CostLine:
        """The line of this name."""
        return next(line for line in self.lines if line.name == name)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain JSON values."""
        verdicts = {
            "transitive": self.conditions.transitive,
            "regular_layers": self.conditions.regular_layers,
        }
        return {
            "graph": self.name,
            "nodes": self.nodes,
            "diameter": self.layers - 1,
            "epsilon": str(self.epsilon),
            "exponential_is_optimal": self.conditions.hold,
            "conditions": {
                name: {"holds": verdict.holds, "counterexample": verdict.counterexample}
                for name, verdict in verdicts.items()
            },
            "lines": [line.to_dict() for line in self.lines],
        }


def compare(
    graph: DatabaseGraph, epsilon: EpsilonLike, progress: Callable[[Progress], None] | None = None
) -> Comparison:
    """LP[1], LP[2], LP[3], the exponentials, a constant, and the bounds, on any listed graph.

    When time is up, LP[1] is the best certified mechanism so far; other lines are not worked out.

    >>> from discreet.graphs.families import path
    >>> compared = compare(path(12), "0.5")
    >>> [round(compared.line(name).value, 6) for name in ("LP[1]", "LP[2]", "LP[3]", "exp(-ε d)")]
    [1.458085, 1.300569, 1.488905, 1.509285]
    """
    eps = Epsilon.of(epsilon)
    theorem = conditions(graph)
    best, lines = _closed(graph, eps) if theorem.hold else _solved(graph, eps, progress)
    lines.append(
        CostLine(
            name="a constant",
            kind=MECHANISM,
            value=float(graph.distances.mean(axis=1).min()),
            keeps=0.0,
            note=f"always {graph.label(int(graph.distances.sum(axis=1).argmin()))}",
        )
    )
    if walk_of_path(graph) is not None:
        lines += _path_lines(graph.size, eps)
    return Comparison(
        name=graph.name,
        nodes=graph.size,
        layers=graph.diameter + 1,
        epsilon=eps,
        conditions=theorem,
        lines=tuple(lines),
        best=best,
    )


def compare_symmetric(graph: SymmetricGraph, epsilon: EpsilonLike) -> Comparison:
    """The same on a symmetric graph of any size, from layer sizes alone (002 Theorem 1).

    >>> from discreet.graphs.symmetric import Hamming
    >>> round(compare_symmetric(Hamming(20, 2), 1).line("LP[1]").value, 6)
    5.378828
    """
    eps = Epsilon.of(epsilon)
    best = implicit_exponential(graph, eps)
    half = Epsilon(max(1, eps.billionths // 2))
    lines = [
        *_theorem_lines(best.value, best.lower_bound),
        CostLine(
            name="exp(-ε d/2)",
            kind=MECHANISM,
            value=layer_cost(graph.layer_sizes, half),
            keeps=float(eps) / 2,
        ),
        CostLine(
            name="exp(-ε d)",
            kind=MECHANISM,
            value=float(best.value),
            keeps=float(eps),
            note="optimal",
        ),
        CostLine(
            name="a constant", kind=MECHANISM, value=float(mean_layer(graph.layer_sizes)), keeps=0.0
        ),
    ]
    holds = Conditions(PropertyVerdict(True), PropertyVerdict(True))
    return Comparison(
        name=graph.name,
        nodes=graph.size,
        layers=len(graph.layer_sizes),
        epsilon=eps,
        conditions=holds,
        lines=tuple(lines),
        best=best,
    )


def _closed(
    graph: DatabaseGraph, epsilon: Epsilon
) -> tuple[Design | ClosedForm | None, list[CostLine]]:
    best = optimal_exponential(graph, epsilon)
    tight = float(tight_epsilon(best.certified.mechanism))
    return best, [
        *_theorem_lines(best.value, best.lower_bound),
        _exponential_line("exp(-ε d/2)", half_exponential(graph, epsilon)),
        CostLine(
            name="exp(-ε d)", kind=MECHANISM, value=float(best.value), keeps=tight, note="optimal"
        ),
    ]


def _theorem_lines(value: Fraction, bound: Fraction) -> list[CostLine]:
    return [
        CostLine(
            name=f"LP[{number}]",
            kind=PROGRAM,
            value=float(value),
            lower_bound=float(bound),
            note="Theorem 1",
        )
        for number in (1, 2, 3, 4, 5)
    ]


def _solved(
    graph: DatabaseGraph, epsilon: Epsilon, progress: Callable[[Progress], None] | None
) -> tuple[Design | ClosedForm | None, list[CostLine]]:
    tight = _tight(graph, epsilon)
    known = tight if isinstance(tight, TightMechanism) else None
    best, lines = None, []
    try:
        best = best_mechanism(graph, epsilon, tight=known, progress=progress)
        lines.append(
            CostLine(
                name="LP[1]",
                kind=PROGRAM,
                value=best.value,
                lower_bound=best.lower_bound,
                note=_how_good(best),
            )
        )
    except DesignError as problem:
        lines.append(_not_solved("LP[1]", str(problem)))
    return best, [
        *lines,
        *_relaxations(graph, epsilon),
        _tight_line(tight, best),
        *_exponential_lines(graph, epsilon),
    ]


def _exponential_lines(graph: DatabaseGraph, epsilon: Epsilon) -> Iterator[CostLine]:
    """Each exponential as long as there is time: exact integers take seconds on large graphs."""
    for name, made in _EXPONENTIALS.items():
        try:
            raise_when_out_of_time()
            yield _exponential_line(name, made(graph, epsilon))
        except (DesignError, KeyboardInterrupt) as met:
            if not may_end(met):
                raise
            yield CostLine(name=name, kind=MECHANISM, value=math.nan, note=_TIME_IS_UP)


def _how_good(best: Design) -> str:
    if best.gap <= _PROVED:
        return f"optimal, by {best.method}"
    return f"the best found in time, by {best.method}: proven gap {100 * best.gap:.3g} %"


def _tight(graph: DatabaseGraph, epsilon: Epsilon) -> TightMechanism | str:
    """The tight-constraints mechanism, or why there is none."""
    try:
        return tight_mechanism(graph, epsilon)
    except DesignError as problem:
        return str(problem)
    except KeyboardInterrupt as stopped:
        if not may_end(stopped):
            raise
        return _TIME_IS_UP


def _tight_line(tight: TightMechanism | str, best: Design | None) -> CostLine:
    if isinstance(tight, str) or tight.design is None:
        note = tight if isinstance(tight, str) else "a weight is negative at this ε"
        return CostLine(name=TIGHT, kind=MECHANISM, value=math.nan, note=note)
    mechanism = tight.design
    bounds = [mechanism.lower_bound, *([] if best is None else [best.lower_bound])]
    gap = relative_gap(mechanism.value, max(bounds))
    return CostLine(
        name=TIGHT,
        kind=MECHANISM,
        value=mechanism.value,
        keeps=float(tight_epsilon(mechanism.mechanism)),
        lower_bound=max(bounds),
        note="optimal" if tight.optimal else f"proven gap {100 * gap:.2g} %",
    )


def _relaxations(graph: DatabaseGraph, epsilon: Epsilon) -> list[CostLine]:
    """LP[2] to LP[5]: a program or two for each class of alike nodes, while those are few."""
    kinds = int(alike_nodes(graph).max()) + 1
    if kinds * graph.size > MOST_ROWS:
        note = f"{kinds:,} programs of {graph.size:,} nodes are too many; use a smaller graph"
        return [_not_solved(f"LP[{number}]", note) for number in (2, 3, 4, 5)]
    try:
        raise_when_out_of_time()
        cells = alike_cells(graph)
        second, third = optima_2_and_3(graph, epsilon, cells)
        fourth, fifth = mean_optima_4_and_5(graph, epsilon, cells)
    except (DesignError, KeyboardInterrupt) as met:
        if not may_end(met):
            raise
        return [_not_solved(f"LP[{number}]", _TIME_IS_UP) for number in (2, 3, 4, 5)]
    return [
        _program_line("LP[2]", second, "a lower bound on LP[1]"),
        _program_line("LP[3]", third, "rows sum to 1, columns need not"),
        _program_line("LP[4]", fourth, "one level for each layer, mean over start nodes"),
        _program_line("LP[5]", fifth, "ratios only outward, mean over start nodes"),
    ]


def _not_solved(name: str, note: str) -> CostLine:
    return CostLine(name=name, kind=PROGRAM, value=math.nan, note=note)


def _program_line(name: str, optimum: Optimum, note: str) -> CostLine:
    return CostLine(
        name=name, kind=PROGRAM, value=optimum.value, lower_bound=optimum.lower_bound, note=note
    )


def _exponential_line(name: str, exponential: Exponential) -> CostLine:
    return CostLine(
        name=name,
        kind=MECHANISM,
        value=exponential.cost,
        keeps=float(exponential.tight),
        note=f"rate {exponential.rate:.6g}",
    )


def _path_lines(nodes: int, epsilon: Epsilon) -> list[CostLine]:
    balanced, theorem = balanced_bound(nodes, epsilon), best_theorem_2(nodes, epsilon)
    lines = [
        CostLine(
            name="Lemma 7", kind=ABOVE, value=lemma_7(epsilon), note="above exp(-ε d) on any path"
        ),
        CostLine(
            name="Lemma 7, ε/2",
            kind=ABOVE,
            value=lemma_7(epsilon, half=True),
            note="above exp(-ε d/2)",
        ),
    ]
    if balanced.value > 0:
        note = f"below LP[1], ℓ = {balanced.reach}"
        lines.append(CostLine(name="balanced dilemma", kind=BELOW, value=balanced.value, note=note))
    if theorem is not None and theorem.value > 0:
        note = f"below LP[1], s = {theorem.slack:g}, ℓ = {theorem.reach}"
        lines.append(CostLine(name="Theorem 2", kind=BELOW, value=theorem.value, note=note))
    return lines
