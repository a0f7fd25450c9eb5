"""The tight-constraints mechanism of a graph of databases: d(x, y) is the loss, all alike likely.

Two linear solves decide whether it is the best there is (docs/proofs/tight-constraints.md).
"""

import time
from dataclasses import dataclass

from discreet.certifier import certify
from discreet.designer.entry import Attempt, Design
from discreet.designer.request import value_above
from discreet.designer.tight import TightConstraints, TightProblem, tight_constraints
from discreet.designer.tight.method import finding
from discreet.errors import DesignError
from discreet.exact import EpsilonLike
from discreet.graphs.database_graph import DatabaseGraph
from discreet.graphs.orbits import Classes, alike_nodes
from discreet.graphs.programs import request_of


@dataclass(frozen=True, eq=False, kw_only=True)
class TightMechanism:
    """What the two solves found on a graph, and the certified integers where weights allow any.

    `solved` holds w and λ for each class of alike nodes, `classes` the class of each node, `design`
    the integers with their cost and the proven bound; None where a weight is negative.
    """

    graph: DatabaseGraph
    classes: Classes
    solved: TightConstraints
    design: Design | None

    @property
    def optimal(self) -> bool:
        """Whether the theorem's conditions hold: no private mechanism costs less."""
        return self.solved.optimal


def tight_mechanism(graph: DatabaseGraph, epsilon: EpsilonLike) -> TightMechanism:
    """Solve, decide, and certify; alike nodes share one unknown.

    Raises:
        DesignError: The systems are singular or too large.

    >>> from discreet.graphs.histogram_graph import histograms
    >>> best = tight_mechanism(histograms(20, 3), 2)
    >>> best.optimal, round(best.design.value, 6), best.design.gap < 1e-12
    (True, 0.617383, True)
    """
    started = time.perf_counter()
    classes = alike_nodes(graph)
    problem = TightProblem.of_metric(graph.distances, classes)
    solved = tight_constraints(problem, epsilon)
    if not solved.private:
        return TightMechanism(graph=graph, classes=classes, solved=solved, design=None)
    request = request_of(graph, epsilon)
    integers = finding(request, graph.distances, [solved.weights[kind] for kind in classes], solved)
    certified = certify(integers.mechanism, epsilon)
    value = value_above(request, integers.mechanism)
    if integers.lower_bound > value:
        raise DesignError(f"the bound {integers.lower_bound!r} lies above the cost {value!r}")
    outcome = "optimal" if solved.optimal else "private"
    design = Design(
        request=request,
        certified=certified,
        value=value,
        lower_bound=integers.lower_bound,
        method="tight constraints",
        tried=(Attempt("tight constraints", outcome),),
        seconds=time.perf_counter() - started,
        expected_absolute_error=None,
    )
    return TightMechanism(graph=graph, classes=classes, solved=solved, design=design)
