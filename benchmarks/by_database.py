"""Design by database beside plain HiGHS on the program with every ratio written out.

The rows are the table of sizes; `DISCREET_LONG=1` adds more. Out of reach: the extremes of 20
replies with answers alike (one program with half of the 885,500 ratios takes 65 s and leaves a gap
of 56 %), and ten records over ten values, which are refused: their 924,000 cells take 1.1 GB even
where the worst case needs no program.
"""

import os
from collections.abc import Iterator

from benchmarks.timing import Row, beside
from discreet.databases import (
    DatabaseDesign,
    DatabaseGoal,
    Databases,
    Statistic,
    Together,
    design_by_database,
    maximum,
    median,
    quantile,
)
from discreet.databases.task import Task
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.model import Grid

GAP = 1e-6
WORST = "worst case"
_LONG = bool(os.environ.get("DISCREET_LONG"))


def rows() -> Iterator[Row]:
    """The median of ten Likert replies beside the plain program; larger ones by the clock."""
    yield beside(
        "median of 10 Likert replies, databases alike: 1,001 histograms",
        lambda: designed(10, 5, "databases"),
        lambda: plain(10, 5, "databases"),
        peer="HiGHS ipm, plain", rounds=3, wanted=10.0,
    )  # fmt: skip
    yield beside(
        "the same, answers alike",
        lambda: designed(10, 5, "answers"),
        lambda: plain(10, 5, "answers"),
        peer="HiGHS ipm, plain", rounds=1,
    )  # fmt: skip
    for records, values, prior in (
        (20, 5, "databases"), (200, 3, "answers"), (201, 3, "answers"),
    ):  # fmt: skip
        size = f"{len(Databases.of(records, Grid.between(1, values))):,} histograms"
        yield beside(
            f"median of {records} on {values} points, {prior} alike: {size}, gap {GAP}",
            lambda n=records, t=values, p=prior: designed(n, t, p),  # type: ignore[misc]
            rounds=1, within=60.0,
        )  # fmt: skip

    for statistic in (maximum(), median(), quantile("0.9")):
        yield beside(
            f"worst case, {statistic.name} of 20 on 5 points: 10,626 histograms, gap {GAP}",
            lambda asked=statistic: designed(20, 5, WORST, asked),  # type: ignore[misc]
            rounds=1, within=30.0,
        )  # fmt: skip
    both = Together((median(), maximum()))
    yield beside(
        f"median and max at once of 5 on 4 points: 56 histograms, 10 outputs, gap {GAP}",
        lambda: designed(5, 4, "answers", both),
        lambda: plain(5, 4, "answers", both),
        peer="HiGHS ipm, plain", rounds=1,
    )  # fmt: skip
    for records in (10, 12) if _LONG else (10,):
        yield beside(
            f"max of {records} on 5 points, answers alike, gap {GAP}",
            lambda n=records: designed(n, 5, "answers", maximum()),  # type: ignore[misc]
            lambda n=records: plain(n, 5, "answers", maximum()),  # type: ignore[misc]
            peer="HiGHS ipm, plain", rounds=1,
        )  # fmt: skip


def _goal(prior: str) -> DatabaseGoal:
    return DatabaseGoal.of(worst_case=True) if prior == WORST else DatabaseGoal.of(prior=prior)


def designed(
    records: int, values: int, prior: str, statistic: Statistic | None = None
) -> DatabaseDesign:
    asked = median() if statistic is None else statistic
    found = design_by_database(asked, records, Grid.between(1, values), 1, _goal(prior))
    if found.gap > GAP:
        raise RuntimeError(f"the proven gap is {found.gap:.1e}, wanted {GAP}")
    return found


def plain(records: int, values: int, prior: str, statistic: Statistic | None = None) -> float:
    asked = median() if statistic is None else statistic
    task = Task.of(asked, Databases.of(records, Grid.between(1, values)), 1, _goal(prior))
    return solve(plain_program(task.request), "ipm", crossover=False).value
