"""Answers that tell nothing of the rows: the best constant, and what is public anyway."""

from functools import lru_cache

import numpy as np

from discreet.model import LossName
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    figures_of_errors,
    loss_name,
)
from discreet.planning.candidates.ratio import constant_figures
from discreet.planning.releases.constant import ConstantRelease
from discreet.planning.releases.law import judged
from discreet.planning.releases.release import Value, in_units
from discreet.planning.subjects.priors import Floats, beliefs
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import Wishes
from discreet.statistics import Counts, Ratio


@lru_cache(maxsize=64)
def constant(subject: Subject, wishes: Wishes) -> Candidate:
    """The constant with the least loss for the goal: the baseline every ε must beat."""
    if subject.size == 1:
        told = in_units(subject, subject.start)
        return _candidate(
            subject, told, Figures(loss=0.0, expected=0.0, worst=0.0, within=0.0), "public fact"
        )
    if isinstance(subject.form, Ratio):
        value, figures = constant_figures(subject, wishes)
        return _candidate(subject, value, figures)
    if isinstance(subject.form, Counts):
        each, figures = _even_counts(subject.form)
        words = subject.form.labels.names[: subject.form.told]
        return _candidate(subject, tuple((word, each) for word in words), figures)
    place = _best_place(subject, wishes)
    if subject.labels is not None:
        wrong = 1 - float(beliefs(subject, wishes.supposed).weights[place])
        at_worst = 1.0 if subject.size > 1 else 0.0
        loss = at_worst if wishes.worst_case else wrong
        figures = Figures(loss=loss, expected=wrong, worst=at_worst, within=None)
        return _candidate(subject, subject.labels.value(place), figures)
    told = in_units(subject, subject.start + subject.unit * place)
    return _candidate(subject, told, _placed_figures(subject, wishes, place))


def always(baseline: Candidate) -> Value:
    """What a constant tells."""
    assert isinstance(baseline.release, ConstantRelease)
    return baseline.release.always


def _candidate(
    subject: Subject, told: Value, figures: Figures, name: str = "constant"
) -> Candidate:
    title = "always the same answer" if name == "constant" else "known to everybody"
    release = ConstantRelease(subject, told)
    return Candidate(
        name=name,
        title=title,
        citation="003 §4.3.2",
        epsilon=None,
        figures=figures,
        properties=(),
        seconds=0.0,
        release=release,
    )


def _even_counts(form: Counts) -> tuple[int, Figures]:
    """An even share for every word; how wrong that is depends on what one believes of counts."""
    each = form.most_rows // len(form.labels)
    worst = float(form.most_rows - each)
    expected = float(each) / 2
    return each, Figures(loss=expected, expected=expected, worst=worst, within=worst)


def _best_place(subject: Subject, wishes: Wishes) -> int:
    known = beliefs(subject, wishes.supposed)
    name = loss_name(subject, wishes)
    if wishes.worst_case:
        return (subject.size - 1) // 2
    if name == LossName.ZERO_ONE:
        return int(known.places[int(known.weights.argmax())])
    if name == LossName.SQUARED:
        return round(float(known.weights @ known.places))
    middle = int(np.searchsorted(np.cumsum(known.weights), 0.5 - 1e-12))
    return int(known.places[min(middle, len(known.places) - 1)])


def _placed_figures(subject: Subject, wishes: Wishes, place: int) -> Figures:
    known = beliefs(subject, wishes.supposed)
    unit = float(subject.unit)
    errors: Floats = unit * np.abs(known.places - place)
    name = loss_name(subject, wishes)
    loss = judged(name, errors)
    furthest = unit * max(place, subject.size - 1 - place)
    return figures_of_errors(wishes, loss, errors, furthest, known)
