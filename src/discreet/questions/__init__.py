"""Questions: from SQL or Python to a small tree of total functions of the declared columns."""

from discreet.questions.conditions import EVERY_ROW, AllOf, AnyOf, Condition, Not, OneOf, Within
from discreet.questions.question import STATISTICS, Bins, Question, Statistic
from discreet.questions.sql import parse_condition, parse_sql
from discreet.questions.wording import (
    condition_text,
    question_text,
    statistic_text,
)

__all__ = [
    "EVERY_ROW",
    "STATISTICS",
    "AllOf",
    "AnyOf",
    "Bins",
    "Condition",
    "Not",
    "OneOf",
    "Question",
    "Statistic",
    "Within",
    "condition_text",
    "parse_condition",
    "parse_sql",
    "question_text",
    "statistic_text",
]
