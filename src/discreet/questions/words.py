"""Public facts in plain words: questions, columns, who is protected."""

from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import DiscreetError
from discreet.model import Relation
from discreet.questions import (
    EVERY_ROW,
    AllOf,
    AnyOf,
    Bins,
    Condition,
    InRange,
    Item,
    Not,
    OneOf,
    Question,
    parse_sql,
)
from discreet.questions.as_sql import clauses_of, formula_text
from discreet.questions.view import AnswerAt, GroupPlace, SortKey
from discreet.statistics import Deviation, Mean, Mode, Range, Rank, Sum
from discreet.tables import GAP, CategoryColumn, Column, Dataset, DateColumn, NumberColumn
from discreet.tables.expressions.tree import Cell, Cut, DatePart, Taken
from discreet.text import Resolution, capital, number_text, percent, period_name, set_apart

_IN_ITS_UNIT = (Sum, Mean, Deviation, Rank, Range, Mode)
"""Statistics that are told in the unit of their column."""


def asked_again(asked: str, dataset: Dataset) -> Question | None:
    """A question of the ledger; None where the facts of today do not read it any more."""
    try:
        return parse_sql(asked, dataset)
    except DiscreetError:
        return None


def asked_words(asked: str, dataset: Dataset) -> str:
    """A question of the ledger in words; as it stands where it cannot be read any more."""
    question = asked_again(asked, dataset)
    return asked if question is None else capital(question_words(question, dataset))


_MOST_WORDS = 30
"""Of longer lists the first words are told, and how many follow."""


def question_words(question: Question, dataset: Dataset) -> str:
    """A question as people would say it."""
    sentence = _asked_words(question, dataset)
    if question.where != EVERY_ROW:
        joined = ", among rows where" if _has_conditions(question) else " where"
        sentence += f"{joined} {condition_words(question.where, dataset)}"
    if question.group_by:
        sentence += (
            f", for each {' and '.join(_group_words(one, dataset) for one in question.group_by)}"
            f"{', with totals' if question.totals and not _hides_totals(question) else ''}"
        )
    return sentence + _view_words(question, dataset)


def _view_words(question: Question, dataset: Dataset) -> str:
    """Which groups are shown, and in which order."""
    view, clauses = question.view, clauses_of(question, dataset)
    if view is None or not clauses:
        return ""
    parts = [f"only where {clauses['HAVING']}"] if "HAVING" in clauses else []
    if view.order_by:
        keys = [_key_words(one, question, dataset) for one in view.order_by]
        parts.append(f"ordered by {', then '.join(keys)}")
    if view.limit is not None:
        parts.append(f"the first {view.limit}" + (f" after {view.offset}" if view.offset else ""))
    elif view.offset:
        parts.append(f"without the first {view.offset}")
    return f"; {', '.join(parts)}"


def _key_words(key: SortKey, question: Question, dataset: Dataset) -> str:
    """What groups are sorted by: in words, or as it stands where it is computed."""
    match key.by:
        case GroupPlace(place):
            backwards = " in reverse" if key.descending else ""
            return _group_words(question.group_by[place], dataset) + backwards
        case AnswerAt(place, False):
            text = item_words(question.items[place], dataset)
        case formula:
            text = formula_text(formula, question, dataset)
    return f"{text} (largest first)" if key.descending else text


def _has_conditions(question: Question) -> bool:
    """Whether a statistic says of itself which rows it counts."""
    return any(item.condition != EVERY_ROW for item in question.items)


def _hides_totals(question: Question) -> bool:
    return question.view is not None and question.view.hides_totals


def _asked_words(question: Question, dataset: Dataset) -> str:
    """What is shown of each group: statistics in words, what is computed of them as it stands."""
    items, view = question.items, question.view
    if view is None:
        return _items_words(items, dataset)
    formulas = [one.formula for one in view.outputs]
    plain = [one for one in formulas if isinstance(one, AnswerAt) and not one.overall]
    if len(plain) == len(formulas):
        return _items_words(tuple(items[one.place] for one in plain), dataset)
    return ", ".join(
        item_words(items[one.place], dataset)
        if isinstance(one, AnswerAt) and not one.overall
        else formula_text(one, question, dataset)
        for one in formulas
    )


def _items_words(items: tuple[Item, ...], dataset: Dataset) -> str:
    several = _quantiles_words(items, dataset)
    return several or ", ".join(item_words(item, dataset) for item in items)


def _quantiles_words(items: tuple[Item, ...], dataset: Dataset) -> str:
    """Several quantiles of one column in few words; empty where they are something else."""
    column = items[0].column
    shares = [one.statistic.parameter for one in items if isinstance(one.statistic, Rank)]
    same = {(one.column, one.condition) for one in items} == {(column, EVERY_ROW)}
    if column is None or not same or len(items) < 2 or len(shares) < len(items):
        return ""
    *first, last = (f"{percent(Fraction(share or 0))} %" for share in shares)
    return f"the {', '.join(first)} and {last} quantiles of {column_words(column, dataset)}"


