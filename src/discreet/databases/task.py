"""A question, its databases and its goal, joined into one problem."""

from collections.abc import Callable
from dataclasses import dataclass

from discreet.databases.goal import DatabaseGoal
from discreet.databases.listing import Databases
from discreet.databases.problem import DatabaseProblem
from discreet.databases.statistics import PossibleTruths, Statistic, Together, truth_of
from discreet.designer.request import Floats, Progress, Request
from discreet.errors import DesignError, SpaceError
from discreet.exact import EpsilonLike
from discreet.model import Space

MOST_CELLS = 400_000
"""The most cells (outputs × histograms) for which a program is written."""
MOST_CELLS_BY_ANSWER = 1_000_000
"""The most cells of a worst case, which the answers alone may decide without a program."""


@dataclass(frozen=True, eq=False)
class DatabaseTask:
    """Everything that defines a design by database: all of it public.

    `problem` says the same with histograms for answers: columns are databases, the loss is a
    table, and the neighbours are an explicit graph.
    """

    statistic: Statistic
    goal: DatabaseGoal
    truth: PossibleTruths
    problem: DatabaseProblem

    @classmethod
    def of(
        cls,
        statistic: Statistic,
        databases: Databases,
        epsilon: EpsilonLike,
        goal: DatabaseGoal,
        *,
        outputs: Space | Callable[[Space], Space] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> "DatabaseTask":
        """Find the truth of every database, and write out what each output costs there."""
        truth = truth_of(statistic, databases)
        possible = _told(truth.answers, outputs)
        if isinstance(statistic, Together) and possible != truth.answers:
            raise SpaceError("statistics released together have fixed outputs; leave outputs out")
        most = MOST_CELLS_BY_ANSWER if goal.worst_case else MOST_CELLS
        _check_size(len(possible), len(databases), most)
        problem = DatabaseProblem.of(
            databases,
            possible,
            statistic.costs(goal.loss, databases)
            if isinstance(statistic, Together)
            else goal.loss.matrix(possible, truth.answers)[:, truth.of_column],
            None if goal.worst_case else goal.weights(databases, truth),
            epsilon,
            name=f"{goal.loss.name} by database",
            progress=progress,
        )
        return cls(statistic, goal, truth, problem)

    def check_program(self) -> None:
        """DesignError where a program over these cells would be too large to be solved."""
        _check_size(*self.problem.shape, MOST_CELLS)

    @property
    def databases(self) -> Databases:
        """The columns."""
        return self.problem.databases

    @property
    def by_answer(self) -> bool:
        """Whether the answers alone, and a named loss, say the same question."""
        named = self.goal.loss.table is None and not isinstance(self.statistic, Together)
        return named and self.request.outputs == self.truth.answers

    @property
    def request(self) -> Request:
        """The same as a request of a design."""
        return self.problem.request

    @property
    def weights(self) -> Floats:
        """How likely every database is held to be."""
        return self.problem.weights


def _told(answers: Space, outputs: Space | Callable[[Space], Space] | None) -> Space:
    if outputs is None:
        return answers
    return outputs if isinstance(outputs, Space) else outputs(answers)


def _check_size(outputs: int, histograms: int, most: int) -> None:
    cells = outputs * histograms
    if cells > most:
        raise DesignError(
            f"{outputs:,} outputs by {histograms:,} histograms are {cells:,} cells; "
            f"the limit by database is {most:,}; use fewer values or records, or design by answer"
        )
