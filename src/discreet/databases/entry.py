"""The best mechanism for a statistic on a small table: it may use all that the database says."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.certifier import Certified, certify
from discreet.databases.goal import DATABASES, DatabaseGoal
from discreet.databases.listing import Databases
from discreet.databases.merging import found_by_merging, merges_exactly
from discreet.databases.narrow_view import seen_narrowly
from discreet.databases.one_record import one_record_decides, worst_by_answer
from discreet.databases.outputs import found_by_outputs
from discreet.databases.problem import DatabaseProblem
from discreet.databases.ratios import Ratios, about_few_values, falling_away, losing_no_more
from discreet.databases.solving import LARGE, OutOfTimeError, SolvedMatrix, solved
from discreet.databases.statistics import Statistic, Together
from discreet.databases.task import DatabaseTask
from discreet.designer.entry import Attempt, Design, design
from discreet.designer.plain import MOST_EPSILON
from discreet.designer.request import (
    Finding,
    Progress,
    Request,
    may_end,
    relative_gap,
    value_above,
)
from discreet.designer.simplest import simplest
from discreet.designer.situations import simple_losses
from discreet.errors import DesignError
from discreet.exact import EpsilonLike
from discreet.model import (
    AllPairs,
    Goal,
    Labels,
    Mechanism,
    Prior,
    Relation,
    Space,
    Within,
    Yardstick,
)
from discreet.statistics import Mean, Rank, Sum

_WIDE = 1e-6
"""A gap beyond which a reduction did not serve."""
_IN_A_PLANE = 3
"""Histograms of so few values lie in a plane, where any ratios will do."""
_MANY_CELLS = 4_000
"""With fewer of them a program with many ratios is solved as soon as one with few is found."""


@dataclass(frozen=True, eq=False)
class DatabaseDesign:
    """A certified mechanism whose columns are databases, with a proof of how good it is."""

    task: DatabaseTask
    design: Design
    reductions: tuple[str, ...]
    """What was left out of the program before it was solved, in words."""

    @property
    def databases(self) -> Databases:
        """The columns; `column_of` finds the one of a table."""
        return self.task.databases

    @property
    def certified(self) -> Certified:
        """What may be drawn from."""
        return self.design.certified

    @property
    def mechanism(self) -> Mechanism:
        """Outputs × histograms, in integers."""
        return self.design.mechanism

    @property
    def value(self) -> float:
        """The goal's loss, rounded up."""
        return self.design.value

    @property
    def lower_bound(self) -> float:
        """No private mechanism that sees the database has a loss below this."""
        return self.design.lower_bound

    @property
    def gap(self) -> float:
        """How far the value may lie above the optimum, as a share of the value."""
        return self.design.gap

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.design.seconds

    def column_of(self, records: Iterable[object]) -> int:
        """The column of a table, from the values of its records in any order."""
        return self.databases.column_of(records)

    def to_dict(self) -> dict[str, Any]:
        """What was found as plain JSON values, without the matrix."""
        return {
            "statistic": self.task.statistic.name,
            "records": [self.databases.smallest, self.databases.largest],
            "relation": self.databases.relation,
            "histograms": len(self.databases),
            "outputs": len(self.mechanism.outputs),
            **self.design.to_dict(),
            "reductions": list(self.reductions),
        }


