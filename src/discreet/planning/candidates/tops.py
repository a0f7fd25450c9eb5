"""TOP: a noisy count for every word, and the largest of them (002 §6; docs/proofs/laplace.md)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import add

from discreet.mechanisms.sensitivities import spendable
from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.figures import Figures
from discreet.planning.releases.release import DrawnValue, Release, noise_reach
from discreet.planning.subjects.subject import Subject
from discreet.sampling import NoiseTables, noise_tables
from discreet.sampling.laplace import check_rate
from discreet.statistics import Counted, Counts, Tally


@dataclass(frozen=True)
class CountsRelease(Release[list[int]]):
    """Every word's count with its own noise; the `most` largest are told, the others forgotten.

    One row moves two counts by one (a change) or one count (added or removed): the L1 sensitivity
    is the subject's `steps`.
    """

    subject: Subject
    rate: Fraction
    clamped: bool

    def check(self) -> None:
        """Whether noise of this rate can be drawn."""
        check_rate(self.rate)

    def sampler(self, counted: Counted) -> Callable[[], list[int]]:
        """Draws every word's count with its noise."""
        assert isinstance(counted, Tally)
        return partial(_with_noise, counted.counts.tolist(), noise_tables(self.rate))

    def told(self, output: list[int], confidence: Fraction) -> DrawnValue:
        """Words with counts, the largest first; of equal ones, the first declared.

        A list of counts has no interval: its error is in the figures.
        """
        form, counts = self.subject.form, output
        assert isinstance(form, Counts)
        names = form.labels.names
        if self.clamped:
            counts = [min(max(count, 0), self.subject.most_rows) for count in counts]
        order = sorted(range(len(names)), key=lambda place: (-counts[place], place))
        largest = tuple((names[place], counts[place]) for place in order[: form.told])
        return DrawnValue(largest, None)


def _with_noise(counts: list[int], noise: NoiseTables) -> list[int]:
    return list(map(add, counts, noise.draw_many(len(counts)).tolist()))


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
