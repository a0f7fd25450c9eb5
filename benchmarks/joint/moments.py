"""Means and deviations beside counts of the same rows: means over draws of one table each."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.joint.asked import Places, Survey, clinic, drawn_errors, number, planned, words
from benchmarks.joint.line import Line
from benchmarks.joint.others import errors_of_others
from discreet.model import Relation
from discreet.planning import Plan
from discreet.statistics import Moments, Products

AGES = number("x", 18, 99)
DRAWS = 4_000
OUTSIDE = 466
"""Rows that are not selected, for tools that count the selected ones among all."""
SELECTED = 134
EACH, GROUPS = 150, 5
MEANS = (40, 55, 70, 58, 45)
"""Where the means of groups lie."""


def lines() -> Iterator[Line]:
    """A mean and a count of some rows, then of groups."""
    selection = Survey((AGES, words("w", 2)), 600)
    yield from _both(
        "AVG(x), COUNT(*) WHERE, change",
        selection,
        "SELECT AVG(x), COUNT(*) WHERE w = 'w0'",
        [_rows(SELECTED, 58)],
        (1.41, 2.62),
    )
    yield from _both(
        "AVG(x), COUNT(*) GROUP BY 5, change",
        Survey((AGES, words("g", GROUPS)), EACH * GROUPS),
        "SELECT AVG(x), COUNT(*) GROUP BY g",
        [_rows(EACH, mean) for mean in MEANS],
        (1.8, 5.1),
    )
    yield _deviation()


def _deviation() -> Line:
    """The deviation of the packaged survey's ages, in half steps, beside their number."""
    rows = np.array(clinic("age")) - 18
    many, survey = len(rows), Survey((AGES,), 600)
    table = Products(many, (int(rows.sum()), 0), (int(rows @ rows), 0), 0)
    truths = [[float(rows.std(ddof=1))], [float(many)]]
    now, apart = (
        drawn_errors(
            planned(
                survey, "SELECT STDDEV(x), COUNT(*)", Relation.ADD_OR_REMOVE, together=together
            ),
            [[table], [Moments(many, many)]],
            truths,
            DRAWS // 4,
        )
        for together in (True, False)
    )
    return Line(
        question="STDDEV(x), COUNT(*), add/remove: deviation, half steps",
        apart=2 * apart[0],
        now=2 * now[0],
        wanted=0.66,
        exact=False,
        peers=_others("deviation_and_count", [rows], truths, Relation.ADD_OR_REMOVE, times=2.0),
    )


def _rows(many: int, mean: int) -> Moments:
    """So many rows with this mean."""
    return Moments(many, many * (mean - 18))


def _both(
    question: str, survey: Survey, sql: str, groups: list[Moments], wanted: tuple[float, float]
) -> Iterator[Line]:
    now, apart = (
        _errors(planned(survey, sql, Relation.CHANGE, together=together), groups)
        for together in (True, False)
    )
    given = [_spread(one) for one in groups]
    truths = [[one.total / one.rows for one in groups], [float(one.rows) for one in groups]]
    for which, name in enumerate(("mean", "count")):
        yield Line(
            question=f"{question}: {name}",
            apart=apart[which],
            now=now[which],
            wanted=wanted[which],
            exact=False,
            peers=_others("mean_and_count", given, truths, Relation.CHANGE, which=which),
        )


def _spread(table: Moments) -> Places:
    """Rows with this number and sum, all but one on two neighbouring values; far from the ends."""
    whole, more = divmod(table.total, table.rows)
    return np.repeat([whole, whole + 1], [table.rows - more, more])


def _others(
    kind: str,
    groups: Sequence[Places],
    truths: Sequence[Sequence[float]],
    relation: Relation,
    *,
    which: int = 0,
    times: float = 1.0,
) -> dict[str, float]:
    """The mean over groups of what others err; each group is asked with all of ε."""
    found: dict[str, list[float]] = {}
    for place, rows in enumerate(groups):
        true = [one[place] for one in truths]
        for tool, errors in errors_of_others(
            kind, rows.tolist(), true, relation, values=AGES.size, outside=OUTSIDE
        ).items():
            found.setdefault(tool, []).append(times * errors[which])
    return {tool: float(np.mean(errors)) for tool, errors in found.items()}


def _errors(made: Plan, groups: list[Moments]) -> list[float]:
    counts = [Moments(one.rows, one.rows) for one in groups]
    truths = [[18 + one.total / one.rows for one in groups], [float(one.rows) for one in groups]]
    return drawn_errors(made, [list(groups), list(counts)], truths, DRAWS // len(groups))
