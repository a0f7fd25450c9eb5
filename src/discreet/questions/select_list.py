"""What SELECT asks for, and by which groups.

A call becomes a statistic with its column, condition and number; GROUP BY becomes columns, bins,
totals and histograms.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from discreet.errors import DatasetError, QuestionError
from discreet.exact import show
from discreet.questions.clauses import checked_label, label_of
from discreet.questions.conditions import EVERY_ROW, Condition, Not, is_gap
from discreet.questions.question import Bins, Item, bins_of
from discreet.questions.statement import POSSIBLE, QUOTES
from discreet.questions.totals import Sets, grouping_sets
from discreet.questions.where import (
    PLAIN,
    bare,
    column_of_sql,
    condition_of,
    constant_of,
    expression_of,
    extras,
    is_boolean,
    met,
    value_of_sql,
)
from discreet.statistics import FUNCTIONS, Distinct, People, Takes, Words
from discreet.tables import Facts, NumberColumn, name_text, shown, sql_text
from discreet.tables.expressions.tree import Denied, Missing

_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Func, exp.Case, exp.Nullif)

_MANY = 100
"""A group for each value of a column is seldom meant where there are more."""


def item_of(item: exp.Expr, dataset: Facts) -> Item:
    """A statistic that SELECT asks for; QuestionError says what comes nearest to something else."""
    node, label = item.unalias().unnest(), label_of(item)
    if isinstance(node, exp.Filter) and isinstance(node.expression, exp.Where):
        node = _filtered(node, dataset)
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct):
        node = _different(node.this, dataset)
    if isinstance(node, exp.Count):
        words, condition = FUNCTIONS[node.sql_name()], _counted(node, dataset)
        return Item(statistic=words.make(None), condition=condition, label=label)
    known, arguments = call_of(node)
    if known is None or not 1 <= len(arguments) <= _most_arguments(known):
        raise QuestionError(f"{show(sql_text(node))} cannot be asked; {_nearest(node, dataset)}")
    if known.takes.of_rows:
        every = known.takes is Takes.ROWS and _is_every(arguments)
        condition = EVERY_ROW if every else condition_of(arguments[0], dataset)
        return Item(statistic=known.make(None), condition=condition, label=label)
    column = value_of_sql(arguments[0], dataset).name
    if known.takes is Takes.PAIRS:
        second = value_of_sql(arguments[1], dataset).name if len(arguments) > 1 else None
        return Item(statistic=known.make(None), column=column, second=second, label=label)
    parameter = _parameter(known, column, arguments[1:])
    return Item(statistic=known.make(parameter), column=column, label=label)


def is_statistic(node: exp.Expr) -> bool:
    """Whether a call asks for a statistic."""
    if isinstance(node, exp.Filter | exp.WithinGroup):
        return is_statistic(node.this)
    return isinstance(node, exp.Count) or call_of(node)[0] is not None


def tells(node: exp.Expr) -> bool:
    """Whether a statistic is somewhere in what SELECT shows."""
    return any(is_statistic(one) for one in node.walk())


def call_of(node: exp.Expr) -> tuple[Words | None, list[exp.Expr]]:
    """Which statistic a call asks for, and what stands between its parentheses."""
    if isinstance(node, exp.Anonymous):
        return FUNCTIONS.get(node.name.upper()), node.expressions
    if not isinstance(node, exp.Func) or extras(node, "quantile", "expression"):
        return None, []
    more = [node.args[key] for key in ("quantile", "expression") if node.args.get(key)]
    return FUNCTIONS.get(node.sql_name()), [node.args.get("this"), *more]


def _different(node: exp.Distinct, dataset: Facts) -> exp.Expr:
    """COUNT(DISTINCT column) as the call that it is short for.

    Of a person's id it counts people: rows, where each has one.
    """
    given = [bare(one) for one in node.expressions]
    if len(given) != 1 or extras(node, "expressions"):
        raise QuestionError(
            "COUNT(DISTINCT …) takes one column; for several, ask COUNT(*) with GROUP BY a, b, "
            "which counts every combination"
        )
    (one,), person = given, dataset.unit.id_column
    if isinstance(one, exp.Column) and person is not None and one.name.lower() == person.lower():
        if not dataset.has_people:
            return exp.Count(this=exp.Star())
        return exp.Anonymous(this=People().words.function, expressions=[exp.Star()])
    return exp.Anonymous(this=Distinct().words.function, expressions=[one])


def _filtered(node: exp.Filter, dataset: Facts) -> exp.Expr:
    """A statistic FILTER (WHERE …) as one of CASE WHEN … THEN … END; a count, as one of both."""
    call: exp.Expr = node.this.copy()
    met = exp.paren(node.expression.this.copy())
    if isinstance(call, exp.Count) and isinstance(call.this, exp.Distinct):
        call = _different(call.this, dataset)
    if isinstance(call, exp.Count):
        if isinstance(call.this, exp.Star):
            return exp.Count(this=met)
        if isinstance(call.this, exp.Column):
            return exp.Count(this=exp.and_(call.this.is_(exp.Null()).not_(), met))
        return exp.Count(this=exp.and_(exp.paren(call.this), met))
    known, arguments = call_of(call)
    if known is not None and isinstance(call, exp.Anonymous) and _is_every(arguments):
        return exp.Anonymous(this=call.this, expressions=[met])
    if known is None or not arguments or known.takes.of_rows:
        raise QuestionError(
            f"{show(sql_text(node))} cannot be asked; write WHERE for all, or GROUP BY for each"
        )
    chosen = exp.Case().when(met, arguments[0].copy())
    if isinstance(call, exp.Anonymous):
        call.set("expressions", [chosen, *call.expressions[1:]])
    else:
        call.set("this", chosen)
    return call


def _counted(node: exp.Count, dataset: Facts) -> Condition:
    if extras(node, "big_int"):
        raise QuestionError("COUNT takes *, a column, a condition or DISTINCT column")
    if isinstance(node.this, exp.Star) and not extras(node.this):
        return EVERY_ROW
    if isinstance(node.this, exp.Literal):  # COUNT(1)
        return EVERY_ROW
    inner = bare(node.this)
    if isinstance(inner, exp.Column):
        if not is_boolean(inner, dataset):
            return Not(is_gap(column_of_sql(inner, dataset)))
    elif isinstance(inner, _ARITHMETIC) and not isinstance(inner, exp.Predicate | exp.Connector):
        expression = expression_of(inner, dataset)
        if not dataset.is_condition(expression):
            return met(Denied(Missing(expression)), dataset)
    return condition_of(node.this, dataset)


def _is_every(arguments: list[exp.Expr]) -> bool:
    """Whether a call is of all rows: (*)."""
    return len(arguments) == 1 and isinstance(arguments[0], exp.Star) and not extras(arguments[0])


def _parameter(words: Words, column: str, given: list[exp.Expr]) -> Fraction | int | None:
    """The number that a statistic needs beside its column."""
    needed, called, name = words.parameter, words.function, name_text(column)
    if needed is None:
        return None
    if not given:
        raise QuestionError(
            f"{called}({name}) lacks its {needed.letter}, {needed.range}: "
            f"write {called}({name}, {needed.example})"
        )
    return needed.read(constant_of(given[0]))


def _most_arguments(words: Words) -> int:
    return 1 if words.parameter is None and words.takes is not Takes.PAIRS else 2


def _nearest(node: exp.Expr, dataset: Facts) -> str:
    """What comes nearest to something that is no statistic."""
    if isinstance(node, exp.Column) and dataset.has(node.name):
        column = dataset.column(node.name)
        name = name_text(column.name)
        if isinstance(column, NumberColumn) and column.size > _MANY:
            return (
                "values of single rows are never released; ask for the median, the minimum or "
                f"the maximum: SELECT MEDIAN({name}), MIN({name}), MAX({name})"
            )
        return (
            "values of single rows are never released, only one for each group: SELECT COUNT(*) "
            f"GROUP BY {name}"
        )
    return POSSIBLE


_HISTOGRAM, _RUNNING = "HISTOGRAM", "CUMULATIVE"
_GROUPS = (
    "GROUP BY takes columns and BIN(column, width), with commas between them; for totals, "
    "ROLLUP(…), CUBE(…) or GROUPING SETS ((…), …) of them; for running totals, "
    "CUMULATIVE(column, width)"
)


def groups_of(select: exp.Select, dataset: Facts) -> tuple[tuple[Bins, ...], Sets]:
    """What GROUP BY groups by, and of which of them totals are told."""
    group = select.args.get("group")
    if group is None:
        return (), ()
    if group.args.get("all") and not group.expressions:
        every = [one.unalias() for one in select.expressions if not tells(one)]
        return tuple(_bins(one, dataset) for one in every), ()
    if not group.expressions or extras(group, "expressions", "rollup", "cube"):
        raise QuestionError(_GROUPS)
    named, totals = grouping_sets(group)
    return tuple(_bins(_meant(one, select, dataset), dataset) for one in named), totals


def histogram_of(select: exp.Select, dataset: Facts) -> Bins | None:
    """What HISTOGRAM(column, width) or CUMULATIVE(column, width) groups by, asked as a statistic.

    They are short for COUNT(*) with GROUP BY.
    """
    called = [one for one in select.expressions if _counts_bins(one.unalias())]
    if not called:
        return None
    if len(select.expressions) > 1 or select.args.get("group"):
        raise QuestionError(
            f"{called[0].unalias().name.upper()} must stand alone after SELECT; beside others, "
            "write COUNT(*) with GROUP BY BIN(column, width)"
        )
    (node,) = called
    inner = node.unalias()
    if not 1 <= len(inner.expressions) <= 2:
        raise QuestionError(f"{inner.name.upper()} takes a column and a width, or a list of edges")
    column, *width = inner.expressions
    given = _edges(width[0]) if width else None
    return bins_of(column_of_sql(column, dataset), given, running=inner.name.upper() == _RUNNING)


def is_group_column(item: exp.Expr, groups: tuple[Bins, ...], dataset: Facts) -> bool:
    """Whether what SELECT shows is a group; QuestionError where a column beside them is none."""
    named = item.unalias()
    if not groups:
        return False
    if not (_is_bin(named) or isinstance(named, exp.Column)):
        return _is_group_expression(named, groups, dataset)
    if _bins(named, dataset) not in groups:
        raise QuestionError(
            f"beside statistics, SELECT shows only what GROUP BY groups by, and {shown(named)} "
            "is not that; leave it out: the answer names its groups anyway"
        )
    return True


def heads_of(
    shown_groups: Sequence[exp.Expr], groups: tuple[Bins, ...], dataset: Facts
) -> tuple[tuple[int, str], ...]:
    """What AS calls the columns of groups, by their places; a name that is taken says nothing."""
    taken = {one.column for one in groups}
    heads = dict[int, str]()
    for one in shown_groups:
        place, name = groups.index(_bins(one.unalias(), dataset)), checked_label(one.alias)
        if name and name not in taken and place not in heads:
            heads[place] = name
            taken.add(name)
    return tuple(sorted(heads.items()))


def group_named(
    node: exp.Expr, select: exp.Select, groups: tuple[Bins, ...], dataset: Facts
) -> Bins | None:
    """Which of the groups ORDER BY names, by its column too; None where it names none."""
    try:
        bins = _bins(_meant(node, select, dataset), dataset)
    except (QuestionError, DatasetError):
        return None
    alike = [one for one in groups if bins in (one, bins_of(dataset.column(one.column)))]
    return alike[0] if alike else None


def _is_group_expression(node: exp.Expr, groups: tuple[Bins, ...], dataset: Facts) -> bool:
    """Whether an expression is one that rows are grouped by; else it is a statistic, or a slip."""
    try:
        return _bins(node, dataset) in groups
    except QuestionError:
        return False


def _meant(node: exp.Expr, select: exp.Select, dataset: Facts) -> Any:
    """What GROUP BY names: what SELECT calls so, or has in that place, where that is meant."""
    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdecimal():
        place = int(node.this[:4])
        if 1 <= place <= len(select.expressions):
            return select.expressions[place - 1].unalias()
    if isinstance(node, exp.Column) and not node.args.get("table"):
        for one in select.expressions:
            if one.alias.lower() == node.name.lower() and not dataset.has(node.name):
                return one.unalias()
    return node


def _bins(node: exp.Expr, dataset: Facts) -> Bins:
    if isinstance(node, exp.Column):
        return bins_of(column_of_sql(node, dataset))
    if _is_bin(node) and 1 <= len(node.expressions) <= 2:
        running, (column, *width) = node.name.upper() == _RUNNING, node.expressions
        if width or running:
            given = _edges(width[0]) if width else None
            return bins_of(value_of_sql(column, dataset), given, running=running)
    no_value = isinstance(node, PLAIN) or _is_bin(node) or isinstance(node, exp.Count)
    if no_value or call_of(node)[0] is not None:
        advice = f"; {QUOTES}" if isinstance(node, (exp.Literal, exp.Anonymous)) else ""
        raise QuestionError(f"{_GROUPS}{advice}")
    return bins_of(dataset.derive(expression_of(node, dataset)))


def _edges(node: exp.Expr) -> object:
    """A width, or a list of edges."""
    if isinstance(node, exp.Array):
        return [constant_of(one) for one in node.expressions]
    return constant_of(node)


def _is_bin(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() in ("BIN", _RUNNING)


def _counts_bins(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.upper() in (_HISTOGRAM, _RUNNING)
