"""Candidates that see the whole table: columns are histograms of the selected rows (002 LP[1]).

Where histograms are too many, neighbouring values are put together first: a function of each row
alone, so that neighbours stay neighbours (docs/proofs/groups.md).
"""

import time
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.databases import Databases
from discreet.databases.problem import DatabaseProblem
from discreet.model import Labels, Listed, Loss, Space
from discreet.model.neighbours import Relation
from discreet.planning.candidates import safe_tables
from discreet.planning.candidates.blocks import ValueRuns, best_blocks
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    Maker,
    Task,
    error_name,
    loss_name,
)
from discreet.planning.candidates.keeping import certified_once
from discreet.planning.reasons import PROPERTIES_UNKNOWN, Misfit, Unsuitable
from discreet.planning.releases.by_database import DatabaseRelease, possible_answers
from discreet.planning.subjects.priors import Floats, Places, beliefs, sizes
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import DATABASES
from discreet.statistics import Mode, Rank
from discreet.statistics.chances import at_least

MOST_RATIOS = 51_000
"""Up to so many ratios (ten rows, five values and outputs) a design takes seconds."""
MOST_RATIOS_OF_SELECTIONS = 15_000
"""For selections of unknown size, whose programs take several times as long."""
MOST_RATIOS_QUICKLY = 7_000
_LEAST_BLOCKS = 3
_FLAT = 3
"""So few values have many rows for as many ratios, and their programs take longest: those of all
statistics of a question share the room of one."""
_METHOD = "planner by database"


@dataclass(frozen=True)
class Tables:
    """The tables that the planner lists for a subject, and what it believes of them.

    When rows may change and some are not selected, those are one more value; when rows come and
    go, tables have 0 to the most rows.
    """

    subject: Subject
    blocks: ValueRuns

    @property
    def unselected(self) -> bool:
        """Whether the last value stands for rows that were not selected."""
        return self.subject.change_one and not self.subject.fixed_size

    @cached_property
    def databases(self) -> Databases:
        """The histograms over the blocks, as columns."""
        values = range(len(self.blocks) + self.unselected)
        n = self.subject.most_rows
        if self.subject.change_one:
            return Databases.of(n, values, Relation.CHANGE)
        return Databases.of(n, values, Relation.ADD_OR_REMOVE, smallest=0)

    @cached_property
    def selected(self) -> Places:
        """How many selected rows have each block, a line for each column."""
        return self.databases.counts[:, : len(self.blocks)]

    @cached_property
    def rows(self) -> Places:
        """How many selected rows each column has."""
        return np.asarray(self.selected.sum(axis=1))

    @cached_property
    def answer_chances(self) -> Floats:
        """Pr(answer | column) when rows are uniform inside their blocks: columns × answers."""
        subject = self.subject
        chances = np.zeros((len(self.databases), subject.size))
        statistic = subject.statistic
        if isinstance(statistic, Mode):
            chances[np.arange(len(chances)), statistic.places(self.selected)] = 1.0
            empty = self.rows == 0
            chances[empty] = 0.0
            chances[empty, (subject.size - 1) // 2] = 1.0
            return chances
        assert isinstance(statistic, Rank)
        reached = np.cumsum(self.selected, axis=1)
        widths = self.blocks.sizes
        for column, (counts, sums) in enumerate(
            zip(self.selected.tolist(), reached.tolist(), strict=True)
        ):
            if sums[-1] == 0:
                chances[column, (subject.size - 1) // 2] = 1.0
                continue
            rank = statistic.of(sums[-1])
            block = next(place for place, total in enumerate(sums) if total >= rank)
            width, start = widths[block], self.blocks.starts[block]
            inner = rank - (sums[block] - counts[block])
            below = np.arange(1, width + 1) / width
            spread = np.diff(at_least(counts[block], inner, below), prepend=0.0)
            chances[column, start : start + width] = np.clip(spread, 0.0, None)
        return chances

    @cached_property
    def possible(self) -> npt.NDArray[np.bool_]:
        """Which answers a table of each column can have, however unlikely: columns × answers."""
        possible = np.zeros((len(self.databases), self.subject.size), dtype=np.bool_)
        for column, line in enumerate(self.selected.tolist()):
            places = possible_answers(self.subject, self.blocks, line)
            possible[column, places.start : places.stop] = True
        return possible

    @cached_property
    def chances(self) -> Floats:
        """How likely each column is when every row is drawn uniformly."""
        logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, self.subject.most_rows + 1)))])
        shares = np.array(self.blocks.sizes) / self.blocks.values
        with np.errstate(divide="ignore"):
            ways = logs[self.rows] - logs[self.selected].sum(axis=1)
        inside = np.exp(ways + self.selected @ np.log(shares))
        weights: Floats = inside * sizes(self.subject)[self.rows]
        return np.asarray(weights / weights.sum())

    def joint(self, prior: str | tuple[float, ...]) -> Floats:
        """How likely each column together with each answer is, under a prior over answers."""
        together: Floats = self.chances[:, None] * self.answer_chances
        if prior == DATABASES:
            return together
        by_answer = together.sum(axis=0)
        wanted = beliefs(self.subject, prior).weights * (by_answer > 0)
        factor = np.divide(wanted, by_answer, out=np.zeros_like(wanted), where=by_answer > 0)
        weighed: Floats = together * factor
        return np.asarray(weighed / weighed.sum())


