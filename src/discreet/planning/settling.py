"""What public facts decide before anything is drawn: there is nothing to pay for."""

from dataclasses import replace

from discreet.errors import QuestionError
from discreet.planning.subjects.chances import chance_of
from discreet.questions import EVERY_ROW, AllOf, Condition, Item, Not, Question, item_text
from discreet.statistics import Share
from discreet.tables import Facts


def settled(question: Question, dataset: Facts) -> Question:
    """The question without conditions that every possible row meets.

    What no row can ever meet is refused. Where the possible rows are too many to try, conditions
    stay as they are.
    """
    where = EVERY_ROW if chance_of(question.where, dataset) == 1 else question.where
    if chance_of(where, dataset) == 0:
        raise QuestionError(
            "no row can meet this condition, whatever is in the table; nothing was spent"
        )
    items = tuple(_settled(one, where, dataset) for one in question.items)
    return replace(question, items=items, where=where)


def _settled(item: Item, where: Condition, dataset: Facts) -> Item:
    if item.column is not None:
        return item
    condition = item.condition
    if chance_of(_both(where, condition), dataset) == 0:
        raise QuestionError(
            f"no row can meet the condition of {_name(item, dataset)}, whatever is in the "
            "table; nothing was spent"
        )
    if condition != EVERY_ROW and chance_of(_both(where, Not(condition)), dataset) == 0:
        item = replace(item, condition=EVERY_ROW, label=_name(item, dataset))
    if isinstance(item.statistic, Share) and item.condition == EVERY_ROW:
        raise QuestionError(
            f"every row here meets the condition of {_name(item, dataset)}, whatever is in "
            "the table: of any rows at all the share is 1; nothing was spent"
        )
    return item


def _name(item: Item, dataset: Facts) -> str:
    return item.label or item_text(item, dataset)


def _both(where: Condition, condition: Condition) -> Condition:
    return condition if where == EVERY_ROW else AllOf((where, condition))
