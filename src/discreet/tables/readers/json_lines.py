"""Reading JSON lines: a line is a record, and one that is no JSON object is a row of gaps.

There is no header: a column is the key by that name of each object, and where it is missing the
cell is a gap. So no declared column can be refused for not being there; the custodian's `check`
tells of columns that nobody fills.
"""

import hmac
import json
from collections.abc import Iterator
from itertools import chain, islice

import duckdb
import numpy as np

from discreet.tables.cleaning.forms import SqlCell
from discreet.tables.readers.reader import Reader, Take, held, text_sql
from discreet.tables.readers.text_files import lines_of
from discreet.tables.source import Source

_MOST_RECORDS = 20_000


def _load(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    wanted: list[str],
    seal: hmac.HMAC | None,
    take: Take,
) -> None:
    """Texts as they are, other values as JSON writes them, null as nothing."""
    cells = [SqlCell(f"json_extract_string(record, {_place(name)})") for name in wanted]
    valid = "CASE WHEN json_valid(line) THEN line ELSE '{}' END"
    for batch in _records(source, seal):
        with held(connection, {"line": np.array(batch, dtype=object)}) as origin:
            lines = f"(SELECT CAST(line AS VARCHAR) AS line FROM {origin})"
            take(cells, f"(SELECT {valid} AS record FROM {lines})")


def _names(source: Source) -> list[str]:
    """The keys of many records, in the order in which they come up: for the custodian alone."""
    names: dict[str, None] = {}
    for line in islice(chain.from_iterable(_records(source, None)), _MOST_RECORDS):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            names |= dict.fromkeys(record)
    return list(names)


JSON_LINES = Reader(_names, _load)


def _records(source: Source, seal: hmac.HMAC | None) -> Iterator[list[str]]:
    batches = lines_of(source, seal)
    first = next(batches, [])
    if first:
        yield [first[0].removeprefix("\ufeff"), *first[1:]]
    yield from batches


def _place(name: str) -> str:
    """Where a key stands in an object, as a JSON pointer in SQL."""
    return text_sql("/" + name.replace("~", "~0").replace("/", "~1"))
