"""Counts by group, and several counts of any conditions: exact laws, the same for every table."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.joint.asked import Survey, expected, flags, planned, words
from benchmarks.joint.line import Line
from benchmarks.joint.others import errors_of_others
from discreet.model import Relation
from discreet.planning import Plan, Wishes

ROWS = 10**6
UNBIASED = Wishes.of(unbiased=True)
CELLS = {2: (1.92, 6), 3: (2.61, 8), 5: (3.15, 9), 10: (3.56, 10)}
SEVERAL = {
    (3, Relation.CHANGE): (3.98, 10),
    (3, Relation.ADD_OR_REMOVE): (3.29, 9),
    (10, Relation.CHANGE): (10.99, 25),
    (10, Relation.ADD_OR_REMOVE): (7.98, 20),
}
EPSILON = 0.5
EACH = 200
"""How many rows a cell has, or a count, where other tools are asked: far from the ends."""


def lines() -> Iterator[Line]:
    """Cells of a table, then counts of columns."""
    for cells, (error, within) in CELLS.items():
        survey = Survey((words("g", cells),), ROWS)
        made = planned(survey, "SELECT COUNT(*) GROUP BY g", Relation.CHANGE, wishes=UNBIASED)
        yield Line(
            question=f"COUNT(*) GROUP BY {cells} cells, change",
            apart=1 / math.sinh(EPSILON / 2),
            now=expected(made)[0],
            wanted=error,
            exact=True,
            within=(_within(made), within),
            peers=_others("cells", [*range(cells)] * EACH, [EACH] * cells, values=cells),
        )
    for (many, relation), (error, within) in SEVERAL.items():
        survey, sql = Survey(flags(many), ROWS), _asked(many)
        made = planned(survey, sql, relation, wishes=UNBIASED)
        apart = planned(survey, sql, relation, wishes=UNBIASED, together=False)
        yield Line(
            question=f"{many} counts, {relation}",
            apart=max(expected(apart)),
            now=max(expected(made)),
            wanted=error,
            exact=True,
            within=(_within(made), within),
            peers=_others("counts", [0, 1] * EACH, [EACH] * many, relation, many=many),
        )
    survey, near = Survey(flags(8), 3_000), {"epsilon": None, "within": 10}
    totals = [
        planned(survey, _asked(8), Relation.CHANGE, together=together, **near).cost.total / 1e9
        for together in (False, True)
    ]
    yield Line(
        question="8 counts within 10 at 95 %, change: total ε",
        apart=totals[0],
        now=totals[1],
        wanted=0.977,
        exact=True,
    )


def _asked(many: int) -> str:
    return f"SELECT {', '.join(f'COUNT(b{place} = 1)' for place in range(many))}"


def _within(made: Plan) -> int:
    reaches = [part.chosen.figures.within for part in made.parts]
    return math.ceil(max(reach for reach in reaches if reach is not None))


def _others(
    kind: str,
    rows: Sequence[int],
    truths: Sequence[float],
    relation: Relation = Relation.CHANGE,
    **asked: int,
) -> dict[str, float]:
    found = errors_of_others(kind, rows, truths, relation, epsilon=EPSILON, **asked)
    return {tool: float(np.mean(errors)) for tool, errors in found.items()}
