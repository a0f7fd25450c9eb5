"""A mechanism is a matrix of integers (003 Def. 3), and what may be answered: its outputs.

Paper 003 reports *categories*: disjoint intervals, each known by its midpoint. Here an output is
that midpoint, and its category reaches half way to the midpoints beside it (Def. 2, R.2). Outputs
are the answers themselves, coarser or finer categories, or a wider range.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import MechanismError, NeighboursError, SpaceError
from discreet.exact import RationalLike, rational, show
from discreet.model.neighbours import Graph, Neighbours, neighbours_to_dict
from discreet.model.spaces import Grid, Numbers, Space, numbers_of, space_to_dict

Integers = npt.NDArray[Any]
"""Exact integers: an int64 array where everything fits, else Python integers in an object array."""

_FITS = 2**63
_MOST_BITS = 14_000
"""Longer integers are not written out in decimal, in files or for the digest."""


class Mechanism(ABC):
    """Outputs × true answers, in integers: output i has probability weights[i, j] / total.

    What every form of a mechanism offers. A `DenseMechanism` holds the matrix, a `RayMechanism` a
    description of it. Every column sums to `total` (R.3). Whether the matrix is private is not
    known here: that is for `discreet.certify` to say.

    >>> from discreet.model import AllPairs, Labels
    >>> coins = Labels.of(["no", "yes"])
    >>> Mechanism.of(coins, coins, AllPairs(), [[3, 1], [1, 3]])
    Mechanism(2 outputs × 2 answers, total 4)
    """

    answers: Space
    outputs: Space
    neighbours: Neighbours
    weights: Integers
    total: int
    name: str
    notes: Mapping[str, Any]
    """Where the matrix comes from, for people: never relied on, not part of the digest."""

    @staticmethod
    def of(
        answers: Space,
        outputs: Space,
        neighbours: Neighbours,
        weights: Sequence[Sequence[int]] | Integers,
        *,
        name: str = "custom",
        notes: Mapping[str, Any] | None = None,
    ) -> "DenseMechanism":
        """A mechanism from its matrix: check shape, signs and column sums, and freeze.

        Args:
            answers: The possible true answers, one for each column.
            outputs: The possible outputs, one for each row.
            neighbours: Which true answers one person's change can exchange.
            weights: Whole numbers, a row for each output; every column has the same sum.
            name: A name for people.
            notes: Where the matrix comes from, for people.

        Returns:
            The matrix, which nothing can change any more.

        Raises:
            MechanismError: The matrix has another shape, an entry that is not a whole number of at
                least zero, or columns with different sums.
            SpaceError: Answers or outputs are not a space.
            NeighboursError: The neighbours are not a relation, or a graph of another size.
        """
        _check_kinds(answers, outputs, neighbours)
        matrix, total = _checked(_integers(weights, (len(outputs), len(answers))))
        kept = MappingProxyType(dict(notes or {}))
        return DenseMechanism(
            answers=answers,
            outputs=outputs,
            neighbours=neighbours,
            weights=matrix,
            total=total,
            name=name,
            notes=kept,
        )

    @property
    @abstractmethod
    def digest(self) -> str:
        """SHA-256 of everything that defines the mechanism."""

    @property
    def facts_text(self) -> str:
        """What its digest begins with, as it is hashed: all but the weights."""
        return json.dumps(self._facts(), sort_keys=True)

    @property
    def shape(self) -> tuple[int, int]:
        """How many outputs and how many answers."""
        return len(self.outputs), len(self.answers)

    def column(self, answer: int) -> Integers:
        """The weights of all outputs when the true answer has this index.

        Args:
            answer: The index of the true answer.

        Returns:
            A whole number for each output; they sum to `total`.
        """
        return self.weights[:, answer]

    def probabilities(self) -> npt.NDArray[np.float64]:
        """The matrix in floats, for measures and pictures."""
        if self.weights.dtype == np.int64:
            return self.weights / self.total
        return np.array([[cell / self.total for cell in row] for row in self.weights])

    def same_as(self, other: "Mechanism") -> bool:
        """Whether spaces, neighbours and weights agree exactly, cell by cell.

        Args:
            other: Another mechanism, of any form.

        Returns:
            True when they are one and the same matrix.
        """
        return self.digest == other.digest

    def _facts(self) -> dict[str, Any]:
        """Spaces and neighbours as plain JSON values: what the digests of all forms begin with."""
        return {
            "answers": space_to_dict(self.answers),
            "outputs": space_to_dict(self.outputs),
            "neighbours": neighbours_to_dict(self.neighbours),
        }

    def __repr__(self) -> str:
        name = "" if self.name == "custom" else f"{self.name}: "
        rows, columns = self.shape
        return f"Mechanism({name}{rows} outputs × {columns} answers, total {_short(self.total)})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DenseMechanism(Mechanism):
    """A mechanism whose matrix is written out; `Mechanism.of` checks and makes one."""

    answers: Space
    outputs: Space
    neighbours: Neighbours
    weights: Integers
    total: int
    name: str = "custom"
    notes: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that defines the mechanism: spaces, neighbours, weights."""
        content = hashlib.sha256(self.facts_text.encode())
        for row in self.weights:
            content.update((" ".join(map(str, row.tolist())) + "\n").encode())
        return content.hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes by being built, and so checked, again."""
        build = partial(Mechanism.of, name=self.name, notes=dict(self.notes))
        return build, (self.answers, self.outputs, self.neighbours, self.weights)


def _check_kinds(answers: object, outputs: object, neighbours: object) -> None:
    """Refuse what is no space or no neighbouring relation, or a graph for another size."""
    for what, space in (("answers", answers), ("outputs", outputs)):
        if not isinstance(space, Space):
            raise SpaceError(f"{what} must be a Grid, Listed or Labels, got {show(space)}")
    if not isinstance(neighbours, Neighbours):
        raise NeighboursError(
            f"neighbours must be Within, AllPairs or a Graph, got {show(neighbours)}"
        )
    if isinstance(neighbours, Graph) and isinstance(answers, Space):
        neighbours.pairs(len(answers))


def _short(total: int) -> str:
    power = total.bit_length() - 1
    if power > 20 and total == 1 << power:
        return f"2^{power}"
    return str(total) if total < 10**12 else f"about 2^{power}"


def _integers(weights: object, shape: tuple[int, int]) -> Integers:
    matrix = np.asarray(weights) if isinstance(weights, np.ndarray) else _array_of_rows(weights)
    if matrix.ndim != 2 or matrix.shape != shape:
        raise MechanismError(
            f"the matrix must have {shape[0]} rows (outputs) and {shape[1]} columns (answers), "
            f"got shape {' by '.join(map(str, matrix.shape)) or 'of a single value'}"
        )
    if matrix.dtype.kind not in "iu":
        matrix = _python_integers(matrix)
    if (matrix < 0).any():
        i, j = np.argwhere(matrix < 0)[0]
        raise MechanismError(
            f"weights cannot be negative, got {show(int(matrix[i, j]))} at row {i}, column {j}"
        )
    return matrix


def _array_of_rows(weights: object) -> Integers:
    try:
        rows = [list(row) for row in weights]  # type: ignore[attr-defined]
        if len({len(row) for row in rows}) == 1:
            return np.array(rows, dtype=object)
    except (TypeError, ValueError):
        pass
    raise MechanismError(f"a matrix must be rows of the same length, got {show(weights)}")


def _python_integers(matrix: Integers) -> Integers:
    exact = np.empty(matrix.shape, dtype=object)
    for (i, j), cell in np.ndenumerate(matrix):
        if isinstance(cell, (bool, np.bool_)) or not isinstance(cell, (int, np.integer)):
            raise MechanismError(
                f"weights must be whole numbers, got {show(cell)} at row {i}, column {j}"
            )
        exact[i, j] = int(cell)
    return exact


def _checked(matrix: Integers) -> tuple[Integers, int]:
    sums = matrix.astype(object).sum(axis=0)
    total = int(sums[0])
    if total == 0:
        raise MechanismError("column 0 has no weight at all; a column must be a distribution")
    if total.bit_length() > _MOST_BITS:
        raise MechanismError(
            f"the sum of a column must be at most 2^{_MOST_BITS:,}, got {show(total)}; use smaller "
            f"weights"
        )
    for j, column_sum in enumerate(sums):
        if column_sum != total:
            raise MechanismError(
                f"every column must have the same sum, but column 0 has {show(total)} and column "
                f"{j} has {show(column_sum)}"
            )
    kept: Integers = matrix.astype(np.int64 if total < _FITS else object, copy=False)
    return sealed(kept), total


def sealed(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A copy of the cells that stays as it is, whoever else holds the array it was made from.

    Machine words go into a bytes object, so even `setflags` cannot open them again. Python integers
    cannot: they become a view that refuses it.

    >>> sealed(np.array([1, 2])).setflags(write=True)
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if cells.dtype == object:
        own = np.array(cells)
        own.setflags(write=False)
        return own.view()
    return np.ndarray(cells.shape, dtype=cells.dtype, buffer=cells.tobytes())


def scaled(answers: Grid, factor: RationalLike) -> Grid:
    """Categories `factor` times as wide as the step between answers (003 §4.3.2).

    They are centred on the range of the answers, lie within it, and cover every answer.

    Args:
        answers: The range of the true answers.
        factor: How many steps wide a category is.

    Returns:
        The middles of the categories.

    Raises:
        SpaceError: The answers are not a grid, or the factor is not positive.

    >>> scaled(Grid.between(0, 40), 5)
    Grid(0, 40, step 5)
    >>> scaled(Grid.between(0, 40), "1/2").size
    81
    """
    _check_grid(answers)
    times = rational(factor, "the scale of the outputs", SpaceError)
    if times <= 0:
        raise SpaceError(f"the scale of the outputs must be positive, got {show(factor)}")
    steps = (answers.size - 1) // times
    start = answers.start + answers.step * (answers.size - 1 - steps * times) / 2
    return Grid(start, answers.step * times, int(steps) + 1)


def extended(answers: Grid, percent: RationalLike = 300) -> Grid:
    """A range of outputs wider than the answers', centred on it (003 §4.3.4).

    Args:
        answers: The range of the true answers.
        percent: The width of the outputs as a share of the width of the answers; 100 or more.

    Returns:
        The wider range, with the same step.

    Raises:
        SpaceError: The answers are not a grid, or the share is less than 100 %.

    >>> extended(Grid.between(0, 9), 300)
    Grid(-10, 19)
    """
    _check_grid(answers)
    share = rational(percent, "the width of the outputs in percent", SpaceError)
    if share < 100:
        raise SpaceError(
            f"an extended range must be at least 100 % of the answers' range, got {show(percent)}"
        )
    margin = round(answers.size * (share - 100) / 200)
    return Grid(answers.start - margin * answers.step, answers.step, answers.size + 2 * margin)


def _check_grid(answers: object) -> None:
    if not isinstance(answers, Grid):
        raise SpaceError(
            f"only evenly spaced answers can be scaled or extended, got {show(answers)}; "
            "list the outputs instead"
        )


def edges(outputs: Numbers) -> tuple[Fraction, ...]:
    """The bounds between categories, and the outer two: one more than there are outputs."""
    values = outputs.values()
    if len(values) == 1:
        half = outputs.step / 2 if isinstance(outputs, Grid) else Fraction(1, 2)
        return (values[0] - half, values[0] + half)
    middles = [(a + b) / 2 for a, b in pairwise(values)]
    return (2 * values[0] - middles[0], *middles, 2 * values[-1] - middles[-1])


def category_of(outputs: Space, answers: Space) -> tuple[int, ...]:
    """For each answer, the index of the output whose category holds it (i_j in 003).

    An answer on the bound between two categories belongs to the one nearer the middle of the
    outputs, and in the very middle to the lower: so the rule is symmetric wherever it can be.
    An answer outside every category has the nearest one.
    """
    if outputs == answers:
        return tuple(range(len(answers)))
    if not hasattr(outputs, "floats") or not hasattr(answers, "floats"):
        return tuple(outputs.index(value) for value in answers.values())
    points = numbers_of(outputs, "a category").values()
    middle = (points[0] + points[-1]) / 2
    chosen, position = [], 0
    for value in numbers_of(answers, "a category").values():
        while position + 1 < len(points) and _prefers_next(
            value, points[position], points[position + 1], middle
        ):
            position += 1
        chosen.append(position)
    return tuple(chosen)


def _prefers_next(value: Fraction, here: Fraction, there: Fraction, middle: Fraction) -> bool:
    bound = (here + there) / 2
    return value > bound or (value == bound and bound < middle)
