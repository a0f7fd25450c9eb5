"""Design by database beside plain HiGHS on the program with every ratio written out."""

from collections.abc import Iterator

from benchmarks.timing import Row, beside
from discreet.databases import DatabaseDesign, DatabaseGoal, Databases, design_by_database, median
from discreet.databases.task import Task
from discreet.designer.programs.solver import solve
from discreet.designer.programs.written_out import plain_program
from discreet.model import Grid

GAP = 1e-6


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


def designed(records: int, values: int, prior: str) -> DatabaseDesign:
    goal = DatabaseGoal.of("absolute", prior)
    found = design_by_database(median(), records, Grid.between(1, values), 1, goal)
    if found.gap > GAP:
        raise RuntimeError(f"the proven gap is {found.gap:.1e}, wanted {GAP}")
    return found


def plain(records: int, values: int, prior: str) -> float:
    goal = DatabaseGoal.of("absolute", prior)
    task = Task.of(median(), Databases.of(records, Grid.between(1, values)), 1, goal)
    return solve(plain_program(task.request), "ipm", crossover=False).value
