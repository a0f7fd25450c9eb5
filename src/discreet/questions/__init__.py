"""Questions: from SQL or Python to a small tree of total functions of the declared columns."""

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
from discreet.questions.question import (
    Bins,
    Item,
    Question,
    checked_item,
    columns_used,
    condition_text,
    item_text,
    question_text,
    rows_taken,
    values_of,
)
from discreet.questions.sql import parse_condition, parse_sql

__all__ = [
    "EVERY_ROW",
    "AllOf",
    "AnyOf",
    "Bins",
    "Condition",
    "Item",
    "Not",
    "OneOf",
    "Question",
    "Within",
    "checked_item",
    "columns_used",
    "condition_text",
    "item_text",
    "name_text",
    "parse_condition",
    "parse_sql",
    "question_text",
    "rows_taken",
    "values_of",
]
