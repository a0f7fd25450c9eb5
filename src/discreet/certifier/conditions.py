"""What 003 asks of a mechanism, checked in integers on the very cells that will be drawn from.

R.3: every column is a distribution. R.2: the categories hold every true answer. R.1 for pure ε:
every ratio of neighbours. Within Δ steps, every window of Δ + 1 columns is a set of mutual
neighbours, and every pair of neighbours lies in one: so a row keeps all its ratios exactly when the
largest entry of each window is at most e^ε times the smallest. All pairs are one window. A graph
has a window for each edge. Proof: docs/proofs/windows.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.errors import MechanismError
from discreet.exact import log_lower, log_upper, show
from discreet.model import (
    AllPairs,
    DenseMechanism,
    Graph,
    Grid,
    Integers,
    Labels,
    Listed,
    Mechanism,
    Numbers,
    RayMechanism,
    Within,
    edges,
)
from discreet.model.mechanism import sealed

_CELLS = 4_000_000
M = TypeVar("M", bound=Mechanism)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Rows `first_row`…, and for each of their windows the largest and the smallest entry."""

    first_row: int
    windows: list[tuple[int, ...]] | range
    width: int
    largest: Integers
    smallest: Integers

    def columns(self, window: int) -> tuple[int, ...]:
        """The columns of a window."""
        if isinstance(self.windows, range):
            return tuple(range(window, window + self.width))
        return self.windows[window]