def _blocks_of(task: Task) -> ValueRuns | None:
    """As many runs of values as there is room for; None when they would be too few to be useful."""
    subject = task.subject
    most = MOST_RATIOS if subject.fixed_size else MOST_RATIOS_OF_SELECTIONS
    if task.quick:
        most = MOST_RATIOS_QUICKLY
    shared = most // task.among
    most = shared if subject.size <= _FLAT else max(MOST_RATIOS_QUICKLY, shared)
    many = min(subject.size, most)
    while many > 1 and _ratios(subject, many) > most:
        many -= 1
    mode = isinstance(subject.statistic, Mode)
    if many < subject.size and (many < _LEAST_BLOCKS or mode):
        return None
    weights = beliefs(subject, task.wishes.supposed).weights
    return best_blocks(tuple(float(weight) for weight in weights), many)


def _ratios(subject: Subject, blocks: int) -> int:
    """About how many ratios a program over so many blocks has."""
    n = subject.most_rows
    if not subject.change_one:
        return comb(n + blocks, blocks) * blocks * blocks
    values = blocks + (not subject.fixed_size)
    return comb(n + values - 1, values - 1) * comb(values, 2) * blocks


def _why_not(task: Task) -> Unsuitable | None:
    wishes = task.wishes
    if wishes.unbiased or wishes.requirements or wishes.remap is not None:
        return PROPERTIES_UNKNOWN
    return safe_tables.why_not(task) if _is_safe_rank(task) else _why_not_listed(task)


def _why_not_listed(task: Task) -> Unsuitable | None:
    """Why tables are not listed for a stated prior, or for the worst of them."""
    subject, wishes = task.subject, task.wishes
    if not subject.size_is_public or subject.rows_per_unit > 1:
        return Unsuitable(Misfit.NEEDS_PUBLIC_SIZE)
    if subject.size > 200 or _blocks_of(task) is None:
        return Unsuitable(Misfit.TOO_MANY_HISTOGRAMS)
    if wishes.worst_case and len(_blocks_of(task) or ()) < subject.size:
        return Unsuitable(Misfit.NO_WORST_CASE)
    return None


def _is_safe_rank(task: Task) -> bool:
    """Whether tables are judged on public shapes, and the number of rows is public."""
    subject = task.subject
    return task.wishes.safe and subject.fixed_size and isinstance(subject.statistic, Rank)


