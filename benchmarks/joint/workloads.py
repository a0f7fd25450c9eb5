"""Running totals, ranges and marginals from one charge: root mean square errors times ε.

They are read from exact variances, which are the same for every table. `each by itself` is a count
for each, with its share of ε. What is wanted was measured, to two digits.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.joint.asked import Survey, number, planned, words
from benchmarks.joint.line import Line
from benchmarks.joint.others import answers_of_others
from discreet.exact import Epsilon
from discreet.joint.strategies import Setting, ranges
from discreet.model import Relation
from discreet.planning.releases.sums import SumsRelease

ROWS = 10**6
EPSILON = "0.1"
EACH, DRAWS = 400, 60
"""Rows of each value, so many that nothing is cut off at 0, and draws: for other tools."""
PREFIXES = {
    Relation.CHANGE: {16: 4.4, 32: 6.4, 64: 8.2, 128: 10.1, 256: 12.4},
    Relation.ADD_OR_REMOVE: {16: 3.6, 32: 4.4, 64: 5.3, 128: 7.1, 256: 8.4},
}
RANGES = {
    Relation.CHANGE: {64: 9.2, 128: 11.8},
    Relation.ADD_OR_REMOVE: {64: 5.6, 128: 7.6},
}
MARGINALS = {(2, 2, 2, 2): 2.47, (3, 3, 3): 3.08, (5, 2, 5): (10 * 3.163 + 2 * 4.96) / 12}


def lines() -> Iterator[Line]:
    """Running totals of a column, all its ranges, single marginals of several columns."""
    for relation, wanted in PREFIXES.items():
        for values, error in wanted.items():
            survey = Survey((number("x", 0, values - 1),), ROWS)
            yield Line(
                question=f"running totals of {values} values, {relation} (RMS × ε)",
                apart=_apart(values),
                now=_rmse(survey, "SELECT CUMULATIVE(x)", relation),
                wanted=error,
                exact=True,
                rounded=True,
                peers=_running(values, relation),
            )
    for relation, wanted in RANGES.items():
        for values, error in wanted.items():
            setting = Setting(
                cells=values,
                epsilon=Epsilon.of(EPSILON),
                relation=relation,
                total_is_public=relation == Relation.CHANGE,
            )
            asked = ranges(values)
            yield Line(
                question=f"all ranges of {values} values, {relation} (RMS × ε)",
                apart=_apart(len(asked.rows)),
                now=setting.best(asked).rmse(asked) * float(EPSILON),
                wanted=error,
                exact=True,
                rounded=True,
            )
    for sizes, error in MARGINALS.items():
        survey = Survey(tuple(words(f"w{i}", size) for i, size in enumerate(sizes)), ROWS)
        by = ", ".join(f"(w{i})" for i in range(len(sizes)))
        sql = f"SELECT COUNT(*) GROUP BY GROUPING SETS ({by})"
        (part,) = planned(survey, sql, Relation.CHANGE, epsilon="1").parts
        yield Line(
            question=f"marginals of {' × '.join(map(str, sizes))}, change, ε = 1",
            apart=1 / math.sinh(1 / (2 * len(sizes))),
            now=part.chosen.figures.expected or math.inf,
            wanted=error,
            exact=True,
            peers=_marginals(sizes),
        )


def _running(values: int, relation: Relation) -> dict[str, float]:
    """Others' counts of every value, added up: their root mean square error times ε."""
    rows = np.repeat(np.arange(values), EACH)
    found = answers_of_others(
        "cells", rows.tolist(), relation, epsilon=float(EPSILON), draws=DRAWS, values=values
    )
    truths = EACH * np.arange(1, values + 1)
    return {
        tool: float(EPSILON) * float(np.sqrt(np.square(told.cumsum(axis=1) - truths).mean()))
        for tool, told in found.items()
    }


def _marginals(sizes: Sequence[int]) -> dict[str, float]:
    """Others' counts by each column, with their share of ε."""
    off: dict[str, list[float]] = {}
    for size in sizes:
        rows = np.repeat(np.arange(size), EACH)
        found = answers_of_others(
            "cells", rows.tolist(), Relation.CHANGE, epsilon=1 / len(sizes), values=size
        )
        for tool, told in found.items():
            off.setdefault(tool, []).extend(np.abs(told - EACH).mean(axis=0).tolist())
    return {tool: float(np.mean(errors)) for tool, errors in off.items()}


def _apart(counts: int) -> float:
    """The root mean square error times ε of so many counts, each with its share of ε."""
    each = float(EPSILON) / counts
    return math.sqrt(2 * math.exp(-each)) / (1 - math.exp(-each)) * float(EPSILON)


def _rmse(survey: Survey, sql: str, relation: Relation) -> float:
    (part,) = planned(survey, sql, relation, epsilon=EPSILON).parts
    release = part.chosen.release
    assert isinstance(release, SumsRelease)
    return release.levels.rmse * float(EPSILON)
