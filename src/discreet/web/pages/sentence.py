"""The fill-in sentence: from the choices of a form to a question, and the choices there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import DatasetError, QuestionError
from discreet.exact import rational, show
from discreet.questions import (
    EVERY_ROW,
    AllOf,
    Bins,
    Condition,
    Item,
    Question,
    checked_item,
    values_of,
)
from discreet.questions.conditions import compare
from discreet.statistics import MEDIAN, NAMES, Count, Parameter, Takes, Words
from discreet.tables import CategoryColumn, Column, Dataset, NumberColumn
from discreet.text import decimal_text

RELATIONS = {"=": "is", "!=": "is not", ">=": "is at least", "<=": "is at most"}
"""What may stand between a column and a value."""


class UnfinishedError(QuestionError):
    """A form that does not say everything yet: something to go on with, not a mistake."""


@dataclass(frozen=True)
class Clause:
    """One condition of the sentence: a column, a relation, a value."""

    column: str
    relation: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """The choices made so far, as the form sends them: any text may stand in any of them."""

    statistic: str = Count().name
    column: str = ""
    number: str = ""
    """What the statistic needs beside its column, if anything."""
    clauses: tuple[Clause, ...] = ()
    by: str = ""
    width: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Sequence[str]], dataset: Dataset) -> "Sentence":
        """Read a form; what it leaves out gets the first sensible choice."""
        statistic = _first(given, "statistic", _usual(dataset))
        clauses = tuple(
            Clause(column, relation or "=", value)
            for column, relation, value in zip(
                given.get("where", ()),
                _padded(given, "is", len(given.get("where", ()))),
                _padded(given, "value", len(given.get("where", ()))),
                strict=False,
            )
            if column
        )
        column = _first(given, "column", "")
        suited = [one.name for one in columns_for(statistic, dataset)]
        if column not in suited:
            column = suited[0] if suited else ""
        by = _first(given, "by", "")
        return cls(
            statistic=statistic,
            column=column,
            number=_number_for(statistic, given),
            clauses=clauses,
            by=by,
            width=_first(given, "width", "").strip() or usual_width(by, dataset),
        )

    @property
    def words(self) -> Words | None:
        """The statistic that is meant, if it is one."""
        return NAMES.get(self.statistic)

    @property
    def parameter(self) -> Parameter | None:
        """The number that the statistic needs beside its column."""
        return None if self.words is None else self.words.parameter

    def question(self, dataset: Dataset) -> Question:
        """The question that the sentence asks; QuestionError says what does not fit."""
        if self.words is None:
            raise QuestionError(
                f"unknown statistic {show(self.statistic)}; choose one of {', '.join(NAMES)}"
            )
        where = self._where(dataset)
        if self.words.takes is Takes.CONDITION:
            if where == EVERY_ROW:
                raise UnfinishedError(
                    f"a {self.words.name} needs a condition: choose a column after “where”"
                )
            item, where = Item(statistic=self.words.make(None), condition=where), EVERY_ROW
        elif self.words.takes is Takes.ROWS:
            item = Item(statistic=self.words.make(None))
        else:
            item = self._of_column(self.words, dataset)
        return Question((checked_item(item, dataset),), where, self._groups(dataset))

    def _where(self, dataset: Dataset) -> Condition:
        parts = tuple(_condition(clause, dataset) for clause in self.clauses)
        if not parts:
            return EVERY_ROW
        return parts[0] if len(parts) == 1 else AllOf(parts)

    def _of_column(self, words: Words, dataset: Dataset) -> Item:
        if not self.column:
            raise QuestionError(f"no column is suitable for {words.title}")
        column = _column(self.column, dataset)
        needed = self.parameter
        number = None if needed is None else needed.read(self.number.strip())
        return Item(statistic=words.make(number), column=column.name)

    def _groups(self, dataset: Dataset) -> Bins | None:
        if not self.by:
            return None
        column = _column(self.by, dataset)
        if not isinstance(column, NumberColumn) or not self.width.strip():
            return Bins(column.name, 1)
        steps = _number(self.width, "the width of a group") / column.grid.step
        if steps.denominator != 1 or steps < 1:
            raise QuestionError(
                f"the group width must be a multiple of the step {decimal_text(column.grid.step)}"
            )
        return Bins(column.name, int(steps))


def columns_for(statistic: str, dataset: Dataset) -> tuple[Column, ...]:
    """The columns that a statistic can be taken of; none for counts and shares."""
    words = NAMES.get(statistic, MEDIAN.words)
    return tuple(column for column in dataset.columns if words.takes.suits(values_of(column)))


def relations_for(column: Column | None) -> dict[str, str]:
    """The relations a column can be compared by: words have no order."""
    if isinstance(column, CategoryColumn):
        return {sign: RELATIONS[sign] for sign in ("=", "!=")}
    return RELATIONS


def statistics_for(dataset: Dataset) -> dict[str, str]:
    """The statistics that this dataset has columns for."""
    return {
        name: words.title
        for name, words in NAMES.items()
        if words.takes.of_rows or columns_for(name, dataset)
    }


def usual_width(by: str, dataset: Dataset) -> str:
    """A first width for groups of a number column; empty when groups are words or none."""
    for column in dataset.columns:
        if column.name == by and isinstance(column, NumberColumn):
            return decimal_text(-(-column.size // 10) * column.grid.step)
    return ""


def _usual(dataset: Dataset) -> str:
    """Where playing starts: a median where there are numbers."""
    return MEDIAN.name if columns_for(MEDIAN.name, dataset) else Count().name


def _condition(clause: Clause, dataset: Dataset) -> Condition:
    column = _column(clause.column, dataset)
    if clause.relation not in RELATIONS:
        raise QuestionError(f"compare {column.name} by is, is not, is at least or is at most")
    if not clause.value.strip():
        raise UnfinishedError(f"enter a value to compare {column.name} with")
    return compare(column, clause.relation, clause.value.strip())


def _column(name: str, dataset: Dataset) -> Column:
    try:
        return dataset.column(name)
    except DatasetError as problem:
        raise QuestionError(str(problem)) from None


def _number(text: str, what: str) -> Fraction:
    return rational(text.strip(), what, QuestionError)


def _number_for(statistic: str, given: Mapping[str, Sequence[str]]) -> str:
    words = NAMES.get(statistic)
    if words is None or words.parameter is None:
        return ""
    return _first(given, words.parameter.key, words.parameter.example)


def _first(given: Mapping[str, Sequence[str]], name: str, default: str) -> str:
    values = given.get(name, ())
    return values[0] if values else default


def _padded(given: Mapping[str, Sequence[str]], name: str, size: int) -> list[str]:
    values = list(given.get(name, ()))
    return values + [""] * (size - len(values))
