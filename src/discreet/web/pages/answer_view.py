"""An answer as pages show it: sentences, a line for each result, and tables as people draw them."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.curator import Answer, Result
from discreet.curator.answer import NO_GROUP
from discreet.curator.crossed import CrossedTable, crossed_table
from discreet.planning.grouping import ALL
from discreet.questions import Question
from discreet.questions.words import asked_again, group_heads
from discreet.reports.telling import Teller
from discreet.tables import Dataset
from discreet.text import capital, grouped_digits, percent, too_few_text

_NO_VALUE = "There may be no rows at all, so no value is released."
GROUP, VALUE, ROWS = "group", "answer", "rows"


@dataclass(frozen=True)
class Sorting:
    """By which column lines are sorted, and whether the largest come first."""

    by: str = ""
    falling: bool = False

    @classmethod
    def of(cls, given: str) -> "Sorting":
        """Read `answer`, `-answer`, `rows`, `group-1` and so on; anything else sorts nothing."""
        by = given.removeprefix("-")
        if by not in (VALUE, ROWS) and not re.fullmatch(rf"{GROUP}-[1-9]\d?", by, re.ASCII):
            return cls()
        return cls(by, given.startswith("-"))

    def next(self, by: str) -> str:
        """What a column's head leads to: its own order, or the other way round."""
        if self.by == by:
            return by if self.falling else f"-{by}"
        return by if by.startswith(GROUP) else f"-{by}"

    def state(self, by: str) -> str:
        """What `aria-sort` says of a column."""
        if self.by != by:
            return "none"
        return "descending" if self.falling else "ascending"


@dataclass(frozen=True, kw_only=True)
class AnswerView:
    """Everything that is shown of an answer besides its pictures."""

    question: Question | None
    single: dict[str, Any] | None
    overview: str
    rests_on: tuple[str, ...]
    heads: tuple[str, ...]
    apart: bool
    """Whether a column says which statistic a line is of."""
    lines: tuple[dict[str, Any], ...]
    tells_rows: bool
    crossed: CrossedTable | None
    confidence: str
    sorting: Sorting

    @classmethod
    def of(cls, answer: Answer, dataset: Dataset, sorting: Sorting | None = None) -> "AnswerView":
        """Put an answer into words; totals and groups without a value stand last."""
        question = asked_again(answer.asked, dataset)
        teller = Teller(answer, question, dataset)
        sorting = sorting or Sorting()
        heads = group_heads(question, answer.grouped_by, dataset)
        totals = question is not None and bool(question.totals)
        results = _sorted(answer, sorting, totals=totals)
        several = len({result.label for result in answer.results}) > 1
        return cls(
            question=question,
            single=_single(answer, teller),
            overview=_overview(answer),
            rests_on=tuple(f"{capital(line)}." for line in answer.rests_on),
            heads=tuple(heads),
            apart=several or not heads,
            lines=tuple(_line(one, teller, totals=totals) for one in results),
            tells_rows=any(result.rows_about is not None for result in answer.results),
            crossed=crossed_table(answer, heads, teller, totals=totals),
            confidence=percent(answer.confidence),
            sorting=sorting,
        )


def _line(result: Result, teller: Teller, *, totals: bool) -> dict[str, Any]:
    # Else the rows are told beside it.
    says_value = not result.too_few_rows or result.rows_about is None
    return {
        "is_total": totals and ALL in result.group_cells,
        "groups": list(teller.cells(result)),
        "label": teller.name(result),
        "text": teller.value(result) if says_value else too_few_text(None),
        "bound": teller.bound(result),
        "rows": grouped_digits(result.rows_text),
        "faint": teller.faint(result),
    }


def _sorted(answer: Answer, sorting: Sorting, *, totals: bool) -> list[Result]:
    """The results in the wished order; where nothing is wished, in the question's."""
    places = {id(result): place for place, result in enumerate(answer.results)}

    def last(result: Result) -> bool:
        return totals and ALL in result.group_cells

    def key(result: Result) -> Any:
        if sorting.by == VALUE and isinstance(result.value, int | Fraction):
            return Fraction(result.value)
        if sorting.by == VALUE:
            return None if result.value is None else str(result.value)
        if sorting.by == ROWS:
            return result.rows_about
        column = sorting.by.partition(f"{GROUP}-")[2]
        if column and int(column) <= len(result.group_cells):
            return firsts[int(column) - 1][result.group_cells[int(column) - 1]]
        return places[id(result)]

    firsts: list[dict[str, int]] = []
    for cells in zip(*(result.group_cells for result in answer.results), strict=False):
        firsts.append({cell: place for place, cell in reversed(list(enumerate(cells)))})
    kinds = {type(key(result)) for result in answer.results} - {type(None)}
    if len(kinds) > 1:
        return list(answer.results)
    valued = [one for one in answer.results if key(one) is not None and not last(one)]
    valued.sort(key=key, reverse=sorting.falling)
    silent = [one for one in answer.results if key(one) is None and not last(one)]
    return [*valued, *silent, *(one for one in answer.results if last(one))]


def _single(answer: Answer, teller: Teller) -> dict[str, Any] | None:
    if len(answer.results) != 1 or answer.results[0].group is not None:
        return None
    result, confidence = answer.results[0], percent(answer.confidence)
    if result.too_few_rows:
        return {"text": result.text, "sentence": _NO_VALUE, "is_words": True}
    sentence = "A category is drawn at random near the true one; it has no interval."
    if clause := teller.clause(result):
        wide = result.interval is not None and result.interval[0] != result.interval[1]
        what = "true value" if wide else "answer"
        sentence = f"The {what} is {clause}, with {confidence} % confidence."
    sentence += _surely(answer)
    words = isinstance(result.value, str | tuple)
    return {
        "text": teller.value(result),
        "sentence": sentence,
        "is_words": words,
    }


def _surely(answer: Answer) -> str:
    """What holds whatever the rows are, where intervals do not."""
    sure = f"with {percent(answer.confidence)} % confidence"
    return "".join(f" {capital(line)}, {sure}." for line in answer.surely)


def _overview(answer: Answer) -> str:
    if not answer.results:
        return NO_GROUP
    groups = len({result.group for result in answer.results})
    each = len(answer.results) // groups
    if answer.results[0].group is None:
        sentence = f"{len(answer.results)} answers to one question."
    elif each == 1:
        sentence = f"One answer for each of {groups} groups."
    else:
        sentence = f"{each} answers each for {groups} groups."
    return sentence + _surely(answer)
