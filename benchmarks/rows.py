"""Opening a Parquet file and counting its rows, beside the same in plain DuckDB.

A million rows of seven columns; `DISCREET_ROWS=100000000` for more. What is wanted is a factor of
at most 1.5 over what the engine itself takes, and less than 2 GB: memory is the peak of a process
that opens the file and does nothing else.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb

from benchmarks import large_table
from benchmarks.timing import Row, beside
from discreet.tables import open_table

_ROWS = int(os.environ.get("DISCREET_ROWS", "1000000"))
_ROUNDS = 5 if _ROWS < 20_000_000 else 1
_WANTED = 1 / 1.5
_PEER = "plain DuckDB"
_OPENING = "import sys; from benchmarks.rows import peak; print(peak(sys.argv[1]))"


def rows() -> Iterator[Row]:
    """Opening, and six questions."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        place, dataset = large_table.parquet(folder, _ROWS), large_table.declared(folder, _ROWS)
        engine = duckdb.connect(config={"threads": 2})
        plain = f"CREATE OR REPLACE TABLE plain AS FROM '{place}'"
        yield beside(
            f"open {_ROWS:,} rows of seven columns ({_told(folder)} MB)",
            lambda: open_table(dataset).close(),
            lambda: engine.execute(plain),
            peer=_PEER,
            wanted=_WANTED,
            rounds=_ROUNDS,
        )
        with open_table(dataset) as table:
            for work, reading, theirs in large_table.readings(dataset):
                yield beside(
                    work,
                    partial(reading.counted, table),
                    partial(_run, engine, theirs.format("plain")),
                    peer=_PEER,
                    wanted=_WANTED,
                )


def _run(engine: duckdb.DuckDBPyConnection, select: str) -> object:
    return engine.execute(select).fetchall()


def _told(folder: Path) -> str:
    told = [sys.executable, "-c", _OPENING, str(folder)]
    done = subprocess.run(told, capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]  # DuckDB may show its progress before


def peak(folder: str) -> str:
    """The most megabytes that this process ever held, once the table is open."""
    open_table(large_table.declared(Path(folder), _ROWS))
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f}"
