"""GROUP BY: what rows are grouped by, as columns, bins, totals and histograms say it."""

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from discreet.errors import DatasetError, QuestionError
from discreet.questions.clauses import checked_label
from discreet.questions.question import Bins, bins_of
from discreet.questions.select_items import call_of, tells
from discreet.questions.statement import QUOTES
from discreet.questions.totals import Sets, grouping_sets
from discreet.questions.where import (
    PLAIN,
    column_of_sql,
    constant_of,
    expression_of,
    extras,
    value_of_sql,
)
from discreet.tables import Facts, shown

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
            f"{called[0].unalias().name.upper()} stands alone after SELECT; beside others write "
            "COUNT(*) with GROUP BY BIN(column, width)"
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
            f"beside statistics SELECT shows what GROUP BY groups by, and {shown(named)} is not "
            "that; leave it out, the answer names its groups anyway"
        )
    return True


def heads_of(
    shown_groups: Sequence[exp.Expr], groups: tuple[Bins, ...], dataset: Facts
) -> tuple[tuple[int, str], ...]:
    """What AS calls the columns of groups, by their places; a name that is taken says nothing."""
    taken = {one.column for one in groups}
    found = dict[int, str]()
    for one in shown_groups:
        place, name = groups.index(_bins(one.unalias(), dataset)), checked_label(one.alias)
        if name and name not in taken and place not in found:
            found[place] = name
            taken.add(name)
    return tuple(sorted(found.items()))


def group_named(
    node: exp.Expr, select: exp.Select, groups: tuple[Bins, ...], dataset: Facts
) -> Bins | None:
    """Which of the groups ORDER BY names, by its column too; None where it names none."""
    try:
        found = _bins(_meant(node, select, dataset), dataset)
    except (QuestionError, DatasetError):
        return None
    alike = [one for one in groups if found in (one, bins_of(dataset.column(one.column)))]
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
