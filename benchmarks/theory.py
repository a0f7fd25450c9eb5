"""Tight constraints, worst cases, requirements, δ: proved designs beside HiGHS where that ends.

HiGHS solves the program in floats, with alike cells as one variable where the graph has a symmetry;
ours ends with integers, certificate and bound. `DISCREET_LONG=1` adds the largest histograms.
"""

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.solvers import highs
from benchmarks.timing import Row, Work, beside
from discreet.designer import Design, design
from discreet.designer.programs.written_out import plain_program
from discreet.designer.queries import Query, count, maximum, mean
from discreet.designer.request import Request
from discreet.graphs import LargeHistograms, histograms, tight_histograms, tight_mechanism
from discreet.graphs.orbits import alike_cells
from discreet.graphs.programs import program_1
from discreet.model import Goal

_LONG = bool(os.environ.get("DISCREET_LONG"))
_WORST = Goal.of(worst_case=True)


def rows() -> Iterator[Row]:
    """Histograms by two linear solves, and worst cases of counts and means."""
    for records in (6, 12, 20):
        graph = histograms(records, 3)
        theirs = partial(highs, program_1(graph, 2, alike_cells(graph)), "ipm")
        title = f"LP[1] of histograms {records} 3, ε = 2"
        yield beside(title, partial(_tight, records), theirs, peer="HiGHS ipm", rounds=1)
    for shape, epsilon in (((100, 3), "2"), ((200, 3), "2"), ((40, 5), "3"))[: 3 if _LONG else 1]:
        yield _alone(_large_title(*shape), partial(_large, shape, epsilon))
    asked = count(40)
    program = plain_program(Request.of(asked.answers, asked.neighbours, 2, _WORST))
    yield beside(
        "worst case, count of 40, ε = 2", partial(_worst, asked, "2", 1e-6),
        partial(highs, program, "ipm"), peer="HiGHS ipm", rounds=1,
    )  # fmt: skip
    yield _alone("worst case, count of 1,000", partial(_worst, count(1_000), "1", 1e-6))
    yield _alone("worst case, count of 1,000,000", partial(_worst, count(10**6), "1", 1e-6))
    for records in (50, 1_000):
        work = partial(_worst, mean(records, 0, 4), "1", 1e-6)
        yield _alone(f"worst case, mean of {records:,} in 0…4", work)

    yield _alone("worst case, maximum in 0…999", partial(_worst, maximum(0, 999), "1", 1e-6))
    for title, asked, more in (
        ("fair", count(60), {"requirements": "fair"}),
        ("column-monotone", count(60), {"requirements": "column-monotone"}),
        ("row-monotone", count(60), {"requirements": "row-monotone"}),
        ("δ = 0.01", count(60), {"delta": "0.01"}),
    ):
        program = plain_program(Request.of(asked.answers, asked.neighbours, 1, **more))
        yield beside(
            f"{title}, count of 60", partial(_required, asked, more),
            partial(highs, program, "ipm"), peer="HiGHS ipm", rounds=1,
        )  # fmt: skip
        large = count(499 if "delta" in more else 999)
        yield _alone(f"{title}, {len(large.answers):,} answers", partial(_required, large, more))


def _required(asked: Query, more: dict[str, Any]) -> None:
    best = design(asked.answers, asked.neighbours, 1, cache=None, **more)
    if best.gap > 1e-6:
        raise AssertionError(f"the gap is {best.gap:.1e}")


def _large_title(records: int, values: int) -> str:
    graph = LargeHistograms(records, values)
    return f"LP[1] of {graph.name} ({graph.size:,} nodes)"


def _alone(title: str, work: Work) -> Row:
    started = time.process_time()
    work()
    return Row(title, time.process_time() - started)


def _tight(records: int) -> None:
    found = tight_mechanism(histograms(records, 3), 2)
    if not found.optimal:
        raise AssertionError("the test of optimality does not hold")


def _large(shape: tuple[int, int], epsilon: str) -> None:
    found = tight_histograms(LargeHistograms(*shape), epsilon)
    if found.gap > 1e-9:
        raise AssertionError(f"the gap is {found.gap:.1e}")


def _worst(asked: Query, epsilon: str, most_gap: float) -> Design:
    best = design(asked.answers, asked.neighbours, epsilon, _WORST, cache=None)
    if best.gap > most_gap:
        raise AssertionError(f"the gap is {best.gap:.1e}")
    return best
