"""Expressions of declared columns: read, typed, bounded, and worked out in whole numbers."""

from discreet.tables.expressions.derived import Derived, derive, is_condition
from discreet.tables.expressions.hints import HINTS
from discreet.tables.expressions.parsing import check_nesting, name_text, shown, sql_text
from discreet.tables.expressions.reading import CALLED, ExpressionReader, parsed_expression
from discreet.tables.expressions.running import with_derived
from discreet.tables.expressions.tree import Cell, Constant, Expression, columns_in
from discreet.tables.expressions.writing import text_of

__all__ = [
    "CALLED",
    "HINTS",
    "Cell",
    "Constant",
    "Derived",
    "Expression",
    "ExpressionReader",
    "check_nesting",
    "columns_in",
    "derive",
    "is_condition",
    "name_text",
    "parsed_expression",
    "shown",
    "sql_text",
    "text_of",
    "with_derived",
]
