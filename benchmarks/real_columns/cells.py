"""Every cell: a sample of a real column and a question, with our error and the others'."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TypeVar
from zlib import crc32

from benchmarks.real_columns.asked import EPSILONS, SIZES, Asked, Rows, Statistic
from benchmarks.real_columns.columns import RealColumn
from benchmarks.real_columns.coverage import Claim, claims, empty_groups
from benchmarks.real_columns.ours import Planned
from benchmarks.real_columns.simple import others
from discreet.errors import DesignError
from discreet.model import Relation

STEP = 0.25
"""Added to every error before errors are compared: below it nobody cares."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One sample and one question."""

    column: str
    asked: Asked
    chosen: str
    error: float
    others: dict[str, float]
    seconds: float
    """What the plan took, of processor time."""

    @property
    def best(self) -> str:
        """Who of the others was best, in hindsight."""
        return min(self.others, key=self.others.__getitem__)

    @property
    def ratio(self) -> float:
        """Our error beside the least of the others."""
        return (self.error + STEP) / (self.others[self.best] + STEP)


def questions(columns: Iterable[RealColumn]) -> dict[Asked, list[RealColumn]]:
    """Everything that can be asked, each with the columns that it can be asked of."""
    found: dict[Asked, list[RealColumn]] = defaultdict(list)
    relations = (Relation.CHANGE, Relation.ADD_OR_REMOVE)
    for column in columns:
        told = (Statistic.MODE,) if column.words else tuple(Statistic)
        sizes = [size for size in SIZES if size <= len(column.indices)]
        for rows, statistic, selected, relation, epsilon in product(
            sizes, told, Rows, relations, EPSILONS
        ):
            asked = Asked(
                values=column.values,
                from_zero=column.from_zero,
                words=column.words,
                rows=rows,
                statistic=statistic,
                selected=selected,
                relation=relation,
                epsilon=epsilon,
            )
            found[asked].append(column)
    return found


def some(asked: Iterable[Asked], share: float) -> list[Asked]:
    """A share of the questions, the same in every run."""
    return [one for one in asked if crc32(repr(one).encode()) < share * 2**32]


Questions = dict[Asked, list[RealColumn]]


def measured(asked: Questions, processes: int, draws: int = 1) -> Iterator[Cell]:
    """Plan each question once, and measure it on so many samples of all of its columns."""
    return _worked(partial(_measure, draws), asked, processes)


def claimed(asked: Questions, processes: int) -> Iterator[Claim]:
    """Plan each question once, and see on all of its columns whether what is told holds."""
    return _worked(_claim, asked, processes)


_Found = TypeVar("_Found")
_One = tuple[Asked, list[RealColumn]]


def _worked(
    work: Callable[[_One], list[_Found]], asked: Questions, processes: int
) -> Iterator[_Found]:
    with ProcessPoolExecutor(processes) as workers:
        for found in workers.map(work, asked.items(), chunksize=4):
            print(".", end="", file=sys.stderr, flush=True)
            yield from found
    print(file=sys.stderr)


def _planned(asked: Asked) -> Planned | None:
    try:
        return Planned.of(asked)
    except DesignError:  # ε is too small for groups of so few rows; the report says how many
        return None


def _measure(draws: int, one: _One) -> list[Cell]:
    planned = _planned(one[0])
    if planned is None:
        return []
    return [_cell(planned, column, draw) for draw in range(draws) for column in one[1]]


def _claim(one: _One) -> list[Claim]:
    planned = _planned(one[0])
    if planned is None:
        return []
    samples = ((column.name, column.sample(planned.asked.rows)) for column in one[1])
    told = (claim for name, counts in samples for claim in claims(planned, name, counts))
    return [*told, *empty_groups(planned)]


def _cell(planned: Planned, column: RealColumn, draw: int) -> Cell:
    counts = column.sample(planned.asked.rows, draw)
    return Cell(
        column=column.name,
        asked=planned.asked,
        chosen=planned.part.chosen.name,
        error=planned.error(counts),
        others=others(planned.asked, counts),
        seconds=planned.seconds,
    )
