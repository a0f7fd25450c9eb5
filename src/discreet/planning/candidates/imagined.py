"""Imagined tables of the public shapes, as a program for small tables is written for them."""

from dataclasses import dataclass
from math import comb

import numpy as np

from discreet.exact import spendable
from discreet.planning.candidates.blocks import ValueRuns
from discreet.planning.candidates.candidate import Task, loss_name
from discreet.planning.candidates.windows import Counts, Window
from discreet.planning.judging import shapes
from discreet.planning.releases.release import judged
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Rank

_TABLES = 30
"""So many of each shape are averaged over."""
_REACH_OF_MEDIAN = 9
_REACH = 6
"""In multiples of 1/ε, how many rows around the rank are worth more than another run."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Imagined:
    """Imagined tables of the public shapes, their answers, and what plain by-rank loses on them."""

    subject: Subject
    place: int
    counts: Counts
    answers: Counts
    weights: Floats
    plain: Floats

    @classmethod
    def of(cls, task: Task) -> "Imagined":
        """As many of each shape as make averages steady."""
        subject = task.subject
        assert isinstance(subject.statistic, Rank)
        family = shapes(subject.size, from_zero=subject.start == 0)
        counts = family.tables(subject.most_rows, _TABLES)
        answers = subject.statistic.places(counts)
        return cls(
            subject=subject,
            place=subject.statistic.of(subject.most_rows),
            counts=counts,
            answers=answers,
            weights=np.repeat(family.weights / _TABLES, _TABLES),
            plain=plain_losses(task, counts),
        )

    @property
    def is_at_an_end(self) -> bool:
        """Whether the smallest or the largest row is asked for."""
        return self.place in (1, self.subject.most_rows)

    @property
    def reach(self) -> int:
        """How many rows around the rank are wanted, in multiples of 1/ε."""
        rows = self.subject.most_rows
        inner = 4 * min(self.place, rows - self.place) >= rows
        return _REACH_OF_MEDIAN if inner else _REACH

    def window(self, runs: ValueRuns, places: int, most: int) -> Window:
        """As many rows around the rank as there is room for."""
        rows = most_rows(self.subject.most_rows, len(runs), places, most)
        return Window.around(self.place, self.subject.most_rows, rows, runs)

    def parts(self, many: int) -> Counts:
        """The middle answers of so many equally likely parts, or all values."""
        if many == self.subject.size:
            return np.arange(many)
        return np.unique(self._answer((np.arange(many) + 0.5) / many))

    def runs(self, many: int, places: Counts) -> ValueRuns:
        """Runs of values that hold the answer equally often; each is called by a place near it."""
        values = self.subject.size
        starts = np.arange(values)
        if many < values:
            inner = self._answer(np.arange(1, many) / many) + 1
            starts = np.unique(np.append(0, inner[inner < values]))
        nearest = places[np.abs(places[None, :] - starts[:, None]).argmin(axis=1)]
        return ValueRuns(tuple(starts.tolist()), tuple(nearest.tolist()), values)

    def _answer(self, shares: Floats) -> Counts:
        order = np.argsort(self.answers, kind="stable")
        below = np.cumsum(self.weights[order])
        ranks = np.searchsorted(below, shares * below[-1])
        return np.asarray(self.answers[order][np.minimum(ranks, len(order) - 1)])


def plain_losses(task: Task, counts: Counts) -> Floats:
    """What the exponential mechanism by rank loses on tables that are lines of counts."""
    subject = task.subject
    assert isinstance(subject.statistic, Rank)
    answers = subject.statistic.places(counts)
    away = subject.statistic.rows_away(counts)
    likely = np.exp(-float(spendable(task.epsilon)) / 2 * (away - away.min(axis=1, keepdims=True)))
    apart = np.abs(np.arange(subject.size) - answers[:, None])
    losses = judged(loss_name(subject, task.wishes), float(subject.unit) * apart)
    return np.asarray((likely * losses).sum(axis=1) / likely.sum(axis=1))


def most_rows(rows: int, runs: int, places: int, most: int) -> int:
    """The widest window whose program is small enough."""
    while rows > 1 and comb(runs, 2) * comb(rows + runs - 2, runs - 1) * places > most:
        rows -= 1
    return rows
