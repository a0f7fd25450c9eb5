"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.designer.cache import Cache
from discreet.designer.entry import METHODS, Attempt, Design, design
from discreet.designer.queries import (
    Query,
    count,
    maximum,
    mean,
    median,
    minimum,
    quantile,
    total,
)
from discreet.designer.request import Finding, Method, Progress, Request

__all__ = [
    "METHODS",
    "Attempt",
    "Cache",
    "Design",
    "Finding",
    "Method",
    "Progress",
    "Query",
    "Request",
    "count",
    "design",
    "maximum",
    "mean",
    "median",
    "minimum",
    "quantile",
    "total",
]
