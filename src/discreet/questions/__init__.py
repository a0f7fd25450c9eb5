"""Questions: from SQL or Python to a small tree of total functions of the declared columns."""

from discreet.questions.as_sql import (
    bins_text,
    condition_text,
    item_text,
    question_text,
    shown_text,
)
from discreet.questions.conditions import (
    EVERY_ROW,
    AllOf,
    AnyOf,
    Condition,
    InRange,
    Not,
    OneOf,
)
from discreet.questions.question import (
    Bins,
    Item,
    Question,
    bins_of,
    checked_item,
    columns_used,
    rows_taken,
    values_of,
)
from discreet.questions.sql import parse_columns, parse_condition, parse_sql, reshaped
from discreet.questions.statement import without_explain

__all__ = [
    "EVERY_ROW",
    "AllOf",
    "AnyOf",
    "Bins",
    "Condition",
    "InRange",
    "Item",
    "Not",
    "OneOf",
    "Question",
    "bins_of",
    "bins_text",
    "checked_item",
    "columns_used",
    "condition_text",
    "item_text",
    "parse_columns",
    "parse_condition",
    "parse_sql",
    "question_text",
    "reshaped",
    "rows_taken",
    "shown_text",
    "values_of",
    "without_explain",
]
