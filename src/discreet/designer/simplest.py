"""When time is up and no search has anything yet: the best simple mechanism that has what is asked.

Classic families, a constant and the uniform mechanism, held against all that the request asks; the
bound is that of a closed form for less than was asked, where there is one, else 0.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from discreet.certifier import certify
from discreet.designer.all_pairs import ALL_PAIRS
from discreet.designer.counts import COUNTS
from discreet.designer.programs.written_out import is_honest
from discreet.designer.rays.goal import Distances
from discreet.designer.rays.method import by_distance, finding_of, on_a_line
from discreet.designer.rays.pool import RayOptimum, Rays
from discreet.designer.rays.turnpike import Usual
from discreet.designer.rays.worst_case import even_rays
from discreet.designer.request import Finding, Request, constant_output, value_above
from discreet.errors import DesignError, InvalidInput, NotCertified
from discreet.measures import properties
from discreet.mechanisms.catalogue import build
from discreet.model import Mechanism, Requirements
from discreet.repair.rounding import BITS

FAMILIES = ("geometric", "staircase", "laplace", "explicit-fair", "randomized-response", "uniform")
MOST_CELLS = 2_000_000
"""Larger ones take too long to write out when time has run out."""


def simplest(request: Request) -> Finding:
    """The simple mechanism with the least loss.

    Raises:
        DesignError: None has what is asked, or all are too large.

    >>> from discreet.model import Grid, Within
    >>> asked = Request.of(Grid.between(0, 5), Within(1), 1, requirements="fair")
    >>> finding = simplest(asked)
    >>> finding.mechanism.name, finding.lower_bound > 0.6
    ('explicit-fair', True)
    """
    rows, columns = request.shape
    if rows * columns > MOST_CELLS and is_plain_line(request):
        return even_line(request)
    if rows * columns > MOST_CELLS:
        raise DesignError(
            f"a simple mechanism of {rows:,} by {columns:,} cells cannot be written out in time"
        )
    suiting = [one for one in _simple(request) if has_what_is_asked(request, one)]
    if not suiting:
        raise DesignError("no simple mechanism meets the requirements")
    values = [value_above(request, one) for one in suiting]
    best = int(np.argmin(values))
    bound = min(_bound_without_a_search(request), values[best])
    return Finding(suiting[best], bound, values[best])


def is_plain_line(request: Request) -> bool:
    """Whether nothing is asked but distances on a line, all answers alike."""
    return request.is_plain and request.steps is not None and by_distance(request)


def even_line(request: Request) -> Finding:
    """Rays of one length and one weight everywhere: no search, at any size."""
    seen = on_a_line(request)
    goal = seen.goal
    assert isinstance(goal, Distances)
    rays = even_rays(goal, Usual.of(goal))
    cost = goal.costs_at(rays.first, rays.last, rays.output)
    nothing = np.zeros(0, dtype=np.int64)
    optimum = RayOptimum(
        first=rays.first,
        last=rays.last,
        weight=rays.weight,
        output=rays.output,
        cost=cost,
        others=Rays(np.zeros((0, 0), dtype=np.int64), np.zeros(0), nothing),
        value=float(rays.weight @ cost),
        bound=0.0,
        prices=np.zeros(0),
        one_sided=False,
    )
    return finding_of(request, seen, optimum)


def has_what_is_asked(request: Request, mechanism: Mechanism) -> bool:
    """Whether a mechanism keeps the promise and every requirement."""
    try:
        certify(mechanism, request.epsilon, request.guarantee.delta)
    except NotCertified:
        return False
    if not request.requirements:
        return True
    missing = properties(mechanism).missing(request.requirements)
    return not missing and is_honest(request, mechanism)


def _simple(request: Request) -> Iterator[Mechanism]:
    cells = np.zeros(request.shape, dtype=np.int64)
    cells[constant_output(request)] = 1 << BITS
    yield Mechanism.of(request.answers, request.outputs, request.neighbours, cells, name="constant")
    for family in FAMILIES:
        try:
            yield build(
                family,
                request.answers,
                request.neighbours,
                request.epsilon,
                outputs=request.outputs,
            )
        except InvalidInput:
            continue


def _bound_without_a_search(request: Request) -> float:
    """What no mechanism beats that need not have what is required: closed forms tell at once."""
    if request.guarantee.delta or request.goal.worst_case or request.goal.situations is not None:
        return 0.0
    free = replace(request, requirements=Requirements(), progress=None)
    for method in (COUNTS, ALL_PAIRS):
        if method.why_not(free) is None:
            try:
                return method.run(free).lower_bound
            except DesignError:
                continue
    return 0.0
