"""SQL in, Question out: a small language of total functions, everything else refused in words."""

from dataclasses import replace
from functools import partial

from sqlglot import exp

from discreet.errors import DatasetError, QuestionError
from discreet.exact import show
from discreet.questions.as_sql import shown_text
from discreet.questions.clauses import SelectReading
from discreet.questions.conditions import EVERY_ROW, Condition
from discreet.questions.nearest import instead
from discreet.questions.question import Bins, Question
from discreet.questions.select_list import (
    group_named,
    groups_of,
    heads_of,
    histogram_of,
    is_group_column,
    is_statistic,
    item_of,
)
from discreet.questions.statement import LONGEST, POSSIBLE, names_quoted, one_select
from discreet.questions.view import AnswerAt, GroupPlace, View, answers_in
from discreet.questions.where import condition_of, extras
from discreet.statistics import FUNCTIONS, SEVERAL
from discreet.tables import Facts, name_text, sql_text

MOST_STATISTICS = 50
_KNOWN_CALLS = frozenset({*FUNCTIONS, *(one.function for one in SEVERAL.values())})
_CLAUSES = {"joins": "JOIN", "with_": "WITH", "laterals": "LATERAL", "windows": "WINDOW"}
"""What people call the parser's clauses, where it has other names for them."""
_ALLOWED_CLAUSES = {
    "expressions",
    "from_",
    "from",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "kind",
    "hint",
    "operation_modifiers",
}


def parse_sql(sql: str, dataset: Facts) -> Question:
    """Read a question; QuestionError says in one sentence what is possible instead."""
    try:
        return _question(sql, dataset)
    except (RecursionError, OverflowError):
        raise QuestionError(
            f"this is nested too deeply, or a number in it is too large; {POSSIBLE}"
        ) from None
    except QuestionError:
        advice = _quoted(sql, dataset) or _instead(sql, dataset)
        if advice is None:
            raise
        better = QuestionError("".join(advice))
        better.nearest = advice[1]
        raise better from None


def _instead(sql: str, dataset: Facts) -> tuple[str, str] | None:
    """What comes nearest to a question that was refused; None where there is no telling."""
    try:
        return instead(one_select(sql), dataset, _KNOWN_CALLS, partial(_reads, dataset))
    except (QuestionError, RecursionError):
        return None


def _reads(dataset: Facts, proposed: str) -> bool:
    """Whether a line of SQL can be asked."""
    try:
        return bool(_question(proposed, dataset).items)
    except (QuestionError, DatasetError, RecursionError, OverflowError):
        return False


def _quoted(sql: str, dataset: Facts) -> tuple[str, str] | None:
    """The question with quotes around columns that are called as words of SQL, if that helps."""
    if isinstance(sql, str) and len(sql) <= LONGEST and _unread(sql):
        for words, proposed in names_quoted(sql, dataset.has):
            if _reads(dataset, proposed):
                alone = " and " not in words
                what = (
                    f"a column, {words} (a word of SQL too) needs"
                    if alone
                    else f"columns, {words} (words of SQL too) need"
                )
                return f'as {what} "double" quotes: ask ', proposed
    return None


def _unread(sql: str) -> bool:
    """Whether the parser cannot read a text at all."""
    try:
        one_select(sql)
    except QuestionError:
        return True
    return False


def _question(sql: str, dataset: Facts) -> Question:
    select = one_select(sql)
    _check_clauses(select, dataset)
    where = select.args.get("where")
    rows = condition_of(where.this, dataset) if where else EVERY_ROW
    counted = histogram_of(select, dataset)
    if counted is None:
        groups, totals = groups_of(select, dataset)
        asked, shown_groups = [], []
        for place, node in enumerate(select.expressions):
            if is_group_column(node, groups, dataset):
                shown_groups.append(node)
            else:
                asked.append((place, node))
    else:
        groups, totals, shown_groups = (counted,), (), []
        every = exp.Count(this=exp.Star())
        asked = [(0, exp.alias_(every, select.expressions[0].alias or every.sql(), quoted=True))]
    items, view = SelectReading(
        select=select,
        dataset=dataset,
        groups=groups,
        asked=asked,
        read=item_of,
        group=lambda node: group_named(node, select, groups, dataset),
        is_statistic=is_statistic,
    ).question_parts()
    view = replace(view, heads=heads_of(shown_groups, groups, dataset))
    if not view.outputs:
        raise QuestionError(f"the SELECT asks for no statistic; {POSSIBLE}")
    if max(len(items), len(view.outputs)) > MOST_STATISTICS:
        raise QuestionError(
            f"a question can ask for at most {MOST_STATISTICS} statistics; ask the others "
            "separately"
        )
    return _with_view(Question(items, rows, groups, totals), view)


