"""Variant 2 of 003: a certified design with its proven gap, beside HiGHS on the plain program.

HiGHS has its own default tolerances, need not cross over to a vertex, and its time is that of the
solution alone, which is no private matrix yet. Ours ends with integers, certificate, properties and
bound.
"""

import time
from collections.abc import Iterator
from functools import partial

from benchmarks.solvers import highs
from benchmarks.timing import Row, beside
from discreet.designer import Design, design
from discreet.designer.programs.written_out import plain_program
from discreet.designer.queries import Query, maximum, mean
from discreet.designer.request import Request

_MOST_GAP = 1e-9


def rows() -> Iterator[Row]:
    """Means of n answers in 0…4 and largest values, with all four properties, ε = 0.5 and 1."""
    for n, solvers, rounds in ((10, ("simplex", "ipm"), 3), (20, ("simplex", "ipm"), 1)):
        for solver in solvers:
            yield _beside_highs(f"mean of {n}", mean(n, 0, 4), "0.5", solver, rounds=rounds)
    yield _beside_highs("mean of 50", mean(50, 0, 4), "0.5", "ipm", rounds=1, wanted=100)
    yield _beside_highs("max in 0…99", maximum(0, 99), "1", "ipm", rounds=1)
    yield _alone("max in 0…999", maximum(0, 999), "1", within=5.0)
    yield _alone("mean of 100", mean(100, 0, 4), "0.5", within=5.0)
    yield _alone("mean of 1,000", mean(1000, 0, 4), "0.5")


def _beside_highs(
    work: str, asked: Query, epsilon: str, solver: str, *, rounds: int, wanted: float | None = None
) -> Row:
    program = plain_program(_request(asked, epsilon))
    return beside(
        _title(work, asked),
        partial(_ours, asked, epsilon),
        partial(highs, program, solver),
        peer=f"HiGHS {solver}",
        rounds=rounds,
        wanted=wanted,
    )


def _alone(work: str, asked: Query, epsilon: str, within: float | None = None) -> Row:
    started = time.process_time()
    _ours(asked, epsilon)
    return Row(_title(work, asked), time.process_time() - started, wanted_seconds=within)


def _title(work: str, asked: Query) -> str:
    return f"Variant 2, {work} ({len(asked.answers):,} answers)"


def _request(asked: Query, epsilon: str) -> Request:
    return Request.of(asked.answers, asked.neighbours, epsilon, requirements="all")


def _ours(asked: Query, epsilon: str) -> Design:
    best = design(asked.answers, asked.neighbours, epsilon, requirements="all", cache=None)
    if best.gap > _MOST_GAP:
        raise AssertionError(f"the gap is {best.gap:.1e}")
    return best
