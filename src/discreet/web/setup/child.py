"""A process that reads a table for the custodian, within limits of time, memory and width.

It is told one task in JSON and replies in JSON, so what a hostile file may do to it stays there:
nothing that it says is ever executed or unpickled. It runs no macro, no formula and no SQL of the
table, and ends with its one task.
"""

import json
import os
import resource
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from discreet.connection import POSTGRESQL, Connection
from discreet.errors import DatasetError, DiscreetError
from discreet.questions.words import YEARS
from discreet.tables import Source, odd_lines, readers
from discreet.tables.dataset_file import examine_text
from discreet.tables.dialect import DIALECTS
from discreet.tables.drafts import draft_source, kind_of_source
from discreet.tables.drafts.seen import Seen
from discreet.tables.readers.reader import UNREADABLE
from discreet.tables.readers.text_files import refuse_bytes
from discreet.tables.readers.workbooks import no_workbook
from discreet.tables.remarks import loose_remarks, stock_remarks
from discreet.tables.source import EXCEL, INSIDE
from discreet.text import brief, one_line, year_text
from discreet.web.setup.reading import SECONDS

MOST_COLUMNS = 1_000
MOST_UNPACKED = 2 << 30
"""Bytes that a workbook may hold, unpacked."""
MOST_MEMORY = 4 << 30
_MOST_WRITTEN = 1 << 30
_MOST_SHOWN = 8
_MIDNIGHT = " 00:00:00"
"""What spreadsheets write behind a day, and says nothing where no cell has a time."""


def perform(task: dict[str, Any]) -> dict[str, Any]:
    """Do a task; what it comes to, or one line that says what to do."""
    try:
        return {"done": _TASKS[task["do"]](task)}
    except MemoryError:
        return {"problem": f"reading it takes more than {MOST_MEMORY >> 30} GB of memory; use a "
                "smaller table, or save it as Parquet"}  # fmt: skip
    except DiscreetError as problem:
        return {"problem": one_line(str(problem))}


def _source_of(task: dict[str, Any]) -> Source:
    """The table of a task: a file of the folder, or a table of a server."""
    if "connection" in task:
        key, value = task["connection"]
        where = Connection(key, value)
        return Source(path=Path(), kind=POSTGRESQL, table=task["table"], connection=where)
    path = Path(task["path"])
    source = Source(path=path, kind=kind_of_source(path), table=task.get("table"))
    if source.kind == EXCEL:
        _check_unpacked(path)
    return source


def _check_unpacked(path: Path) -> None:
    """Refuse a workbook that unpacks to too much; no part is read beyond what it says it is."""
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise DatasetError(
            f"cannot read {path.name!r} as a workbook: {no_workbook(path)}"
        ) from None
    if unpacked > MOST_UNPACKED:
        raise DatasetError(
            f"this workbook unpacks to {unpacked >> 20:,} MB; the limit is "
            f"{MOST_UNPACKED >> 20:,} MB; save the sheet as CSV"
        )


def _tables(task: dict[str, Any]) -> list[str]:
    """What is inside a file: its sheets or its tables; nothing of one that is a table itself."""
    source = _source_of(task)
    return readers.table_names(source) if source.kind in INSIDE else []


def _draft(task: dict[str, Any]) -> dict[str, Any]:
    """The text of a draft, its lists of words, and what its columns hold."""
    source = _source_of(task)
    if source.kind not in INSIDE or source.table:
        _check_columns(source)
    made = draft_source(source, task.get("name", ""))
    reasons = dict(made.left_out)
    doubts = {one.column: one.doubt for one in made.proposals}
    return {
        "text": made.text,
        "lists": made.lists,
        "columns": [
            _column(one, reasons.get(one.name, ""), doubts.get(one.name, "")) for one in made.seen
        ],
        "units": [one.column for one in made.proposals if one.may_be_unit],
        "rows": max((one.of_rows for one in made.seen), default=0),
        "sampled": made.sampled,
    }


def _check_columns(source: Source) -> None:
    if source.kind in DIALECTS:
        refuse_bytes(source)
    names = readers.column_names(source)
    many = len(names)
    if names == [UNREADABLE]:
        raise DatasetError(
            "the first line of this table, which names its columns, is too long; set-up takes "
            f"at most {MOST_COLUMNS:,} columns"
        )
    if many > MOST_COLUMNS:
        raise DatasetError(
            f"this table has {many:,} columns; set-up takes at most {MOST_COLUMNS:,}; keep those "
            "that will be asked about, one row for each person"
        )


def _column(seen: Seen, left_out: str, doubt: str) -> dict[str, Any]:
    """What the custodian is shown of a column: how it is filled, its ends, its commonest cells."""
    numbers, dates = seen.numbers, seen.dates
    ends: list[str] = []
    nothing = ""
    if seen.is_numeric and numbers is not None:
        both = (numbers.least, numbers.most)
        years = all(end in YEARS for end in both)
        ends = [year_text(end) if years else brief(end, 6) for end in both]
    elif seen.is_dated and dates is not None:
        ends = [str(dates.first), str(dates.last)]
        nothing = "" if dates.timed else _MIDNIGHT
    return {
        "name": seen.name,
        "rows": seen.rows,
        "filled": seen.filled,
        "different": seen.different,
        "ends": ends,
        "common": [
            [word.removesuffix(nothing)[:60], times] for word, times in seen.words[:_MOST_SHOWN]
        ],
        "left_out": left_out,
        "doubt": doubt,
    }


def _check(task: dict[str, Any]) -> dict[str, Any]:
    """What to correct in a dataset file, and what its custodian should know of the cells."""
    file = Path(task["file"])
    dataset, problems = examine_text(task["text"], file)
    only = task.get("column")
    if dataset is None:
        texts = [str(one) if only is None else one.text for one in problems]  # a form has no lines
        return {"problems": texts, "remarks": [], "rows": None}
    if only is not None:
        kept = tuple(column for column in dataset.columns if column.name == only)
        dataset = replace(dataset, columns=kept, derivations=())
    rows = _row_count(dataset.source)
    remarks = [*stock_remarks(dataset), *loose_remarks(dataset)]
    if only is None:
        remarks += [("", line) for line in odd_lines(dataset.source)]
    wrong = []
    if dataset.size_is_public and rows != dataset.most_rows:
        wrong = [
            f"size is {dataset.most_rows:,}, but the table has {rows:,} rows: correct size, or "
            "give an upper bound instead"
        ]
    return {"problems": wrong, "remarks": remarks, "rows": rows}


def _row_count(source: Source) -> int:
    import duckdb  # noqa: PLC0415

    with duckdb.connect(":memory:") as connection:
        names = readers.column_names(source)[:1]
        readers.load_texts(connection, source, names)
        row = connection.execute(f"SELECT count(*) FROM {readers.RAW}").fetchone()
    assert row is not None
    return int(row[0])


_TASKS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "tables": _tables,
    "draft": _draft,
    "check": _check,
}


def main() -> None:
    """Do the one task that is told, within the limits."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for limit, most in (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, _MOST_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    with replies:
        json.dump(perform(json.load(sys.stdin)), replies)
