"""Programs over whole numbers: small steps that an engine and numpy take alike.

A value is a whole number or a truth value, or NULL, which stands for a gap. Steps are total: no
number is ever larger than 64 bits hold, which bounds worked out beforehand see to, and what is
divided by is positive or NULL. Division is of numbers that are not negative, where every engine
rounds down.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.tables.columns import GAP

Cells: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]
"""The values of all rows, and which of them are known."""
Arrays: TypeAlias = Mapping[str, npt.NDArray[np.intp]]
"""The cleaned table."""


class Step(ABC):
    """One step; equal steps of equal inputs need not be the same object."""

    inputs: "tuple[Step, ...]" = ()

    @abstractmethod
    def sql(self, inputs: Sequence[str]) -> str:
        """It as SQL, its inputs being given as SQL."""

    @abstractmethod
    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """It on arrays."""


@dataclass(frozen=True, eq=False)
class Read(Step):
    """The index of a column, NULL for a gap."""

    column: str

    def sql(self, inputs: Sequence[str]) -> str:
        """A column of the cleaned table."""
        name = self.column.replace('"', '""')
        return f'CAST(NULLIF("{name}", {GAP}) AS BIGINT)'

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """Columns are put in by whoever runs a program."""
        raise AssertionError(self.column)

    def cells(self, arrays: Arrays) -> Cells:
        """The column of a table at hand; gaps have some index."""
        indices = np.asarray(arrays[self.column], dtype=np.int64)
        return np.maximum(indices, 0), indices != GAP


@dataclass(frozen=True, eq=False)
class Fixed(Step):
    """The same number, truth value or NULL in every row."""

    value: int | bool | None
    truth: bool = False
    """Whether NULL stands for a truth value."""

    def sql(self, inputs: Sequence[str]) -> str:
        """A constant of 64 bits."""
        if self.truth:
            return "CAST(NULL AS BOOLEAN)"
        if isinstance(self.value, bool):
            return "TRUE" if self.value else "FALSE"
        return f"CAST({'NULL' if self.value is None else self.value} AS BIGINT)"

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """An array of it."""
        kind = np.bool_ if self.truth or isinstance(self.value, bool) else np.int64
        return np.full(rows, self.value or 0, dtype=kind), np.full(rows, self.value is not None)


@dataclass(frozen=True, eq=False)
class PairOfNumbers(Step):
    """Two numbers with +, -, * or // between them, or compared."""

    sign: str
    inputs: tuple[Step, ...]

    def sql(self, inputs: Sequence[str]) -> str:
        """The sign is SQL's."""
        return f"({inputs[0]} {self.sign} {inputs[1]})"

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """What divides is positive where it is known."""
        (left, one), (right, other) = inputs
        known = one & other
        if self.sign == "//":
            right = np.where(known, right, 1)
        return _SIGNS[self.sign](left, right), known


_SIGNS: Mapping[str, Any] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "=": np.equal,
    "<>": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


@dataclass(frozen=True, eq=False)
class NotZero(Step):
    """The number; NULL where it is 0."""

    inputs: tuple[Step, ...]

    def sql(self, inputs: Sequence[str]) -> str:
        """What may be divided by."""
        return f"NULLIF({inputs[0]}, 0)"

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """The same on arrays."""
        ((values, known),) = inputs
        return values, known & (values != 0)


@dataclass(frozen=True, eq=False)
class Logic(Step):
    """AND or OR of truth values, with SQL's three values."""

    sign: str
    inputs: tuple[Step, ...]

    def sql(self, inputs: Sequence[str]) -> str:
        """SQL's own."""
        return f"({f' {self.sign} '.join(inputs)})"

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """A part that decides is enough; otherwise all must be known."""
        decisive = self.sign == "OR"
        decided = np.zeros(rows, dtype=np.bool_)
        known = np.ones(rows, dtype=np.bool_)
        for values, is_known in inputs:
            decided |= is_known & (values == decisive)
            known &= is_known
        return decided if decisive else ~decided, decided | known


@dataclass(frozen=True, eq=False)
class Opposite(Step):
    """NOT of a truth value."""

    inputs: tuple[Step, ...]

    def sql(self, inputs: Sequence[str]) -> str:
        """SQL's own."""
        return f"(NOT {inputs[0]})"

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """Unknown stays unknown."""
        ((values, known),) = inputs
        return ~values, known


@dataclass(frozen=True, eq=False)
class IsNull(Step):
    """Whether there is no value: always known."""

    inputs: tuple[Step, ...]

    def sql(self, inputs: Sequence[str]) -> str:
        """SQL's own."""
        return f"({inputs[0]} IS NULL)"

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """The opposite of what is known."""
        ((_, known),) = inputs
        return ~known, np.ones(rows, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Choose(Step):
    """The value after the first condition that is true, else the last: inputs take turns."""

    inputs: tuple[Step, ...]

    def sql(self, inputs: Sequence[str]) -> str:
        """CASE."""
        pairs = zip(inputs[:-1:2], inputs[1::2], strict=True)
        whens = " ".join(f"WHEN {condition} THEN {value}" for condition, value in pairs)
        return f"(CASE {whens} ELSE {inputs[-1]} END)"

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """From the last condition to the first."""
        values, known = inputs[-1]
        for (holds, is_known), (value, value_known) in zip(
            inputs[-3::-2], inputs[-2::-2], strict=True
        ):
            taken = holds & is_known
            values, known = np.where(taken, value, values), np.where(taken, value_known, known)
        return values, known


@dataclass(frozen=True, eq=False)
class Mapped(Step):
    """A number from a table, by an index from 0 on."""

    table: tuple[int, ...]
    inputs: tuple[Step, ...]

    def sql(self, inputs: Sequence[str]) -> str:
        """CASE, a line for each run of places with one number, or with one difference."""
        index = inputs[0]
        whens = []
        for first, last, slope in _runs(self.table):
            value = f"CAST({self.table[first]} AS BIGINT)"
            if slope:
                value = f"({index} + {self.table[first] - first})"
            whens.append(f"WHEN {index} BETWEEN {first} AND {last} THEN {value}")
        return f"(CASE {' '.join(whens)} END)"

    def run(self, inputs: Sequence[Cells], rows: int) -> Cells:
        """Looked up."""
        ((values, known),) = inputs
        return np.array(self.table, dtype=np.int64)[np.where(known, values, 0)], known


def _runs(table: Sequence[int]) -> list[tuple[int, int, int]]:
    """First and last place of each run of numbers that stay the same (0) or grow by one (1)."""
    runs: list[tuple[int, int, int]] = []
    first = 0
    while first < len(table):
        ends = []
        for slope in (0, 1):
            last = first
            while last + 1 < len(table) and table[last + 1] == table[last] + slope:
                last += 1
            ends.append((last, slope))
        last, slope = max(ends, key=lambda end: end[0])
        runs.append((first, last, slope if last > first else 0))
        first = last + 1
    return runs
