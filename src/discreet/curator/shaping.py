"""The view of a release that was asked for: computed, left out, sorted and cut after it was told.

Nothing but what was released is looked at (docs/proofs/arithmetic.md); the ledger keeps the whole
release, so that another view of it is free.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

from discreet.curator.answer import Answer, counted_groups
from discreet.curator.result import Number, Result
from discreet.planning import About
from discreet.planning.grouping import ALL, MISSING, unlike
from discreet.questions import Question
from discreet.questions.as_sql import shown_text
from discreet.questions.ranges import range_of
from discreet.questions.view import (
    AnswerAt,
    Ends,
    Estimate,
    Formula,
    GroupPlace,
    Output,
    SortKey,
    View,
    answers_in,
    passes,
    work_out,
)
from discreet.questions.words import asked_again
from discreet.tables import Dataset

SHOWN = "shown"
"""Where the entry of a charge tells what was shown; `asked` tells what was released."""
_Group = Sequence[Result]


def shown_of(question: Question, dataset: Dataset) -> dict[str, str]:
    """What the entry of a charge says of the view; nothing where all is shown as it was told."""
    return {} if question.view is None else {SHOWN: shown_text(question, dataset)}


def shaped_as_stored(answer: Answer, facts: Mapping[str, Any], dataset: Dataset) -> Answer:
    """A stored answer in the view that it was asked with, where the facts of today read that."""
    text = facts.get(SHOWN)
    question = asked_again(str(text), dataset) if text else None
    return answer if question is None else shaped(answer, question, dataset)


def shaped(answer: Answer, question: Question, dataset: Dataset) -> Answer:
    """An answer in the view of a question; as it is where there is none."""
    view, many = question.view, len(question.items)
    if view is None or not _is_of(answer.results, many):
        return answer
    groups: list[_Group] = [
        answer.results[start : start + many] for start in range(0, len(answer.results), many)
    ]
    whole = groups[-1]
    if view.hides_totals:
        groups = groups[:-1]
    read = _Shaper(whole, question, dataset)
    order = _Order(groups, question, dataset, read)
    if view.having is not None:
        groups = [one for one in groups if passes(view.having, read.values(one))]
    for key in reversed(view.order_by):
        groups = order.by(key, groups)
    last = None if view.limit is None else view.offset + view.limit
    results = (_shown(out, one, read) for one in groups[view.offset : last] for out in view.outputs)
    return replace(
        answer,
        results=tuple(_headed(one, dict(view.heads)) for one in results),
        asked=shown_text(question, dataset),
        confidence=held(answer.confidence, view),
        counted_groups=counted_groups(answer.results),
    )


def _is_of(results: _Group, many: int) -> bool:
    """Whether results are of so many statistics for each group, as a question has them today."""
    first = next((one.groups for one in results), ())
    return sum(one.groups == first for one in results) == many and not len(results) % many


def _headed(result: Result, heads: Mapping[int, str]) -> Result:
    """A result whose columns of groups are called as AS says."""
    if not heads:
        return result
    named = enumerate(result.groups)
    return replace(
        result,
        groups=tuple((heads.get(place, column), value) for place, (column, value) in named),
    )


def held(confidence: Fraction, view: View) -> Fraction:
    """How sure bounds are that are made of several, each of which is as sure as this."""
    return 1 - view.at_once * (1 - confidence)


class _Shaper:
    """What formulas of told answers come to, group by group, within what is possible.

    What is shown, what HAVING compares and what ORDER BY sorts by are the same numbers.
    """

    def __init__(self, whole: _Group, question: Question, dataset: Dataset) -> None:
        self._whole, self._question, self._dataset = whole, question, dataset
        self._ranges: dict[Formula, Ends | None] = {}

    def __call__(self, formula: Formula, group: _Group) -> Estimate:
        """A formula of a group: one answer as it was told, others brought into their range."""
        estimate = work_out(formula, lambda answer: _estimate(self.told(answer, group)))
        if isinstance(formula, AnswerAt) and not formula.overall:
            return estimate
        return _within(estimate, self.possible(formula))

    def values(self, group: _Group) -> Callable[[Formula], Fraction | None]:
        """What formulas come to in one group."""
        return lambda formula: self(formula, group).value

    def told(self, answer: AnswerAt, group: _Group) -> Result:
        """The answer that a formula names."""
        return (self._whole if answer.overall else group)[answer.place]

    def possible(self, formula: Formula) -> Ends | None:
        """Between which numbers a formula lies, whatever the rows are."""
        if formula not in self._ranges:
            self._ranges[formula] = range_of(formula, self._question, self._dataset)
        return self._ranges[formula]


def _estimate(result: Result) -> Estimate:
    value, ends = result.value, result.interval
    if not isinstance(value, int | Fraction):
        return Estimate(None, None)
    return Estimate(Fraction(value), None if ends is None else _numbers(ends))


def _numbers(ends: tuple[Number, Number]) -> tuple[Fraction, Fraction] | None:
    low, high = ends
    if isinstance(low, date) or isinstance(high, date):
        return None
    return Fraction(low), Fraction(high)


def _shown(output: Output, group: _Group, read: _Shaper) -> Result:
    """One result of a group, as it was told or computed from several, within what is possible."""
    if isinstance(output.formula, AnswerAt) and not output.formula.overall:
        return replace(group[output.formula.place], label=output.label)
    estimate, possible = read(output.formula, group), read.possible(output.formula)
    parts = [read.told(answer, group) for answer in dict.fromkeys(answers_in(output.formula))]
    nothing_more = possible is not None and estimate.ends == possible and possible[0] < possible[1]
    certificates = {one.certificate for one in parts}
    untold = next((one.rows_about for one in parts if one.value is None), None)
    clamped = next((one.clamped_at for one in parts if one.clamped_at is not None), None)
    return Result(
        label=output.label,
        group=group[0].group,
        groups=group[0].groups,
        value=_told(estimate.value),
        interval=estimate.ends,
        whole_range=nothing_more,
        expected_error=None,
        mechanism=" and ".join(dict.fromkeys(one.mechanism for one in parts)) or "a constant",
        certificate=certificates.pop() if len(certificates) == 1 else None,
        supposed=any(one.supposed for one in parts) and not nothing_more,
        rows_about=untold,
        about=next((one.about for one in parts if one.about != About.TABLE), About.TABLE),
        clamped_at=clamped,
    )


def _within(estimate: Estimate, possible: Ends | None) -> Estimate:
    """What was computed, brought into what is possible; all of that where no more is known."""
    if possible is None or estimate.value is None:
        return estimate
    low, high = possible
    near = min(max(estimate.value, low), high)
    if estimate.ends is None:
        return Estimate(near, possible)
    first, last = (min(max(end, low), high) for end in estimate.ends)
    return Estimate(near, (first, last))


def _told(value: Fraction | None) -> int | Fraction | None:
    return int(value) if value is not None and value.denominator == 1 else value


class _Order:
    """What groups are sorted by: words by the alphabet, others as they are declared."""

    def __init__(
        self, groups: Sequence[_Group], question: Question, dataset: Dataset, read: _Shaper
    ) -> None:
        self._read = read
        self._ranks: list[dict[str, int]] = []
        for place, bins in enumerate(question.group_by):
            column = dataset.column(bins.column)
            apart = {unlike(column, ALL), unlike(column, MISSING)}
            named = dict.fromkeys(group[0].groups[place][1] for group in groups)
            self._ranks.append({name: rank for rank, name in enumerate(named) if name not in apart})

    def by(self, key: SortKey, groups: list[_Group]) -> list[_Group]:
        """The groups in the order of one key; those that are alike stay as they were."""
        known = [(self._key(key.by, group), group) for group in groups]
        valued = [one for one in known if one[0] is not None]
        valued.sort(key=lambda one: one[0], reverse=key.descending)
        rest = [group for value, group in known if value is None]
        sorted_ = [group for _, group in valued]
        return [*rest, *sorted_] if key.untold_first else [*sorted_, *rest]

    def _key(self, by: Formula | GroupPlace, group: _Group) -> Any:
        if isinstance(by, GroupPlace):
            name = group[0].groups[by.place][1]
            rank = self._ranks[by.place].get(name)
            return None if rank is None else name if by.words else rank
        if isinstance(by, AnswerAt) and not by.overall:
            value = group[by.place].value
            if isinstance(value, str | date):
                return value
        return self._read(by, group).value
