"""A statistic: one class for each, the one home of everything that is true of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from discreet.errors import QuestionError
from discreet.exact import rational, show
from discreet.model import Labels
from discreet.statistics.answers import Added, Chances, Form, Placed, Rows, Tables, Values
from discreet.statistics.counted import Counted, Tally
from discreet.text import number_text


class Takes(Enum):
    """What a statistic is taken of; the value is how an example of it is written."""

    ROWS = "*"
    """All rows, or those that meet a condition."""
    CONDITION = "condition"
    """Rows that meet a condition."""
    NUMBERS = "column"
    """A column of numbers."""
    WORDS = "column of words"
    """A column of words."""
    VALUES = "column of numbers or words"
    """Any column."""
    PAIRS = "column, other"
    """Two columns of numbers."""

    @property
    def of_rows(self) -> bool:
        """Whether no column is named: rows are counted."""
        return self in (Takes.ROWS, Takes.CONDITION)

    def suits(self, values: Values) -> bool:
        """Whether a column with these values will do."""
        words = isinstance(values, Labels)
        numbers = self in (Takes.NUMBERS, Takes.PAIRS)
        return self is Takes.VALUES or (self is Takes.WORDS if words else numbers)


class OfDates(Enum):
    """What a statistic tells of a column of dates."""

    DATE = "a date"
    SPAN = "a number, in the steps of the dates"
    NOTHING = "nothing"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """The number that a statistic needs beside its column."""

    key: str
    """Its name in ledgers and forms."""
    letter: str
    """Its name in messages."""
    of: str
    """Whose letter it is, in messages."""
    title: str
    """What a form calls it."""
    range: str
    """What it may be, in a few words."""
    example: str
    whole: bool = False

    def read(self, given: object) -> Fraction | int:
        """The number in its own type; QuestionError where it is none, or not whole as it must be.

        >>> from discreet.statistics import NAMES
        >>> NAMES["quantile"].parameter.read("0.25"), NAMES["top"].parameter.read("3")
        (Fraction(1, 4), 3)
        """
        number = rational(given, f"the {self.letter} of {self.of}", QuestionError)
        if not self.whole:
            return number
        if number.denominator != 1:
            raise QuestionError(f"{self.of} needs a whole number, got {show(given)}")
        return int(number)


@dataclass(frozen=True, kw_only=True)
class Words:
    """One name of a statistic, with all that is said and written under it."""

    name: str
    """In ledgers, in JSON, on the command line, and as a method in Python."""
    functions: tuple[str, ...]
    """In SQL; the first is the one that questions are written out with."""
    takes: Takes
    title: str
    """In a sentence, before the column is known."""
    phrase: str
    """In a sentence, with {column} and, where there is one, {parameter}."""
    make: "Callable[[Fraction | int | None], Statistic]"
    """The statistic, from its parameter."""
    parameter: Parameter | None = None
    between: str = "and"
    """In a sentence, between two columns."""

    @property
    def function(self) -> str:
        """What it is written as in SQL."""
        return self.functions[0]

    @property
    def example(self) -> str:
        """How it is asked in SQL, for messages and documents."""
        if self.takes is Takes.ROWS:
            return f"{self.function}(*) or {self.function}(condition)"
        if self.takes is Takes.PAIRS:
            return f"{self.function}({self.takes.value})"
        inner = "condition" if self.takes is Takes.CONDITION else "column"
        number = "" if self.parameter is None else f", {self.parameter.example}"
        return f"{self.function}({inner}{number})"


class Statistic(ABC):
    """What can be told of rows that are counted by their value.

    It knows its names, what it is taken of, its possible answers from public facts, and its value
    on counted rows; not where rows come from, nor how its answers are kept private.
    """

    names: ClassVar[tuple[Words, ...]]
    """The names it is asked by; most have one."""
    of_dates: ClassVar[OfDates] = OfDates.SPAN
    """What it tells of dates."""
    by_person: ClassVar[bool] = False
    """Whether people are counted, each once: all rows of one of them are one step."""

    @property
    def words(self) -> Words:
        """The name that this one is asked by, and what belongs to it."""
        return self.names[0]

    @property
    def name(self) -> str:
        """What it is called in ledgers and messages."""
        return self.words.name

    @property
    def parameter(self) -> Fraction | int | None:
        """The number it needs beside its column, if its name says so."""
        return None

    @abstractmethod
    def form(self, rows: Rows) -> Form:
        """Its possible answers, and what one row can do to them."""

    @abstractmethod
    def place(self, counted: Counted, form: Form) -> int:
        """The place of the true answer among those of its form: no row can make this fail."""

    def is_whole(self, whole_values: bool) -> bool:
        """Whether people know the answers as whole numbers, given that of the values."""
        return whole_values

    def check(self, column: str, values: Values) -> None:  # noqa: B027  most have nothing to check
        """QuestionError where its parameter does not suit a column that it can be taken of."""

    def phrase(self, *columns: str) -> str:
        """It as people would say it of a column, or of two."""
        column = f" {self.words.between} ".join(columns)
        parameter = "" if self.parameter is None else number_text(Fraction(self.parameter))
        return self.words.phrase.format(column=column, parameter=parameter)

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {"kind": self.name, "rank": None, "most": None}


class Adding(Statistic):
    """Every row adds to the answer, whatever the others are."""

    def place(self, counted: Counted, form: Form) -> int:
        """What the rows add up to; more than were declared are brought back to the range."""
        assert isinstance(form, Added)
        assert form.linear is not None
        return form.nearest(form.linear.place(counted))


class Placing(Statistic):
    """A statistic that is one of the values (or a step between them): one row can lead anywhere.

    Tables are given as counts by value, on the last axis.
    """

    def form(self, rows: Rows) -> Form:
        """One of the values."""
        return Placed(rows.values)

    def place(self, counted: Counted, form: Form) -> int:
        """The place of the true answer; of no rows, the middle of the range."""
        assert isinstance(form, Placed)
        assert isinstance(counted, Tally)
        return form.middle if counted.rows == 0 else int(self.places(counted.counts))

    @abstractmethod
    def places(self, tables: Tables) -> Tables:
        """The place of the true answer of every table; each has a row."""

    @abstractmethod
    def rows_to_change(self, tables: Tables) -> Tables:
        """How many rows must change their value for each answer to be the true one.

        Rows that may come and go as well get there no sooner, so that one row moves each of these
        numbers by at most 1, whatever becomes of it: this is what private choices rest on.
        """

    def rows_away(self, tables: Tables) -> Tables:
        """How far each answer is from being the true one: what private choices go by.

        As many rows as must change, unless more is known of the true answer: below 0, how many rows
        may change and leave it true. One row moves each of these numbers by at most 1.
        """
        return self.rows_to_change(tables)

    @abstractmethod
    def rows_to_add_or_remove(self, tables: Tables) -> Tables:
        """How many rows must come or go for each answer to be the true one."""

    def likely_rows(self, place: int, size: int, rows: int) -> Chances:
        """Chances of values under which so many rows may well have this answer: to simulate by."""
        return np.full(size, 1 / size)
