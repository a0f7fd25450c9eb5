"""TOP: a noisy count for every word, and the largest of them (002 §6; docs/proofs/laplace.md)."""

import math

from discreet.mechanisms.sensitivities import spendable
from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.figures import Figures
from discreet.planning.reasons import OTHER_STATISTIC, PROPERTIES_UNKNOWN, Unsuitable
from discreet.planning.releases.counts import CountsRelease
from discreet.planning.releases.noise import noise_reach
from discreet.statistics import Counts


def _why_not(task: Task) -> Unsuitable | None:
    if not isinstance(task.subject.form, Counts):
        return OTHER_STATISTIC
    return PROPERTIES_UNKNOWN if task.wishes.requirements else None


def _make(task: Task) -> Candidate:
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


TOPS = Maker("noisy counts", _why_not, _make)