def group_heads(question: Question | None, answered: Sequence[str], dataset: Dataset) -> list[str]:
    """What the columns of groups are called over a table: in words, where they are known."""
    if question is None or len(question.group_by) != len(answered):
        return list(answered)
    named = {} if question.view is None else dict(question.view.heads)
    return [
        named.get(place) or _named(one.column, dataset)
        for place, one in enumerate(question.group_by)
    ]


def group_periods(question: Question | None, dataset: Dataset) -> tuple[Resolution | None, ...]:
    """For each column of groups, which years, quarters or months they are: they are called so."""
    if question is None:
        return ()
    columns = [(one, dataset.column(one.column)) for one in question.group_by]
    return tuple(
        column.resolution if isinstance(column, DateColumn) and not bins.running else None
        for bins, column in columns
    )


def called(cells: Sequence[str], periods: Sequence[Resolution | None]) -> tuple[str, ...]:
    """The cells of a group as people read them: quarters and months by their names."""
    if len(cells) != len(periods):
        return tuple(cells)
    return tuple(map(period_name, cells, periods))


def _group_words(bins: Bins, dataset: Dataset) -> str:
    column, name = dataset.column(bins.column), _named(bins.column, dataset)
    if not isinstance(column, NumberColumn):
        return name
    if bins.running:
        return f"value of {name}, all rows up to it"
    if bins.edges:
        ends = ", ".join(column.text(column.grid.value(one)) for one in bins.edges)
        return f"{name} in groups that begin at {ends}"
    if bins.width == 1:
        return name
    unit = f"{column.resolution}s" if isinstance(column, DateColumn) else column.unit or ""
    width = number_text(bins.width * column.grid.step)
    return f"{name} in groups of {width} {unit}".rstrip()


def _named(name: str, dataset: Dataset) -> str:
    """A column as people call it: a part of a date by its name, else as it is written."""
    derived = dataset.derived(name)
    match None if derived is None else derived.expression:
        case Cut(resolution, Cell(inner)):
            return f"{resolution} of {inner}"
        case Taken(part, Cell(inner)) if part in _PARTS:
            return f"{_PARTS[part]} of {inner}"
    return name


_PARTS = {
    DatePart.YEAR: "year",
    DatePart.QUARTER: "quarter",
    DatePart.MONTH: "month of the year",
    DatePart.MONTHNAME: "month of the year",
    DatePart.WEEK: "week of the year",
    DatePart.DAY: "day of the month",
    DatePart.DAYOFYEAR: "day of the year",
    DatePart.DAYOFWEEK: "day of the week",
    DatePart.ISODOW: "day of the week",
    DatePart.DAYNAME: "day of the week",
    DatePart.HOUR: "hour",
    DatePart.MINUTE: "minute",
    DatePart.SECOND: "second",
}
"""What parts of dates are called."""


def column_words(name: str, dataset: Dataset) -> str:
    """A column with its unit, where it has one: waited (minutes)."""
    column = dataset.column(name)
    unit = column.unit if isinstance(column, NumberColumn) else ""
    return f"{_named(name, dataset)} ({unit})" if unit else _named(name, dataset)


YEARS = range(1000, 3000)
"""Whole numbers that may be years of the calendar."""


def counts_years(column: Column) -> bool:
    """Whether the numbers of a column are years of the calendar, by what is declared of it: they
    are written without a separator, and stand along an axis like time."""
    if not isinstance(column, NumberColumn) or isinstance(column, DateColumn):
        return False
    ends = (column.grid.start, column.grid.last)
    whole = column.grid.step.denominator == 1 and all(one in YEARS for one in ends)
    return whole and ("year" in column.name.lower() or column.unit in ("year", "years"))


def is_as_written(label: str, dataset: Dataset) -> bool:
    """Whether an answer is called as its statistic was written, and not by a name after AS."""
    if "(" not in label:
        return False
    return "…" in label or asked_again(f"SELECT {label}", dataset) is not None


def item_words(item: Item, dataset: Dataset) -> str:
    """One statistic as people would say it."""
    what = item.statistic.phrase(*item.columns)
    if isinstance(item.statistic, _IN_ITS_UNIT) and item.column is not None:
        what = item.statistic.phrase(column_words(item.column, dataset))
    if item.condition == EVERY_ROW:
        return what
    return f"{what} where {condition_words(item.condition, dataset)}"


