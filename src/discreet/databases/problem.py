"""What a solver is handed: columns that are databases, and a request that names them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.databases.listing import Databases
from discreet.designer.request import Floats, Progress, Request
from discreet.exact import EpsilonLike
from discreet.model import Goal, Loss, Prior, Space


@dataclass(frozen=True, eq=False)
class DatabaseProblem:
    """Outputs × databases: what each output costs where, how likely each database is, and ε."""

    databases: Databases
    request: Request

    @classmethod
    def of(
        cls,
        databases: Databases,
        outputs: Space,
        costs: Floats,
        weights: Floats | None,
        epsilon: EpsilonLike,
        *,
        name: str = "by database",
        progress: Callable[[Progress], None] | None = None,
    ) -> "DatabaseProblem":
        """A row of costs for each output; without weights the worst database is what counts."""
        loss = Loss(name, table=tuple(map(tuple, costs.tolist())))
        prior = Prior() if weights is None else Prior(tuple(weights.tolist()))
        goal = Goal(loss, prior, weights is None)
        request = Request.of(
            databases.space, databases.neighbours, epsilon, goal, outputs=outputs, progress=progress
        )
        return cls(databases, request)

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
