"""How likely each value is to be told for each of several quantiles, in floats: for figures alone.

Many imagined tables at once, one after the other on one line. Weights of all ways to go on are
summed backwards, as for the draw, and weights of all ways to get there forwards
(docs/proofs/quantiles-together.md, Claim 7). What is too small for floats does not matter here: the
truth weighs 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.joint.magnitudes import Integers
from discreet.joint.quantile_moves import LONGEST, CellLine, Move, own_room
from discreet.joint.quantile_recursion import Steps
from discreet.joint.quantile_score import Ahead, ahead
from discreet.joint.quantiles import QuantileChoice

Floats = npt.NDArray[np.float64]

_CELLS = 1 << 14
"""About so many cells are worked on at once."""
_UNSEEN = 45.0
"""What has a chance of less than e to the minus this is not seen in floats."""


def chances(
    choice: QuantileChoice, tables: Sequence[Integers], ways: Integers | None = None
) -> Floats:
    """By quantile, table and run: how likely the run is to be told.

    Args:
        choice: What is drawn.
        tables: The counts of rows, by value.
        ways: Where tables have cells instead of runs, how many runs each has: one, or several
            without rows. Two quantiles in one of these count as if they might be out of order.
    """
    each = np.ones(choice.runs) if ways is None else ways.astype(np.float64)
    many = len(choice.score.shares)
    lists = many * math.log(each.sum())  # not fewer than there are, by its logarithm
    far = (_UNSEEN + lists) / (2 * float(choice.step))
    near = [NearTable.of(choice.steps(counts), each, far) for counts in tables]
    law = np.zeros((many, len(tables), len(each)))
    for places in _blocks(near, float(choice.step)):
        block = [near[place] for place in places]
        likely = _marginals(block, float(choice.step))
        first = 0
        for place, one in zip(places, block, strict=True):
            law[:, place, one.starts] = likely[:, first : first + len(one.ways)]
            first += len(one.ways)
    return law


@dataclass(frozen=True, eq=False, kw_only=True)
class NearTable:
    """One table, where all values that are hardly ever told are put together with their neighbours.

    A list with a value that lies x parts of a row from its target weighs at most e^(−2·step·x), and
    the true one weighs 1: all lists with a value beyond `far` together are too few to be seen.
    """

    starts: Integers
    """Where each of its cells starts."""
    points: Integers
    targets: tuple[int, ...]
    ways: Floats
    truth: Ahead

    @classmethod
    def of(cls, steps: Steps, ways: Floats, far: float) -> "NearTable":
        """The table with its far values put together."""
        points = steps.points
        sides = (np.maximum(points[:-1] - one, one - points[1:]) for one in steps.targets)
        near = np.minimum.reduce(list(sides)) <= far
        starts = np.flatnonzero(near | np.append(True, near[:-1]))
        cut = np.append(points[starts], points[-1])
        return cls(
            starts=starts,
            points=cut,
            targets=steps.targets,
            ways=np.add.reduceat(ways, starts),
            truth=ahead(cut, steps.targets),
        )


def _blocks(tables: list[NearTable], step: float) -> list[list[int]]:
    """The places of tables in order, as many together as have about so many cells."""
    room = own_room(max(int(one.points[-1]) for one in tables), step)
    most = max(1, LONGEST // room)
    blocks: list[list[int]] = []
    left = 0
    for place, one in enumerate(tables):
        if len(one.ways) > left or len(blocks[-1]) == most:
            blocks.append([])
            left = max(len(one.ways), _CELLS)
        blocks[-1].append(place)
        left -= len(one.ways)
    return blocks


def _marginals(tables: list[NearTable], step: float) -> Floats:
    """By quantile, the chances of all cells of these tables, one table after the other."""
    ways = np.concatenate([one.ways for one in tables])
    line = CellLine.of([one.points for one in tables], ways, step)
    first, *others = np.array([one.targets for one in tables]).T
    moves = [Move.first(line, first)]
    for target in others:
        moves.append(moves[-1].next(target))
    after = [moves[-1].last()]
    for move in reversed(moves[1:]):
        after.append(move.backwards(after[-1]))
    besides = -np.expm1(-2 * step * np.array([one.truth.rows for one in tables]))
    truths = np.array([one.truth.places for one in tables]).T + line.firsts
    marginals, before = [], moves[0].start()
    for move, weights, true in zip(moves, reversed(after), truths, strict=True):
        before = move.forwards(before)
        likely = move.by_cell(before, weights) * (1 - besides)[line.tables]
        likely[true] += besides  # what the true ones weigh besides
        marginals.append(likely / np.add.reduceat(likely, line.firsts)[line.tables])
    return np.array(marginals)
