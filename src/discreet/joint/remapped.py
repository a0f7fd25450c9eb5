"""Noise on all cells of a small table, with the best reply to whatever it leads to.

A noisy table may have cells below 0 or above all rows. How likely it makes each true table depends
only on its cells clamped to the range: so there are finitely many outputs to reply to, and the
law of the replies is a finite sum (docs/proofs/cells.md, Claim 10).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.joint.cells import CANCELLING, CellNoise, Counts

Floats = npt.NDArray[np.float64]

REPLIED_TO = f"{CANCELLING}; released is the best reply"
"""The gauge of the noise, as people write it, and that it is not told itself."""
TOTAL = 1 << 52
"""What the weights of a law are parts of."""
_ROUNDING = 1e-11
"""More than floats can be off by; what is left out of a law is less than a hundred times that."""
_MOST_CLAMPED = 400_000
_AT_ONCE = 1 << 20


def work(rows: int, cells: int) -> int | None:
    """Outputs times tables, or a little more; None where they are too many to be listed."""
    if cells * math.log(rows + 1) > math.log(_MOST_CLAMPED):
        return None
    tables = math.comb(rows + cells - 1, cells - 1)
    return int(((rows + 1) ** cells - rows**cells + tables) * tables)


@dataclass(frozen=True, eq=False, kw_only=True)
class RemappedCells:
    """A reply to every noisy table: the one that costs least, if tables are as likely as held."""

    noise: CellNoise
    tables: Counts
    """All tables of the public number of rows, a line each."""
    likely: Floats
    costs: Floats
    """What a told count costs in a cell: true × told."""
    told_cells: int
    """The first so many are told; what is said of others costs nothing."""

    @property
    def rows(self) -> int:
        """How many rows every table has."""
        return len(self.costs) - 1

    @property
    def cells(self) -> int:
        """How many cells, told or not."""
        return self.noise.cells

    @cached_property
    def outputs(self) -> Counts:
        """All noisy tables, clamped: a cell of 0 stands for any below, one of all rows for more."""
        every = np.indices((self.rows + 1,) * self.cells).reshape(self.cells, -1).T
        low, over = (every == 0).any(axis=1), every.sum(axis=1) - self.rows
        return np.asarray(every[(over == 0) | (low & (over > 0))])

    @property
    def bytes(self) -> int:
        """About how much memory the replies and their law take."""
        return int(8 * (self.rows + 1) ** self.cells * (self.cells + 1) + 8 * self.tables.size)

    def reply(self, noisy: Counts) -> list[int]:
        """What is told of a noisy table: post-processing of it."""
        reply: list[int] = self._by_place[self._places(np.clip(noisy, 0, self.rows))].tolist()
        return reply

    @cached_property
    def _by_place(self) -> Counts:
        lookup = np.zeros(((self.rows + 1) ** self.cells, self.cells), dtype=np.int64)
        lookup[self._places(self.outputs)] = self.replies
        return lookup

    def _places(self, tables: Counts) -> Counts:
        """In the order of their lines, as tables are listed."""
        return np.asarray(tables @ (self.rows + 1) ** np.arange(self.cells)[::-1])

    @cached_property
    def replies(self) -> Counts:
        """For every output the table that costs least, of those that have the right sum."""
        counts = np.eye(self.rows + 1)[self.tables.T]  # cells × tables × counts
        replies = np.empty_like(self.outputs)
        for part, chances in self._chances():
            held = chances * self.likely
            costs = np.zeros((self.cells, len(held), self.rows + 1))
            for cell in range(self.told_cells):
                costs[cell] = held @ counts[cell] @ self.costs
            replies[part] = _cheapest(costs)
        return replies

    @cached_property
    def weights(self) -> Counts:
        """How likely each count is told of each cell: cells × told × tables, in parts of `TOTAL`.

        They are rounded down: whatever they sum to is at least that certain.
        """
        law, beyond = np.zeros((len(self.tables),) * 2), self._beyond()
        replies = np.searchsorted(self._places(self.tables), self._places(self.replies))
        for part, chances in self._chances():
            order = np.argsort(replies[part], kind="stable")
            which, starts = np.unique(replies[part][order], return_index=True)
            law[which] += np.add.reduceat((chances * beyond[part, None])[order], starts, axis=0)
        if law.sum(axis=0).min() < 1 - 100 * _ROUNDING:
            raise DesignError("noise of this width cannot be summed over small tables")
        counts = np.eye(self.rows + 1)[self.tables.T[: self.told_cells]]
        by_cell = np.stack([one.T @ law for one in counts])
        return np.floor(by_cell * (1 - _ROUNDING) * TOTAL).astype(np.int64)

    def _chances(self) -> Iterator[tuple[slice, Floats]]:
        """e^(−rate·½Σ|output − table|), some outputs at a time: outputs × tables."""
        step = max(1, _AT_ONCE // len(self.tables))
        away = np.exp(-float(self.noise.rate) / 2 * np.arange(self.rows + 1))
        far = np.abs(np.arange(self.rows + 1)[:, None] - np.arange(self.rows + 1))
        for start in range(0, len(self.outputs), step):
            part = slice(start, start + step)
            chances = np.ones((len(self.outputs[part]), len(self.tables)))
            for cell in range(self.cells):
                # A cell has few counts: the line of each, over all tables.
                lines = away[far[:, self.tables[:, cell]]]
                chances *= lines[self.outputs[part, cell]]
            yield part, chances

    def _beyond(self) -> Floats:
        """What all noisy tables that are clamped to one output weigh beside that, normed.

        With d below the cells at 0 in all and e above those at the top, d − e is what the clamped
        table has too many.
        """
        rate, many = float(self.noise.rate), self.cells - 1
        over = self.outputs.sum(axis=1) - self.rows
        sides = [(self.outputs == end).sum(axis=1) for end in (0, self.rows)]
        kinds, which = np.unique(np.column_stack([*sides, over]), axis=0, return_inverse=True)
        sums = np.array([_sum_beyond(low, high, more, rate) for low, high, more in kinds.tolist()])
        logs = [2 * math.log(math.comb(many, i)) - rate * i for i in range(many + 1)]
        norm = math.fsum(map(math.exp, logs)) / (-math.expm1(-rate)) ** many
        return np.asarray(sums[which.reshape(-1)] * np.exp(-rate / 2 * over) / norm)


_MOST_TERMS = 50_000


def _sum_beyond(low: int, high: int, over: int, rate: float) -> float:
    """Σ over e ≥ 0 of α^e times the ways to spread over + e below and e above: not more than it."""
    above = np.arange(min(_MOST_TERMS, math.ceil(40 * (low + high + 1) / rate)) if high else 1)
    if low == 0:
        return 1.0  # then nothing is clamped
    logs = _log_ways(over + above, low) - rate * above
    if high:
        logs += _log_ways(above, high)
    return float(np.exp(logs).sum())


def _log_ways(total: Counts, parts: int) -> Floats:
    """log C(total + parts − 1, parts − 1): ways to spread so many over the parts."""
    logs = np.zeros(len(total))
    for one in range(1, parts):
        logs += np.log((total + one) / one)
    return logs


def _cheapest(costs: Floats) -> Counts:
    """The counts of least cost that sum to all rows, for each line: cells × lines × counts.

    Cell by cell, what the cells so far cost at least for every sum of theirs; then back.
    """
    cells, lines, size = costs.shape
    least, chosen = costs[0], []
    for cell in range(1, cells):
        best = np.full((lines, size), np.inf)
        taken = np.zeros((lines, size), dtype=np.int64)
        for count in range(size):
            tried = least[:, : size - count] + costs[cell][:, [count]]
            better = tried < best[:, count:] * (1 - 1e-12)
            best[:, count:] = np.where(better, tried, best[:, count:])
            taken[:, count:] = np.where(better, count, taken[:, count:])
        least = best
        chosen.append(taken)
    counts, left, at = (
        np.empty((lines, cells), dtype=np.int64),
        np.full(lines, size - 1),
        range(lines),
    )
    for cell in range(cells - 1, 0, -1):
        counts[:, cell] = chosen[cell - 1][at, left]
        left = left - counts[:, cell]
    counts[:, 0] = left
    return counts
