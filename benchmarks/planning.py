"""`python -m benchmarks planning`: what a plan costs by declared rows and by values of a column.

Each plan is made in a process of its own: processor seconds, and the megabytes that its memory grew
by at most. No row is read: a plan knows public facts alone.
"""

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from discreet.planning import Wishes, plan
from discreet.questions import parse_sql
from discreet.tables import Dataset, read_dataset

ROWS = (10**3, 10**6, 10**9, 10**12)
VALUES = (5, 121, 1_001, 10_001, 200_001)
ASKS = {
    "count": ("SELECT COUNT(*) WHERE g = 'a'", "usual"),
    "mean": ("SELECT AVG(x) WHERE g = 'a'", "usual"),
    "standard deviation": ("SELECT STDDEV(x)", "usual"),
    "median": ("SELECT MEDIAN(x)", "usual"),
    "median, every table": ("SELECT MEDIAN(x)", "every-table"),
    "median by group": ("SELECT g, MEDIAN(x) GROUP BY g", "usual"),
    "quartiles": ("SELECT QUARTILES(x)", "usual"),
}


def main() -> int:
    """Print the table."""
    table = Table(title="a plan at ε = 0.5: processor seconds / MB, by declared rows")
    for heading in ("question", "values", *(f"{rows:.0e}" for rows in ROWS)):
        table.add_column(heading, justify="left" if heading == "question" else "right")
    with tempfile.TemporaryDirectory() as folder:
        for name, (sql, interval) in ASKS.items():
            for values in VALUES:
                known = [_facts(Path(folder), rows, values) for rows in ROWS]
                cells = [_cost(one, sql, interval) for one in known]
                table.add_row(name, f"{values:,}", *cells)
                print(".", end="", file=sys.stderr, flush=True)
            table.add_section()
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    return 0


def _facts(folder: Path, rows: int, values: int) -> Dataset:
    file = folder / "facts.toml"
    file.write_text(
        'name = "t"\nconfirmed = true\n[source]\npath = "rows.csv"\n[privacy]\n'
        f'neighbours = "change"\nsize = {rows}\n[budget]\ntotal = "9"\n'
        f'[columns.x]\ntype = "integer"\nlow = 0\nhigh = {values - 1}\n'
        '[columns.g]\ntype = "category"\nvalues = ["a", "b", "c"]\n'
    )
    return read_dataset(file)


def _cost(known: Dataset, sql: str, interval: str) -> str:
    """What one plan takes, in a process of its own."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        before, started = _most_kilobytes(), time.process_time()
        question, wishes = parse_sql(sql, known), Wishes.of(interval=interval)
        plan(question, known, epsilon="0.5", wishes=wishes, cache=None)
        seconds, grown = time.process_time() - started, _most_kilobytes() - before
        os.write(writing, f"{seconds:.2f} / {grown / 1000:.0f}".encode())
        os._exit(0)
    os.close(writing)
    told = os.read(reading, 100).decode()
    os.close(reading)
    os.wait()
    return told or "failed"


def _most_kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
