"""Design by database beside plain HiGHS on the program with every ratio written out.

`DISCREET_LONG=1` adds more; `python -m benchmarks largest` writes a table of the largest sizes.
Out of reach in half a minute: the extremes of 20 replies with answers alike. In processor time, on
a loaded machine: the program of narrow rows 16 s, then the whole one with 183,957 of 885,500 ratios
and a patch; all in all 52 s to a certified gap of 1e-8. What was tried besides: HiGHS's direct
solver (decision 0009); its first-order method (PDLP), which begins with a narrow matrix and its
multipliers and needs 14,000 iterations for 14 replies, twice the time of IPX; rows that see little
of tables deep in their tails, and in the bound a program for each such row (Claim 4): 4.7e-7 at 14
replies in as much time, 2e-4 in 56 s at 20; tables merged where the answer is far from changing,
whose averages prove a bound: 5e-4 at 14 replies with 1,815 groups for 3,060 histograms, 9e-6 with
2,940; multipliers found with narrow rows prove nothing for other mechanisms; ratios that
bind for ten records, looked up for twelve by the small counts of a table, prove 99.1 % of the
optimum; counts cut off at twelve, which leaves 1,820 histograms of a program that any larger one
contains, cost a share of 8e-4 (at ten 6e-3), and the ratios that bind there took four rounds of 16
replies to 7e-4; cells tied to the neighbour they bind with leave a program of a quarter of the
variables, eleven times quicker, whose multipliers for the ties have the wrong sign; one such floor
for each cell that should be small is a valid bound and loses 3 to 25 %; looser tolerances
save a tenth. The mean of ten replies takes 96 s in two rounds, of eight 6 s in one. Ten
records over ten values are designed where the worst case needs no program (18 s, 1.06 GB); a median
with every table alike had no end in 400 s by the clock.
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
from discreet.databases.task import DatabaseTask
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
    task = DatabaseTask.of(asked, Databases.of(records, Grid.between(1, values)), 1, _goal(prior))
    return solve(plain_program(task.request), "ipm", crossover=False).value
