"""Answers that tell nothing of the rows: the best constant, and what is public anyway.

And a second look at what was chosen instead: would the constant err less if the prior were wrong?
"""

from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.measures import loss_by_answer
from discreet.model import Loss, LossName
from discreet.planning.candidates.by_database import Tables
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    error_name,
    figures_of_errors,
    loss_name,
)
from discreet.planning.candidates.ratio import constant_figures
from discreet.planning.judging import judging_of
from discreet.planning.reasons import Caution, Note
from discreet.planning.releases.by_database import DatabaseRelease
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.releases.release import (
    ConstantRelease,
    Release,
    Value,
    in_units,
    judged,
    true_value,
)
from discreet.planning.subjects.priors import Floats, beliefs
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import DATABASES, UNIFORM, Wishes
from discreet.statistics import Counts, FromSums, Ratio


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
    if isinstance(subject.form, FromSums):
        return _candidate(subject, *_middle_of_shapes(subject, wishes))
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


def always(baseline: Candidate) -> Value | date:
    """What a constant tells."""
    assert isinstance(baseline.release, ConstantRelease)
    told = baseline.release.always
    return baseline.release.subject.told(told) if isinstance(told, int | Fraction) else told


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


def _middle_of_shapes(subject: Subject, wishes: Wishes) -> tuple[Value, Figures]:
    """What half of the tables of public shapes lie below: for statistics that have no prior."""
    judging = judging_of(subject)
    truths = np.array([true_value(subject, one) for one in judging.tables])
    order = np.argsort(truths)
    place = int(np.searchsorted(np.cumsum(judging.table_weights[order]), 0.5))
    middle = Fraction(float(truths[order[min(place, len(order) - 1)]]))
    told = subject.unit * round(middle / subject.unit)
    errors = np.abs(truths - float(told))
    losses = judged(loss_name(subject, wishes), errors)
    furthest = float(max(told - subject.start, subject.last - told))
    expected = float(judging.table_weights @ errors)
    loss = furthest if wishes.worst_case else float(judging.table_weights @ losses)
    return told, Figures(loss=loss, expected=expected, worst=furthest, within=furthest)


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


@lru_cache(maxsize=256)
def expected_under(subject: Subject, release: Release[Any], prior: str) -> float | None:
    """The expected error of a matrix when answers come from another prior; None for samplers."""
    if isinstance(release, MatrixRelease) and release.merged == 1:
        by_answer = loss_by_answer(release.certified.mechanism, error_name(subject))
        return float(beliefs(subject, prior).weights @ by_answer)
    if not isinstance(release, DatabaseRelease) or subject.answers is None:
        return None
    mechanism = release.certified.mechanism
    errors = Loss.of(error_name(subject)).matrix(mechanism.outputs, subject.answers)
    by_table = mechanism.probabilities().T @ errors
    return float(np.sum(Tables(subject, release.blocks).joint(prior) * by_table))


def warning(subject: Subject, chosen: Candidate, wishes: Wishes) -> Note | None:
    """A note when, for evenly spread rows, a constant errs less than what was chosen.

    Designs for a prior over answers make no use of what is known of rows; this says when that
    would matter.
    """
    if wishes.prior != UNIFORM or wishes.worst_case or chosen.epsilon is None:
        return None
    if subject.labels is not None:
        return None
    ours = expected_under(subject, chosen.release, DATABASES)
    if ours is None:
        return None
    baseline = constant(subject, Wishes(prior=DATABASES))
    errs = baseline.figures.expected
    if errs is None or ours <= errs:
        return None
    return Note(
        kind=Caution.PRIOR_MATTERS,
        statistic=subject.item.label,
        always=always(baseline),
        error=errs,
        ours=ours,
    )
