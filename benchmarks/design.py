"""Variant 1 of 003: a certified design with its proven gap, beside solvers of the plain program.

The others' time is that of a float solution, which is no private matrix yet; ours ends with
integers, certificate and bound. `DISCREET_LONG=1` adds HiGHS at fifty records (minutes) and lines
of a million answers.
"""

import os
import time
from collections.abc import Iterator
from functools import partial

from benchmarks.solvers import glpk, glpk_is_here, highs
from benchmarks.timing import Row, beside
from discreet.designer import Design, design
from discreet.designer.programs.written_out import plain_program
from discreet.designer.queries import Query, count, maximum, mean
from discreet.designer.request import Request

_LONG = bool(os.environ.get("DISCREET_LONG"))


def rows() -> Iterator[Row]:
    """Means of n answers in 0…4 at ε = 0.5 beside others where they end; larger ones alone."""
    yield from _beside(10, rounds=3, wanted={"simplex": 25, "ipm": 25, "GLPK": 300})
    yield from _beside(20, rounds=2, wanted={"simplex": 300, "ipm": 300, "GLPK": 3_000})
    if _LONG:
        yield _beside_highs(50, "ipm", rounds=1, wanted=10_000)
    yield _alone("mean of 1,000 in 0…4", mean(1_000, 0, 4), most_gap=1e-9, within=5.0)
    yield _alone("mean of 100 in 0…20", mean(100, 0, 20), most_gap=1e-6, within=2.0)
    yield _alone("mean of 10 in 0…99", mean(10, 0, 99), most_gap=1e-6, within=2.0)
    yield _alone("max in 0…9,999", maximum(0, 9_999), most_gap=1e-6, within=1.0)
    yield _alone("count of 1,000,000", count(10**6), most_gap=1e-6, within=1.0)
    if _LONG:
        yield _alone("mean of 50 in 0…99", mean(50, 0, 99), most_gap=1e-6, within=30.0)
        yield _alone("mean of 50,000 in 0…4", mean(50_000, 0, 4), most_gap=1e-8, within=120.0)
        yield _alone("mean of 250,000 in 0…4", mean(250_000, 0, 4), most_gap=1e-6)


def _beside(n: int, *, rounds: int, wanted: dict[str, float]) -> Iterator[Row]:
    for solver in ("simplex", "ipm"):
        yield _beside_highs(n, solver, rounds=rounds, wanted=wanted[solver])
    if glpk_is_here():
        asked = mean(n, 0, 4)
        work = partial(glpk, plain_program(_request(asked)))
        ours = partial(_ours, asked, 1e-9)
        yield beside(_title(n), ours, work, peer="GLPK", rounds=1, wanted=wanted["GLPK"])


def _beside_highs(n: int, solver: str, *, rounds: int, wanted: float) -> Row:
    asked = mean(n, 0, 4)
    work = partial(highs, plain_program(_request(asked)), solver)
    ours = partial(_ours, asked, 1e-9)
    return beside(_title(n), ours, work, peer=f"HiGHS {solver}", rounds=rounds, wanted=wanted)


def _title(n: int) -> str:
    return f"Variant 1, mean of {n} in 0…4"


def _alone(work: str, asked: Query, *, most_gap: float, within: float | None = None) -> Row:
    started = time.process_time()
    _ours(asked, most_gap)
    title = f"Variant 1, {work} ({len(asked.answers):,} answers)"
    return Row(title, time.process_time() - started, wanted_seconds=within)


def _request(asked: Query) -> Request:
    return Request.of(asked.answers, asked.neighbours, "0.5")


def _ours(asked: Query, most_gap: float) -> Design:
    best = design(asked.answers, asked.neighbours, "0.5", cache=None)
    if best.gap > most_gap:
        raise AssertionError(f"the gap is {best.gap:.1e}")
    return best
