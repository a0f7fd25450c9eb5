"""What the statistics of an answer are called, and which groups may be empty."""

from datetime import date

from discreet.curator import Answer, Result
from discreet.questions import Item, Question
from discreet.questions.view import AnswerAt
from discreet.questions.words import is_as_written, item_words
from discreet.statistics import Count, People
from discreet.tables import Dataset


def statistic_names(question: Question | None, answer: Answer, dataset: Dataset) -> dict[str, str]:
    """What each statistic of an answer is called, by its label: as AS says, else in words.

    Args:
        question: What was asked; None where that cannot be read any more.
        answer: What was answered.
        dataset: The declared facts.

    Returns:
        Names by label; none where the question does not fit the answer.
    """
    return {
        label: item_words(item, dataset) if is_as_written(label, dataset) else label
        for label, item in items_of(question, answer).items()
    }


def items_of(question: Question | None, answer: Answer) -> dict[str, Item]:
    """What was asked for, by the labels of the answer."""
    if question is not None and question.view is not None:
        outputs = [(one.label, one.formula) for one in question.view.outputs]
        return {
            label: question.items[formula.place]
            for label, formula in outputs
            if isinstance(formula, AnswerAt) and not formula.overall
        }
    labels = dict.fromkeys(result.label for result in answer.results)
    if question is None or len(labels) != len(question.items):
        return {}
    return dict(zip(labels, question.items, strict=True))


def maybe_empty(result: Result, item: Item | None) -> bool:
    """Whether a count of a group cannot be told from that of an empty one: it is no finding."""
    counts = item is not None and isinstance(item.statistic, Count | People)
    if not counts or result.group is None or result.interval is None:
        return False
    low = result.interval[0]
    return not isinstance(low, date) and low <= 0
