"""Between which numbers a formula of answers lies whatever the rows are: declared facts alone say.

Where the truth is a number at all it lies there, so that what is computed of noisy answers may be
brought into it (docs/proofs/arithmetic.md).
"""

from dataclasses import replace
from fractions import Fraction

from discreet.questions.conditions import EVERY_ROW, Not, is_gap
from discreet.questions.question import Item, Question
from discreet.questions.view import (
    AnswerAt,
    Computed,
    Ends,
    Estimate,
    Formula,
    FormulaNumber,
    work_out,
)
from discreet.statistics import Count, Mean, Mode, Range, Rank, Share, Sum
from discreet.tables import DateColumn, Facts, NumberColumn

_UNKNOWN = Estimate(Fraction(1), None)


def range_of(formula: Formula, question: Question, facts: Facts) -> Ends | None:
    """The least and the largest that a formula can be; None where declared facts do not say.

    A sum by a count of the rows that it is of lies where a row's value does: with NULL in some
    of the rows counted, perhaps nearer to 0.
    """
    match formula:
        case AnswerAt(place):
            return _of_item(question.items[place], facts)
        case FormulaNumber(value):
            return value, value
        case Computed("/", (AnswerAt(first), AnswerAt(second))):
            mean = _of_quotient(question.items[first], question.items[second], facts)
            return mean or _joined(formula, question, facts)
    return _joined(formula, question, facts)


def _joined(formula: Computed, question: Question, facts: Facts) -> Ends | None:
    """The same of a formula whose parts may be anything in their ranges."""
    parts = tuple(AnswerAt(place) for place in range(len(formula.parts)))
    known = [range_of(one, question, facts) for one in formula.parts]

    def estimate(answer: AnswerAt) -> Estimate:
        ends = known[answer.place]
        return _UNKNOWN if ends is None else Estimate(ends[0] or ends[1], ends)

    return work_out(replace(formula, parts=parts), estimate).ends


def _of_item(item: Item, facts: Facts) -> Ends | None:
    """Of one answer; not of counts and sums: told unbiased, they may be beyond what is possible."""
    ends = _of_column(item, facts)
    match item.statistic:
        case Share():
            return Fraction(0), Fraction(1)
        case Mean() | Rank() | Mode():
            return ends
        case Range() if ends is not None:
            return Fraction(0), ends[1] - ends[0]
    return None


def _of_quotient(total: Item, count: Item, facts: Facts) -> Ends | None:
    """Of a sum by the number of rows: of those with a value, or of all."""
    ends = _of_column(total, facts)
    if not isinstance(total.statistic, Sum) or not isinstance(count.statistic, Count) or not ends:
        return None
    assert total.column is not None
    if count.condition == Not(is_gap(facts.column(total.column))):
        return ends
    low, high = min(ends[0], Fraction(0)), max(ends[1], Fraction(0))
    return (low, high) if count.condition == EVERY_ROW else None


def _of_column(item: Item, facts: Facts) -> Ends | None:
    column = None if item.column is None else facts.column(item.column)
    if not isinstance(column, NumberColumn) or isinstance(column, DateColumn):
        return None
    return column.grid.start, column.grid.last
