"""What a plan promises of an answer for any data, and what its interval costs: in words.

A value may be told though a condition, or gaps, leave no row. A count of its rows would cost
everybody something (docs/proofs/few-rows.md), so nobody pays for it who does not ask; what it would
tell is said with the plan and with the answer.
"""

from discreet.planning.candidates.candidate import Candidate
from discreet.planning.parts import Part
from discreet.planning.percentiles import percentiles_if, percentiles_of, rows_behind
from discreet.planning.releases.bounds import Bound, BoundedRelease, rows_needed
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import About, Wishes
from discreet.questions import EVERY_ROW, Question
from discreet.statistics import Counts
from discreet.tables import name_text
from discreet.text import (
    IF_SAMPLE,
    Amount,
    behind_text,
    if_filled_text,
    left_out_text,
    off_text,
    percentiles_text,
    plural,
    remark_of,
    uncounted_text,
)


def promise_text(subject: Subject, wishes: Wishes, chosen: Candidate) -> str:
    """Where an order statistic or a mode will lie at the confidence, whatever the rows are.

    Empty where the figures tell it in values.
    """
    promise = _promise(subject, wishes, chosen)
    if promise and chosen.release.tells_runs:
        return f"one of a run of values, some value of which is {promise}"
    return promise


def _promise(subject: Subject, wishes: Wishes, chosen: Candidate) -> str:
    figures = chosen.figures
    percentiles, behind = percentiles_of(subject, wishes, chosen), rows_behind(subject, figures)
    if percentiles is not None and wishes.about == About.POPULATION:
        return f"{percentiles_text(*percentiles, 'the population')}, {IF_SAMPLE}"
    if percentiles is not None:
        return percentiles_text(*percentiles)
    if behind is not None:
        return (left_out_text if isinstance(subject.form, Counts) else behind_text)(behind)
    return "" if figures.rows_off is None else off_text(figures.rows_off)


def interval_remarks(subject: Subject, wishes: Wishes, chosen: Candidate) -> list[str]:
    """What the interval costs, from how many rows on it says anything, and what it is about."""
    remarks = []
    if isinstance(chosen.release, BoundedRelease) and chosen.epsilon is not None:
        bought = chosen.epsilon.billionths // 4 * 2
        remarks.append(
            f"an interval that holds for any data takes ε = {Amount(bought)} of "
            f"{chosen.epsilon}, so the estimate has {Amount(chosen.epsilon.billionths - bought)}; "
            + _ends(chosen.release.lower, chosen.release.upper, fixed=subject.fixed_size)
        )
    if wishes.about == About.POPULATION:
        remarks.append(f"intervals are about the population, {IF_SAMPLE}")
    return remarks


def _ends(lower: Bound | None, upper: Bound | None, *, fixed: bool) -> str:
    """What the bounds say at best; where both say the same, once."""
    sides = {"lower end": lower, "upper end": upper}
    texts = {name: _end(bound, fixed=fixed) for name, bound in sides.items()}
    if len(set(texts.values())) == 1:
        return f"either end {texts['lower end']}"
    return "; ".join(f"the {name} {said}" for name, said in texts.items())


def _end(bound: Bound | None, *, fixed: bool) -> str:
    if bound is None:
        return "is the declared one"
    if fixed:
        return f"lies about {plural(bound.shift, 'row')} beyond the answer, or more"
    return f"is the declared one if there are fewer than {plural(rows_needed(bound), 'row')}"


def counting(question: Question, part: Part) -> str:
    """What counts the rows of a statistic: those that are selected, or filled."""
    column, every = part.subject.item.column, part.subject.taken == question.where
    return "COUNT(*)" if every or column is None else f"COUNT({name_text(column)})"


def uncounted_remark(question: Question, part: Part, wishes: Wishes, parts: int) -> str:
    """What is not known of a value whose rows nobody counts, and what would tell."""
    subject, chosen = part.subject, part.chosen
    count, conditional = counting(question, part), question.where != EVERY_ROW
    half = -(-subject.most_rows // 2)
    percentiles = percentiles_if(subject, wishes, chosen, half) if subject.all_but_gaps else None
    if percentiles is None or percentiles[1] - percentiles[0] == 1:
        return uncounted_text(count, conditional=conditional)
    where = percentiles_text(*percentiles, "them")
    text = if_filled_text(half, subject.most_rows, where, count)
    return remark_of(subject.item.label, text) if parts > 1 and subject.item.label else text