def design_by_database(
    statistic: Statistic,
    records: int,
    values: Space | Iterable[object],
    epsilon: EpsilonLike,
    goal: DatabaseGoal | None = None,
    *,
    relation: Relation | str = Relation.CHANGE,
    smallest: int | None = None,
    outputs: Space | Callable[[Space], Space] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> DatabaseDesign:
    """The private mechanism with the least loss among all that see the database (002 LP[1]).

    Columns are the histograms of `records` records over the values (with `"add-or-remove"`, of
    `smallest` to `records`); outputs are the statistic's answers, unless a space or a function of
    the answers says others. Certified exactly, with a proven bound.

    >>> from discreet.databases import median
    >>> best = design_by_database(median(), 4, [1, 2, 3], 1)
    >>> round(best.value, 4), best.gap < 1e-6, best.certified.guarantee.epsilon
    (0.3428, True, Epsilon('1'))
    """
    started = time.perf_counter()
    databases = Databases.of(records, values, relation, smallest=smallest)
    task = DatabaseTask.of(
        statistic, databases, epsilon, goal or DatabaseGoal(), outputs=outputs, progress=progress
    )
    if task.request.epsilon.value > MOST_EPSILON:
        raise DesignError(f"ε = {task.request.epsilon} is too large; the limit is {MOST_EPSILON}")
    try:
        judged, reductions = _over_situations(task) if task.goal.situations else _found(task)
    except OutOfTimeError:
        judged, reductions = _in_no_time(task)
    certified = certify(judged.mechanism, task.request.epsilon)
    design = Design(
        request=judged.request,
        certified=certified,
        value=judged.value,
        lower_bound=min(judged.lower_bound, judged.value),
        method="by database",
        tried=(
            Attempt("by database", f"gap {relative_gap(judged.value, judged.lower_bound):.1e}"),
        ),
        seconds=time.perf_counter() - started,
        expected_absolute_error=None,
    )
    return DatabaseDesign(task, design, reductions)


@dataclass(frozen=True)
class _Judged:
    """A matrix still to be certified, and how good it is to whom."""

    request: Request
    mechanism: Mechanism
    value: float
    lower_bound: float


def _over_situations(task: DatabaseTask) -> tuple[_Judged, tuple[str, ...]]:
    """The least regret, or ratio, in the worst situation: a row of the program for each."""
    problem = task.problem

    def least(prior: Prior) -> float:
        goal = replace(problem.request.goal, prior=prior)
        return solved(replace(problem, request=replace(problem.request, goal=goal))).lower_bound

    named = task.goal.situated(task.databases, task.truth)
    if task.goal.yardstick is Yardstick.RATIO:
        simple = simple_losses(_by_answer(task, Prior()))[:, task.truth.of_column]
        losses = (simple @ named.priors(problem.shape[1]).T).min(axis=0)
        known = named.with_references(losses.tolist())
    else:
        known = named.with_references([least(one.prior) for one in named.each])
    goal = replace(problem.request.goal, prior=Prior(), situations=known)
    request = replace(problem.request, goal=goal)
    solution = solved(replace(problem, request=request), fold=False)
    words = (f"one program for {len(known.each)} situations", *_words(problem, solution))
    return _Judged(request, solution.mechanism, solution.value, solution.lower_bound), words


def _found(task: DatabaseTask) -> tuple[_Judged, tuple[str, ...]]:
    """The best matrix that was found, and what was reduced for it."""
    if task.goal.worst_case and task.by_answer and one_record_decides(task):
        return _found_by_answer(task)
    task.check_program()
    solution, words = _solved(task)
    return _Judged(task.request, solution.mechanism, solution.value, solution.lower_bound), words


def _found_by_answer(task: DatabaseTask) -> tuple[_Judged, tuple[str, ...]]:
    """The best worst case by answer, which is the best by database too."""
    asked = worst_by_answer(task)
    best = design(
        asked.answers,
        asked.neighbours,
        asked.epsilon,
        asked.goal,
        outputs=asked.outputs,
        cache=None,
        progress=asked.progress,
    )
    mechanism = _lifted(task, best.mechanism)
    value = value_above(task.request, mechanism)
    words = ("one record can make any answer true, so no mechanism is better than one by answer",)
    return _Judged(task.request, mechanism, value, best.lower_bound), words


def _lifted(task: DatabaseTask, by_answer: Mechanism) -> Mechanism:
    """A mechanism that sees the answer alone, with a column for each database."""
    request = task.request
    return Mechanism.of(
        request.answers,
        request.outputs,
        request.neighbours,
        by_answer.weights[:, task.truth.of_column],
        name="by answer",
    )


def _in_no_time(task: DatabaseTask) -> tuple[_Judged, tuple[str, ...]]:
    """When time is up before anything is solved: the best design that sees the answer alone.

    Its column for a histogram is that of its answer, and answers of neighbours are neighbours.
    """
    if task.goal.situations:
        raise DesignError(
            "time ran out before the situations were solved; allow more time, or give one prior"
        )
    request, truth = task.request, task.truth
    plain = simplest(request)
    if task.by_answer:
        weights = np.bincount(truth.of_column, task.weights, minlength=len(truth.answers))
        by_answer = simplest(_by_answer(task, Prior(tuple((weights / weights.sum()).tolist()))))
        lifted = _lifted(task, by_answer.mechanism)
        if value_above(request, lifted) < value_above(request, plain.mechanism):
            plain = Finding(lifted, 0.0)
    value = value_above(request, plain.mechanism)
    return _Judged(request, plain.mechanism, value, 0.0), ("time ran out; a simple mechanism",)


def _by_answer(task: DatabaseTask, prior: Prior) -> Request:
    """The same question of the answers alone: as far apart as answers of neighbours can be."""
    one, other = task.truth.of_column[task.databases.pairs].T
    steps = int(np.abs(one - other).max(initial=1))
    worst = task.goal.worst_case
    goal = Goal(task.goal.loss, Prior() if worst else prior, worst)
    answers = task.truth.answers
    neighbours = AllPairs() if isinstance(answers, Labels) else Within(steps)
    return Request.of(answers, neighbours, task.request.epsilon, goal, outputs=task.request.outputs)


def _solved(task: DatabaseTask) -> tuple[SolvedMatrix, tuple[str, ...]]:
    if merges_exactly(task):
        merging = found_by_merging(task)
        if merging is not None and merging[0].gap <= _WIDE:
            solution, merged = merging
            words = (
                f"{len(task.databases):,} histograms merged into {len(merged.databases):,}, "
                f"{len(merged.outputs)} of {task.request.shape[0]} outputs used"
            )
            return solution, (words,)
    if isinstance(task.statistic, Together) and not task.goal.worst_case:
        solution, used = found_by_outputs(task.problem)
        return solution, (f"{len(used)} of {task.request.shape[0]} outputs in the program",)
    if _begins_with_losing_no_more(task):
        solution = solved(task.problem, first=losing_no_more(task.databases, task.problem.loss))
    else:
        solution = _solved_near_an_end(task) if _near_an_end(task) else solved(task.problem)
    return solution, _words(task.problem, solution)


def _begins_with_losing_no_more(task: DatabaseTask) -> bool:
    """Whether those ratios are enough in one round, which is quicker than few of them in three: of
    means always, of medians from a thousand or two histograms on."""
    if task.goal.prior == DATABASES:
        return False
    if isinstance(task.statistic, Sum | Mean):
        return True
    rows, columns = task.request.shape
    in_space = len(task.databases.values) > _IN_A_PLANE
    large = in_space and rows * columns >= LARGE and task.by_answer
    return large and isinstance(task.statistic, Rank) and not _near_an_end(task)


def _near_an_end(task: DatabaseTask) -> bool:
    """Whether the statistic is a rank near the least or the largest: one record makes any answer
    true from almost any table, so few ratios lead home, and others bind."""
    databases, statistic = task.databases, task.statistic
    if not isinstance(statistic, Rank) or not task.by_answer:
        return False
    if databases.relation != Relation.CHANGE or len(databases.values) <= _IN_A_PLANE:
        return False
    rank = statistic.of(databases.largest)
    return min(rank - 1, databases.largest - rank) <= databases.largest // 5


def _solved_near_an_end(task: DatabaseTask) -> SolvedMatrix:
    databases, (rows, columns) = task.databases, task.request.shape
    first = falling_away(databases, rows)
    if rows * columns < _MANY_CELLS:
        return solved(task.problem, first=first)
    statistic = task.statistic
    assert isinstance(statistic, Rank)
    from_above = 2 * statistic.of(databases.largest) > databases.largest
    try:
        known, near = seen_narrowly(task.problem, first, from_above=from_above)
    except (DesignError, KeyboardInterrupt) as met:
        if isinstance(met, KeyboardInterrupt) and not may_end(met):
            raise
        return solved(task.problem, first=first)
    if statistic.of(databases.largest) not in (1, databases.largest):
        near = Ratios.joined([near, about_few_values(databases, rows)])
    return solved(task.problem, first=near, known=known)


def _words(problem: DatabaseProblem, solution: SolvedMatrix) -> tuple[str, ...]:
    """What was left out of the program, for people."""
    ratios = solution.program.blocks["ratios"]
    asked = 2 * len(problem.databases.pairs) * problem.shape[0]
    words = [f"{ratios.stop - ratios.start:,} of {asked:,} ratios in {solution.rounds} rounds"]
    if solution.folding.is_mirrored:
        words.append("mirrored cells share a variable")
    return tuple(words)
