"""Small tables: the safe rule as a program over the rows around the rank, by runs of values.

Among all private mechanisms that see so much of a table, the one that errs least on average over
tables of the public shapes, held against plain by-rank table by table, with a cap for every shape
(docs/proofs/safe-rule.md, small tables). Everything here is public.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.certifier import Certified
from discreet.databases import Databases
from discreet.databases.capped import Caps, solved_with_caps
from discreet.databases.problem import DatabaseProblem
from discreet.errors import DesignError
from discreet.exact import spendable
from discreet.model import Listed, LossName, Space
from discreet.model.neighbours import Relation
from discreet.planning.candidates.by_rank import RANKS
from discreet.planning.candidates.candidate import Candidate, Figures, Task, error_name, loss_name
from discreet.planning.candidates.imagined import Imagined, most_rows, plain_losses
from discreet.planning.candidates.keeping import certified_once, kept
from discreet.planning.candidates.windows import Counts, Window
from discreet.planning.judging import CAP, FEW_ROWS, MOST_VALUES, Judging, judging_of
from discreet.planning.reasons import Misfit, Unsuitable
from discreet.planning.releases.by_window import WindowRelease
from discreet.planning.releases.choice import ChoiceRelease
from discreet.planning.releases.release import judged
from discreet.planning.subjects.priors import Floats
from discreet.statistics import Rank, Tally

MOST_PRECISION = 12
"""Rows times ε beyond which ranks are so precise on tables with ties that no row and no value may
be left out of sight: measured on real columns."""
MOST_RATIOS = 13_300
"""Up to so many pairs of neighbours, times outputs, a program takes seconds."""
MOST_RATIOS_QUICKLY = 4_000
_MOST_PLACES = 10
_RUNS = (5, 4, 3)
"""How many runs values are cut into: more of them leave room for fewer rows."""
_TABLE_CAP = 1.05
_TABLE_PRICE = 20.0
"""What errors beyond the cap of a table cost, on top of themselves."""
_ELSEWHERE = 0.02
"""What tables that no shape has count for together: nothing is left undecided."""
_METHOD = f"planner by table, {_TABLE_PRICE:g} beyond a cap"


def why_not(task: Task) -> Unsuitable | None:
    """Why there is no program for a task, by its public facts; None where one may be tried."""
    subject = task.subject
    if subject.rows_per_unit > 1 or not subject.fixed_size:
        return Unsuitable(Misfit.NEEDS_PUBLIC_SIZE)
    if subject.size > MOST_VALUES:
        return Unsuitable(Misfit.TOO_MANY_VALUES, size=subject.size, most=MOST_VALUES)
    precise = subject.most_rows * float(task.epsilon) > MOST_PRECISION
    if subject.most_rows > FEW_ROWS or (precise and not _sees_everything(task)):
        return Unsuitable(Misfit.TOO_MANY_HISTOGRAMS)
    return None


def _sees_everything(task: Task) -> bool:
    """Whether every value is a run of its own, and every row is counted."""
    size, rows = task.subject.size, task.subject.most_rows
    return size <= max(_RUNS) and most_rows(rows, size, size, _most_ratios(task)) == rows


def _most_ratios(task: Task) -> int:
    """The programs of all statistics of a question share the time of one, down to a quick one."""
    least = MOST_RATIOS_QUICKLY
    return least if task.quick else max(least, MOST_RATIOS // task.among)


def make(task: Task) -> Candidate:
    """The first program that keeps the caps; DesignError when none does.

    One that is kept was the first when it was found: those before it are not tried again.
    """
    started = time.perf_counter()
    tried = list(_tried(task))
    for find in (_kept, _certified):
        for tables in tried:
            try:
                certified = find(task, tables)
            except DesignError:
                continue
            if certified is not None:
                return _candidate(task, tables, certified, time.perf_counter() - started)
    raise DesignError("with so many rows a rank-based choice errs less than a few runs of values")


def _tried(task: Task) -> Iterator["SafeTables"]:
    """The widest cut into runs that leaves room for enough rows, and then one run more."""
    imagined = Imagined.of(task)
    places = imagined.parts(min(_MOST_PLACES, task.subject.size))
    cuts = [imagined.runs(min(many, task.subject.size), places) for many in _RUNS]
    windows = [imagined.window(runs, len(places), _most_ratios(task)) for runs in cuts]
    wanted = min(task.subject.most_rows, math.ceil(imagined.reach / float(task.epsilon)))
    last = len(_RUNS) - 1 - imagined.is_at_an_end
    if _sees_everything(task):
        last = 0
    first = next((at for at in range(last) if windows[at].rows >= wanted), last)
    for at in sorted({first, max(0, first - 1)}, reverse=True):
        yield SafeTables(task=task, imagined=imagined, window=windows[at], places=places)


@dataclass(frozen=True, eq=False, kw_only=True)
class SafeTables:
    """What a program sees of a table, what it may tell, and what it is judged by."""

    task: Task
    imagined: Imagined
    window: Window
    places: Counts
    """The indices of the values that may be told."""

    @cached_property
    def databases(self) -> Databases:
        """The window's rows over the runs, as columns."""
        return Databases.of(self.window.rows, range(len(self.window.runs)), Relation.CHANGE)

    @property
    def outputs(self) -> Space:
        """The told values."""
        subject = self.task.subject
        return Listed(tuple(subject.start + subject.unit * int(one) for one in self.places))

    @property
    def problem(self) -> DatabaseProblem:
        """The average, over imagined tables, of how many times plain by-rank's loss ours is."""
        ratios = self._ratios(self.imagined.answers, self.imagined.plain)
        columns = self._columns(self.imagined.counts)
        many = len(self.databases)
        weighed = ratios * self.imagined.weights
        mean = np.array([np.bincount(columns, line, minlength=many) for line in weighed])
        costs = (1 - _ELSEWHERE) * mean + _ELSEWHERE * self._everywhere() / many
        return DatabaseProblem.of(
            self.databases,
            self.outputs,
            costs * many,
            np.full(many, 1 / many),
            self.task.epsilon,
            name="safe by table",
            progress=self.task.progress,
        )

    def caps(self) -> list[Caps]:
        """One for each shape, that is kept; one for each imagined table, that is paid for.

        Where everything is seen, one for every table there is, that is kept.
        """
        caps = [self._shape_caps(judging_of(self.task.subject)), self._table_caps()]
        return [*caps, self._caps_of_all()] if self.window.is_everything else caps

    def _caps_of_all(self) -> Caps:
        """No table at all may cost more than the safe rule allows: plain by-rank does not."""
        tables, many = self.databases.counts, len(self.places)
        answers = self.window.run(tables)
        ratios = self._ratios(answers, plain_losses(self.task, tables))
        return Caps(
            cap=np.repeat(np.arange(len(tables)), many),
            output=np.tile(np.arange(many), len(tables)),
            database=np.repeat(np.arange(len(tables)), many),
            cost=ratios.T.ravel(),
            most=np.full(len(tables), CAP),
        )

    def _shape_caps(self, judging: Judging) -> Caps:
        """No shape that candidates are judged on may cost more than the safe rule allows."""
        lines = np.array([one.counts for one in judging.tables if isinstance(one, Tally)])
        statistic = self.task.subject.statistic
        assert isinstance(statistic, Rank)
        each = len(lines) // len(judging.weights)
        plain = judging.by_shape(judging.losses(_plain(self.task), self._loss)) + self._quarter
        losses = self._losses(statistic.places(lines)) + self._quarter
        shape = np.repeat(np.arange(len(judging.weights)), each)
        costs = losses / (each * plain[shape])
        outputs, tables = np.meshgrid(np.arange(len(costs)), np.arange(len(lines)))
        return Caps(
            cap=shape[tables.ravel()],
            output=outputs.ravel(),
            database=self._columns(lines)[tables.ravel()],
            cost=costs.T.ravel(),
            most=np.full(len(judging.weights), CAP),
        )

    def _table_caps(self) -> Caps:
        """Imagined tables alike in what is seen and in their answer share a cap."""
        imagined, many = self.imagined, len(self.places)
        ratios = self._ratios(imagined.answers, imagined.plain)
        keys = self._columns(imagined.counts) * imagined.subject.size + imagined.answers
        kept, group = np.unique(keys, return_inverse=True)
        weights = np.bincount(group, imagined.weights).astype(np.float64)
        costs = [np.bincount(group, line * imagined.weights) / weights for line in ratios]
        return Caps(
            cap=np.repeat(np.arange(len(kept)), many),
            output=np.tile(np.arange(many), len(kept)),
            database=np.repeat(kept // imagined.subject.size, many),
            cost=np.array(costs).T.ravel(),
            most=np.full(len(kept), _TABLE_CAP),
            price=_TABLE_PRICE,
            weights=weights,
        )

    @property
    def _loss(self) -> LossName:
        return loss_name(self.task.subject, self.task.wishes)

    @property
    def _quarter(self) -> float:
        return judging_of(self.task.subject).quarter(self._loss)

    def _columns(self, counts: Counts) -> Counts:
        return self.databases.columns(self.window.seen(counts))

    def _losses(self, answers: Counts | Floats) -> Floats:
        """What every output (rows) costs where these are the answers."""
        apart = np.abs(self.places[:, None] - answers[None, :])
        return judged(self._loss, float(self.task.subject.unit) * apart)

    def _ratios(self, answers: Counts, plain: Floats) -> Floats:
        return np.asarray((self._losses(answers) + self._quarter) / (plain + self._quarter))

    def _everywhere(self) -> Floats:
        """For every column, what an output costs where the middle of the run is the answer."""
        runs = self.window.runs
        middles = np.array(runs.starts) + (np.array(runs.sizes) - 1) / 2
        losses = self._losses(middles[self.window.run(self.databases.counts)])
        return np.asarray(
            (losses + self._quarter) / (np.median(self.imagined.plain) + self._quarter)
        )


def _plain(task: Task) -> ChoiceRelease:
    """By rank with nothing added."""
    return ChoiceRelease(
        subject=task.subject,
        distance=RANKS.distance,
        rate=spendable(task.epsilon) / 2,
        leanings=(Fraction(0),) * task.subject.size,
        within=None,
    )


def _kept(task: Task, tables: SafeTables) -> Certified | None:
    """What was found before; where nothing is kept, no program is written for it."""
    return None if task.cache is None else kept(task, tables.problem.request, _METHOD)


def _certified(task: Task, tables: SafeTables) -> Certified:
    problem = tables.problem
    return certified_once(
        task, problem.request, _METHOD, lambda: solved_with_caps(problem, tables.caps())
    )


def _candidate(task: Task, tables: SafeTables, certified: Certified, seconds: float) -> Candidate:
    window = tables.window
    release = WindowRelease(
        subject=task.subject,
        blocks=window.runs,
        databases=tables.databases,
        unselected=False,
        certified=certified,
        window=window,
    )
    shared = len(window.runs) < task.subject.size
    words = f", values put together into {len(window.runs)} runs" if shared else ""
    return Candidate(
        name="by database",
        title=f"optimal for whole tables of the public shapes{words}",
        citation="002 LP[1]; 003 §3.4",
        epsilon=task.epsilon,
        figures=_figures(task, tables, release),
        properties=(),
        seconds=seconds,
        release=release,
        proof="docs/proofs/safe-rule.md",
    )


def _figures(task: Task, tables: SafeTables, release: WindowRelease) -> Figures:
    """What holds for every table; the safe rule adds what the shapes say."""
    subject, window = task.subject, tables.window
    chances = release.certified.mechanism.probabilities()
    starts = np.array(window.runs.starts)
    run = window.run(tables.databases.counts)
    ends = [starts[run], starts[run] + np.array(window.runs.sizes)[run] - 1]
    unit = float(subject.unit)
    # The distance from the truth is convex in the truth: an end of its run is the worst.
    apart = unit * np.stack([np.abs(tables.places[:, None] - end[None, :]) for end in ends])
    worst = float((chances * apart).sum(axis=1).max())
    by_shape = judging_of(subject).losses(release, error_name(subject))
    return Figures(
        loss=float(by_shape.mean()),
        expected=None,
        worst=worst,
        within=_within(apart.max(axis=0), chances, float(task.wishes.confidence)),
        rows_off=release.rows_off(task.wishes.confidence),
    )


def _within(apart: Floats, chances: Floats, confidence: float) -> float:
    """The least distance that holds often enough in every column, wherever the truth is in it."""
    order = np.argsort(apart, axis=0, kind="stable")
    reached = np.cumsum(np.take_along_axis(chances, order, axis=0), axis=0)
    first = (reached >= confidence + 1e-12).argmax(axis=0)
    return float(np.take_along_axis(apart, order, axis=0)[first, np.arange(len(first))].max())
