"""How many different values, or people, there are (docs/proofs/distinct.md)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.statistics.answers import Added, Form, Rows
from discreet.statistics.counted import Counted, Tally
from discreet.statistics.statistic import Statistic, Takes, Words


@dataclass(frozen=True)
class Distinct(Statistic):
    """How many of the declared values some row has.

    >>> form = Added(start=Fraction(0), unit=Fraction(1), size=4, steps=1)
    >>> Distinct().place(Tally.of({0: 5, 2: 1}, values=3), form)
    2
    """

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="distinct",
            functions=("COUNT_DISTINCT", "APPROX_DISTINCT", "APPROX_COUNT_DISTINCT"),
            takes=Takes.VALUES,
            title="the number of different values",
            phrase="the number of different values of {column}",
            make=lambda _: Distinct(),
        ),
    )

    def form(self, rows: Rows) -> Added:
        """0 to as many as there are values, or rows; one row moves it by one at most."""
        most = min(len(rows.values), rows.most)
        return Added(start=Fraction(0), unit=Fraction(1), size=most + 1, steps=1)

    def place(self, counted: Counted, form: Form) -> int:
        """How many values are there."""
        assert isinstance(form, Added)
        assert isinstance(counted, Tally)
        return form.nearest(int((counted.counts > 0).sum()))

    def is_whole(self, whole_values: bool) -> bool:
        """A number of values is whole."""
        return True


@dataclass(frozen=True)
class People(Statistic):
    """How many people have a row that meets a condition: counted person by person, not by row.

    >>> from discreet.model import Relation
    >>> from discreet.statistics.answers import HOLDS
    >>> form = People().form(Rows(values=HOLDS, most=9, relation=Relation.CHANGE))
    >>> form.size, form.steps, People().place(Tally.of({0: 2, 1: 3}, values=2), form)
    (10, 1, 3)
    """

    names: ClassVar[tuple[Words, ...]] = (
        Words(
            name="people",
            functions=("COUNT_PEOPLE",),
            takes=Takes.ROWS,
            title="the number of people",
            phrase="the number of people",
            make=lambda _: People(),
        ),
    )
    by_person: ClassVar[bool] = True

    def form(self, rows: Rows) -> Added:
        """0 to as many as there are rows; one person moves it by one at most."""
        return Added(start=Fraction(0), unit=Fraction(1), size=rows.most + 1, steps=1)

    def place(self, counted: Counted, form: Form) -> int:
        """How many of the people that are counted meet the condition."""
        assert isinstance(form, Added)
        return form.nearest(counted.total)

    def is_whole(self, whole_values: bool) -> bool:
        """People are whole."""
        return True