def _make(task: Task) -> Candidate:
    if _is_safe_rank(task):
        return safe_tables.make(task)
    from discreet.databases.solving import solved_at_once  # noqa: PLC0415  a solver, seldom used

    started = time.perf_counter()
    blocks = _blocks_of(task)
    assert blocks is not None
    tables = Tables(task.subject, blocks)
    problem = _problem(task, tables)
    certified = certified_once(task, problem.request, _METHOD, lambda: solved_at_once(problem))
    shared = len(blocks) < task.subject.size
    words = f", values put together into {len(blocks)}" if shared else ""
    release = DatabaseRelease(
        subject=task.subject,
        blocks=blocks,
        databases=tables.databases,
        unselected=tables.unselected,
        certified=certified,
    )
    return Candidate(
        name="by database",
        title=f"optimal for whole tables{words}",
        citation="002 LP[1]; 003 §3.4",
        epsilon=task.epsilon,
        figures=replace(_figures(task, tables, certified), rows_off=_rows_off(task, release)),
        properties=(),
        seconds=time.perf_counter() - started,
        release=release,
        proof="docs/proofs/by-database.md",
    )


def _rows_off(task: Task, release: DatabaseRelease) -> int | None:
    """Of a mode: one row more than it is behind breaks a tie."""
    if not isinstance(task.subject.statistic, Mode):
        return None
    behind = release.rows_behind(task.wishes.confidence)
    return None if behind is None else min(behind + 1, task.subject.most_rows)


def _problem(task: Task, tables: Tables) -> DatabaseProblem:
    """Columns are tables; an output costs what it costs on average over a column's answers."""
    subject, wishes = task.subject, task.wishes
    outputs = _outputs(subject, tables.blocks)
    assert subject.answers is not None
    costs = Loss.of(loss_name(subject, wishes)).matrix(outputs, subject.answers)
    joint = tables.joint(wishes.supposed)
    columns = joint.sum(axis=1)
    share = joint / np.where(columns > 0, columns, 1.0)[:, None]
    inside = np.where(columns[:, None] > 0, share, tables.answer_chances)
    weights = None if wishes.worst_case else columns / columns.sum()
    return DatabaseProblem.of(
        tables.databases,
        outputs,
        costs @ inside.T,
        weights,
        task.epsilon,
        name=f"{loss_name(subject, wishes)} by table",
        progress=task.progress,
    )


def _outputs(subject: Subject, blocks: ValueRuns) -> Space:
    if subject.labels is not None:
        return subject.labels
    if len(blocks) == subject.size:
        assert isinstance(subject.answers, Space)
        return subject.answers
    return Listed(tuple(subject.start + subject.unit * place for place in blocks.told))


def _figures(task: Task, tables: Tables, certified: Certified) -> Figures:
    subject, wishes, mechanism = task.subject, task.wishes, certified.mechanism
    assert subject.answers is not None
    joint = tables.joint(wishes.supposed)
    chances = mechanism.probabilities()
    errors = Loss.of(error_name(subject)).matrix(mechanism.outputs, subject.answers)
    judged = Loss.of(loss_name(subject, wishes)).matrix(mechanism.outputs, subject.answers)
    possible = tables.possible
    by_table = chances.T @ errors
    worst = float(by_table[possible].max())
    worst_loss = float((chances.T @ judged)[possible].max())
    loss = worst_loss if wishes.worst_case else float((joint * (chances.T @ judged)).sum())
    expected = float((joint * by_table).sum())
    if isinstance(subject.answers, Labels):
        return Figures(loss=loss, expected=expected, worst=worst, within=None)
    for distance in np.unique(errors.round(12)):
        near = (chances.T @ (errors <= distance * (1 + 1e-9) + 1e-12))[possible].min()
        if near >= float(wishes.confidence) + 1e-12:
            break
    return Figures(loss=loss, expected=expected, worst=worst, within=float(distance))


BY_DATABASE = Maker("by database", Rank | Mode, _why_not, _make)
