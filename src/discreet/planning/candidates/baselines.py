"""What every other candidate is compared with: the best constant, and plain geometric noise.

A constant tells nothing of the rows (what is public anyway is one); a second look asks whether it
would err less if the prior were wrong. Two-sided geometric noise needs no matrix: it suits ranges
of any length, and a word's count (TOP).
"""

import time
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.exact import spendable
from discreet.measures import loss_by_answer
from discreet.mechanisms import GeometricMechanism
from discreet.model import Loss, LossName
from discreet.planning.candidates.by_database import Tables
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    Maker,
    Task,
    error_name,
    figures_of_errors,
    loss_name,
)
from discreet.planning.candidates.ratio import constant_figures
from discreet.planning.judging import judging_of
from discreet.planning.parts import always
from discreet.planning.reasons import (
    BIASED,
    PROPERTIES_UNKNOWN,
    Caution,
    Misfit,
    Note,
    Unsuitable,
)
from discreet.planning.releases.by_database import DatabaseRelease
from discreet.planning.releases.counts import CountsRelease
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.releases.noise import (
    NoiseRelease,
    clamped_reach,
    cut_losses,
    in_loss_units,
    noise_loss,
    noise_reach,
    noises_apart,
)
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
from discreet.statistics import Added, Counts, FromSums, Ratio

_CITATION = "Ghosh, Roughgarden & Sundararajan 2009"
_PROOF = "docs/proofs/geometric.md"


@lru_cache(maxsize=64)
def constant(subject: Subject, wishes: Wishes) -> Candidate:
    """The constant with the least loss for the goal: the baseline every ε must beat."""
    if subject.size == 1:
        answer = in_units(subject, subject.start)
        return _candidate(
            subject, answer, Figures(loss=0.0, expected=0.0, worst=0.0, within=0.0), "public fact"
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
    answer = in_units(subject, subject.start + subject.unit * place)
    return _candidate(subject, answer, _placed_figures(subject, wishes, place))


def _candidate(
    subject: Subject, answer: Value, figures: Figures, name: str = "constant"
) -> Candidate:
    title = "always the same answer" if name == "constant" else "known to everybody"
    release = ConstantRelease(subject, answer)
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
    answer = subject.unit * round(middle / subject.unit)
    errors = np.abs(truths - float(answer))
    losses = judged(loss_name(subject, wishes), errors)
    furthest = float(max(answer - subject.start, subject.last - answer))
    expected = float(judging.table_weights @ errors)
    loss = furthest if wishes.worst_case else float(judging.table_weights @ losses)
    return answer, Figures(loss=loss, expected=expected, worst=furthest, within=furthest)


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


def _clamped_why_not(task: Task) -> Unsuitable | None:
    if task.wishes.unbiased:
        return BIASED
    return PROPERTIES_UNKNOWN if task.wishes.requirements else None


def _unbiased_why_not(task: Task) -> Unsuitable | None:
    return None if task.wishes.unbiased else Unsuitable(Misfit.MAY_LEAVE_RANGE)


def _rate(task: Task) -> float:
    return float(_mechanism(task).rate())


def _mechanism(task: Task) -> GeometricMechanism:
    return GeometricMechanism.counting(task.epsilon, max(1, task.subject.steps))


def _clamped(task: Task) -> Candidate:
    started = time.perf_counter()
    figures = _clamped_figures(task)
    return Candidate(
        name="geometric noise",
        title="two-sided geometric noise, clamped to the range",
        citation=_CITATION,
        epsilon=task.epsilon,
        figures=figures,
        properties=(),
        seconds=time.perf_counter() - started,
        release=NoiseRelease(task.subject, _mechanism(task).rate(), clamped=True),
        proof=_PROOF,
    )


def _unbiased(task: Task) -> Candidate:
    subject, rate = task.subject, _rate(task)
    unit, name = float(subject.unit), loss_name(subject, task.wishes)
    expected = unit * noise_loss(rate, LossName.ABSOLUTE)
    reach = unit * noise_reach(rate, 1 - float(task.wishes.confidence))
    figures = Figures(
        loss=in_loss_units(name, unit) * noise_loss(rate, name),
        expected=expected,
        worst=expected,
        within=reach,
    )
    return Candidate(
        name="unbiased noise",
        title="two-sided geometric noise, unclamped",
        citation=_CITATION,
        epsilon=task.epsilon,
        figures=figures,
        properties=("unbiased",),
        seconds=0.0,
        release=NoiseRelease(subject, _mechanism(task).rate(), clamped=False),
        proof=_PROOF,
    )


def _clamped_figures(task: Task) -> Figures:
    subject, wishes, rate = task.subject, task.wishes, _rate(task)
    known, unit = beliefs(subject, wishes.supposed), float(subject.unit)
    below, above = known.places, subject.size - 1 - known.places
    expected, loss = (
        in_loss_units(name, unit) * cut_losses(rate, below, above, name)
        for name in (LossName.ABSOLUTE, loss_name(subject, wishes))
    )
    reach = clamped_reach(rate, 1 - float(wishes.confidence), subject.size - 1)
    return figures_of_errors(wishes, loss, expected, unit * reach, known)


CLAMPED = Maker("geometric noise", Added, _clamped_why_not, _clamped, plain=True)
UNBIASED = Maker("unbiased noise", Added, _unbiased_why_not, _unbiased, plain=True)


def _tops_why_not(task: Task) -> Unsuitable | None:
    return PROPERTIES_UNKNOWN if task.wishes.requirements else None


def _noisy_tops(task: Task) -> Candidate:
    subject, wishes, form = task.subject, task.wishes, task.subject.form
    assert isinstance(form, Counts)
    exact = spendable(task.epsilon) / max(1, subject.steps)
    rate = float(exact)
    expected = noise_loss(rate, LossName.ABSOLUTE)
    words = 1 if subject.labels is None else len(subject.labels)
    every = noise_reach(rate, (1 - float(wishes.confidence)) / words)
    loss = noise_loss(rate, wishes.loss or LossName.ABSOLUTE)
    pairs = max(1, words * (words - 1) // 2)
    behind = noises_apart(rate, (1 - float(wishes.confidence)) / pairs)
    figures = Figures(
        loss=loss,
        expected=expected,
        worst=expected,
        within=float(every),
        rows_behind=min(behind, 2 * every) if words > form.told else 0,
    )
    return Candidate(
        name="noisy counts",
        title="two-sided geometric noise for every word's count, the largest reported",
        citation="001 Props. 5 and 6; 002 §6",
        epsilon=task.epsilon,
        figures=figures,
        properties=("unbiased",) if wishes.unbiased else (),
        seconds=0.0,
        release=CountsRelease(subject, exact, clamped=not wishes.unbiased),
        proof="docs/proofs/laplace.md",
    )


TOPS = Maker("noisy counts", Counts, _tops_why_not, _noisy_tops, plain=True)
