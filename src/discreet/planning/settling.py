"""What public facts decide before anything is drawn: there is nothing to pay for."""

from dataclasses import replace

from discreet.errors import QuestionError
from discreet.planning.subjects.chances import chance_of
from discreet.questions import EVERY_ROW, AllOf, Condition, Not, Question
from discreet.questions.question import Statistic
from discreet.questions.wording import statistic_text
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
    statistics = tuple(_settled(one, where, dataset) for one in question.statistics)
    return replace(question, statistics=statistics, where=where)


def _settled(statistic: Statistic, where: Condition, dataset: Facts) -> Statistic:
    if statistic.column is not None:
        return statistic
    condition = statistic.condition
    if chance_of(_both(where, condition), dataset) == 0:
        raise QuestionError(
            f"no row can meet the condition of {_name(statistic, dataset)}, whatever is in the "
            "table; nothing was spent"
        )
    if condition != EVERY_ROW and chance_of(_both(where, Not(condition)), dataset) == 0:
        statistic = replace(statistic, condition=EVERY_ROW, label=_name(statistic, dataset))
    if statistic.kind == "share" and statistic.condition == EVERY_ROW:
        raise QuestionError(
            f"every row here meets the condition of {_name(statistic, dataset)}, whatever is in "
            "the table: of any rows at all the share is 1; nothing was spent"
        )
    return statistic


def _name(statistic: Statistic, dataset: Facts) -> str:
    return statistic.label or statistic_text(statistic, dataset)


def _both(where: Condition, condition: Condition) -> Condition:
    return condition if where == EVERY_ROW else AllOf((where, condition))