def _with_view(question: Question, view: View) -> Question:
    """The question with its view, and with the totals that shares of them need."""
    if _is_plain(view):
        return question
    keys = (key.by for key in view.order_by if not isinstance(key.by, GroupPlace))
    formulas = [*(one.formula for one in view.outputs), *keys]
    overall = any(answer.overall for one in formulas for answer in answers_in(one))
    if overall and () not in question.totals:
        every = tuple(range(len(question.group_by)))
        sets = question.totals or (every,)
        question = replace(question, totals=(*sets, ()))
        view = replace(view, hides_totals=True)
    return replace(question, view=view)


def _is_plain(view: View) -> bool:
    """Whether all is shown as it was told: the statistics in order, every group."""
    plain = all(one.formula == AnswerAt(place) for place, one in enumerate(view.outputs))
    return plain and view == View(outputs=view.outputs)


def reshaped(question: Question, dataset: Facts, clause: str, text: object) -> Question:
    """The question with another HAVING, ORDER BY, LIMIT or OFFSET: more of it may be asked.

    Raises:
        QuestionError: It cannot be read; the message says what is possible.
    """
    if not isinstance(text, str | int) or isinstance(text, bool):
        raise QuestionError(f"{clause} must be given as text in SQL, got {show(text)}")
    return parse_sql(shown_text(question, dataset, {clause: str(text)}), dataset)


def parse_columns(text: str, dataset: Facts) -> tuple[Bins, ...]:
    """Read columns as GROUP BY takes them, such as `clinic, BIN(age, 10)`.

    Columns that are called as words of SQL need no quotes: this is no sentence.
    """
    if not text.strip():
        raise QuestionError("name at least one column, such as clinic, BIN(age, 10)")
    refusal = f"{show(text)} is not a list of columns, such as clinic, BIN(age, 10)"
    sql = f"SELECT COUNT(*) GROUP BY {text}"
    quoted = _quoted(sql, dataset)
    try:
        question = parse_sql(sql if quoted is None else quoted[1], dataset)
    except QuestionError as problem:
        if POSSIBLE in str(problem):  # nobody wrote a SELECT
            raise QuestionError(refusal) from None
        raise
    summed = question.totals or any(one.running for one in question.group_by)
    if question.where != EVERY_ROW or summed or not question.group_by:
        raise QuestionError(refusal)
    return question.group_by


def parse_condition(text: str, dataset: Facts) -> Condition:
    """Read a condition alone, such as `clinic = 'A' AND age >= 18`."""
    try:
        return _condition_alone(text, dataset)
    except (RecursionError, OverflowError):
        raise QuestionError(
            "this condition is nested too deeply, or a number in it is too large"
        ) from None


def _condition_alone(text: str, dataset: Facts) -> Condition:
    select = one_select(f"SELECT COUNT(*) WHERE {text}")
    if {key for key, value in select.args.items() if value} - {"expressions", "where"}:
        raise QuestionError(f"{show(text)} is more than a condition")
    return condition_of(select.args["where"].this, dataset)


def _check_clauses(select: exp.Select, dataset: Facts) -> None:
    given = {key for key, value in select.args.items() if value}
    if given - _ALLOWED_CLAUSES or select.args.get("kind") or select.args.get("hint"):
        other = sorted(_CLAUSES.get(name, name.upper()) for name in given - _ALLOWED_CLAUSES)
        names = ", ".join(other) or "this form of SELECT"
        raise QuestionError(f"{names} is not possible here; {POSSIBLE}, WHERE, GROUP BY")
    origin = select.args.get("from_") or select.args.get("from")
    if origin is None:
        return
    table = origin.this
    renamed = table.args.get("alias")
    plain = isinstance(table, exp.Table) and not extras(table, "alias")
    plain = plain and (renamed is None or not extras(renamed))
    if not plain or table.name.lower() not in dataset.table_names:
        raise QuestionError(
            f"there is only one table here: write FROM {name_text(dataset.name)} or FROM data, or "
            f"leave FROM out; got {show(sql_text(table))}"
        )
    for column in select.find_all(exp.Column):
        if renamed is not None and column.table.lower() == renamed.name.lower():
            column.set("table", None)