def blocks(mechanism: Mechanism) -> Iterator[Block]:
    """Every comparison R.1 asks for, a few rows at a time; none where there are no neighbours."""
    columns = len(mechanism.answers)
    relation = mechanism.neighbours
    if isinstance(relation, Graph):
        pairs = list(relation.pairs(columns))
        if pairs:
            yield from _edge_blocks(mechanism.weights, pairs)
        return
    steps = columns - 1 if isinstance(relation, AllPairs) else min(relation.steps, columns - 1)
    if steps < 1:
        return
    width = steps + 1
    rows = max(1, _CELLS // columns)
    for first in range(0, len(mechanism.outputs), rows):
        part = mechanism.weights[first : first + rows]
        yield Block(
            first_row=first,
            windows=range(columns - steps),
            width=width,
            largest=sliding(part, width, np.maximum),
            smallest=sliding(part, width, np.minimum),
        )


def sliding(rows: Integers, width: int, pick: np.ufunc) -> Integers:
    """The largest (or smallest) of each window, by doubling: log2(width) passes."""
    reach, best = 1, rows
    while reach < width:
        step = min(reach, width - reach)
        best = pick(best[:, :-step], best[:, step:])
        reach += step
    return best


def _edge_blocks(weights: Integers, edges: list[tuple[int, int]]) -> Iterator[Block]:
    ends = np.array(edges)
    rows = max(1, _CELLS // len(edges))
    for first in range(0, len(weights), rows):
        part = weights[first : first + rows]
        left, right = part[:, ends[:, 0]], part[:, ends[:, 1]]
        windows: list[tuple[int, ...]] = list(edges)
        yield Block(
            first_row=first,
            windows=windows,
            width=2,
            largest=np.maximum(left, right),
            smallest=np.minimum(left, right),
        )


@dataclass(frozen=True)
class Witness:
    """An output and two neighbouring answers, by index, with the ratio of their weights."""

    output: int
    likelier: int
    rarer: int
    ratio: Fraction | None
    """None stands for infinity: possible under one answer, impossible under the other."""


@dataclass(frozen=True)
class TightEpsilon:
    """The smallest ε that a matrix keeps: the logarithm of its worst ratio.

    `low` ≤ log(worst ratio) ≤ `high`, both exact rationals; None means no finite ε will do.
    """

    witness: Witness | None
    low: Fraction | None
    high: Fraction | None

    @property
    def is_finite(self) -> bool:
        """Whether any ε will do."""
        return self.high is not None

    def __float__(self) -> float:
        return float("inf") if self.high is None else float(self.high)


def breaks_a_ratio(mechanism: Mechanism, ratio: Fraction) -> bool:
    """Whether any comparison N[i,j]·q ≤ p·N[i,k] fails, for ratio = p/q."""
    p, q = ratio.numerator, ratio.denominator
    for block in blocks(mechanism):
        if (_big(block.largest) * q > _big(block.smallest) * p).any():
            return True
    return False


def worst_witness(mechanism: Mechanism) -> Witness | None:
    """The output and neighbours with the largest ratio; None when no ratio is asked for."""
    worst: tuple[int, int, Block, int, int] | None = None
    for block in blocks(mechanism):
        witness = _worst_of(block)
        if witness is not None and (worst is None or _exceeds(witness[:2], worst[:2])):
            worst = witness
    if worst is None:
        return None
    large, small, block, row, window = worst
    columns = block.columns(window)
    output = block.first_row + row
    cells = mechanism.weights[output]
    return Witness(
        output,
        next(j for j in columns if cells[j] == large),
        next(k for k in columns if cells[k] == small),
        Fraction(large, small) if small else None,
    )


def tight_epsilon(mechanism: Mechanism) -> TightEpsilon:
    """The smallest ε for which the mechanism is private, between two rationals.

    Args:
        mechanism: The matrix.

    Returns:
        Two rationals with the smallest ε between them, and the output and answers that need it.

    >>> from discreet.model import AllPairs, Labels
    >>> coins = Labels.of(["no", "yes"])
    >>> tight = tight_epsilon(Mechanism.of(coins, coins, AllPairs(), [[3, 1], [1, 3]]))
    >>> tight.witness.ratio, round(float(tight), 6)
    (Fraction(3, 1), 1.098612)
    """
    witness = worst_witness(mechanism)
    if witness is None:
        return TightEpsilon(None, Fraction(0), Fraction(0))
    if witness.ratio is None:
        return TightEpsilon(witness, None, None)
    return TightEpsilon(witness, log_lower(witness.ratio), log_upper(witness.ratio))


def _big(cells: Integers) -> Integers:
    return cells.astype(object)


def _exceeds(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether one[0]/one[1] > other[0]/other[1], where anything over 0 is infinite."""
    return one[0] * other[1] > other[0] * one[1]


def _worst_of(block: Block) -> tuple[int, int, Block, int, int] | None:
    large, small = _big(block.largest).ravel(), _big(block.smallest).ravel()
    best = -1
    for position in np.flatnonzero(large > 0):
        if best < 0 or _exceeds((large[position], small[position]), (large[best], small[best])):
            best = int(position)
        if small[best] == 0:
            break
    if best < 0:
        return None
    row, window = divmod(best, block.largest.shape[1])
    return large[best], small[best], block, row, window


def with_own_cells(mechanism: M) -> M:
    """The mechanism, if it is made of known parts, with cells that only it can reach.

    What is checked must be what is drawn from: a stranger's subclass may answer every question
    anew, and whoever kept the array that a matrix was made from could change it afterwards.
    """
    if type(mechanism) not in (DenseMechanism, RayMechanism):
        raise MechanismError(f"only a mechanism can be certified, got {show(mechanism)}")
    spaces = (type(mechanism.answers), type(mechanism.outputs))
    if not {*spaces} <= {Grid, Listed, Labels}:
        raise MechanismError(f"{mechanism!r} has an unknown kind of space; use Mechanism.of")
    if type(mechanism.neighbours) not in (Within, AllPairs, Graph):
        raise MechanismError(f"{mechanism!r} has an unknown kind of neighbours; use Mechanism.of")
    if type(mechanism.total) is not int:
        raise MechanismError(
            f"the total of a mechanism must be an integer, got {show(mechanism.total)}; use "
            "Mechanism.of"
        )
    if not isinstance(mechanism, DenseMechanism):
        return mechanism
    cells = mechanism.weights
    if type(cells) is not np.ndarray:
        raise MechanismError(f"the cells of {mechanism!r} are not a plain array; use Mechanism.of")
    if cells.shape != mechanism.shape:
        raise MechanismError(f"{mechanism!r} has cells of another shape; use Mechanism.of")
    if cells.flags.writeable:
        raise MechanismError(f"the cells of {mechanism!r} can still change; use Mechanism.of")
    return mechanism if is_sealed(cells) else replace(mechanism, weights=sealed(cells))


def check_columns(mechanism: Mechanism) -> None:
    """Raise MechanismError unless the cells are whole numbers and each column sums to the total.

    `Mechanism.of` sees to all of this; the certifier does not believe that it was asked.
    """
    weights = mechanism.weights
    if not _whole(weights) or (weights < 0).any():
        raise MechanismError(f"{mechanism!r} has cells that are not weights; use Mechanism.of")
    sums = weights.astype(object).sum(axis=0)
    if not mechanism.total > 0 or (sums != mechanism.total).any():
        raise MechanismError(
            f"{mechanism!r} has columns that do not sum to the total; use Mechanism.of"
        )


def is_sealed(cells: npt.NDArray[Any]) -> bool:
    """Whether the cells are machine words inside a bytes object, which nothing can change."""
    if type(cells) is not np.ndarray or cells.dtype != np.int64:
        return False
    base: object = cells
    while type(base) is np.ndarray:
        base = base.base
    return type(base) is bytes


def _whole(weights: Integers) -> bool:
    return weights.dtype == np.int64 or (
        weights.dtype == object and all(type(cell) is int for cell in weights.flat)
    )


def uncovered_answer(mechanism: Mechanism) -> int | None:
    """The first answer that no output's category holds; None when all are covered.

    Categories are disjoint and finite by construction (they meet half way between outputs), so
    only coverage can fail: it is a fact about the range, not about privacy.
    """
    outputs, answers = mechanism.outputs, mechanism.answers
    if isinstance(outputs, Labels) or isinstance(answers, Labels):
        known = set(outputs.values())
        return next((j for j, name in enumerate(answers.values()) if name not in known), None)
    low, high = _outer_edges(outputs)
    if low <= answers.value(0) and answers.value(len(answers) - 1) <= high:
        return None
    return next((j for j, f in enumerate(answers.values()) if not low <= f <= high), None)


def _outer_edges(outputs: Numbers) -> tuple[Fraction, Fraction]:
    """The ends of the outermost categories, without writing out the ones between."""
    last = len(outputs) - 1
    if last == 0:
        low, high = edges(outputs)
        return low, high
    first_two = Listed((outputs.value(0), outputs.value(1)))
    last_two = Listed((outputs.value(last - 1), outputs.value(last)))
    return edges(first_two)[0], edges(last_two)[-1]
