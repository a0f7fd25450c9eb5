"""Public facts for the planner's tests: small datasets made in memory."""

from fractions import Fraction
from pathlib import Path

from discreet.exact import Epsilon
from discreet.model import Grid, Labels, Relation
from discreet.questions import parse_sql
from discreet.tables import CategoryColumn, Dataset, NumberColumn
from discreet.tables.facts import Budget, PrivacyUnit, Source

COLUMNS = (
    NumberColumn("mood", Grid.between(0, 4), Fraction(0), True),
    NumberColumn("weight", Grid.between("-1", "2", "0.5"), Fraction(0), False),
    CategoryColumn("clinic", Labels.of(["A", "B", "other"]), "other"),
)


def dataset(rows=6, *, public=True, change=True, per_person=1, columns=COLUMNS):
    unit = PrivacyUnit("id" if per_person > 1 else None, per_person)
    budget = Budget(Epsilon.of(10))
    source = Source(Path("t.csv"), "csv")
    return Dataset(
        name="t",
        columns=columns,
        unit=unit,
        relation=Relation.CHANGE if change else Relation.ADD_OR_REMOVE,
        most_rows=rows,
        size_is_public=public,
        source=source,
        budget=budget,
        confirmed=True,
    )


def asked(sql, facts):
    return parse_sql(sql, facts)


EVERYTHING = (
    "SELECT COUNT(*)",
    "SELECT COUNT(mood > 2)",
    "SELECT SHARE(mood > 2)",
    "SELECT SUM(mood)",
    "SELECT SUM(weight)",
    "SELECT AVG(mood)",
    "SELECT MIN(mood)",
    "SELECT MAX(weight)",
    "SELECT MEDIAN(mood)",
    "SELECT QUANTILE(mood, 0.9)",
    "SELECT MODE(clinic)",
    "SELECT MODE(mood)",
    "SELECT TOP(clinic, 2)",
)
