"""Counts by group of few rows: the whole table is drawn at once, among all tables there are.

The tight-constraints mechanism stays among possible tables, where noise leaves them and is clamped;
for a stated prior, or the worst table, a program finds the best mechanism there is (002 LP[1]).
Among more tables noise is drawn, and the best reply to it told.
Proofs: docs/proofs/cells.md, Claims 9 and 10; docs/proofs/tight-constraints.md;
docs/proofs/by-database.md.
"""

import math
import time
from dataclasses import replace
from functools import lru_cache

import numpy as np

from discreet.certifier import Certified
from discreet.databases import Databases
from discreet.databases.problem import DatabaseProblem
from discreet.errors import DesignError
from discreet.exact import Epsilon, spendable
from discreet.joint import CellNoise
from discreet.joint.remapped import RemappedCells, work
from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Figures, Maker, Task, loss_name
from discreet.planning.candidates.keeping import certified_once
from discreet.planning.judging import CAP, judged_quarter, shapes
from discreet.planning.reasons import OTHER_STATISTIC, PROPERTIES_UNKNOWN, Misfit, Unsuitable
from discreet.planning.releases.cells import CellsRelease
from discreet.planning.releases.release import judged
from discreet.planning.releases.whole_tables import RemappedTables, TablesRelease, WholeTables
from discreet.planning.subjects.priors import Floats
from discreet.planning.wishes import DATABASES
from discreet.statistics import Count

MOST_TABLES = 300
"""Among more tables than this a plan would take too long."""
MOST_RATIOS = 20_000
"""A program of so many takes seconds."""
MOST_WORK = 25_000_000
"""Outputs times tables: to go through so many takes about a second."""
_EVENNESS = (0.25, 0.375, 0.5)
"""How even the tables are that replies are best for: 1 is all tables alike, towards 0 most rows are
in one cell. The first that errs little more than noise in any table is taken."""
_CITATION = "ElSalamouny, Chatzikokolakis & Palamidessi 2013"
_METHOD = "planner whole tables"
_PROOF = "docs/proofs/cells.md"


def _why_not(task: Task) -> Unsuitable | None:
    other = _not_of_tables(task)
    if other is not None:
        return other
    assert task.cells is not None
    many = math.comb(task.subject.most_rows + task.cells - 1, task.cells - 1)
    ratios = math.comb(task.cells, 2) * many * many
    too_large = many > MOST_TABLES if task.wishes.safe else ratios > MOST_RATIOS
    return Unsuitable(Misfit.TOO_MANY_HISTOGRAMS) if too_large or task.quick else None


def _why_not_remapped(task: Task) -> Unsuitable | None:
    other = _not_of_tables(task)
    if other is not None:
        return other
    assert task.cells is not None
    if task.wishes.worst_case:
        return Unsuitable(Misfit.NO_WORST_CASE)
    needed, most = work(task.subject.most_rows, task.cells), MOST_WORK
    if task.wishes.safe:
        most = MOST_WORK // len(_EVENNESS)
    too_large = needed is None or needed > most
    return Unsuitable(Misfit.TOO_MANY_HISTOGRAMS) if too_large or task.quick else None


def _not_of_tables(task: Task) -> Unsuitable | None:
    """Why no table can be drawn as a whole."""
    wishes = task.wishes
    if task.totals is not None:
        return OTHER_STATISTIC
    if wishes.requirements or wishes.unbiased or wishes.remap is not None:
        return PROPERTIES_UNKNOWN
    if isinstance(wishes.prior, tuple):
        return Unsuitable(Misfit.ONLY_WITHOUT_PRIOR)  # it speaks of one count, not of tables
    return None if task.subject.size_is_public else Unsuitable(Misfit.NEEDS_KNOWN_ROWS)


