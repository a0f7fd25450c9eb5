"""The tight-constraints mechanism on histograms by the hundred thousand, certified and drawn from.

One unknown for each class of alike histograms; weights of the outputs are made for the column that
is drawn from, and for no other (docs/proofs/tight-constraints.md).
"""

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified, certify_by_distance
from discreet.designer.request import relative_gap
from discreet.designer.tight import TightConstraints, TightProblem, tight_constraints
from discreet.designer.tight.integers import levels_of
from discreet.errors import DesignError, MechanismError
from discreet.exact import Epsilon, EpsilonLike, show, uniform_below
from discreet.graphs.large_histograms import LargeHistograms
from discreet.graphs.symmetric import check_count
from discreet.repair.rounding import BITS

_UP = 1 + 2.0**-40
"""More than floats can lose in sums of what is not negative."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HistogramMechanism:
    """A level for each kind of output and each distance, and one spare output for the rest."""

    graph: LargeHistograms
    levels: tuple[tuple[int, ...], ...]
    lacking: tuple[int, ...]
    spare: int
    total: int = 1 << BITS

    @property
    def records(self) -> int:
        """How many records a histogram has."""
        return self.graph.records

    @property
    def values(self) -> int:
        """How many values they may have."""
        return self.graph.values

    @cached_property
    def kinds(self) -> tuple[tuple[int, ...], ...]:
        """Every kind once: its counts from the smallest to the largest."""
        return tuple(
            tuple(sorted(self.graph.counts[model].tolist())) for model in self.graph.models
        )

    @property
    def digest(self) -> str:
        """SHA-256 of what defines the mechanism."""
        facts = {
            "graph": self.graph.name,
            "levels": [[f"{level:x}" for level in row] for row in self.levels],
            "lacking": [f"{lack:x}" for lack in self.lacking],
            "spare": self.spare,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def column(self, node: int) -> npt.NDArray[np.int64]:
        """The weights of all outputs where this node is true; they sum to the total."""
        graph = self.graph
        check_count(node, "a node", 0, graph.size - 1)
        weights = self._table[graph.classes, graph.distances_from(node)]
        weights[self.spare] += self.lacking[graph.classes[node]]
        return weights

    @cached_property
    def _table(self) -> npt.NDArray[np.int64]:
        return np.array(self.levels, dtype=np.int64)


def draw_histogram(certified: Certified[HistogramMechanism], node: int) -> int:
    """An output for the true node: one uniform integer among the running sums of its column."""
    if type(certified) is not Certified or type(certified.mechanism) is not HistogramMechanism:
        raise MechanismError(
            f"only a certified mechanism can be drawn from, got {show(certified)}; use "
            f"certify_by_distance first"
        )
    mechanism = certified.mechanism
    running = np.cumsum(mechanism.column(node))
    return int(np.searchsorted(running, uniform_below(mechanism.total), side="right"))


@dataclass(frozen=True, eq=False, kw_only=True)
class TightHistograms:
    """What was found: the two solutions, and integers with their cost and a proven bound below."""

    graph: LargeHistograms
    solved: TightConstraints
    certified: Certified[HistogramMechanism]
    value: float
    lower_bound: float

    @property
    def gap(self) -> float:
        """How far the cost may lie above the optimum, as a share of the cost."""
        return relative_gap(self.value, self.lower_bound)

    def draw(self, node: int) -> int:
        """A private output for a true node, drawn exactly."""
        return draw_histogram(self.certified, node)


def tight_histograms(graph: LargeHistograms, epsilon: EpsilonLike) -> TightHistograms:
    """Solve by class, and certify.

    Raises:
        DesignError: A weight is negative, or there are too many classes.

    >>> best = tight_histograms(LargeHistograms(20, 3), 2)
    >>> round(best.value, 6), best.gap < 1e-11, best.solved.optimal
    (0.617383, True, True)
    """
    eps = Epsilon.of(epsilon)
    problem = TightProblem.of_rows(graph.rows, graph.classes, graph.diameter)
    solved = tight_constraints(problem, eps)
    if not solved.private:
        raise DesignError(
            f"the tight-constraints mechanism of {graph.name} has a negative weight at ε = {eps}; "
            f"use a larger ε"
        )
    mechanism, mean = _integers(graph, solved, eps.ratio_below)
    return TightHistograms(
        graph=graph,
        solved=solved,
        certified=certify_by_distance(mechanism, eps),
        value=mean,
        lower_bound=max(0.0, float(solved.lower_bound) * (1 - 2.0**-50)),
    )


def _integers(
    graph: LargeHistograms, solved: TightConstraints, ratio: Fraction
) -> tuple[HistogramMechanism, float]:
    """Levels that keep every ratio, evened out by one output, and the mean distance they cost."""
    total, reserve = 1 << BITS, 0
    members = np.bincount(graph.classes)
    spare = int(graph.models[_widest(graph)])
    while reserve <= total // 2:
        levels = tuple(
            tuple(levels_of(weight, ratio, graph.diameter + 1, total - reserve))
            for weight in solved.weights
        )
        table = np.array(levels, dtype=np.int64)
        lacking, cost = [], 0.0
        for row, model in enumerate(graph.models.tolist()):
            apart = graph.rows[row]
            weights = table[graph.classes, apart]
            lack = total - int(weights.sum())
            lacking.append(lack)
            spent = float((weights / total) @ apart) + lack / total * float(apart[spare])
            cost += float(members[graph.classes[model]]) * spent
        least, most = min(lacking), max(lacking)
        if least > 0 and most * ratio.denominator <= least * ratio.numerator:
            mechanism = HistogramMechanism(
                graph=graph, levels=levels, lacking=tuple(lacking), spare=spare
            )
            return mechanism, cost / graph.size * _UP
        reserve = 2 * reserve + int((most - least) / (ratio - 1)) + graph.size - min(least, 0)
    raise DesignError("the column sums differ by more than one output can make up; use a larger ε")


def _widest(graph: LargeHistograms) -> int:
    """The class whose counts are the most even: near the middle of all."""
    return int(graph.counts[graph.models].max(axis=1).argmin())
