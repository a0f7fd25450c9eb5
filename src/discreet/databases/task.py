"""A question, its databases and its goal, joined into one request of a design."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.databases.goal import DatabaseGoal
from discreet.databases.listing import Databases
from discreet.databases.statistics import Statistic, Truth
from discreet.design.request import Floats, Progress, Request
from discreet.errors import DesignError
from discreet.exact import EpsilonLike
from discreet.model import Goal, Loss, Prior, Space

MOST_CELLS = 400_000
"""The most cells (outputs × histograms) that are designed by database."""


@dataclass(frozen=True, eq=False)
class Task:
    """Everything that defines a design by database: all of it public.

    `request` says the same with histograms for answers: columns are databases, the loss is a
    table, and the neighbours are an explicit graph.
    """

    statistic: Statistic
    databases: Databases
    goal: DatabaseGoal
    truth: Truth
    request: Request

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
    ) -> "Task":
        """Find the truth of every database, and write out what each output costs there."""
        truth = statistic.truth(databases)
        told = _told(truth.answers, outputs)
        cells = len(told) * len(databases)
        if cells > MOST_CELLS:
            raise DesignError(
                f"{len(told):,} outputs by {len(databases):,} histograms are {cells:,} cells, "
                f"at most {MOST_CELLS:,} are designed by database; use fewer values or records, "
                "or design by answer"
            )
        costs = goal.loss.matrix(told, truth.answers)[:, truth.of_column]
        loss = Loss(f"{goal.loss.name} by database", table=tuple(map(tuple, costs.tolist())))
        prior = (
            Prior() if goal.worst_case else Prior(tuple(goal.weights(databases, truth).tolist()))
        )
        request = Request.of(
            databases.space,
            databases.neighbours,
            epsilon,
            Goal(loss, prior, goal.worst_case),
            outputs=told,
            progress=progress,
        )
        return cls(statistic, databases, goal, truth, request)

    @property
    def loss(self) -> Floats:
        """What every output (rows) costs under every database (columns)."""
        return self.request.loss

    @property
    def weights(self) -> Floats:
        """How likely every database is held to be; even where the worst case is the goal."""
        return self.request.prior

    @property
    def shape(self) -> tuple[int, int]:
        """How many outputs and how many databases."""
        return self.request.shape

    def home(self, output: int) -> npt.NDArray[np.bool_]:
        """The databases for which no output is better than this one; where there are none, those
        for which it is at its own best."""
        best = self.loss[output] <= self.loss.min(axis=0)
        return np.asarray(best if best.any() else self.loss[output] <= self.loss[output].min())


def _told(answers: Space, outputs: Space | Callable[[Space], Space] | None) -> Space:
    if outputs is None:
        return answers
    return outputs if isinstance(outputs, Space) else outputs(answers)
