"""The fill-in sentence: from the choices of a form to a question, and the choices there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import DatasetError, QuestionError
from discreet.exact import show
from discreet.questions import (
    EVERY_ROW,
    AllOf,
    Bins,
    Condition,
    Item,
    Question,
    bins_of,
    checked_item,
    values_of,
)
from discreet.questions.conditions import Not, compare, is_gap
from discreet.questions.totals import Sets, all_subsets
from discreet.statistics import (
    MEDIAN,
    NAMES,
    SEVERAL,
    Count,
    OfDates,
    Parameter,
    People,
    Takes,
    Words,
)
from discreet.tables import (
    CategoryColumn,
    Column,
    Dataset,
    DateColumn,
    NumberColumn,
    skips_gaps,
)
from discreet.text import Resolution, decimal_text
from discreet.text.calendar import count_of, moment_of

RELATIONS = {"=": "is", "!=": "is not", ">=": "is at least", "<=": "is at most"}
"""What may stand between a column and a value."""
_OF_DATES = {"=": "is on", "!=": "is not on", ">=": "is on or after", "<=": "is on or before"}
_OF_GAPS = {"missing": "is missing", "known": "is not missing"}
"""What may be said of a cell without a value beside it."""
_UNITS = {
    Resolution.YEAR: "by year",
    Resolution.QUARTER: "by quarter",
    Resolution.MONTH: "by month",
    Resolution.WEEK: "by week",
    Resolution.DAY: "by day",
    Resolution.HOUR: "by hour",
}
_PARTS = {
    "MONTHNAME": "by month of the year",
    "DAYNAME": "by day of the week",
    "HOUR": "by hour of the day",
}
_USUAL_GROUPS = 48
"""Dates begin with the finest unit that makes no more groups than this."""
QUANTILES = {name: several for name, several in SEVERAL.items() if several.shares}
"""Several quantiles that one word asks for."""


class UnfinishedError(QuestionError):
    """A form that does not say everything yet: something to go on with, not a mistake."""


@dataclass(frozen=True)
class Clause:
    """One condition of the sentence: a column, a relation, a value."""

    column: str
    relation: str
    value: str


@dataclass(frozen=True)
class By:
    """One of the columns to group by, with the width of its groups where it holds numbers."""

    column: str
    width: str = ""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """The choices made so far, as the form sends them: any text may stand in any of them."""

    statistic: str = Count().name
    column: str = ""
    second: str = ""
    """The other column, where the statistic is taken of two."""
    number: str = ""
    """What the statistic needs beside its column, if anything."""
    clauses: tuple[Clause, ...] = ()
    by: tuple[By, ...] = ()
    totals: bool = False
    """Whether groups are told with totals."""
    running: bool = False
    """Whether each group of numbers is told with all before it."""

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
        suited = columns_for(statistic, dataset)
        if column not in [one.name for one in suited]:
            plain = [one.name for one in suited if not isinstance(one, DateColumn)]
            column = next(iter([*plain, *(one.name for one in suited)]), "")
        others = seconds_for(statistic, column, dataset)
        second = _first(given, "second", "")
        if second not in others:
            second = others[0] if others else ""
        columns = given.get("by", ())
        widths = (width.strip() for width in _padded(given, "width", len(columns)))
        return cls(
            statistic=statistic,
            column=column,
            second=second,
            number=_number_for(statistic, given),
            clauses=clauses,
            by=tuple(
                By(name, width or usual_width(name, dataset))
                for name, width in zip(columns, widths, strict=False)
                if name
            ),
            totals=bool(_first(given, "totals", "")),
            running=bool(_first(given, "running", "")),
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
        where = self._where(dataset)
        if self.statistic in QUANTILES:
            several = QUANTILES[self.statistic]
            column = self._column(several.title, dataset).name
            items = tuple(Item(statistic=one, column=column) for one in several.statistics)
            checked = tuple(checked_item(item, dataset) for item in items)
            return Question(checked, where, self._groups(dataset), self._totals())
        if self.words is None:
            known = ", ".join((*NAMES, *QUANTILES))
            raise QuestionError(f"unknown statistic {show(self.statistic)}; choose one of {known}")
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
        checked = (checked_item(item, dataset),)
        return Question(checked, where, self._groups(dataset), self._totals())

    def _where(self, dataset: Dataset) -> Condition:
        parts = tuple(_condition(clause, dataset) for clause in self.clauses)
        if not parts:
            return EVERY_ROW
        return parts[0] if len(parts) == 1 else AllOf(parts)

    def _column(self, title: str, dataset: Dataset) -> Column:
        if not self.column:
            raise QuestionError(f"no column is suitable for {title}")
        return _column(self.column, dataset)

    def _of_column(self, words: Words, dataset: Dataset) -> Item:
        column = self._column(words.title, dataset)
        needed = self.parameter
        number = None if needed is None else needed.read(self.number.strip())
        second = _column(self.second, dataset).name if self.second else None
        return Item(statistic=words.make(number), column=column.name, second=second)

    def _groups(self, dataset: Dataset) -> tuple[Bins, ...]:
        return tuple(
            _bins(one, dataset, running=self.running and self.can_run(dataset)) for one in self.by
        )

    def _totals(self) -> Sets:
        return all_subsets(len(self.by)) if self.totals and self.can_total else ()

    @property
    def can_total(self) -> bool:
        """Whether totals can be told: of counts, by group."""
        return self.statistic == Count().name and bool(self.by) and not self.running

    def can_run(self, dataset: Dataset) -> bool:
        """Whether running totals can be told: of counts, by groups of one column of numbers."""
        if self.statistic != Count().name or len(self.by) != 1:
            return False
        column = _known(self.by[0].column, dataset)
        return isinstance(column, NumberColumn) and not isinstance(column, DateColumn)


def columns_for(statistic: str, dataset: Dataset) -> tuple[Column, ...]:
    """The columns that a statistic can be taken of; none for counts and shares."""
    words = NAMES.get(statistic, MEDIAN.words)
    dates = words.make(None).of_dates is not OfDates.NOTHING if words.parameter is None else True
    return tuple(
        column
        for column in dataset.every_column
        if words.takes.suits(values_of(column)) and (dates or not isinstance(column, DateColumn))
    )


def seconds_for(statistic: str, column: str, dataset: Dataset) -> tuple[str, ...]:
    """The other columns that a statistic of two can be taken of; none for statistics of one."""
    words = NAMES.get(statistic)
    if words is None or words.takes is not Takes.PAIRS:
        return ()
    return tuple(one.name for one in columns_for(statistic, dataset) if one.name != column)


def between(statistic: str) -> str:
    """What stands between two columns in a sentence."""
    words = NAMES.get(statistic)
    return "" if words is None else words.between


def relations_for(column: Column | None) -> dict[str, str]:
    """The relations a column can be compared by: words have no order."""
    relations = _OF_DATES if isinstance(column, DateColumn) else RELATIONS
    if isinstance(column, CategoryColumn):
        relations = {sign: RELATIONS[sign] for sign in ("=", "!=")}
    gaps = column is not None and skips_gaps(column)
    return relations | _OF_GAPS if gaps else relations


def needs_value(relation: str) -> bool:
    """Whether a relation compares with something."""
    return relation not in _OF_GAPS


def date_groups(column: Column | None) -> dict[str, str]:
    """How the dates of a column can be grouped; empty where it holds none."""
    if not isinstance(column, DateColumn):
        return {}
    units = list(_UNITS)
    finest = units.index(column.resolution) if column.resolution in _UNITS else len(units) - 1
    if not column.timed:
        finest = min(finest, units.index(Resolution.DAY))
    groups = {unit.value: _UNITS[unit] for unit in units[: finest + 1]}
    fit = {"MONTHNAME": Resolution.MONTH, "DAYNAME": Resolution.DAY, "HOUR": Resolution.HOUR}
    return groups | {part: words for part, words in _PARTS.items() if fit[part].value in groups}


def statistics_for(dataset: Dataset) -> dict[str, str]:
    """The statistics that this dataset has columns for."""
    statistics = {
        name: words.title
        for name, words in NAMES.items()
        if _is_of_rows(words, dataset) or _has_columns(words, dataset)
    }
    if MEDIAN.name in statistics:
        statistics |= {name: several.title for name, several in QUANTILES.items()}
    return statistics


def _is_of_rows(words: Words, dataset: Dataset) -> bool:
    """Whether it is told of rows, or of people that are another number than these."""
    return words.takes.of_rows and (dataset.has_people or words.name != People().name)


def _has_columns(words: Words, dataset: Dataset) -> bool:
    return len(columns_for(words.name, dataset)) > (words.takes is Takes.PAIRS)


def usual_width(by: str, dataset: Dataset) -> str:
    """A first width for groups of numbers, or a unit for dates; empty when groups are words."""
    column = _known(by, dataset)
    if isinstance(column, DateColumn):
        first, last = (moment_of(end, column.resolution) for end in _ends(column))
        units = [Resolution(one) for one in date_groups(column) if one not in _PARTS]
        many = {one: count_of(last, one) - count_of(first, one) + 1 for one in units}
        return next((one for one in reversed(units) if many[one] <= _USUAL_GROUPS), units[0]).value
    if isinstance(column, NumberColumn):
        return decimal_text(-(-column.size // 10) * column.grid.step)
    return ""


def _ends(column: NumberColumn) -> tuple[Fraction, Fraction]:
    return column.grid.start, column.grid.last


def _known(name: str, dataset: Dataset) -> Column | None:
    return next((one for one in dataset.every_column if one.name == name), None)


def _usual(dataset: Dataset) -> str:
    """Where playing starts: a median where there are numbers."""
    return MEDIAN.name if columns_for(MEDIAN.name, dataset) else Count().name


def _condition(clause: Clause, dataset: Dataset) -> Condition:
    column = _column(clause.column, dataset)
    if not needs_value(clause.relation):
        return is_gap(column) if clause.relation == "missing" else Not(is_gap(column))
    if clause.relation not in RELATIONS:
        raise QuestionError(f"compare {column.name} by is, is not, is at least or is at most")
    if not clause.value.strip():
        what = "a date" if isinstance(column, DateColumn) else "a value"
        raise UnfinishedError(f"enter {what} to compare {column.name} with")
    return compare(column, clause.relation, clause.value.strip())


def _bins(by: By, dataset: Dataset, *, running: bool = False) -> Bins:
    column, width = _column(by.column, dataset), by.width.strip()
    if width in date_groups(column):
        name = dataset.column_sql(column.name)
        asked = f"{width}({name})" if width in _PARTS else f"DATE_TRUNC('{width}', {name})"
        return bins_of(_column(asked, dataset))
    numbers = isinstance(column, NumberColumn) and width
    return bins_of(column, width if numbers else None, running=running)


def _column(name: str, dataset: Dataset) -> Column:
    try:
        return dataset.column(name)
    except DatasetError as problem:
        raise QuestionError(str(problem)) from None


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
