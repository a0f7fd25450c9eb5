"""Two-sided geometric noise without a matrix: ranges of any length, and a word's count (TOP)."""

import math
import time

import numpy as np

from discreet.mechanisms import GeometricMechanism
from discreet.mechanisms.sensitivities import spendable
from discreet.model import LossName
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    Maker,
    Task,
    figures_of_errors,
    loss_name,
)
from discreet.planning.reasons import (
    BIASED,
    OTHER_STATISTIC,
    PROPERTIES_UNKNOWN,
    Misfit,
    Unsuitable,
)
from discreet.planning.releases.counts import CountsRelease
from discreet.planning.releases.noise import NoiseRelease, clamped_reach, noise_reach
from discreet.planning.subjects.priors import Floats, Places, beliefs
from discreet.statistics import Added, Counts

_CITATION = "Ghosh, Roughgarden & Sundararajan 2009"
_PROOF = "docs/proofs/geometric.md"


def _clamped_why_not(task: Task) -> Unsuitable | None:
    if not _is_added(task):
        return OTHER_STATISTIC
    if task.wishes.unbiased:
        return BIASED
    return PROPERTIES_UNKNOWN if task.wishes.requirements else None


def _unbiased_why_not(task: Task) -> Unsuitable | None:
    if not _is_added(task):
        return OTHER_STATISTIC
    return None if task.wishes.unbiased else Unsuitable(Misfit.MAY_LEAVE_RANGE)


def _is_added(task: Task) -> bool:
    return isinstance(task.subject.form, Added) and task.subject.size > 1


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
    unit, alpha = float(subject.unit), np.exp(-rate)
    expected = unit * 2 * alpha / (-np.expm1(-rate) * (1 + alpha))
    squared = unit**2 * 2 * alpha / np.expm1(-rate) ** 2
    wrong = 2 * alpha / (1 + alpha)
    loss = {LossName.ABSOLUTE: expected, LossName.SQUARED: squared, LossName.ZERO_ONE: wrong}
    reach = unit * noise_reach(rate, 1 - float(task.wishes.confidence))
    figures = Figures(
        loss=float(loss[loss_name(subject, task.wishes)]),
        expected=float(expected),
        worst=float(expected),
        within=reach,
    )
    return Candidate(
        name="unbiased noise",
        title="two-sided geometric noise, as it comes",
        citation=_CITATION,
        epsilon=task.epsilon,
        figures=figures,
        properties=("unbiased",),
        seconds=0.0,
        release=NoiseRelease(subject, _mechanism(task).rate(), clamped=False),
        proof=_PROOF,
    )


def _clamped_figures(task: Task) -> Figures:
    """Noise k ≥ t has probability α^t/(1 + α), and is cut where the range ends."""
    subject, wishes, rate = task.subject, task.wishes, _rate(task)
    known = beliefs(subject, wishes.prior)
    unit, alpha = float(subject.unit), np.exp(-rate)
    below, above = known.places, subject.size - 1 - known.places
    expected = unit * (_mean_cut(rate, below) + _mean_cut(rate, above))
    name = loss_name(subject, wishes)
    if name == LossName.ABSOLUTE:
        loss = expected
    elif name == LossName.SQUARED:
        loss = unit**2 * (_square_cut(rate, below) + _square_cut(rate, above))
    else:
        loss = alpha / (1 + alpha) * ((below > 0) * 1.0 + (above > 0))

    reach = clamped_reach(rate, 1 - float(wishes.confidence), subject.size - 1)
    return figures_of_errors(wishes, loss, expected, unit * reach, known)


def _mean_cut(rate: float, most: Places) -> Floats:
    """E min(k⁺, most) = Σ_{t=1}^{most} α^t/(1 + α)."""
    alpha = np.exp(-rate)
    found: Floats = alpha * -np.expm1(-rate * most) / (-np.expm1(-rate) * (1 + alpha))
    return found


def _square_cut(rate: float, most: Places) -> Floats:
    """E min(k⁺, most)² = Σ_{t=1}^{most} (2t − 1)·α^t/(1 + α), summed in closed form."""
    alpha, gone = np.exp(-rate), -np.expm1(-rate)
    tail = np.exp(-rate * most)
    first = alpha * -np.expm1(-rate * most) / gone
    weighted = (first - most * tail * alpha) / gone
    found: Floats = (2 * weighted - first) / (1 + alpha)
    return found


CLAMPED = Maker("geometric noise", _clamped_why_not, _clamped)
UNBIASED = Maker("unbiased noise", _unbiased_why_not, _unbiased)


def _tops_why_not(task: Task) -> Unsuitable | None:
    if not isinstance(task.subject.form, Counts):
        return OTHER_STATISTIC
    return PROPERTIES_UNKNOWN if task.wishes.requirements else None


def _noisy_tops(task: Task) -> Candidate:
    subject, wishes = task.subject, task.wishes
    exact = spendable(task.epsilon) / max(1, subject.steps)
    rate, alpha = float(exact), math.exp(-float(exact))
    expected = 2 * alpha / (-math.expm1(-rate) * (1 + alpha))
    squared = 2 * alpha / math.expm1(-rate) ** 2
    words = 1 if subject.labels is None else len(subject.labels)
    every = noise_reach(rate, (1 - float(wishes.confidence)) / words)
    loss = squared if wishes.loss == LossName.SQUARED else expected
    figures = Figures(loss=loss, expected=expected, worst=expected, within=float(every))
    return Candidate(
        name="noisy counts",
        title="two-sided geometric noise for every word's count, the largest told",
        citation="001 Props. 5 and 6; 002 §6",
        epsilon=task.epsilon,
        figures=figures,
        properties=("unbiased",) if wishes.unbiased else (),
        seconds=0.0,
        release=CountsRelease(subject, exact, clamped=not wishes.unbiased),
        proof="docs/proofs/laplace.md",
    )


TOPS = Maker("noisy counts", _tops_why_not, _noisy_tops)
