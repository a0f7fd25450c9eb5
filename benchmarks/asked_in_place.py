"""Questions asked where the rows are, beside the plain SELECT on the same server, in one run.

A million rows; `DISCREET_ROWS=10000000` for more. The clock on the wall: the server does the work.
Servers are those that tests start; `DISCREET_SPARK=none` leaves Spark out. Spark compiles what it
runs often, so both SELECTs are run a few times before they are timed. Wanted: at most 2.5 times the
plain SELECT in PostgreSQL, 1.5 times in Spark.
"""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks import large_table
from benchmarks.timing import Row, beside
from discreet.planning import Reading
from discreet.tables import Dataset, Table, open_table

_ROWS = int(os.environ.get("DISCREET_ROWS", "1000000"))
_ROUNDS = 3 if _ROWS < 5_000_000 else 1
_WARM, _WARM_ROUNDS = 10, 5
"""How often Spark runs each SELECT before it is timed, and then."""
_WHERE = "DISCREET_BENCH_ROWS"
_TYPES = (
    "age integer, income double precision, clinic text, smokes boolean, day date, "
    "moment timestamp, code text"
)
_MEDIAN = ("MEDIAN(", "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY ")


def rows() -> Iterator[Row]:
    """PostgreSQL, then Spark."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        folder = Path(made)
        folder.chmod(0o755)
        place = large_table.parquet(folder, _ROWS)
        yield from _postgresql(folder, place)
        yield from _spark(folder, place)


def _postgresql(folder: Path, place: Path) -> Iterator[Row]:
    import duckdb
    import psycopg

    from postgres_server import PostgresServer

    (folder / "server").mkdir()
    server = PostgresServer(folder / "server")
    try:
        os.environ[_WHERE] = server.url()
        with psycopg.connect(server.url(), autocommit=True) as opened:
            opened.execute(f"CREATE TABLE plain ({_TYPES})")
            text = folder / "rows.csv"
            duckdb.execute(f"COPY (FROM '{place}') TO '{text}' (HEADER false)")
            told = "COPY plain FROM STDIN (FORMAT csv)"
            with opened.cursor().copy(told) as copy, text.open("rb") as file:
                while block := file.read(1 << 20):
                    copy.write(block)
            text.unlink()
            opened.execute("VACUUM ANALYZE plain")

            def plain(select: str) -> object:
                return opened.execute(select.replace(*_MEDIAN)).fetchall()

            source = f'kind = "postgresql"\nurl_env = "{_WHERE}"\ntable = "plain"\nrows = "asked"'
            dataset = large_table.declared(folder, _ROWS, source)
            yield from _beside(dataset, "PostgreSQL", plain, most=2.5)
    finally:
        server.stop()


def _spark(folder: Path, place: Path) -> Iterator[Row]:
    from spark_server import SparkServer, home, start

    found = home()
    if found is None:
        return
    told = start(found, folder / "spark", {})  # as a cluster runs: its code is compiled well
    server = SparkServer(told["port"], folder / "spark")
    try:
        os.environ[_WHERE] = server.url
        server.table("plain", place)
        source = f'kind = "spark"\nurl_env = "{_WHERE}"\ntable = "plain"'
        dataset = large_table.declared(folder, _ROWS, source)
        yield from _beside(dataset, "Spark", server.sql, most=1.5, warm=_WARM, rounds=_WARM_ROUNDS)
    finally:
        server.close()
        os.killpg(told["group"], signal.SIGTERM)


def _beside(
    dataset: Dataset,
    engine: str,
    plain: Callable[[str], object],
    *,
    most: float,
    warm: int = 0,
    rounds: int = _ROUNDS,
) -> Iterator[Row]:
    with open_table(dataset) as table:
        for work, reading, select in large_table.readings(dataset):
            ours, theirs = partial(_counted, table, reading), partial(plain, select.format("plain"))
            for _ in range(warm):
                ours()
                theirs()
            yield beside(
                f"{engine}, {_ROWS:,} rows: {work} (wall clock)",
                ours,
                theirs,
                peer=f"plain {engine}",
                wanted=1 / most,
                rounds=rounds,
                wall=True,
            )


def _counted(table: Table, reading: Reading) -> object:
    with table.snapshot(reading.select) as seen:
        return reading.counted(seen)
