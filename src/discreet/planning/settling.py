"""What public facts decide before anything is drawn: there is nothing to pay for."""

from dataclasses import replace

from discreet.errors import QuestionError
from discreet.planning.subjects.chances import share_of_rows
from discreet.questions import (
    EVERY_ROW,
    AllOf,
    Condition,
    Item,
    Not,
    Question,
    item_text,
    rows_taken,
)
from discreet.statistics import Share
from discreet.tables import Facts


def settled(question: Question, dataset: Facts) -> Question:
    """The question without conditions that every possible row meets.

    What no row can ever meet is refused. Where the possible rows are too many to try, conditions
    stay as they are.
    """
    where = EVERY_ROW if share_of_rows(question.where, dataset) == 1 else question.where
    if share_of_rows(where, dataset) == 0:
        raise QuestionError(
            "no row can meet this condition, whatever is in the table; nothing was spent"
        )
    question = replace(question, where=where)
    items = tuple(_settled(one, question, dataset) for one in question.items)
    return replace(question, items=items)


def _settled(item: Item, question: Question, dataset: Facts) -> Item:
    where, condition = question.where, item.condition
    if item.column is not None:
        if share_of_rows(rows_taken(item, question, dataset), dataset) == 0:
            raise QuestionError(
                f"in every row that meets the condition {item.column} is missing, whatever is in "
                "the table; nothing was spent"
            )
        return item
    met = share_of_rows(_both(where, condition), dataset)
    if met == 0:
        raise QuestionError(
            f"no row can meet the condition of {_name(item, dataset)}, whatever is in the "
            "table; nothing was spent"
        )
    if isinstance(item.statistic, Share):
        if share_of_rows(_both(where, Not(condition)), dataset) == 0:
            raise QuestionError(
                f"every row here meets the condition of {_name(item, dataset)}, whatever is in "
                "the table: of any rows at all the share is 1; nothing was spent"
            )
    elif condition != EVERY_ROW and met is not None and met == share_of_rows(where, dataset):
        item = replace(item, condition=EVERY_ROW, label=_name(item, dataset))
    return item


def _name(item: Item, dataset: Facts) -> str:
    return item.label or item_text(item, dataset)


def _both(where: Condition, condition: Condition) -> Condition:
    return condition if where == EVERY_ROW else AllOf((where, condition))
