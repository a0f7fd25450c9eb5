"""A synthetic table as it is released: whole rows, what they cost, how far off their counts may be.

It is made from measurements with noise alone; no row of it is anybody's. Every dress says so.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from discreet.curator.synthetic_files import checked_place, write_parquet
from discreet.errors import FileError, LedgerError, Remedy
from discreet.exact import show
from discreet.planning.grouping import GroupedColumn, axis_names
from discreet.tables import CategoryColumn, Column, DateColumn
from discreet.text import (
    Resolution,
    csv_text,
    decimal_text,
    moment_of,
    moment_text,
    percent,
    plural,
)

WARNING = (
    "synthetic table: its rows are made up from noisy counts and belong to no one; counts of "
    "the reported columns are right within the reported bounds, anything else may be wrong"
)
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, kw_only=True)
class SyntheticColumn:
    """One column of a synthetic table: the groups of its values, and what is written for each."""

    name: str
    groups: tuple[str, ...]
    starts: tuple[str | None, ...]
    """Of each group of numbers, the first; None for words, and for the group of gaps."""
    widths: tuple[int, ...]
    """How many values each group has."""
    step: str | None
    """From one number to the next; None for words."""
    gap: bool
    """Whether the last group is that of gaps, which are written as nothing."""
    resolution: str | None = None
    """Of dates and times, the unit that they are counted in."""

    @classmethod
    def of(cls, column: Column, axis: GroupedColumn) -> "SyntheticColumn":
        """What public facts say of a column."""
        groups = tuple(axis_names(axis, column))
        if isinstance(column, CategoryColumn):
            return cls(
                name=column.name,
                groups=groups,
                starts=(None,) * axis.size,
                widths=(1,) * axis.size,
                step=None,
                gap=axis.gaps,
            )
        ends = [axis.bins.ends(place, column.size) for place in range(axis.size - axis.gaps)]
        starts = [decimal_text(column.grid.value(first)) for first, _ in ends]
        widths = [last - first + 1 for first, last in ends]
        return cls(
            name=column.name,
            groups=groups,
            starts=(*starts, *([None] * axis.gaps)),
            widths=(*widths, *([1] * axis.gaps)),
            step=decimal_text(column.grid.step),
            gap=axis.gaps,
            resolution=str(column.resolution) if isinstance(column, DateColumn) else None,
        )

    @property
    def is_words(self) -> bool:
        """Whether its values are words."""
        return self.step is None

    @property
    def number_type(self) -> str:
        """The type of its numbers in files that have types."""
        if self.resolution is not None:
            return "DATE" if Resolution(self.resolution).of_days else "TIMESTAMP"
        numbers = [Fraction(one) for one in (self.step, *self.starts) if one is not None]
        return "BIGINT" if all(one.denominator == 1 for one in numbers) else "DOUBLE"

    def written(self, group: int, place: int) -> str:
        """What is written for the so-manieth row of a group: numbers are spread over their bin."""
        if self.gap and group == len(self.groups) - 1:
            return ""
        start = self.starts[group]
        if start is None or self.step is None:
            return self.groups[group]
        inside = int((place + 1) * _GOLDEN % 1 * self.widths[group])
        value = Fraction(start) + Fraction(self.step) * inside
        if self.resolution is not None:
            return moment_text(moment_of(value, Resolution(self.resolution)))
        return decimal_text(value)

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {
            "name": self.name,
            "groups": list(self.groups),
            "starts": list(self.starts),
            "widths": list(self.widths),
            "step": self.step,
            "gap": self.gap,
            **({} if self.resolution is None else {"resolution": self.resolution}),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SyntheticColumn":
        """Read it back."""
        return cls(
            name=data["name"],
            groups=tuple(data["groups"]),
            starts=tuple(data["starts"]),
            widths=tuple(data["widths"]),
            step=data["step"],
            gap=data["gap"],
            resolution=data.get("resolution"),
        )


@dataclass(frozen=True, kw_only=True)
class MarginalReport:
    """How far off the counts of some columns may be in a synthetic table."""

    columns: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    told: tuple[int, ...]
    """The counts of the synthetic rows."""
    measured: tuple[int, ...]
    within: tuple[int, ...]
    """How far the true count is from the measured one at most, at the confidence."""

    @property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """Between which numbers each true count lies, at the confidence."""
        return tuple(
            (max(0, measured - far), max(0, measured + far))
            for measured, far in zip(self.measured, self.within, strict=True)
        )

    @property
    def off(self) -> tuple[int, ...]:
        """How far each count of the synthetic rows is off at most, at the confidence."""
        return tuple(
            max(high - count, count - low)
            for count, (low, high) in zip(self.told, self.ends, strict=True)
        )

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {
            "columns": list(self.columns),
            "off_by_at_most": max(self.off),
            "counts": [
                {
                    "values": dict(zip(self.columns, names, strict=True)),
                    "synthetic": count,
                    "measured": measured,
                    "low": low,
                    "high": high,
                    "off_by_at_most": off,
                }
                for names, count, measured, (low, high), off in zip(
                    self.groups, self.told, self.measured, self.ends, self.off, strict=True
                )
            ],
        }


@dataclass(frozen=True, kw_only=True)
class SyntheticTable:
    """Whole synthetic rows with the report of how far off their counts may be."""

    receipt: str
    asked: str
    columns: tuple[SyntheticColumn, ...]
    cells: tuple[tuple[int, int], ...]
    """Combinations of groups by number, the last column running fastest, with their rows."""
    marginals: tuple[MarginalReport, ...]
    confidence: Fraction
    epsilon: str
    left: str
    free: bool
    """Whether it was stored already, so that nothing was charged this time."""
    plan: str
    certificate: str

    @classmethod
    def from_dict(cls, body: dict[str, Any], **released: Any) -> "SyntheticTable":
        """Read the body of an entry."""
        try:
            columns = tuple(SyntheticColumn.from_dict(one) for one in body["columns"])
            return cls(
                columns=columns,
                cells=tuple((int(cell), int(many)) for cell, many in body["cells"]),
                marginals=tuple(_reports(body, columns)),
                confidence=Fraction(body["confidence"]),
                plan=str(body["plan"]),
                certificate=str(body["certificate"]),
                **released,
            )
        except (KeyError, TypeError, ValueError):
            raise LedgerError("a stored table cannot be read", Remedy.VERIFY) from None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def size(self) -> int:
        """How many rows it has."""
        return sum(many for _, many in self.cells)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The rows as they are written, in the order of the declared values."""
        shape = [len(column.groups) for column in self.columns]
        seen = [Counter[int]() for _ in shape]
        for cell, many in self.cells:
            groups = [int(one) for one in np.unravel_index(cell, shape)]
            for _ in range(many):
                yield tuple(
                    column.written(group, counter[group])
                    for column, group, counter in zip(self.columns, groups, seen, strict=True)
                )
                for group, counter in zip(groups, seen, strict=True):
                    counter[group] += 1

    @property
    def sentences(self) -> list[str]:
        """How far off each reported marginal may be: a line for each."""
        return [
            f"{' × '.join(one.columns)}: {plural(len(one.told), 'cell')}, each at most "
            f"{plural(max(one.off), 'row')} off"
            for one in self.marginals
        ]

    def __str__(self) -> str:
        cost = "free, it was stored" if self.free else f"ε = {self.epsilon} spent"
        return (
            f"{plural(self.size, 'synthetic row')} of {', '.join(self.names)}; at "
            f"{percent(self.confidence)} % confidence {'; '.join(self.sentences)}. {cost}, "
            f"{self.left} left; receipt {self.receipt}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON values, without the rows."""
        return {
            "synthetic": True,
            "warning": WARNING,
            "receipt": self.receipt,
            "asked": self.asked,
            "columns": list(self.names),
            "rows": self.size,
            "marginals": [one.to_dict() for one in self.marginals],
            "confidence": float(self.confidence),
            "epsilon": self.epsilon,
            "left": self.left,
            "free": self.free,
            "plan": self.plan,
            "certificate": self.certificate,
            "sentence": str(self),
        }

    def to_csv(self) -> str:
        """The rows as CSV, under a line of names."""
        return csv_text([self.names, *self.rows()])

    def save(self, path: str | Path) -> Path:
        """Write the rows as CSV or Parquet, and the report beside them.

        Args:
            path: A file whose name says that it is synthetic, and ends with .csv or .parquet.

        Returns:
            Where the report is.

        Raises:
            FileError: It cannot be written there.
        """
        place = checked_place(path)
        report = place.with_name(place.name + ".report.json")
        document = json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        try:
            if place.suffix.lower() == ".parquet":
                kinds = ["VARCHAR" if one.is_words else one.number_type for one in self.columns]
                types = dict(zip(self.names, kinds, strict=True))
                write_parquet(place, types, self.rows(), WARNING)
            else:
                place.write_text(self.to_csv(), encoding="utf-8")
            report.write_text(document, encoding="utf-8")
        except OSError as problem:
            raise FileError(f"cannot write {show(str(path))}: {problem.strerror}") from None
        return report


def _reports(body: dict[str, Any], columns: Sequence[SyntheticColumn]) -> Iterator[MarginalReport]:
    by_name, start = {column.name: column for column in columns}, 0
    for names in body["marginals"]:
        shape = [len(by_name[name].groups) for name in names]
        here = slice(start, start := start + math.prod(shape))
        groups = (np.unravel_index(place, shape) for place in range(math.prod(shape)))
        yield MarginalReport(
            columns=tuple(names),
            groups=tuple(
                tuple(by_name[name].groups[int(g)] for name, g in zip(names, one, strict=True))
                for one in groups
            ),
            told=tuple(map(int, body["told"][here])),
            measured=tuple(map(int, body["measured"][here])),
            within=tuple(map(int, body["within"][here])),
        )
