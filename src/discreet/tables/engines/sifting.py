"""Conditions that need no index: they are asked of the cells themselves, before these are cleaned.

Where a question says `"age" BETWEEN 0 AND 49`, an engine would clean the age of every row to
compare it, although the cells between which these indices lie are known. What is said of whole
numbers on a grid of whole numbers, and that a cell is filled, is taken out of a question's WHERE,
one AND after another, and put before the cleaning: there, too, what is unknown is left out.
"""

from dataclasses import dataclass

from sqlglot import exp

from discreet.tables.cleaning import ColumnForm, is_gap
from discreet.tables.cleaning.numbers import whole_bounds
from discreet.tables.columns import CategoryColumn, NumberColumn, skips_gaps
from discreet.tables.engines.protocol import TABLE


@dataclass(frozen=True)
class Sieve:
    """Which indices of a column a row must have: from the first to the last, gaps being none."""

    column: str
    first: int
    last: int | None
    """None for all that there are."""

    def said(self, form: ColumnForm) -> str | None:
        """The same of the cell, as SQL; None where that would be no quicker."""
        column = form.column
        if isinstance(column, CategoryColumn) or not skips_gaps(column):
            return None
        if self.last is None or (self.first == 0 and self.last == column.size - 1):
            return f"NOT ({is_gap(form)})"
        if not isinstance(column, NumberColumn):
            return None
        bounds = whole_bounds(form, column, self.first, self.last)
        if bounds is None:
            return None
        number = form.leaves.whole(form.cell)
        signs = ((">=", bounds[0]), ("<=", bounds[1]))
        return " AND ".join(f"{number} {sign} {end}" for sign, end in signs if end is not None)


def sieves_of(tree: exp.Select) -> list[tuple[Sieve, exp.Expression]]:
    """What a SELECT over the cleaned table says of single columns, each with its condition.

    Only of one that reads the table once and by itself.
    """
    where, origin = tree.args.get("where"), tree.args.get("from_") or tree.args.get("from")
    tables = list(tree.find_all(exp.Table))
    alone = len(tables) == 1 and origin is not None and origin.this is tables[0]
    if where is None or not alone or tables[0].name != TABLE or tree.args.get("joins"):
        return []
    return [(sieve, one) for one in _parts(where.this) if (sieve := _sieve(one)) is not None]


def _parts(condition: exp.Expression) -> list[exp.Expression]:
    """The conditions that all must hold."""
    if isinstance(condition, exp.Paren):
        return _parts(condition.this)
    if isinstance(condition, exp.And):
        return [*_parts(condition.this), *_parts(condition.expression)]
    return [condition]


def _sieve(one: exp.Expression) -> Sieve | None:
    if not isinstance(one.this, exp.Column):
        return None
    if isinstance(one, exp.Between):
        first, last = map(_number, (one.args["low"], one.args["high"]))
        if first is not None and last is not None and 0 <= first <= last:
            return Sieve(one.this.name, first, last)
    if isinstance(one, exp.GT) and _number(one.expression) == -1:
        return Sieve(one.this.name, 0, None)
    return None


def _number(node: exp.Expression) -> int | None:
    if isinstance(node, exp.Neg):
        number = _number(node.this)
        return None if number is None else -number
    whole = isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit()
    return int(node.this) if whole else None
