"""Fair and row-monotone mechanisms as a small program (docs/proofs/band.md).

A row falls on both sides of its diagonal cell, and all diagonal cells are equal: so the triangles
above and below the diagonal meet only in the sums of columns. Each cell has at least e^(−ε) of the
one Δ places nearer the diagonal, or of the diagonal; what it has beyond that is its *extra*. Far
from the diagonal weights fall as fast as privacy lets them: only cells within a *reach* of it have
an extra.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.request import Request

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Triangles:
    """What cells above the diagonal cost, for the one triangle or the two that are looked for.

    With symmetry one triangle is enough, each cell of it costing what it and its place in the
    matrix turned half round cost together. Without, the second is the lower one, turned.
    """

    costs: tuple[Floats, ...]
    steps: int
    shrink: float
    """e^(−ε)."""
    diagonal: float = 0.0
    """What the cells on the diagonal cost together: nothing, with most losses."""

    @classmethod
    def of(cls, request: Request, shrink: float, *, mirrored: bool) -> "Triangles":
        """The costs of a request whose outputs are its answers, prior included."""
        cost = request.loss * request.prior
        turned = cost[::-1, ::-1]
        costs = (cost + turned,) if mirrored else (cost, turned)
        return cls(costs, request.steps or 1, shrink, math.fsum(np.diag(cost)))

    @property
    def size(self) -> int:
        """How many answers there are."""
        return len(self.costs[0])

    @property
    def mirrored(self) -> bool:
        """Whether the lower triangle is the upper one, turned half round."""
        return len(self.costs) == 1


@dataclass(frozen=True, eq=False)
class BandPlan:
    """A mechanism in few numbers: its diagonal, and what stands above it in each column.

    `sums[s][j]` is the sum of column j above the diagonal in triangle s.
    """

    diagonal: float
    sums: tuple[Floats, ...]

    def mixed_with(self, other: "BandPlan", share: float) -> "BandPlan":
        """So much of the other plan (of which one triangle stands for both), the rest of this."""
        return BandPlan(
            (1 - share) * self.diagonal + share * other.diagonal,
            tuple((1 - share) * part + share * other.sums[0] for part in self.sums),
        )


def reach_of(triangles: Triangles, corner: float) -> Indices:
    """How many cells right of each row's diagonal are variables: Δ, or all in the last rows."""
    left = np.arange(triangles.size - 1, 0, -1)
    return np.where(left <= corner, left, np.minimum(left, triangles.steps))


def chained_costs(costs: Floats, steps: int, shrink: float) -> Floats:
    """What each cell costs together with those Δ, 2Δ… columns after it, tied to it."""
    chained = costs.copy()
    for last in range(costs.shape[1] - 1 - steps, -1, -steps):
        here = slice(max(0, last - steps + 1), last + 1)
        chained[:, here] += shrink * chained[:, here.start + steps : here.stop + steps]
    return chained