def condition_words(condition: Condition, dataset: Dataset) -> str:  # noqa: PLR0911
    """A condition as people would say it."""
    match condition:
        case InRange(name, first, last):
            return _range_words(name, first, last, dataset)
        case OneOf(name, (index,)) if index == GAP:
            return f"{name} is missing"
        case OneOf(name, indices):
            values = [_value(name, index, dataset) for index in indices]
            return f"{name} is {' or '.join(values)}" if values else "nothing"
        case Not(OneOf(name, (index,))) if index == GAP:
            return f"{name} is not missing"
        case Not(OneOf(name, (index,))):
            return f"{name} is not {_value(name, index, dataset)}"
        case Not(inner):
            return f"not ({condition_words(inner, dataset)})"
        case AllOf(parts):
            return " and ".join(_inside(part, dataset) for part in parts) or "anything"
        case AnyOf(parts):
            return " or ".join(_inside(part, dataset) for part in parts) or "nothing"


def column_kind(column: Column) -> str:
    """What kind of values a column holds."""
    if isinstance(column, CategoryColumn):
        return "yes or no" if column.is_boolean else "words"
    if isinstance(column, DateColumn):
        return "dates and times" if column.timed else "dates"
    return "whole numbers" if column.whole else "numbers"


def column_title(column: Column) -> str:
    """A column's name, with what the custodian says of it."""
    return f"{column.name}: {column.description}" if column.description else column.name


def column_range(column: Column) -> str:
    """Which values a column may hold."""
    if isinstance(column, CategoryColumn):
        names, more = column.labels.names[:_MOST_WORDS], len(column.labels.names) - _MOST_WORDS
        return ", ".join(map(set_apart, names)) + (f", and {more:,} more" if more > 0 else "")
    unit = f" {column.unit}" if column.unit else ""
    ends = " to ".join(_end(column, end) for end in (column.grid.start, column.grid.last)) + unit
    step = column.grid.step
    if isinstance(column, DateColumn):
        steps = column.resolution if step == 1 else f"{number_text(step)} {column.resolution}s"
        return f"{ends} by {steps}" if column.timed or step != 1 else ends
    return ends if step == 1 else f"{ends} in steps of {number_text(step)}"


def _moment(column: Column, text: str) -> str:
    """A moment without the seconds that its column does not record."""
    timed = isinstance(column, DateColumn) and column.resolution != Resolution.SECOND
    return text.removesuffix(":00") if timed and text.count(":") > 1 else text


def _end(column: NumberColumn, end: Fraction) -> str:
    """A bound; thousands are set apart, but for what may be years."""
    text = _moment(column, column.text(end))
    years = all(one in YEARS for one in (column.grid.start, column.grid.last))
    if isinstance(column, DateColumn) or years or "/" in text:
        return text
    whole, point, part = text.partition(".")
    return f"{int(whole):,}{point}{part}" if len(whole) > 3 else text


def column_missing(column: Column) -> str:
    """What gaps count as, where they count."""
    text = _moment(column, column.missing_text)
    if not text:
        return "skipped"
    return f"none (would count as {text})" if column.complete else f"count as {text}"


def size_words(dataset: Dataset) -> str:
    """How many rows there are, as far as that is public."""
    if dataset.size_is_public:
        return f"{dataset.most_rows:,} rows (public)"
    return f"at most {dataset.most_rows:,} rows (the exact number is private)"


def protection_words(dataset: Dataset) -> str:
    """Who is protected, and against what."""
    unit = dataset.unit
    if unit.id_column is None:
        who, what = "one row", "it contains"
    else:
        many = f"{unit.most_rows} rows" if unit.most_rows > 1 else "one row"
        kept = f"up to {many} each; further rows of theirs are left out"
        who, what = f"one person ({unit.id_column}), {kept}", "they answered"
    if dataset.relation == Relation.CHANGE:
        return f"{capital(who)}. Answers change little, whatever {what}."
    took_part = "it is in the table" if unit.id_column is None else "they took part"
    return f"{capital(who)}. Answers change little, whether or not {took_part}."


def _range_words(name: str, first: int, last: int, dataset: Dataset) -> str:
    low, high = _value(name, first, dataset), _value(name, last, dataset)
    if first == last:
        return f"{name} is {low}"
    if last == dataset.column(name).size - 1:
        return f"{name} is at least {low}"
    if first == 0:
        return f"{name} is at most {high}"
    return f"{name} is between {low} and {high}"


def _value(name: str, index: int, dataset: Dataset) -> str:
    column = dataset.column(name)
    if isinstance(column, CategoryColumn):
        return set_apart(column.labels.names[index])
    return column.text(column.grid.value(index))


def _inside(part: Condition, dataset: Dataset) -> str:
    text = condition_words(part, dataset)
    return f"({text})" if isinstance(part, AllOf | AnyOf) and len(part.parts) > 1 else text
