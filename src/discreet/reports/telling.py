"""How the values of an answer are written where its question and its columns are known."""

from discreet.curator import Answer, Result
from discreet.curator.result import bound_cell, bound_clause, places_of, value_cell
from discreet.questions import Question
from discreet.questions.words import called, counts_years, group_periods
from discreet.reports.naming import items_of, maybe_empty, statistic_names
from discreet.statistics import Mode, Rank
from discreet.tables import Dataset
from discreet.text import grouped_digits

MAYBE_NONE = "may be none"
"""What is said of a group that cannot be told from an empty one."""


class Teller:
    """How the values of an answer are written: with one separator, and none in years."""

    def __init__(self, answer: Answer, question: Question | None, dataset: Dataset) -> None:
        self._items = items_of(question, answer)
        self._periods = group_periods(question, dataset)
        self._names = statistic_names(question, answer, dataset)
        by_label: dict[str, list[Result]] = {}
        for one in answer.results:
            by_label.setdefault(one.label, []).append(one)
        self._places = {label: places_of(results) for label, results in by_label.items()}
        self._years = {
            label
            for label, item in self._items.items()
            if isinstance(item.statistic, Rank | Mode)
            and item.column is not None
            and counts_years(dataset.column(item.column))
        }

    def name(self, result: Result) -> str:
        """What a statistic is called, in words."""
        return self._names.get(result.label, result.label)

    def cells(self, result: Result) -> tuple[str, ...]:
        """What its group is called: days by their month, quarter or year where they are one."""
        return called(result.group_cells, self._periods)

    def value(self, result: Result) -> str:
        """The value, with as many decimals as the others of its statistic."""
        return self._written(result, value_cell(result, self._places.get(result.label)))

    def bound(self, result: Result) -> str:
        """What is known of the truth, in a cell of a table."""
        return self._written(result, bound_cell(result, self._places.get(result.label)))

    def clause(self, result: Result) -> str:
        """What is known of the truth, in a sentence."""
        return self._written(result, bound_clause(result, self._places.get(result.label)))

    def _written(self, result: Result, text: str) -> str:
        """A text of a result, with separators where its numbers are no years."""
        return text if result.label in self._years else grouped_digits(text)

    def faint(self, result: Result) -> str:
        """What is said of a group that may be empty; nothing of any other."""
        return MAYBE_NONE if maybe_empty(result, self._items.get(result.label)) else ""
