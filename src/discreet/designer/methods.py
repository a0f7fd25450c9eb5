"""Ways to find a mechanism, in the order in which they are tried."""

from collections.abc import Callable
from dataclasses import dataclass

from discreet.designer.request import Finding, Request

SIMPLE = "simple"
"""What found a design when time was up and no method had anything yet."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """One way: whether it suits a request, and how it answers one.

    `why_not` says in a few words why the method does not suit a request, or returns None when it
    does; it must be quick and never raise. `run` finds integers and proves a bound, or raises
    DesignError; whatever it returns is certified before anyone sees it.
    """

    name: str
    title: str
    citation: str
    why_not: Callable[[Request], str | None]
    run: Callable[[Request], Finding]
