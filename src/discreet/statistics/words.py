"""What a statistic is called, what it is taken of, and the number that some of them need."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import QuestionError
from discreet.exact import rational, show
from discreet.model import Labels
from discreet.statistics.answers import Values

if TYPE_CHECKING:
    from discreet.statistics.statistic import Statistic


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

    @property
    def of_rows(self) -> bool:
        """Whether no column is named: rows are counted."""
        return self in (Takes.ROWS, Takes.CONDITION)

    def suits(self, values: Values) -> bool:
        """Whether a column with these values will do."""
        words = isinstance(values, Labels)
        return self is Takes.VALUES or self is (Takes.WORDS if words else Takes.NUMBERS)


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

    @property
    def function(self) -> str:
        """What it is written as in SQL."""
        return self.functions[0]

    @property
    def example(self) -> str:
        """How it is asked in SQL, for messages and documents."""
        if self.takes is Takes.ROWS:
            return f"{self.function}(*) or {self.function}(condition)"
        inner = "condition" if self.takes is Takes.CONDITION else "column"
        number = "" if self.parameter is None else f", {self.parameter.example}"
        return f"{self.function}({inner}{number})"
