"""A question as SQL: what is written here is read back by `parse_sql` as the same question."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.questions.conditions import EVERY_ROW, AllOf, AnyOf, Condition, InRange, Not, OneOf
from discreet.questions.question import Bins, Item, Question
from discreet.questions.totals import totals_text
from discreet.questions.view import (
    AndOr,
    AnswerAt,
    Comparing,
    Computed,
    Formula,
    FormulaNot,
    FormulaNumber,
    GroupPlace,
    Output,
    SortKey,
    Test,
    Untold,
    View,
)
from discreet.statistics import Takes
from discreet.tables import GAP, CategoryColumn, Facts, name_text, number_sql
from discreet.tables.expressions.patterns import pattern_of

_CLAUSES = ("HAVING", "ORDER BY", "LIMIT", "OFFSET")


def question_text(question: Question, dataset: Facts) -> str:
    """The question as SQL."""
    words = ["SELECT", ", ".join(item_text(item, dataset) for item in question.items)]
    if question.where != EVERY_ROW:
        words += ["WHERE", condition_text(question.where, dataset)]
    if question.group_by:
        by = [bins_text(bins, dataset) for bins in question.group_by]
        words += [
            "GROUP BY",
            totals_text(by, question.totals) if question.totals else ", ".join(by),
        ]
    return " ".join(words)


def item_text(item: Item, dataset: Facts) -> str:
    """One statistic as SQL."""
    words, parameter = item.statistic.words, item.statistic.parameter
    if item.column is None:
        every = item.condition == EVERY_ROW and words.takes is Takes.ROWS
        return f"{words.function}({'*' if every else condition_text(item.condition, dataset)})"
    inner = list(map(dataset.column_sql, item.columns))
    if parameter is not None:
        inner.append(number_sql(Fraction(parameter)))
    return f"{words.function}({', '.join(inner)})"


def condition_text(condition: Condition, dataset: Facts) -> str:  # noqa: PLR0911
    """A condition as SQL."""
    match condition:
        case InRange(name, first, last):
            return _range(name, first, last, dataset)
        case OneOf(name, (index,)) if index == GAP:
            return f"{_side(name, dataset)} IS NULL"
        case Not(OneOf(name, (index,))) if index == GAP:
            return f"{_side(name, dataset)} IS NOT NULL"
        case OneOf(name, (1,)) if _is_expression(name, dataset):
            return name
        case OneOf(name, indices):
            values = [_value(name, index, dataset) for index in indices]
            if len(values) == 1:
                return f"{_side(name, dataset)} = {values[0]}"
            return (
                f"{_side(name, dataset)} IN ({', '.join(values)})"
                if values
                else _none(name, dataset)
            )
        case Not(inner):
            return f"NOT ({condition_text(inner, dataset)})"
        case AllOf(parts):
            return " AND ".join(_inside(part, dataset) for part in parts) or "TRUE"
        case AnyOf(parts):
            listed = _listed(parts, dataset)
            return listed or " OR ".join(_inside(part, dataset) for part in parts) or "FALSE"


_MANY = 8
"""Of more words a list is written, or the pattern that they are of; fewer are compared one by
one, as ledgers have them."""


def _listed(parts: Sequence[Condition], dataset: Facts) -> str | None:
    """Many words of one column, read back in this order; None where they are something else."""
    words = [part for part in parts if isinstance(part, OneOf) and len(part.indices) == 1]
    names = {part.column for part in words}
    if len(parts) <= _MANY or len(words) < len(parts) or len(names) > 1:
        return None
    (name,) = names
    column, indices = dataset.column(name), [part.indices[0] for part in words]
    declared = dataset.column_sql(name) == name_text(name)
    if not declared or not isinstance(column, CategoryColumn) or GAP in indices:
        return None
    pattern = pattern_of(indices, column.labels.names)
    if pattern is not None:
        return f"{name_text(name)} LIKE {_quoted_word(pattern)}"
    return f"{name_text(name)} IN ({', '.join(_value(name, one, dataset) for one in indices)})"


def _inside(part: Condition, dataset: Facts) -> str:
    text = condition_text(part, dataset)
    return f"({text})" if isinstance(part, AllOf | AnyOf) and len(part.parts) > 1 else text


def _range(name: str, first: int, last: int, dataset: Facts) -> str:
    low, high = _value(name, first, dataset), _value(name, last, dataset)
    if first == last:
        return f"{_side(name, dataset)} = {low}"
    if last == dataset.column(name).size - 1:
        return f"{_side(name, dataset)} >= {low}"
    if first == 0:
        return f"{_side(name, dataset)} <= {high}"
    return f"{_side(name, dataset)} BETWEEN {low} AND {high}"


def _none(name: str, dataset: Facts) -> str:
    """A comparison that no value meets: gaps are left open by it, so that it is not FALSE."""
    column = dataset.column(name)
    if isinstance(column, CategoryColumn):
        return f"{_side(name, dataset)} LIKE ''"
    return f"{_side(name, dataset)} > {column.sql(column.grid.last)}"


def _is_expression(name: str, dataset: Facts) -> bool:
    """Whether a column is a condition that was written in a question."""
    column = dataset.column(name)
    written = dataset.column_sql(name) == name and dataset.derived(name) is not None
    return written and isinstance(column, CategoryColumn) and column.is_boolean


def _side(name: str, dataset: Facts) -> str:
    """A column as one side of a comparison."""
    text = dataset.column_sql(name)
    return text if text == name_text(name) else f"({text})"


def _value(name: str, index: int, dataset: Facts) -> str:
    column = dataset.column(name)
    if isinstance(column, CategoryColumn):
        return _quoted_word(column.labels.names[index])
    return column.sql(column.grid.value(index))


def _quoted_word(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def bins_text(bins: Bins, dataset: Facts) -> str:
    """One of the things to group by as SQL."""
    column = dataset.column(bins.column)
    name = dataset.column_sql(column.name)
    if isinstance(column, CategoryColumn) or (bins == Bins(column.name, 1)):
        return name
    inner = [name]
    if bins.edges:
        ends = (column.grid.value(one - bins.running) for one in bins.edges)
        inner.append(f"[{', '.join(map(column.sql, ends))}]")
    elif bins.width > 1:
        inner.append(number_sql(bins.width * column.grid.step))
    return f"{'CUMULATIVE' if bins.running else 'BIN'}({', '.join(inner)})"


def shown_text(question: Question, dataset: Facts, clauses: dict[str, str] | None = None) -> str:
    """The question as SQL, with what is made of its answers; it is read back as the same.

    Args:
        question: The question.
        dataset: The declared facts.
        clauses: HAVING, ORDER BY, LIMIT or OFFSET in other words than its own.
    """
    view = question.view
    if view is None and not clauses:
        return question_text(question, dataset)
    view = view or View(
        outputs=tuple(
            Output(AnswerAt(place), item.label or item_text(item, dataset))
            for place, item in enumerate(question.items)
        )
    )
    released = _without_overall(question) if view.hides_totals else question
    whole = question_text(released, dataset)
    asked = ", ".join(item_text(item, dataset) for item in question.items)
    heads = (
        f"{bins_text(question.group_by[place], dataset)} AS {_quoted(name)}"
        for place, name in view.heads
    )
    outputs = (_output_text(one, question, dataset) for one in view.outputs)
    shown_ = ", ".join([*heads, *outputs])
    words = [f"SELECT {shown_}{whole.removeprefix(f'SELECT {asked}')}"]
    written = clauses_of(question, dataset) | (clauses or {})
    words += [f"{name} {written[name]}" for name in _CLAUSES if name in written]
    return " ".join(words)


def _without_overall(question: Question) -> Question:
    """The question without the total that is there only for shares of it."""
    sets = tuple(one for one in question.totals if one)
    every = tuple(range(len(question.group_by)))
    return replace(question, totals=() if sets == (every,) else sets)


def clauses_of(question: Question, dataset: Facts) -> dict[str, str]:
    """What is made of the answers after they are computed, by the words that stand before it."""
    view = question.view
    if view is None:
        return {}
    texts = {
        "HAVING": None if view.having is None else test_text(view.having, question, dataset),
        "ORDER BY": ", ".join(key_text(key, question, dataset) for key in view.order_by),
        "LIMIT": None if view.limit is None else str(view.limit),
        "OFFSET": str(view.offset) if view.offset else None,
    }
    return {name: one for name, one in texts.items() if one}


def _output_text(output: Output, question: Question, dataset: Facts) -> str:
    text = formula_text(output.formula, question, dataset)
    return text if output.label == text else f"{text} AS {_quoted(output.label)}"


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def formula_text(formula: Formula, question: Question, dataset: Facts) -> str:
    """A formula as SQL."""
    match formula:
        case AnswerAt(place, overall):
            text = item_text(question.items[place], dataset)
            return f"SUM({text}) OVER ()" if overall else text
        case FormulaNumber(value):
            return number_sql(value)
        case Computed("ROUND", (inner,), digits):
            return f"ROUND({formula_text(inner, question, dataset)}, {digits})"
        case Computed("ABS", (inner,)):
            return f"ABS({formula_text(inner, question, dataset)})"
        case Computed("NULLIF0", (inner,)):
            return f"NULLIF({formula_text(inner, question, dataset)}, 0)"
    strong, (left, right) = _strength(formula), formula.parts
    sides = (
        _operand(left, strong, question, dataset),
        _operand(right, strong + 1, question, dataset),
    )
    return f" {formula.operator} ".join(sides)


def _strength(formula: Formula) -> int:
    """How strongly a formula holds together: weaker ones need parentheses inside stronger ones."""
    if isinstance(formula, FormulaNumber):
        return 3 if formula.value >= 0 else 0
    return {"+": 1, "-": 1, "*": 2, "/": 2}.get(getattr(formula, "operator", ""), 3)


def _operand(formula: Formula, strong: int, question: Question, dataset: Facts) -> str:
    text = formula_text(formula, question, dataset)
    return f"({text})" if _strength(formula) < strong else text


def test_text(test: Test, question: Question, dataset: Facts) -> str:
    """What HAVING asks, as SQL."""
    match test:
        case Comparing(operator, left, right):
            sides = (formula_text(one, question, dataset) for one in (left, right))
            return f" {operator} ".join(sides)
        case Untold(formula):
            return f"{_operand(formula, 3, question, dataset)} IS NULL"
        case FormulaNot(inner):
            return f"NOT ({test_text(inner, question, dataset)})"
        case AndOr(every, parts):
            texts = (test_text(part, question, dataset) for part in parts)
            return (" AND " if every else " OR ").join(f"({one})" for one in texts)


def key_text(key: SortKey, question: Question, dataset: Facts) -> str:
    """What is sorted by, as SQL."""
    if isinstance(key.by, GroupPlace):
        text = bins_text(question.group_by[key.by.place], dataset)
    else:
        text = formula_text(key.by, question, dataset)
    down, first = " DESC" if key.descending else "", " NULLS FIRST" if key.untold_first else ""
    return f"{text}{down}{first}"
