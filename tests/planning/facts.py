"""Public facts for the planner's tests: small datasets made in memory."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from discreet.exact import Epsilon
from discreet.model import Grid, Labels, Relation
from discreet.questions import parse_sql, values_of
from discreet.statistics import NAMES, FromSums, Moments, Products, Takes, Tally
from discreet.tables import CategoryColumn, Dataset, NumberColumn
from discreet.tables.facts import Budget, PrivacyUnit, Source

COLUMNS = (
    NumberColumn("mood", Grid.between(0, 4), Fraction(0), True, complete=True),
    NumberColumn("weight", Grid.between("-1", "2", "0.5"), Fraction(0), False, complete=True),
    CategoryColumn("clinic", Labels.of(["A", "B", "other"]), "other", complete=True),
)
GAPPY = tuple(replace(column, missing=None, complete=False) for column in COLUMNS)
"""The same columns, with gaps that are skipped."""


def dataset(rows=6, *, public=True, change=True, per_person=1, columns=COLUMNS, one_row_per=None):
    unit = PrivacyUnit("id" if per_person > 1 else None, per_person, one_row_per)
    budget = Budget(Epsilon.of(10))
    source = Source(path=Path("t.csv"), kind="csv")
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


def tallied(subject, counts):
    """Counts of rows by index (a mapping or rows themselves), as a release takes them."""
    found = Tally.of(Counter(counts), subject.values)
    if isinstance(subject.form, FromSums):
        return paired(subject, found.counts.tolist())
    return found if subject.needs_values else Moments(found.rows, found.total)


def paired(subject, counts):
    """Rows of two columns: those with an even index of the first have the lowest of the second."""
    last = 0 if subject.second is None else subject.second.size - 1
    places = range(len(counts))
    totals, squares, products = (
        [sum(counts[i] * term(i, last * (i % 2)) for i in places) for term in terms]
        for terms in (
            (lambda i, j: i, lambda i, j: j),
            (lambda i, j: i * i, lambda i, j: j * j),
            (lambda i, j: i * j,),
        )
    )
    return Products(sum(counts), tuple(totals), tuple(squares), products[0])


def one_of(release, counted, confidence=Fraction(19, 20)):
    """One value drawn for a table."""
    return release.ready_by_group((counted,), confidence)[0].draw().value


def asked(sql, facts):
    return parse_sql(sql, facts)


def _asked_of(words):
    """A statistic of numbers, of words, of a condition, of all rows: whatever it takes."""
    number = "" if words.parameter is None else f", {_number(words.parameter)}"
    number = f", {COLUMNS[1].name}" if words.takes is Takes.PAIRS else number
    inner = [
        f"{column.name}{number}"
        for column in (COLUMNS[0], COLUMNS[2])
        if words.takes.suits(values_of(column))
    ]
    inner += ["mood > 2"] if words.takes.of_rows else []
    inner += ["*"] if words.takes is Takes.ROWS else []
    return [f"SELECT {words.function}({one})" for one in inner]


def _number(parameter):
    """The example, but for TOP: there are three words."""
    return "2" if parameter.whole else parameter.example


EVERYTHING = (
    *(ask for words in NAMES.values() for ask in _asked_of(words)),
    "SELECT SUM(weight)",
    "SELECT MAX(weight)",
)
"""Every statistic there is, so that a new one is held to all laws at once."""
