"""A plan as a page shows it: sentences, a picture, and the candidates side by side."""

from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from discreet.figures import Picture, scatter, word_scatter
from discreet.planning import (
    Candidate,
    Figures,
    Part,
    Plan,
    note_text,
    promise_text,
    reason_text,
    sense_text,
)
from discreet.planning.scattering import Scattering, scattering_of
from discreet.planning.subjects.subject import Subject
from discreet.questions.words import counts_years, item_words
from discreet.statistics import Counts, Mode, Placed
from discreet.tables import Dataset
from discreet.text import (
    AS_DRAWN,
    IF_PRIOR,
    ON_SHAPES,
    Amount,
    brief,
    capital,
    percent,
    rows_off_text,
    span_text,
    value_text,
    year_text,
)

_ON_ALL = f"{ON_SHAPES} taken together"
_EVENLY = "choose “rows are spread evenly” under More options"


@dataclass(frozen=True, kw_only=True)
class CandidateRow:
    """One candidate, ready to be read."""

    title: str
    errors: tuple[str, ...]
    within: str
    worst: str
    properties: str
    chosen: bool
    baseline: bool


@dataclass(frozen=True, kw_only=True)
class PartView:
    """One statistic of a plan."""

    name: str
    confidence: str
    picture: Picture | None
    best: str
    """In which sense the chosen one is best."""
    errors: tuple[str, ...]
    """What the columns of errors are called."""
    candidates: tuple[CandidateRow, ...]
    simulated: bool
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class PlanView:
    """Everything about a plan that depends on public facts alone."""

    epsilon: str
    within: str
    promises: tuple[str, ...]
    """How far off each statistic is; then what else holds."""
    details: tuple[str, ...]
    """What else is known of how far off answers are: to be read by who wants to know."""
    notes: tuple[str, ...]
    parts: tuple[PartView, ...]

    @property
    def several(self) -> bool:
        """Whether more than one statistic is asked for."""
        return len(self.parts) > 1

    @property
    def accuracy(self) -> tuple[str, ...]:
        """How far off each statistic is."""
        return self.promises[: max(1, len(self.parts))]

    @classmethod
    def of(cls, plan: Plan, dataset: Dataset) -> "PlanView":
        """Put a plan into words and pictures; of what is stored, how exact that is."""
        if plan.stored is not None:
            return cls(
                epsilon=str(Amount(plan.cost.total)),
                within="",
                promises=(f"{capital(plan.stored)}.",),
                details=(),
                notes=tuple(f"{capital(note_text(note, _EVENLY))}." for note in plan.notes),
                parts=(),
            )
        within = plan.parts[0].chosen.figures.within
        return cls(
            epsilon=str(Amount(plan.cost.total)),
            within="" if within is None else f"{within:.6g}",
            promises=(
                *(_promise(plan, part, dataset) for part in plan.parts),
                *(f"{capital(remark)}." for remark in plan.remarks),
            ),
            details=tuple(filter(None, (_detail(plan, part, dataset) for part in plan.parts))),
            notes=(
                *(f"{capital(note_text(note, _EVENLY))}." for note in plan.notes),
                *([f"{capital(AS_DRAWN)}."] if any(map(plan.mends, plan.parts)) else []),
                *(note for part in plan.parts for note in _too_wide(part)),
            ),
            parts=tuple(_part(plan, part, dataset) for part in plan.parts),
        )


def _promise(plan: Plan, part: Part, dataset: Dataset) -> str:
    """What holds of the answer for any data."""
    what, figures = _what(plan, part, dataset), part.chosen.figures
    if part.chosen.epsilon is None:
        return f"{what} is public: no data is read and it costs nothing."
    sure = f"with {percent(plan.wishes.confidence)} % confidence"
    if promise := promise_text(part.subject, plan.wishes, part.chosen):
        return f"{what} will be {promise}, {sure}."
    if part.subject.labels is not None and figures.within is None:
        return f"{what} will be {_right(figures)}.{_wrong(figures)}"
    if figures.within is None:
        return f"{what} comes with an interval that holds for any data, {sure}. {_usually(part)}"
    if isinstance(part.subject.form, Counts):
        what = "Every count"
    where = "exact" if figures.within == 0 else f"within ±{brief(figures.within)} of the true value"
    return f"{what} will be {where} {_resting(figures)}, {sure}.".replace(" ,", ",")


def _detail(plan: Plan, part: Part, dataset: Dataset) -> str:
    """What a promise by rank means for any data, and how far off the answer usually is."""
    if part.chosen.epsilon is None or not promise_text(part.subject, plan.wishes, part.chosen):
        return ""
    of = f"{capital(item_words(part.subject.item, dataset))}. " if len(plan.parts) > 1 else ""
    return f"{of}{_exact_after(part)}{_usually(part)}{_usually_within(plan, part)}"


def _what(plan: Plan, part: Part, dataset: Dataset) -> str:
    several = len(plan.parts) > 1
    what = item_words(part.subject.item, dataset) if several else "the answer"
    if len(plan.groups) > 1:
        what = f"each of the {len(plan.groups)} answers" + (f" to {what}" if several else "")
    return capital(what)


def _exact_after(part: Part) -> str:
    """What rows off mean; of a run of values they speak of some value in it."""
    off = part.chosen.figures.rows_off
    if off is None or part.chosen.release.tells_runs or isinstance(part.subject.statistic, Mode):
        return ""
    return f"{capital(rows_off_text(off))}. "


