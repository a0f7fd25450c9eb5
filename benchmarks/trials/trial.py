"""The trials: a question about ten records, and how those records are drawn."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SIZE = 10
EPSILONS = ("0.2", "0.5", "1")

Tables = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Trial:
    """A question of ten whole numbers from 0 to `high`, and the prior they come from."""

    name: str
    kind: str
    sql: str
    high: int
    prior: str
    """As the planner calls it: the answer is uniform, or all records are (databases)."""

    @property
    def most(self) -> int:
        """The largest answer."""
        return SIZE if self.kind == "count" else self.high

    def tables(self, many: int) -> Tables:
        """So many tables, drawn independently; given the answer, all tables are equally likely."""
        dice = np.random.default_rng()
        if self.kind == "count":
            counts = dice.integers(0, SIZE + 1, many)
            return dice.permuted((np.arange(SIZE) < counts[:, None]).astype(np.int64), axis=1)
        if self.prior == "databases":
            return dice.integers(0, self.high + 1, (many, SIZE))
        return np.array([_with_maximum(dice, at) for at in dice.integers(0, self.high + 1, many)])

    def truths(self, tables: Tables) -> Numbers:
        """The true answers; of the two records in the middle, the lower one."""
        if self.kind == "count":
            found = tables.sum(axis=1)
        elif self.kind == "mean":
            found = tables.mean(axis=1)
        else:
            found = np.sort(tables, axis=1)[:, -1 if self.kind == "max" else SIZE // 2 - 1]
        return np.asarray(found, dtype=np.float64)


def _with_maximum(dice: np.random.Generator, maximum: int) -> Tables:
    """Ten records, uniform among all with this maximum."""
    while True:
        drawn = dice.integers(0, maximum + 1, SIZE)
        if drawn.max() == maximum:
            return drawn


def middles(tables: Tables) -> Numbers:
    """The mean of the two records in the middle: what others call the median."""
    ordered = np.sort(tables, axis=1)
    return (ordered[:, SIZE // 2 - 1] + ordered[:, SIZE // 2]) / 2


TRIALS = (
    Trial("count", "count", "SELECT COUNT(holds > 0)", 1, "uniform"),
    Trial("mean", "mean", "SELECT AVG(small)", 4, "databases"),
    Trial("max", "max", "SELECT MAX(large)", 9, "databases"),
    Trial("max_u", "max", "SELECT MAX(large)", 9, "uniform"),
    Trial("median", "median", "SELECT MEDIAN(large)", 9, "databases"),
)