def _make(task: Task) -> Candidate:
    """By tight constraints where no prior is stated and that is safe; else the best there is."""
    started, subject = time.perf_counter(), task.subject
    assert task.cells is not None
    whole = task.whole
    each = Epsilon(max(1, whole.billionths // task.sharing.times))
    databases = Databases.of(subject.most_rows, range(task.cells))
    release = TablesRelease(
        subject=subject,
        databases=databases,
        told_cells=task.sharing.groups,
        certified=_tight(subject.most_rows, task.cells, each)
        if task.wishes.safe
        else _best(replace(task, epsilon=each), databases),
        likely=_held(task, databases),
    )
    if task.wishes.safe:
        _check_safe(task, release, _noise(task, whole))
    how = "tight constraints" if task.wishes.safe else "optimal for whole tables"
    return Candidate(
        name="whole tables",
        title=f"{how}, all groups drawn as one table",
        citation=_CITATION if task.wishes.safe else "002 LP[1]; 003 §3.4",
        epsilon=whole,
        figures=_figures(task, release),
        properties=(),
        seconds=time.perf_counter() - started,
        release=release,
        proof=_PROOF,
    )


def _make_remapped(task: Task) -> Candidate:
    """Noise on all groups together, and the table that costs least given where it leads."""
    started, subject = time.perf_counter(), task.subject
    assert task.cells is not None
    whole = task.whole
    databases = Databases.of(subject.most_rows, range(task.cells))
    release = _safely_remapped if task.wishes.safe else _remapped_for_prior
    return Candidate(
        name="remapped tables",
        title="noise on all groups together, with a Bayes remap over all tables",
        citation="Hardt & Talwar 2010; Ghosh, Roughgarden & Sundararajan 2009",
        epsilon=whole,
        figures=_figures(task, made := release(task, databases, _noise(task, whole))),
        properties=(),
        seconds=time.perf_counter() - started,
        release=made,
        proof=_PROOF,
    )


def _remapped_for_prior(task: Task, databases: Databases, noise: CellNoise) -> RemappedTables:
    return _remapped(task, databases, noise, _held(task, databases))


def _safely_remapped(task: Task, databases: Databases, noise: CellNoise) -> RemappedTables:
    """The replies for uneven tables, or less uneven ones, that err little more in any table."""
    logs = np.array([math.lgamma(many + 1) for many in range(databases.largest + 1)])
    for even in _EVENNESS:
        ways = np.array([math.lgamma(many + even) for many in range(databases.largest + 1)])
        chances = np.exp((ways - logs)[databases.counts].sum(axis=1))
        release = _remapped(task, databases, noise, chances / chances.sum())
        worst = _most_above(task, release, noise, np.eye(len(databases)))
        if worst <= CAP:
            return release
    raise DesignError(f"on a table it errs {worst:.2g} × as much as noise on all groups")


def _remapped(
    task: Task, databases: Databases, noise: CellNoise, supposed: Floats
) -> RemappedTables:
    counts = np.arange(databases.largest + 1)
    apart = np.abs(counts[:, None] - counts).astype(np.float64)
    remapped = RemappedCells(
        noise=noise,
        tables=databases.counts,
        likely=supposed,
        costs=judged(loss_name(task.subject, task.wishes), apart),
        told_cells=task.sharing.groups,
    )
    return RemappedTables(
        subject=task.subject,
        databases=databases,
        told_cells=task.sharing.groups,
        likely=_held(task, databases),
        remapped=remapped,
    )


def _noise(task: Task, whole: Epsilon) -> CellNoise:
    """What is drawn for all groups together."""
    assert task.cells is not None
    rate, rows = spendable(whole), task.sharing.times
    return CellNoise.of(task.cells, whole, rate=rate, rows_per_unit=rows)


def _held(task: Task, databases: Databases) -> Floats:
    """How likely each table is: as in the public shapes, all alike, or of rows that are uniform."""
    rows, cells = databases.largest, len(databases.values)
    if task.wishes.safe:
        return np.asarray(_likely(rows, cells).mean(axis=0))
    if task.wishes.prior != DATABASES:
        return np.full(len(databases), 1 / len(databases))
    return np.asarray(_spread(databases, np.full((1, cells), 1 / cells))[0])


def _best(task: Task, databases: Databases) -> Certified:
    """The best mechanism over all tables for the stated prior, or for the worst table."""
    from discreet.databases.solving import solved_at_once  # noqa: PLC0415  a solver, seldom used

    name = loss_name(task.subject, task.wishes)
    counts = databases.counts[:, : task.sharing.groups].astype(np.float64)
    costs = judged(name, np.abs(counts[:, None] - counts[None, :])).mean(axis=2)
    problem = DatabaseProblem.of(
        databases,
        databases.space,
        costs,
        None if task.wishes.worst_case else _held(task, databases),
        task.epsilon,
        name=f"{name} of whole tables",
        progress=task.progress,
    )
    return certified_once(task, problem.request, _METHOD, lambda: solved_at_once(problem))


@lru_cache(maxsize=32)
def _tight(rows: int, cells: int, epsilon: Epsilon) -> Certified:
    """The mechanism over all tables, in the order of `Databases`."""
    from discreet.graphs import histograms  # noqa: PLC0415  for small tables alone
    from discreet.graphs.tight import tight_mechanism  # noqa: PLC0415

    tight = tight_mechanism(histograms(rows, cells), epsilon)
    if tight.design is None:
        raise DesignError("tight constraints would need weights below 0")
    return tight.design.certified


@lru_cache(maxsize=32)
def _likely(rows: int, cells: int) -> Floats:
    """How likely each table is under every public shape: shapes × tables."""
    laws = shapes(cells, from_zero=False).laws
    return _spread(Databases.of(rows, range(cells)), np.maximum(laws, 1e-300))


def _spread(databases: Databases, laws: Floats) -> Floats:
    """How likely each table is where rows have these laws: laws × tables."""
    counts, rows = databases.counts, databases.largest
    logs = np.array([math.lgamma(many + 1) for many in range(rows + 1)])
    ways = logs[rows] - logs[counts].sum(axis=1)
    likely = np.exp(ways[None, :] + np.log(laws) @ counts.T)
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def _check_safe(task: Task, release: WholeTables, noise: CellNoise) -> None:
    """The safe rule on whole tables, held against noise on all groups together."""
    worst = _most_above(task, release, noise, _likely(task.subject.most_rows, noise.cells))
    if worst > CAP:
        raise DesignError(
            f"on a public shape of tables it errs {worst:.2g} × as much as noise on all groups"
        )


def _most_above(task: Task, release: WholeTables, noise: CellNoise, likely: Floats) -> float:
    """How many times the loss of noise it has at most, over laws of tables (a line each)."""
    subject, name = task.subject, loss_name(task.subject, task.wishes)
    by_count = CellsRelease(subject, noise, clamped=True).losses_at(np.arange(subject.size), name)
    plain = by_count[release.databases.counts[:, : release.told_cells]].mean(axis=1)
    ours, least = release.losses_by_table(name), judged_quarter(name)
    return float(((likely @ ours + least) / (likely @ plain + least)).max())


def _figures(task: Task, release: WholeTables) -> Figures:
    name = loss_name(task.subject, task.wishes)
    losses = release.losses_by_table(name)
    errors = release.losses_by_table(LossName.ABSOLUTE)
    return Figures(
        loss=float(losses.max() if task.wishes.worst_case else release.likely @ losses),
        expected=float(release.likely @ errors),
        worst=float(errors.max()),
        within=float(max(release.reach(task.wishes.confidence))),
    )


WHOLE_TABLES = Maker("whole tables", Count, _why_not, _make, by_cells=True)
REMAPPED_TABLES = Maker("remapped tables", Count, _why_not_remapped, _make_remapped, by_cells=True)