def _usually(part: Part) -> str:
    """How far off the answer is on most tables of the public shapes, or under the prior."""
    figures = part.chosen.figures
    if part.subject.labels is not None:
        return f"It is {_right(figures)}."
    if figures.typical is None:
        return f"Its expected error is {brief(figures.expected)} {IF_PRIOR}."
    return f"Typical error: {span_text(figures.typical)} (10–90 % of public shapes)."


def _usually_within(plan: Plan, part: Part) -> str:
    """How close the answer is at the confidence, where that rests on something, and on what."""
    figures = part.chosen.figures
    if figures.within is None or not figures.rests_on:
        return ""
    near = f"within ±{brief(figures.within)} of the true value {_resting(figures)}"
    return f" With {percent(plan.wishes.confidence)} % confidence {near}."


def _resting(figures: Figures) -> str:
    """What the distance rests on: that of the shapes is of all their tables, not of each."""
    return _ON_ALL if figures.rests_on == ON_SHAPES else figures.rests_on


def _right(figures: Figures) -> str:
    """How likely a word is right: under the prior, or on most tables of the public shapes."""
    if figures.typical is None:
        right = brief(100 * (1 - (figures.expected or 0)), 3)
        return f"right with probability {right} % {IF_PRIOR}"
    right = span_text([100 * (1 - wrong) for wrong in reversed(figures.typical)])
    return f"right with probability {right} % on most tables of public shapes"


def _wrong(figures: Figures) -> str:
    """How likely a word is wrong at most, whatever the rows are, where that is known."""
    if figures.worst >= 1:
        return ""
    return f" For any data it is wrong with probability {brief(100 * figures.worst, 3)} % at most."


def _too_wide(part: Part) -> tuple[str, ...]:
    """A sentence when the answer could be nearly anything; the plan's own note goes first."""
    subject, within = part.subject, part.chosen.figures.within
    span = float(subject.last - subject.start)
    counts = isinstance(subject.form, Counts)
    said = part.note or part.warning or part.chosen.epsilon is None or counts
    if said or within is None or within < span / 2:
        return ()
    low, high = (_end(subject, end) for end in (subject.start, subject.last))
    return (
        f"±{brief(within)} covers most of the range, {low} to {high}: at this ε the answer says "
        "little. Use a larger ε or more rows.",
    )


def _end(subject: Subject, end: Fraction) -> str:
    value, column = subject.told(end), subject.column
    if isinstance(value, date):
        return value_text(value)
    years = column is not None and counts_years(column) and end >= 1000  # not a difference
    return year_text(float(end)) if years else brief(float(end))


def _part(plan: Plan, part: Part, dataset: Dataset) -> PartView:
    shown = [*part.choice.candidates]
    if part.choice.baseline is not part.chosen and part.choice.baseline not in shown:
        shown.append(part.choice.baseline)
    return PartView(
        name=item_words(part.subject.item, dataset),
        confidence=percent(plan.wishes.confidence),
        picture=_picture(part, plan.wishes.confidence),
        best="" if part.choice.sense is None else f"{capital(sense_text(part.choice.sense))}.",
        errors=("typical error", "worst shape") if plan.wishes.safe else ("expected error",),
        candidates=tuple(_row(one, part, safe=plan.wishes.safe) for one in shown),
        simulated=any(one.figures.standard_error is not None for one in shown),
        left_out=tuple(
            (name, reason_text(why)) for name, why in part.choice.left_out if not why.expected
        ),
    )


def _row(candidate: Candidate, part: Part, *, safe: bool) -> CandidateRow:
    figures = candidate.figures
    expected = brief(figures.expected)
    if figures.standard_error is not None:
        expected += f" ± {brief(figures.standard_error, 1)}"
    shapes = (span_text(figures.typical), brief(figures.worst_shape))
    return CandidateRow(
        title=capital(candidate.title),
        errors=shapes if safe else (expected,),
        within=f"{brief(figures.within)} {figures.rests_on}".rstrip(),
        worst=brief(figures.worst),
        properties=", ".join(candidate.properties),
        chosen=candidate is part.chosen,
        baseline=candidate is part.choice.baseline,
    )


def _picture(part: Part, confidence: Fraction) -> Picture | None:
    law = scattering_of(part)
    if law is None or part.subject.dates is not None:
        return None
    if law.words is not None:
        return _of_words(law, law.words)
    reach = law.reach(float(confidence))
    low, high = law.between(reach)
    column, counts = part.subject.column, isinstance(part.subject.form, Counts)
    years = isinstance(part.subject.form, Placed) and column is not None and counts_years(column)
    number = year_text if years else brief
    what = "one of the true counts" if counts else "the true answer"
    if reach == 0:
        where = "would be exact"
    elif low == high:
        where = f"would be {number(low)}"
    else:
        where = f"would lie between {number(low)} and {number(high)}"
    even, elsewhere = _of_other_shapes(part.chosen.figures)
    message = (
        f"If {what} were {number(law.truth)}{even}, {percent(confidence)} % of answers "
        f"{where}{elsewhere}."
    )
    return scatter(law.answers, law.chances, law.truth, message, near=(low, high), years=years)


def _of_other_shapes(figures: Figures) -> tuple[str, str]:
    """What the picture rests on, where other tables than its own have other figures."""
    if figures.within is None or figures.rests_on != ON_SHAPES:
        return "", ""
    others = f"{_ON_ALL}, some closer and some farther off"
    remark = f"; {others}, within ±{brief(figures.within)}"
    return " and rows were spread evenly", remark


def _of_words(law: Scattering, words: tuple[str, ...]) -> Picture:
    place = int(law.truth)
    right = brief(100 * law.chances[place], 3)
    message = f"If the true answer were {words[place]}, {right} % of answers would say so."
    return word_scatter(words, law.chances, words[place], message)
