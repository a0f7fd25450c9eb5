"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.requests.batch import BatchOrder, place_text, read_wanted
from discreet.requests.by_database import DatabaseRequest, read_database_design
from discreet.requests.design import (
    AnswerSpace,
    DesignRequest,
    read_answer_space,
    read_design,
)
from discreet.requests.order import (
    Order,
    checked_order,
    read_columns,
    read_condition,
    read_explained,
    read_number,
    read_order,
    read_quantile,
    read_quantiles,
    read_question,
    read_wishes,
)
from discreet.requests.question_file import (
    AskedFor,
    QuestionFile,
    read_batch,
    read_expected,
    worth_expected,
)
from discreet.requests.spaces import read_delta, read_epsilon, read_loss, read_prior

__all__ = [
    "AnswerSpace",
    "AskedFor",
    "BatchOrder",
    "DatabaseRequest",
    "DesignRequest",
    "Order",
    "QuestionFile",
    "checked_order",
    "place_text",
    "read_answer_space",
    "read_batch",
    "read_columns",
    "read_condition",
    "read_database_design",
    "read_delta",
    "read_design",
    "read_epsilon",
    "read_expected",
    "read_explained",
    "read_loss",
    "read_number",
    "read_order",
    "read_prior",
    "read_quantile",
    "read_quantiles",
    "read_question",
    "read_wanted",
    "read_wishes",
    "worth_expected",
]
