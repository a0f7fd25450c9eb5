"""A cached ask end to end, beside OpenDP's Context on the same table."""

import csv
import importlib
import random
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.timing import Row, Work, beside
from discreet.curator import OpenDataset, open_dataset

ROWS = 1_000
FILE = f"""\
name = "survey"
confirmed = true
[source]
path = "rows.csv"
[privacy]
size = {ROWS}
[budget]
total = "100"
[columns.age]
type = "integer"
low = 0
high = 99
[columns.clinic]
type = "category"
values = ["A", "B", "C"]
"""
ASKED = (
    "SELECT COUNT(*) WHERE clinic = 'A'",
    "SELECT AVG(age)",
    "SELECT MEDIAN(age)",
    "SELECT COUNT(*) GROUP BY clinic",
)


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        ages = _survey(Path(folder))
        with open_dataset(Path(folder) / "survey.toml", analyst="bench") as survey:
            return [
                beside(
                    f"cached ask of {ROWS:,} rows: {sql}",
                    _asking(survey, sql),
                    _context(ages) if sql == "SELECT AVG(age)" else None,
                    peer="OpenDP Context" if sql == "SELECT AVG(age)" else "",
                    rounds=30,
                    within=0.010,
                    wall=True,
                )
                for sql in ASKED
            ]


def _survey(folder: Path) -> list[int]:
    chance = random.Random(1)
    ages = [chance.randint(0, 99) for _ in range(ROWS)]
    with (folder / "rows.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "clinic"])
        writer.writerows([age, chance.choice("ABC")] for age in ages)
    (folder / "survey.toml").write_text(FILE)
    return ages


def _asking(survey: OpenDataset, sql: str) -> Work:
    """Parse, plan (known by now), read the rows, charge durably, draw, store, release."""
    return lambda: survey.sql(sql).ask(epsilon="0.001")


def _context(ages: list[int]) -> Work | None:
    """The mean of a known number of rows by OpenDP's Context; None where it is not installed."""
    try:
        dp: Any = importlib.import_module("opendp.prelude")
    except ImportError:
        return None
    dp.enable_features("contrib")
    values = [float(age) for age in ages]

    def ask() -> float:
        context = dp.Context.compositor(
            data=values,
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=1.0),
            split_evenly_over=1,
            domain=dp.vector_domain(dp.atom_domain(T=float, nan=False), size=ROWS),
        )
        query = context.query().clamp((0.0, 99.0)).mean().laplace()
        released: float = query.release()
        return released

    return ask
