"""Interval rays described in blocks: the data that a `RayMechanism` is made of."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.errors import MechanismError
from discreet.model.mechanism import sealed

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
            raise MechanismError("the arrays of the rays must have one length")
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
        raise MechanismError("a ladder must fall, from rung to rung, to no less than zero")
    if not len(blocks):
        return
    if min(blocks.first.min(), blocks.output.min(), blocks.ladder.min(), blocks.stride.min()) < 0:
        raise MechanismError("rays cannot begin, nor belong to an output, below zero")
    if min(blocks.length.min(), blocks.count.min()) < 1:
        raise MechanismError("a block has at least one ray, a ray at least one answer")
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
