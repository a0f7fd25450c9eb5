"""A question written out as SQL again: one wording for each meaning, to be read by people.

What is written here is read back by `parse_sql` as the same question.
"""

from fractions import Fraction

from discreet.questions.conditions import (
    EVERY_ROW,
    AllOf,
    AnyOf,
    Condition,
    Not,
    OneOf,
    Within,
    name_text,
)
from discreet.questions.question import Item, Question
from discreet.statistics import Takes
from discreet.tables import CategoryColumn, Facts
from discreet.text import decimal_text


def question_text(question: Question, dataset: Facts) -> str:
    """The question as SQL."""
    words = ["SELECT", ", ".join(item_text(item, dataset) for item in question.items)]
    if question.where != EVERY_ROW:
        words += ["WHERE", condition_text(question.where, dataset)]
    if question.group_by is not None:
        words += ["GROUP BY", _groups(question.group_by.column, question.group_by.width, dataset)]
    return " ".join(words)


def item_text(item: Item, dataset: Facts) -> str:
    """One statistic as SQL."""
    words, parameter = item.statistic.words, item.statistic.parameter
    if item.column is None:
        every = item.condition == EVERY_ROW and words.takes is Takes.ROWS
        return f"{words.function}({'*' if every else condition_text(item.condition, dataset)})"
    inner = [name_text(item.column)]
    if parameter is not None:
        inner.append(_number(Fraction(parameter)))
    return f"{words.function}({', '.join(inner)})"


def condition_text(condition: Condition, dataset: Facts) -> str:
    """A condition as SQL."""
    match condition:
        case Within(name, first, last):
            return _range(name, first, last, dataset)
        case OneOf(name, indices):
            values = [_value(name, index, dataset) for index in indices]
            if len(values) == 1:
                return f"{name_text(name)} = {values[0]}"
            return f"{name_text(name)} IN ({', '.join(values)})" if values else "FALSE"
        case Not(inner):
            return f"NOT ({condition_text(inner, dataset)})"
        case AllOf(parts):
            return " AND ".join(_inside(part, dataset) for part in parts) or "TRUE"
        case AnyOf(parts):
            return " OR ".join(_inside(part, dataset) for part in parts) or "FALSE"


def _inside(part: Condition, dataset: Facts) -> str:
    text = condition_text(part, dataset)
    return f"({text})" if isinstance(part, AllOf | AnyOf) and len(part.parts) > 1 else text


def _range(name: str, first: int, last: int, dataset: Facts) -> str:
    low, high = _value(name, first, dataset), _value(name, last, dataset)
    if first == last:
        return f"{name_text(name)} = {low}"
    if last == dataset.column(name).size - 1:
        return f"{name_text(name)} >= {low}"
    if first == 0:
        return f"{name_text(name)} <= {high}"
    return f"{name_text(name)} BETWEEN {low} AND {high}"


def _value(name: str, index: int, dataset: Facts) -> str:
    column = dataset.column(name)
    if isinstance(column, CategoryColumn):
        return "'" + column.labels.names[index].replace("'", "''") + "'"
    return _number(column.grid.value(index))


def _number(number: Fraction) -> str:
    text = decimal_text(number)
    return f"'{text}'" if "/" in text else text


def _groups(name: str, width: int, dataset: Facts) -> str:
    column = dataset.column(name)
    if isinstance(column, CategoryColumn) or width == 1:
        return name_text(name)
    return f"BIN({name_text(name)}, {_number(width * column.grid.step)})"
