"""LP[1] of 002 as a request of a design."""

from discreet.designer.request import Request
from discreet.exact import EpsilonLike
from discreet.graphs.database_graph import DatabaseGraph
from discreet.model import Goal


def request_of(graph: DatabaseGraph, epsilon: EpsilonLike) -> Request:
    """Answers and outputs are the nodes, the loss is d(x, y)."""
    return Request.of(graph.space, graph.neighbours, epsilon, Goal(graph.loss))
