"""A large table made here, what is declared of it, and what is asked: for all engines the same."""

from collections.abc import Iterator
from pathlib import Path

import duckdb

from discreet.curator.prepared import Prepared
from discreet.planning import Reading, plan
from discreet.questions import parse_sql
from discreet.requests import Order
from discreet.tables import Dataset, read_dataset

_EPSILON = "0.5"
_MADE = """
    SELECT CAST(hash(i) % 121 AS INTEGER) AS age,
           CAST(hash(i + 1) % 200001 AS DOUBLE) / 100 AS income,
           CASE WHEN hash(i + 2) % 10 > 0 THEN chr(CAST(65 + hash(i + 2) % 4 AS INTEGER)) END
               AS clinic,
           hash(i + 3) % 3 = 0 AS smokes,
           DATE '2020-01-01' + CAST(hash(i + 4) % 1500 AS INTEGER) AS day,
           make_timestamp(CAST(1577836800000000 + hash(i + 5) % 100000000000000 AS BIGINT))
               AS moment,
           CAST(hash(i + 6) % 40 AS VARCHAR) AS code
    FROM range({rows}) rows(i)
"""
_COLUMNS = """
[columns]
age = { type = "integer", low = 0, high = 120 }
income = { type = "number", low = 0, high = 2000, step = 0.01 }
clinic = { type = "category", values = ["A", "B", "C", "D"] }
smokes = { type = "boolean" }
day = { type = "date", low = 2020-01-01, high = 2024-12-31 }
moment = { type = "timestamp", resolution = "hour", low = 2020-01-01, high = 2023-12-31 }
code = { type = "category", values = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"] }
"""
ASKED = (
    ("count where", "SELECT COUNT(*) WHERE age < 50", "SELECT COUNT(*) FROM {0} WHERE age < 50"),
    ("mean where", "SELECT AVG(income) WHERE age < 50",
     "SELECT AVG(income) FROM {0} WHERE age < 50"),
    ("median of 121 values", "SELECT MEDIAN(age)", "SELECT MEDIAN(age) FROM {0}"),
    ("median of 200,001 values", "SELECT MEDIAN(income)", "SELECT MEDIAN(income) FROM {0}"),
    ("counts by group", "SELECT clinic, COUNT(*) GROUP BY clinic",
     "SELECT clinic, COUNT(*) FROM {0} GROUP BY 1"),
    ("means by group", "SELECT clinic, AVG(income) GROUP BY clinic",
     "SELECT clinic, AVG(income) FROM {0} GROUP BY 1"),
)  # fmt: skip
"""What it is called, the question, and what an analyst would write without us."""


def parquet(folder: Path, rows: int) -> Path:
    """The table as a file."""
    place = folder / "rows.parquet"
    with duckdb.connect(config={"threads": 2}) as engine:
        engine.execute(f"COPY ({_MADE.format(rows=rows)}) TO '{place}' (FORMAT parquet)")
    return place


def declared(folder: Path, rows: int, source: str = 'path = "rows.parquet"') -> Dataset:
    """What is declared of it, wherever it is."""
    file = folder / "rows.toml"
    file.write_text(
        f'name = "rows"\nconfirmed = true\n[source]\n{source}\n[privacy]\n'
        f'size_at_most = {2 * rows}\n[budget]\ntotal = "1"\n{_COLUMNS}'
    )
    return read_dataset(file)


def readings(dataset: Dataset) -> Iterator[tuple[str, Reading, str]]:
    """What is counted for each question, beside the plain SELECT over a table `{0}`."""
    for work, sql, plain in ASKED:
        order = Order.of(parse_sql(sql, dataset), epsilon=_EPSILON)
        made = plan(order.question, dataset, epsilon=_EPSILON)
        yield work, Prepared.of(order, made, dataset).readings[0], plain
