"""Questions put to the planner: of tables in memory, together or each statistic by itself."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.exact import Epsilon
from discreet.model import Grid, Labels, Relation
from discreet.planning import Plan, Wishes, plan
from discreet.planning.joint import weighing
from discreet.questions import parse_sql
from discreet.statistics import Counted, Moments, Tally
from discreet.tables import CategoryColumn, Dataset, NumberColumn
from discreet.tables.facts import Budget, PrivacyUnit, Source

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Survey:
    """Public facts of a table in memory."""

    columns: tuple[NumberColumn | CategoryColumn, ...]
    rows: int

    def dataset(self, relation: Relation) -> Dataset:
        """The facts, with one way for tables to be neighbours; a size that changes is private."""
        return Dataset(
            name="survey",
            columns=self.columns,
            unit=PrivacyUnit(None, 1),
            relation=relation,
            most_rows=self.rows,
            size_is_public=relation == Relation.CHANGE,
            source=Source(path=Path("rows.csv"), kind="csv"),
            budget=Budget(Epsilon.of(100)),
            confirmed=True,
        )


def number(name: str, low: int, high: int, step: int = 1) -> NumberColumn:
    """A column of whole numbers without gaps."""
    grid = Grid.between(low, high, step)
    return NumberColumn(name, grid, Fraction(low), True, complete=True)


def words(name: str, many: int) -> CategoryColumn:
    """A column of so many words."""
    named = [f"w{place}" for place in range(many)]
    return CategoryColumn(name, Labels.of(named), named[-1], complete=True)


def flags(many: int) -> tuple[NumberColumn, ...]:
    """So many columns of 0 and 1."""
    return tuple(number(f"b{place}", 0, 1) for place in range(many))


def planned(
    survey: Survey, sql: str, relation: Relation, *, together: bool = True, **wanted: Any
) -> Plan:
    """The plan of a question; without joint answers where that is said."""
    facts = survey.dataset(relation)
    question = parse_sql(sql, facts)
    with _joining(together):
        return plan(question, facts, **({"epsilon": "0.5", "wishes": Wishes()} | wanted))


@contextmanager
def _joining(together: bool) -> Iterator[None]:
    kept = weighing.JOINERS
    weighing.JOINERS = kept if together else ()
    try:
        yield
    finally:
        weighing.JOINERS = kept


def expected(made: Plan) -> list[float]:
    """The expected errors of a plan whose errors are those of every table."""
    found = []
    for part in made.parts:
        error = part.chosen.figures.expected
        assert error is not None, part.chosen.title
        found.append(error)
    return found


def counted(made: Plan, groups: Sequence[Places], sizes: Sequence[int]) -> list[list[Counted]]:
    """For each part of a plan, the counts of every group, whose rows are given by their indices."""
    told = []
    for part, size in zip(made.parts, sizes, strict=True):
        by_value = part.chosen.release.needs_values
        told.append([_counted(rows, size, by_value=by_value) for rows in groups])
    return told


def _counted(rows: Places, size: int, *, by_value: bool) -> Counted:
    if by_value:
        return Tally(np.bincount(rows, minlength=size).astype(np.int64))
    return Moments(len(rows), int(rows.sum()))


def drawn_errors(
    made: Plan, tables: list[list[Counted]], truths: Sequence[Sequence[float]], draws: int
) -> list[float]:
    """The mean absolute error of each part over draws (and groups) of one table."""
    errors = np.zeros(len(made.parts))
    for _ in range(draws):
        told = made.ready(tables).draw()
        for which, (by_group, true) in enumerate(zip(told, truths, strict=True)):
            off = [
                abs(float(one.value) - truth)
                for one, truth in zip(by_group, true, strict=True)
                if isinstance(one.value, int | Fraction)
            ]
            errors[which] += np.mean(off)
    return (errors / draws).tolist()


def clinic(column: str) -> list[int]:
    """The cells of a column of the packaged survey, gaps left out."""
    text = (files("discreet") / "examples" / "clinic.csv").read_text(encoding="utf-8")
    return [int(row[column]) for row in csv.DictReader(text.splitlines()) if row[column].isdigit()]
