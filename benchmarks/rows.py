"""Opening a Parquet file and counting its rows, beside the same in plain DuckDB.

A million rows of seven columns, made here; `DISCREET_ROWS=100000000` for more. What is wanted is a
factor of at most 1.5 over what the engine itself takes.
"""

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb

from benchmarks.timing import Row, beside
from discreet.tables import open_table, read_dataset

_ROWS = int(os.environ.get("DISCREET_ROWS", "1000000"))
_ROUNDS = 5 if _ROWS < 20_000_000 else 1
_WANTED = 1 / 1.5
_PEER = "plain DuckDB"
_MADE = f"""
    SELECT CAST(hash(i) % 121 AS INTEGER) AS age,
           CAST(hash(i + 1) % 200001 AS DOUBLE) / 100 AS income,
           CASE WHEN hash(i + 2) % 10 > 0 THEN chr(CAST(65 + hash(i + 2) % 4 AS INTEGER)) END
               AS clinic,
           hash(i + 3) % 3 = 0 AS smokes,
           DATE '2020-01-01' + CAST(hash(i + 4) % 1500 AS INTEGER) AS day,
           make_timestamp(CAST(1577836800000000 + hash(i + 5) % 100000000000000 AS BIGINT))
               AS moment,
           CAST(hash(i + 6) % 40 AS VARCHAR) AS code
    FROM range({_ROWS}) rows(i)
"""
_FACTS = f"""
name = "rows"
confirmed = true
source = {{ path = "rows.parquet" }}
privacy = {{ size_at_most = {2 * _ROWS} }}
budget = {{ total = "1" }}
[columns]
age = {{ type = "integer", low = 0, high = 120 }}
income = {{ type = "number", low = 0, high = 2000, step = 0.01 }}
clinic = {{ type = "category", values = ["A", "B", "C", "D"] }}
smokes = {{ type = "boolean" }}
day = {{ type = "date", low = 2020-01-01, high = 2024-12-31 }}
moment = {{ type = "timestamp", resolution = "hour", low = 2020-01-01, high = 2023-12-31 }}
code = {{ type = "category", values = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"] }}
"""
_ASKED = (
    ("count where", "SELECT 0, COUNT(*), SUM(CASE WHEN age < 50 THEN 1 ELSE 0 END) FROM clean",
     "SELECT COUNT(*) FROM plain WHERE age < 50"),
    ("mean where", "SELECT 0, COUNT(*), SUM(income) FROM clean WHERE age < 50 AND income <> -1",
     "SELECT AVG(income) FROM plain WHERE age < 50"),
    ("counts by value, for a median", "SELECT age, COUNT(*) FROM clean WHERE age <> -1 GROUP BY 1",
     "SELECT MEDIAN(age) FROM plain"),
    ("counts by group", "SELECT clinic, COUNT(*) FROM clean GROUP BY 1",
     "SELECT clinic, COUNT(*) FROM plain GROUP BY 1"),
)  # fmt: skip


def rows() -> Iterator[Row]:
    """Opening, and four questions."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "rows.parquet"
        (Path(folder) / "rows.toml").write_text(_FACTS, encoding="utf-8")
        engine = duckdb.connect(config={"threads": 2})
        engine.execute(f"COPY ({_MADE}) TO '{place}' (FORMAT parquet)")
        dataset = read_dataset(Path(folder) / "rows.toml")
        plain = f"CREATE OR REPLACE TABLE plain AS FROM '{place}'"
        yield beside(
            f"open {_ROWS:,} rows of seven columns",
            lambda: open_table(dataset).close(),
            lambda: engine.execute(plain),
            peer=_PEER,
            wanted=_WANTED,
            rounds=_ROUNDS,
        )
        with open_table(dataset) as table:
            for work, ours, theirs in _ASKED:
                yield beside(
                    work,
                    partial(table.rows, ours),
                    partial(_run, engine, theirs),
                    peer=_PEER,
                    wanted=_WANTED,
                )


def _run(engine: duckdb.DuckDBPyConnection, select: str) -> object:
    return engine.execute(select).fetchall()
