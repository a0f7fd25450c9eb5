"""A mechanism too large to write out: a sum of rays, each described by a few numbers.

Proof that rays keep every ratio: docs/proofs/ray-integers.md.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from discreet.errors import MechanismError
from discreet.exact import show
from discreet.model.mechanism import DenseMechanism, Integers, Mechanism, sealed
from discreet.model.neighbours import AllPairs, Neighbours, Within
from discreet.model.spaces import Space

Words = npt.NDArray[np.int64]

FIELDS = ("first", "length", "count", "ladder", "output", "stride")


@dataclass(frozen=True, eq=False, kw_only=True)
class RayBlocks:
    """Blocks of interval rays; the arrays have one entry for each block.

    Ray k of a block (k = 0 … count − 1) is flat on the `length` answers from `first` + k on, falls
    from there by one rung of its ladder for every Δ steps, and belongs to output
    `output` + k·`stride`.
    """

    first: Words
    length: Words
    count: Words
    ladder: Words
    output: Words
    stride: Words

    @classmethod
    def of(cls, **fields: npt.ArrayLike) -> "RayBlocks":
        """Read the arrays; `count` and `stride` may be left out for blocks of a single ray."""
        size = len(np.atleast_1d(np.asarray(fields["first"])))
        given = {
            "count": np.ones(size, dtype=np.int64),
            "stride": np.zeros(size, dtype=np.int64),
        } | fields
        arrays = {name: words(given[name], f"{name} of the rays") for name in FIELDS}
        if any(len(array) != size for array in arrays.values()):
            raise MechanismError("the arrays of the rays must have the same length")
        return cls(**arrays)

    def sealed(self) -> "RayBlocks":
        """The same blocks, read again: whoever made the arrays cannot change these."""
        return RayBlocks.of(**{name: getattr(self, name) for name in FIELDS})

    def __len__(self) -> int:
        return len(self.first)

    @property
    def rays(self) -> int:
        """How many rays the blocks hold."""
        return int(self.count.sum())

    def singly(self) -> tuple[Words, Words, Words, Words]:
        """Every ray by itself: first and last answer of its interval, ladder, output."""
        within = np.arange(self.rays) - np.repeat(np.cumsum(self.count) - self.count, self.count)
        first = np.repeat(self.first, self.count) + within
        last = first + np.repeat(self.length, self.count) - 1
        output = np.repeat(self.output, self.count) + within * np.repeat(self.stride, self.count)
        return first, last, np.repeat(self.ladder, self.count), output

    def joined(self) -> tuple[Words, Words, Words, Words]:
        """First, length, count and ladder of blocks that continue one another, whatever is told."""
        goes_on = (
            (self.first[1:] == self.first[:-1] + self.count[:-1])
            & (self.length[1:] == self.length[:-1])
            & (self.ladder[1:] == self.ladder[:-1])
        )
        starts = np.flatnonzero(np.concatenate([np.ones(min(len(self), 1), dtype=bool), ~goes_on]))
        counts = np.add.reduceat(self.count, starts) if len(starts) else self.count
        return self.first[starts], self.length[starts], counts, self.ladder[starts]

    def to_lists(self) -> list[list[int]]:
        """One list of six numbers for each block, as in a file."""
        table = np.stack([getattr(self, name) for name in FIELDS], axis=1)
        return [[int(number) for number in line] for line in table.tolist()]


def check_rays(ladders: Words, blocks: RayBlocks, answers: int, outputs: int) -> None:
    """Whether ladders fall and rays lie on the line; MechanismError otherwise."""
    if (ladders < 0).any() or (np.diff(ladders, axis=1) > 0).any():
        raise MechanismError("a ladder must fall from rung to rung, and never below zero")
    if not len(blocks):
        return
    if min(blocks.first.min(), blocks.output.min(), blocks.ladder.min(), blocks.stride.min()) < 0:
        raise MechanismError("a ray cannot begin below zero, nor belong to an output below zero")
    if min(blocks.length.min(), blocks.count.min()) < 1:
        raise MechanismError("a block must have at least one ray, and a ray at least one answer")
    most = max(answers, outputs, len(ladders))
    if max(int(getattr(blocks, name).max()) for name in FIELDS) > most:
        raise MechanismError("a ray must lie on the line of the answers")
    if (blocks.first + blocks.length + blocks.count - 1 > answers).any():
        raise MechanismError(f"a ray must end on the line of {answers} answers")
    if (blocks.output + (blocks.count - 1) * blocks.stride >= outputs).any():
        raise MechanismError(f"a ray must belong to one of {outputs} outputs")
    if (blocks.ladder >= len(ladders)).any():
        raise MechanismError(f"a ray must have one of {len(ladders)} ladders")


def words(values: npt.ArrayLike, what: str, dimensions: int = 1) -> Words:
    """Whole numbers that fit a machine word, frozen; MechanismError for anything else."""
    try:
        array = np.array(values)
        exact = array.astype(np.int64, casting="safe") if array.size else array.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        raise MechanismError(f"{what} must be whole numbers below 2^63") from None
    if exact.ndim != dimensions or (dimensions == 2 and exact.shape[1] == 0):
        raise MechanismError(f"{what} must be a list of {'rows of ' * (dimensions - 1)}numbers")
    return sealed(exact)


MOST_CELLS = 30_000_000
"""The largest matrix that rays are written out to."""

_MOST_TOTAL = 2**62
_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RayMechanism(Mechanism):
    """Interval rays in integers, and one spare row that takes what a column lacks of the total.

    A ray with ladder v has weight v[⌈d/Δ⌉] at an answer d steps away from its interval; beyond the
    last rung the weight stays. Neighbours lie within Δ steps (all pairs: Δ is the whole line).
    Columns are computed when asked for. `weights` writes the matrix out while that is small.

    >>> from discreet.model import Grid
    >>> blocks = RayBlocks.of(first=[0, 2], length=[1, 1], ladder=[0, 0], output=[0, 2])
    >>> rays = RayMechanism.of(Grid.between(0, 2), Grid.between(0, 2), Within(1),
    ...                        [[4, 2, 1]], blocks, spare_output=1, total=8)
    >>> rays.weights.tolist()
    [[4, 2, 1], [3, 4, 3], [1, 2, 4]]
    """

    answers: Space
    outputs: Space
    neighbours: Neighbours
    ladders: Words
    blocks: RayBlocks
    spare_output: int
    total: int = _MOST_TOTAL
    name: str = "custom"
    notes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(  # type: ignore[override]
        cls,
        answers: Space,
        outputs: Space,
        neighbours: Neighbours,
        ladders: npt.ArrayLike,
        blocks: RayBlocks,
        *,
        spare_output: int,
        total: int = _MOST_TOTAL,
        name: str = "custom",
        notes: Mapping[str, Any] | None = None,
    ) -> "RayMechanism":
        """Check that the rays fit the line and leave no column with more than the total."""
        return cls(
            answers=answers,
            outputs=outputs,
            neighbours=neighbours,
            ladders=cast(Words, ladders),
            blocks=blocks,
            spare_output=spare_output,
            total=total,
            name=name,
            notes=notes or {},
        )

    def __post_init__(self) -> None:
        if not isinstance(self.neighbours, Within | AllPairs):
            raise MechanismError("rays need neighbours within a number of steps, or all pairs")
        self._keep("ladders", words(self.ladders, "ladders", dimensions=2))
        self._keep("blocks", self.blocks.sealed())
        self._keep("notes", MappingProxyType(dict(self.notes)))
        check_rays(self.ladders, self.blocks, len(self.answers), len(self.outputs))
        if not 0 <= self.spare_output < len(self.outputs):
            raise MechanismError(
                f"the spare row must be one of the outputs, got {show(self.spare_output)}"
            )
        if not 0 < self.total <= _MOST_TOTAL:
            raise MechanismError(
                f"the total of the rays must be between 1 and 2^62, got {self.total}"
            )
        self._keep("spare_output", int(self.spare_output))
        self._keep("total", int(self.total))
        self._check_rungs()
        self._check_spare()

    def _keep(self, field_name: str, value: object) -> None:
        """What was given, read once: whoever gave it cannot change it any more."""
        object.__setattr__(self, field_name, value)

    @property
    def steps(self) -> int:
        """Δ: how many steps apart neighbours may be."""
        most = max(1, len(self.answers) - 1)
        return min(self.neighbours.steps, most) if isinstance(self.neighbours, Within) else most

    def column(self, answer: int) -> Words:
        """The weights of all outputs when the true answer has this index."""
        first, last, ladder, output = self._rays
        away = np.maximum(np.maximum(first - answer, answer - last), 0)
        rung = np.minimum(-(-away // self.steps), self.ladders.shape[1] - 1)
        weights = np.zeros(len(self.outputs), dtype=np.int64)
        np.add.at(weights, output, self.ladders[ladder, rung])
        weights[self.spare_output] += self.spare[answer]
        return weights

    @cached_property
    def spare(self) -> Words:
        """The spare row: what the rays leave of the total, answer by answer."""
        return sealed(self.total - self._sums(np.int64).astype(np.int64))

    @cached_property
    def weights(self) -> Integers:  # type: ignore[override]
        """The whole matrix, when it has at most thirty million cells."""
        rows, columns = self.shape
        if rows * columns > MOST_CELLS:
            raise MechanismError(
                f"{rows:,} outputs by {columns:,} answers are too many to write out; "
                "ask for one column at a time"
            )
        matrix = np.zeros((rows, columns), dtype=np.int64)
        first, last, ladder, output = self._rays
        places = np.arange(columns)
        most = self.ladders.shape[1] - 1
        for some in np.array_split(np.arange(len(first)), 1 + len(first) * columns // _AT_ONCE):
            away = np.maximum(first[some, None] - places, places - last[some, None])
            rung = np.clip(-(-away // self.steps), 0, most)
            np.add.at(matrix, output[some], self.ladders[ladder[some, None], rung])
        matrix[self.spare_output] += self.spare
        return sealed(matrix)

    def dense(self) -> DenseMechanism:
        """The same mechanism as a matrix."""
        parts = (self.answers, self.outputs, self.neighbours, self.weights)
        return Mechanism.of(*parts, name=self.name, notes=self.notes)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that defines the mechanism: spaces, neighbours, rays."""
        content = hashlib.sha256(self.facts_text.encode())
        content.update(self.ladders.astype("<i8").tobytes())
        for name in FIELDS:
            content.update(getattr(self.blocks, name).astype("<i8").tobytes())
        return content.hexdigest()

    def _facts(self) -> dict[str, Any]:
        return super()._facts() | {
            "total": str(self.total),
            "spare_output": self.spare_output,
            "ladders": self.ladders.shape,
        }

    def same_as(self, other: Mechanism) -> bool:
        """Whether spaces, neighbours and weights agree exactly, cell by cell."""
        if isinstance(other, RayMechanism) and self.digest == other.digest:
            return True
        return self.shape == other.shape and self.dense().digest == other.digest

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes by being built, and so checked, again."""
        facts = {name: getattr(self, name) for name in ("spare_output", "total", "name")}
        build = partial(RayMechanism.of, **facts, notes=dict(self.notes))
        return build, (self.answers, self.outputs, self.neighbours, self.ladders, self.blocks)

    @cached_property
    def _rays(self) -> tuple[Words, Words, Words, Words]:
        first, last, ladder, output = map(sealed, self.blocks.singly())
        return first, last, ladder, output

    def _sums(self, kind: type[np.int64] | type[np.float64]) -> npt.NDArray[Any]:
        """What the rays add up to in each column, by adding up second differences.

        The answers within z·Δ steps of the rays of a block are counted by a trapezoid, whose
        second difference is ±1 in four places.
        """
        size, steps = len(self.answers), self.steps
        first, length, count, ladder = self.blocks.joined()
        rungs: npt.NDArray[Any] = self.ladders.astype(kind)
        falls = -np.diff(rungs, axis=1)
        reach = np.arange(falls.shape[1]) * steps
        left = int(reach.max(initial=0))
        bends: npt.NDArray[Any] = np.zeros(left + size + 1, dtype=kind)
        for some in np.array_split(np.arange(len(first)), 1 + len(first) * len(reach) // _AT_ONCE):
            height, many = falls[ladder[some]], count[some, None]
            start = first[some, None] - reach + left
            stop = (first + length)[some, None] + reach + left
            for place, sign in ((start, 1), (start + many, -1), (stop, -1), (stop + many, 1)):
                np.add.at(bends, np.minimum(place, left + size), sign * height)
        constant = (count.astype(kind) * rungs[ladder, -1]).sum()
        sums: npt.NDArray[Any] = np.cumsum(np.cumsum(bends))[left : left + size] + constant
        return sums

    def _check_rungs(self) -> None:
        if (self.ladders.shape[1] - 2) * self.steps >= len(self.answers):
            raise MechanismError("a ladder has more rungs than the line of the answers needs")

    def _check_spare(self) -> None:
        roughly = self._sums(np.float64).max(initial=0.0)
        if roughly > self.total * (1 + 1e-6) or (self.spare < 0).any():
            raise MechanismError("the rays add up to more than the total in some column")
