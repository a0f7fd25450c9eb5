"""TOP: a noisy count for every word, and the largest of them (002 §6; docs/proofs/laplace.md)."""

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.mechanisms.sensitivities import spendable
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.figures import Figures
from discreet.planning.releases.release import Interval, Release, Value, noise_reach
from discreet.planning.subjects.subject import Subject
from discreet.sampling import discrete_laplace
from discreet.statistics import Counts, Histogram


@dataclass(frozen=True)
class CountsRelease(Release):
    """Every word's count with its own noise; the `most` largest are told, the others forgotten.

    One row moves two counts by one (a change) or one count (added or removed): the L1 sensitivity
    is the subject's `steps`.
    """

    subject: Subject
    rate: Fraction
    clamped: bool

    def draw(self, histogram: Histogram) -> Value:
        """Words with counts, the largest first; of equal ones, the first declared."""
        form = self.subject.form
        assert isinstance(form, Counts)
        names = form.labels.names
        noise = discrete_laplace(self.rate, len(names))
        counts = [histogram.get(place, 0) + int(moved) for place, moved in enumerate(noise)]
        if self.clamped:
            counts = [min(max(count, 0), self.subject.most_rows) for count in counts]
        order = sorted(range(len(names)), key=lambda place: (-counts[place], place))
        return tuple((names[place], counts[place]) for place in order[: form.told])

    def interval(self, value: Value, confidence: Fraction) -> Interval | None:
        """None: a list of counts has its error in the figures."""
        return None


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
    loss = squared if wishes.loss == "squared" else expected
    figures = Figures(loss, expected, expected, float(every))
    return Candidate(
        "noisy counts", "two-sided geometric noise for every word's count, the largest told",
        "001 Props. 5 and 6; 002 §6", task.epsilon, figures,
        ("unbiased",) if wishes.unbiased else (), 0.0,
        CountsRelease(subject, exact, clamped=not wishes.unbiased), "docs/proofs/laplace.md",
    )  # fmt: skip


TOPS = Maker("noisy counts", _why_not, _make)
