"""TOP: a noisy count for every word, and the largest of them (002 §6; docs/proofs/laplace.md)."""

import math

from discreet.mechanisms.sensitivities import spendable
from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.figures import Figures
from discreet.planning.releases.counts import CountsRelease
from discreet.planning.releases.noise import noise_reach
from discreet.statistics import Counts


def _why_not(task: Task) -> str | None:
    if not isinstance(task.subject.form, Counts):
        return "only for TOP"
    return "its properties are not written out" if task.wishes.requirements else None


def _make(task: Task) -> Candidate:
    subject, wishes = task.subject, task.wishes
    exact = spendable(task.epsilon) / max(1, subject.steps)
    rate, alpha = float(exact), math.exp(-float(exact))
    expected = 2 * alpha / (-math.expm1(-rate) * (1 + alpha))
    squared = 2 * alpha / math.expm1(-rate) ** 2
    words = 1 if subject.labels is None else len(subject.labels)
    every = noise_reach(rate, (1 - float(wishes.confidence)) / words)
    loss = squared if wishes.loss == LossName.SQUARED else expected
    figures = Figures(loss, expected, expected, float(every))
    return Candidate(
        "noisy counts", "two-sided geometric noise for every word's count, the largest told",
        "001 Props. 5 and 6; 002 §6", task.epsilon, figures,
        ("unbiased",) if wishes.unbiased else (), 0.0,
        CountsRelease(subject, exact, clamped=not wishes.unbiased), "docs/proofs/laplace.md",
    )  # fmt: skip


TOPS = Maker("noisy counts", _why_not, _make)
