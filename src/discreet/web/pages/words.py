"""Public facts in plain words: questions, columns, who is protected."""

from discreet.model import Relation
from discreet.questions import (
    EVERY_ROW,
    AllOf,
    AnyOf,
    Condition,
    Item,
    Not,
    OneOf,
    Question,
    Within,
)
from discreet.tables import GAP, CategoryColumn, Column, Dataset, NumberColumn
from discreet.text import capital, number_text


def question_words(question: Question, dataset: Dataset) -> str:
    """A question as people would say it."""
    told = ", ".join(item_words(item, dataset) for item in question.items)
    if question.where != EVERY_ROW:
        told += f" where {condition_words(question.where, dataset)}"
    if question.group_by is not None:
        column = dataset.column(question.group_by.column)
        told += f", for each {column.name}"
        if isinstance(column, NumberColumn) and question.group_by.width > 1:
            width = number_text(question.group_by.width * column.grid.step)
            told += f" in groups of {width}"
    return told


def item_words(item: Item, dataset: Dataset) -> str:
    """One statistic as people would say it."""
    what = item.statistic.phrase(item.column or "")
    if item.condition == EVERY_ROW:
        return what
    return f"{what} where {condition_words(item.condition, dataset)}"


def condition_words(condition: Condition, dataset: Dataset) -> str:  # noqa: PLR0911
    """A condition as people would say it."""
    match condition:
        case Within(name, first, last):
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
    return "whole numbers" if column.whole else "numbers"


def column_range(column: Column) -> str:
    """Which values a column may hold."""
    if isinstance(column, CategoryColumn):
        return ", ".join(column.labels.names)
    told = f"{number_text(column.grid.start)} to {number_text(column.grid.last)}"
    step = column.grid.step
    return told if step == 1 else f"{told} in steps of {number_text(step)}"


def column_missing(column: Column) -> str:
    """What gaps count as, where they count."""
    missing = column.missing
    if missing is None:
        return "skipped"
    told = missing if isinstance(missing, str) else number_text(missing)
    return f"none (would count as {told})" if column.complete else f"count as {told}"


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
        who, what = f"one person ({unit.id_column}), up to {many} each", "they answered"
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
        return column.labels.names[index]
    return number_text(column.grid.value(index))


def _inside(part: Condition, dataset: Dataset) -> str:
    told = condition_words(part, dataset)
    return f"({told})" if isinstance(part, AllOf | AnyOf) and len(part.parts) > 1 else told
