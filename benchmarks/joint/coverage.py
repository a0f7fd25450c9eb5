"""How often what joint answers promise holds, on real columns: drawn, with exact binomial bounds.

A real column is written to a file and asked as anybody would; the truth is numpy's. A promise is
an interval, or at most so many rows off, at 95 % each.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from benchmarks.real_columns.columns import RealColumn, real_columns
from benchmarks.real_columns.coverage import ALARM, at_most
from discreet.curator import Curator, Order
from discreet.curator.prepared import Prepared
from discreet.planning import DrawnValue
from discreet.statistics import Placing, Tally

Places = npt.NDArray[np.int64]
LEVEL = 0.95
DRAWS = 60
EVERY = 25
"""One of so many columns is taken."""
MOST_ROWS, FEWEST_VALUES, MOST_VALUES = 2_000, 5, 400
EPSILONS = ("0.2", "1")


@dataclass(frozen=True)
class Asked:
    """A question of a column, and its true answers group by group: statistics one by one."""

    kind: str
    sql: str
    truths: Callable[[Places], list[list[float]]] | None
    """None where the promise is about rows."""


def asked_of(values: int) -> tuple[Asked, ...]:
    """Questions whose ends are public: shares of the declared range."""
    low, middle, high = values // 4, values // 2, 3 * values // 4
    wide = max(1, values // 6)
    edges = range(wide - 1, values + wide - 1, wide)
    return (
        Asked(
            "counts",
            f"SELECT COUNT(x <= {low}), COUNT(x > {middle}), COUNT(x BETWEEN {low} AND {high})",
            lambda x: [
                [(x <= low).sum()],
                [(x > middle).sum()],
                [((x >= low) & (x <= high)).sum()],
            ],
        ),
        Asked("quartiles", "SELECT QUARTILES(x)", None),
        Asked("interquartile range", "SELECT IQR(x)", None),
        Asked(
            "mean and count",
            f"SELECT AVG(x), COUNT(*) WHERE x >= {low}",
            lambda x: [[x[x >= low].mean()], [(x >= low).sum()]],
        ),
        Asked(
            "mean and deviation",
            "SELECT AVG(x), STDDEV(x)",
            lambda x: [[x.mean()], [x.std(ddof=1)]],
        ),
        Asked(
            "running totals",
            f"SELECT CUMULATIVE(x, {wide})",
            lambda x: [[(x <= edge).sum() for edge in edges]],
        ),
        Asked(
            "cells",
            f"SELECT HISTOGRAM(x, {wide})",
            lambda x: [[((x <= edge) & (x > edge - wide)).sum() for edge in edges]],
        ),
    )


def main() -> int:
    """Print how often promises hold; 1 where one does not."""
    columns = [
        one
        for one in real_columns()
        if not one.words and FEWEST_VALUES <= one.values <= MOST_VALUES and len(one.indices) >= 20
    ][::EVERY]
    found: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for column in columns:
        for relation in ("change", "add-or-remove"):
            for kind, held, where in _of_column(column, relation):
                found[kind, relation].append((held, where))
    table = Table(title=f"promises of joint answers, 95 % each, {len(columns)} real columns")
    for heading in ("asked", "neighbours", "promises", "held", "least", "untrue"):
        table.add_column(heading, justify="left" if heading in ("asked", "neighbours") else "right")
    untrue = []
    for (kind, relation), cells in found.items():
        wrong = [where for held, where in cells if at_most(held, DRAWS, LEVEL) < ALARM]
        untrue += wrong
        helds = [held for held, _ in cells]
        table.add_row(
            kind,
            relation,
            f"{len(cells):,}",
            f"{sum(helds) / len(cells) / DRAWS:.2%}",
            f"{min(helds) / DRAWS:.1%}",
            str(len(wrong)),
        )
    Console(width=120).print(table)
    for where in untrue:
        print(where)
    return int(bool(untrue))


def _of_column(column: RealColumn, relation: str) -> Iterator[tuple[str, int, str]]:
    rows = column.indices[:MOST_ROWS]
    with tempfile.TemporaryDirectory() as folder:
        file = _written(Path(folder), rows, column.values, relation)
        with Curator(file) as curator:
            for asked in asked_of(column.values):
                for epsilon in EPSILONS:
                    where = f"{column.name}, {relation}, ε = {epsilon}: {asked.sql}"
                    for held in _held(curator, asked, epsilon, rows):
                        yield asked.kind, held, where


def _written(folder: Path, rows: Places, values: int, relation: str) -> Path:
    size = "size" if relation == "change" else "size_at_most"
    (folder / "rows.csv").write_text("x\n" + "\n".join(map(str, rows.tolist())) + "\n")
    file = folder / "column.toml"
    file.write_text(
        'name = "column"\nconfirmed = true\n[source]\npath = "rows.csv"\n[privacy]\n'
        f'neighbours = "{relation}"\n{size} = {len(rows)}\n[budget]\ntotal = "100"\n'
        f'[columns.x]\ntype = "integer"\nlow = 0\nhigh = {values - 1}\ngaps = false\nmissing = 0\n'
    )
    return file


def _held(curator: Curator, asked: Asked, epsilon: str, rows: Places) -> list[int]:
    """For every promise, in how many draws it held."""
    order = Order.of(curator.question(asked.sql), epsilon=epsilon)
    ready = Prepared.of(order, made := curator.plan(order), curator.dataset)
    counted = [one.counted(curator.table) for one in ready.readings]
    truths = None if asked.truths is None else asked.truths(rows)
    held: list[list[int]] = []
    for _ in range(DRAWS):
        told = made.ready(counted).draw()
        if truths is None:
            marks = [
                _near(part.subject.statistic, part.chosen.figures.rows_off, by_group[0], counts[0])
                for part, by_group, counts in zip(made.parts, told, counted, strict=True)
            ]
        else:
            marks = [
                _within(one, true)
                for by_group, own in zip(told, truths, strict=True)
                for one, true in zip(by_group, own, strict=True)
            ]
        held.append(marks)
    return np.array(held).sum(axis=0).tolist()


def _within(told: DrawnValue, true: float) -> int:
    """Whether the interval holds the truth, but for the digits of a float.

    Of no rows there is no mean: then no value may be told.
    """
    if told.interval is None:
        return 1
    if np.isnan(true):
        return 0
    low, high = told.interval
    return int(low - Fraction(1, 10**6) <= Fraction(float(true)) <= high + Fraction(1, 10**6))


def _near(statistic: Any, off: int | None, told: DrawnValue, counted: Any) -> int:
    """Whether as few rows as promised must change for some value of what was told to be right."""
    assert isinstance(statistic, Placing)
    assert isinstance(counted, Tally)
    low, high = (told.value, told.value) if told.run is None else told.run
    away: Sequence[int] = statistic.rows_to_change(counted.counts).tolist()
    return int(min(away[int(low) : int(high) + 1]) <= (off or 0))  # type: ignore[arg-type]
