"""Two-sided geometric noise without a matrix: ranges of any length, and a word's count (TOP)."""

import time

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
    PROPERTIES_UNKNOWN,
    Misfit,
    Unsuitable,
)
from discreet.planning.releases.counts import CountsRelease
from discreet.planning.releases.noise import (
    NoiseRelease,
    clamped_reach,
    cut_losses,
    in_loss_units,
    noise_loss,
    noise_reach,
    noises_apart,
)
from discreet.planning.subjects.priors import beliefs
from discreet.statistics import Added, Counts

_CITATION = "Ghosh, Roughgarden & Sundararajan 2009"
_PROOF = "docs/proofs/geometric.md"


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
        title="two-sided geometric noise for every word's count, the largest told",
        citation="001 Props. 5 and 6; 002 §6",
        epsilon=task.epsilon,
        figures=figures,
        properties=("unbiased",) if wishes.unbiased else (),
        seconds=0.0,
        release=CountsRelease(subject, exact, clamped=not wishes.unbiased),
        proof="docs/proofs/laplace.md",
    )


TOPS = Maker("noisy counts", Counts, _tops_why_not, _noisy_tops, plain=True)
