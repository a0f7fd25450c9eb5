"""The best mechanism for a space and a goal, with a proof of how good it is."""

from discreet.design.cache import Cache
from discreet.design.entry import Attempt, Design, design
from discreet.design.methods import Method
from discreet.design.queries import (
    Query,
    count,
    maximum,
    mean,
    median,
    minimum,
    quantile,
    total,
)
from discreet.design.registry import METHODS
from discreet.design.request import Finding, Progress, Request

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
