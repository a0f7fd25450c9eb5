"""Totals and marginals: each set of counts that exclude each other has a noise of its own.

A level puts every cell into one block. What is told is a sum of blocks of one level, so that its
law is known exactly (docs/proofs/workloads.md, Claims 2 and 4).
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.joint.marginals import MOST_DIMENSIONS, MarginalNoise
from discreet.joint.sums import sum_variance
from discreet.joint.tables import TableNoise
from discreet.model import Relation

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CellBlocks:
    """A way to put cells together: the block that each of them is in."""

    of_cell: Whole
    many: int

    @classmethod
    def apart(cls, cells: int) -> "CellBlocks":
        """Every cell by itself."""
        return cls(np.arange(cells, dtype=np.int64), cells)

    def sums(self, values: Whole) -> Whole:
        """Whole numbers of all cells, added up block by block."""
        sums = np.zeros(self.many, dtype=np.int64)
        np.add.at(sums, self.of_cell, values)
        return sums

    def refines(self, members: Sequence[int]) -> tuple[int, ...] | None:
        """The blocks that some cells are, all of them whole; None where one is cut."""
        blocks = np.unique(self.of_cell[list(members)])
        return tuple(blocks.tolist()) if self._sizes[blocks].sum() == len(members) else None

    @cached_property
    def _sizes(self) -> Whole:
        return np.bincount(self.of_cell, minlength=self.many).astype(np.int64)


@dataclass(frozen=True)
class Reads:
    """Where a told sum is read: so many blocks of a level."""

    level: int
    blocks: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Levels:
    """Counts of the blocks of one level or several, each with noise for its share of ε."""

    levels: tuple[tuple[CellBlocks, TableNoise], ...]
    told: tuple[Reads, ...]

    @property
    def name(self) -> str:
        """What it is called: how many tables are measured."""
        return "one table" if len(self.levels) == 1 else f"{len(self.levels)} tables"

    @property
    def parts(self) -> list[tuple[CellBlocks, float]]:
        """What is measured, with the variance of each count."""
        return [(blocks, noise.variance) for blocks, noise in self.levels]

    @property
    def tables(self) -> tuple[TableNoise, ...]:
        """The noise of every table that is measured."""
        return tuple(noise for _, noise in self.levels)

    @property
    def is_cells(self) -> bool:
        """Whether the cells alone are measured: what is told adds up as it is."""
        (blocks, _), *others = self.levels
        return not others and blocks.many == len(blocks.of_cell)

    @property
    def drawable(self) -> bool:
        """Whether noise of these rates can be drawn."""
        return all(noise.drawable for _, noise in self.levels)

    @cached_property
    def digest(self) -> str:
        """That of its certificate, or one digest of several."""
        digests = [noise.digest for _, noise in self.levels]
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("".join(digests).encode()).hexdigest()

    @property
    def errors(self) -> list[float]:
        """The mean absolute error of each told sum, whatever the table is."""
        return [self._noise(one).error(len(one.blocks)) for one in self.told]

    @cached_property
    def variances(self) -> list[float]:
        """The variance of each told sum, whatever the table is."""
        variances = {
            (level, many): sum_variance(many, noise.rate, of=noise.cancelling)
            for level, many in {(one.level, len(one.blocks)) for one in self.told}
            for noise in (self.levels[level][1],)
        }
        return [variances[one.level, len(one.blocks)] for one in self.told]

    @property
    def rmse(self) -> float:
        """The root of the mean squared error of all that is told."""
        return float(np.sqrt(np.mean(self.variances)))

    def reaches(self, confidence: Fraction) -> list[Fraction]:
        """How far each told sum is off at most, at a confidence, for every table."""
        sizes: dict[int, set[int]] = {}
        for one in self.told:
            sizes.setdefault(one.level, set()).add(len(one.blocks))
        every = {
            level: self.levels[level][1].reaches(many, confidence) for level, many in sizes.items()
        }
        return [Fraction(every[one.level][len(one.blocks)]) for one in self.told]

    def truths(self, counts: Whole) -> list[Whole]:
        """What is measured, before noise: all that depends on the rows."""
        return [blocks.sums(counts) for blocks, _ in self.levels]

    def measure(self, truths: Sequence[Whole]) -> list[Whole]:
        """What is measured, with noise: to be called under a charge."""
        return [true + noise.draw() for true, (_, noise) in zip(truths, self.levels, strict=True)]

    def read(self, measured: Sequence[Whole]) -> list[int]:
        """What is told of the measurements, as they come: some may be below 0."""
        return [int(measured[one.level][list(one.blocks)].sum()) for one in self.told]

    def _noise(self, one: Reads) -> TableNoise:
        return self.levels[one.level][1]


@dataclass(frozen=True, eq=False)
class OneRadius:
    """Counts of the blocks of several levels, with noise that is drawn for all of them at once."""

    blocks: tuple[CellBlocks, ...]
    told: tuple[Reads, ...]
    noise: MarginalNoise
    is_cells: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{len(self.blocks)} tables with one radius"

    @property
    def parts(self) -> list[tuple[CellBlocks, float]]:
        """What is measured, with the variance of each count."""
        return [(one, self.noise.variance(level, 1)) for level, one in enumerate(self.blocks)]

    @property
    def tables(self) -> tuple[TableNoise, ...]:
        """None has a noise of its own."""
        return ()

    @property
    def drawable(self) -> bool:
        """Whether such noise can be drawn, and its law is known."""
        return self.noise.drawable and self.noise.has_law

    @property
    def digest(self) -> str:
        """That of its certificate."""
        return self.noise.digest

    @property
    def errors(self) -> list[float]:
        """The mean absolute error of each told sum, whatever the table is."""
        return [self.noise.error(one.level, len(one.blocks)) for one in self.told]

    @cached_property
    def variances(self) -> list[float]:
        """The variance of each told sum, whatever the table is."""
        return [self.noise.variance(one.level, len(one.blocks)) for one in self.told]

    @property
    def rmse(self) -> float:
        """The root of the mean squared error of all that is told."""
        return float(np.sqrt(np.mean(self.variances)))

    def reaches(self, confidence: Fraction) -> list[Fraction]:
        """How far each told sum is off at most, at a confidence, for every table."""
        return [
            Fraction(self.noise.reach(one.level, len(one.blocks), confidence)) for one in self.told
        ]

    def truths(self, counts: Whole) -> list[Whole]:
        """What is measured, before noise: all that depends on the rows."""
        return [blocks.sums(counts) for blocks in self.blocks]

    def measure(self, truths: Sequence[Whole]) -> list[Whole]:
        """What is measured, with noise: to be called under a charge."""
        drawn = zip(truths, self.noise.draw(), strict=True)
        return [true + noise[: len(true)] for true, noise in drawn]

    def read(self, measured: Sequence[Whole]) -> list[int]:
        """What is told of the measurements, as they come: some may be below 0."""
        return [int(measured[one.level][list(one.blocks)].sum()) for one in self.told]


@dataclass(frozen=True, kw_only=True)
class PrivacyTerms:
    """What the noise of all levels together is made for."""

    epsilon: Epsilon
    relation: Relation
    rows_per_unit: int = 1
    total_is_public: bool = False
    """Whether all cells sum to a public number."""


def measured(
    levels: Sequence[CellBlocks], sums: Sequence[Sequence[int]], charge: PrivacyTerms
) -> Levels:
    """Levels over the same cells; a sum of cells is read where it takes fewest blocks."""
    return shared(levels, [_where(levels, members) for members in sums], charge)


def shared(levels: Sequence[CellBlocks], reads: Sequence[Reads], charge: PrivacyTerms) -> Levels:
    """Levels whose shares of ε make the squared errors of all that is told together least.

    With squared errors of Wₗ/εₗ² in level l, that is εₗ in proportion to the cube root of Wₗ. No
    billionth more than ε is spent: fewer of them than levels are no share for each.
    """
    if charge.epsilon.billionths < len(levels):
        raise DesignError(f"ε = {charge.epsilon} is too small for {len(levels)} tables; spend more")
    weights = np.zeros(len(levels))
    for one in reads:
        weights[one.level] += _spread(levels[one.level], len(one.blocks), charge)
    billionths = _split(charge.epsilon.billionths, np.cbrt(np.maximum(weights, 1e-12)))
    noises = [
        TableNoise.of(
            blocks.many,
            charge.epsilon if len(levels) == 1 else Epsilon(part),
            charge.relation,
            rows_per_unit=charge.rows_per_unit,
            total_is_public=charge.total_is_public,
        )
        for blocks, part in zip(levels, billionths, strict=True)
    ]
    return Levels(tuple(zip(levels, noises, strict=True)), tuple(reads))


def _split(billionths: int, roots: Floats) -> list[int]:
    """Whole parts in proportion to some numbers, all of them together; each has one at least."""
    for least in (0, 1):
        left = billionths - least * len(roots)
        parts = [least + int(root / roots.sum() * left) for root in roots]
        parts[0] += billionths - sum(parts)
        if min(parts) >= 1:
            break
    return parts


def with_one_radius(
    levels: Sequence[CellBlocks], reads: Sequence[Reads], charge: PrivacyTerms
) -> OneRadius | None:
    """The same levels from one draw; None where that is not to be had, or would gain nothing."""
    rest = 0 if charge.total_is_public else 1
    sizes = [blocks.many + rest for blocks in levels]
    if charge.relation != Relation.CHANGE or len(levels) < 2 or min(sizes) < 2:
        return None
    if sum(sizes) - len(sizes) > MOST_DIMENSIONS:
        return None
    noise = MarginalNoise.of(sizes, charge.epsilon, rows_per_unit=charge.rows_per_unit)
    together = OneRadius(tuple(levels), tuple(reads), noise)
    return together if together.drawable else None


def best_levels(
    cells: int,
    partitions: Sequence[CellBlocks],
    sums: Sequence[Sequence[int]],
    charge: PrivacyTerms,
) -> Levels | OneRadius:
    """Of all that is tried, what errs least over all sums."""
    tried: list[Levels | OneRadius] = []
    for levels in _tried(cells, partitions):
        if len(levels) > charge.epsilon.billionths:
            continue
        apart = measured(levels, sums, charge)
        together = with_one_radius(levels, apart.told, charge)
        tried += [apart] if together is None else [apart, together]
    return min(tried, key=lambda one: one.rmse)


def _tried(cells: int, partitions: Sequence[CellBlocks]) -> Iterator[list[CellBlocks]]:
    """The cells alone; what is asked and is not read from finer tables that are asked."""
    yield [CellBlocks.apart(cells)]
    coarse = [one for one in partitions if one.many < cells]
    finest = [
        one
        for one in coarse
        if not any(other.many > one.many and _coarsens(one, other) for other in coarse)
    ]
    asked = any(one.many == cells for one in partitions)
    if finest and not asked and (len(finest) > 1 or finest[0].many < cells):
        yield finest


def _coarsens(coarse: CellBlocks, fine: CellBlocks) -> bool:
    """Whether every block of the finer one lies in one block of the other."""
    pairs = set(zip(fine.of_cell.tolist(), coarse.of_cell.tolist(), strict=True))
    return len(pairs) == fine.many


def _where(levels: Sequence[CellBlocks], members: Sequence[int]) -> Reads:
    reads = [
        Reads(level, blocks)
        for level, one in enumerate(levels)
        if (blocks := one.refines(members)) is not None
    ]
    return min(reads, key=lambda one: min(len(one.blocks), levels[one.level].many))


def _spread(level: CellBlocks, many: int, charge: PrivacyTerms) -> float:
    """How much a sum of so many blocks varies, in units of one."""
    if charge.relation != Relation.CHANGE:
        return float(many)
    every = level.many + (not charge.total_is_public)
    return many * (every - many) / max(1, every - 1)
