"""The table in DuckDB, cleaned once into whole numbers; the only room that sees rows.

Rows are read when the table is opened: every declared column becomes the index of a declared value.
After that the connection has no access to files and its settings are locked, and a question is one
aggregate SELECT over integers, which no row can make fail.
"""

import csv
import threading
from pathlib import Path
from types import TracebackType

import apsw
import duckdb
import numpy as np
from sqlglot import exp

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.cleaning import clean
from discreet.tables.facts import Dataset, Source

TABLE = "clean"
_DIALECT = "duckdb"


class Table:
    """A dataset's rows, ready to be counted."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._lock = threading.Lock()
        self._connection = duckdb.connect(":memory:", config={"threads": 2})
        try:
            self._load(dataset)
        except (duckdb.Error, apsw.Error):
            self._connection.close()
            raise DatasetError(
                f"cannot read {show(dataset.source.path.name)} as {dataset.source.kind}; check the "
                "path, the kind and that it has every declared column"
            ) from None
        except DatasetError:
            self._connection.close()
            raise
        for setting in ("SET enable_external_access = false", "SET lock_configuration = true"):
            self._connection.execute(setting)

    def rows(self, select: exp.Select) -> list[tuple[int, ...]]:
        """The rows of one aggregate SELECT over the cleaned table."""
        with self._lock:
            found = self._connection.execute(select.sql(dialect=_DIALECT)).fetchall()
        return [tuple(int(cell) if cell is not None else 0 for cell in row) for row in found]

    def close(self) -> None:
        """Forget the rows."""
        self._connection.close()

    def __enter__(self) -> "Table":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _load(self, dataset: Dataset) -> None:
        source = dataset.source
        if not source.path.is_file():
            raise DatasetError(f"there is no file {show(str(source.path))}")
        wanted = [column.name for column in dataset.columns]
        if dataset.unit.id_column is not None and dataset.unit.id_column not in wanted:
            wanted.append(dataset.unit.id_column)
        self._read(source, wanted)
        self._connection.execute(_cleaned(dataset).sql(dialect=_DIALECT))
        self._connection.execute("DROP TABLE raw")
        if dataset.size_is_public:
            self._check_public_size(dataset.most_rows)

    def _check_public_size(self, size: int) -> None:
        """A public size is the same for all neighbours, so refusing here reveals nobody."""
        counted = self.rows(exp.select(exp.Count(this=exp.Star())).from_(TABLE))[0][0]
        if counted != size:
            raise DatasetError(
                f"the dataset file says {size} rows and the table has another number; "
                "mend size in [privacy]"
            )

    def _read(self, source: Source, wanted: list[str]) -> None:
        if source.kind == "sqlite":
            self._read_sqlite(source, wanted)
            return
        place = str(source.path)
        if source.kind == "duckdb":
            self._connection.execute(f"ATTACH {_quoted(place)} AS held (READ_ONLY)")
            origin = f'held."{_doubled(source.table or "")}"'
        elif source.kind == "parquet":
            origin = f"read_parquet({_quoted(place)})"
        else:
            delimiter = "\\t" if source.kind == "tsv" else ","
            header = _header(source.path, "\t" if source.kind == "tsv" else ",")
            columns = ", ".join(f"{_quoted(name)}: 'VARCHAR'" for name in header)
            origin = (
                f"read_csv({_quoted(place)}, columns = {{{columns}}}, auto_detect = false, "
                f"header = true, delim = '{delimiter}', quote = '\"', escape = '\"', "
                "ignore_errors = true, null_padding = true, strict_mode = false, "
                "parallel = false, max_line_size = 10000000)"
            )
        names = ", ".join(f'CAST("{_doubled(name)}" AS VARCHAR) AS "{_doubled(name)}"'
                          for name in wanted)  # fmt: skip
        self._connection.execute(f"CREATE TABLE raw AS SELECT {names} FROM {origin}")
        if source.kind == "duckdb":
            self._connection.execute("DETACH held")

    def _read_sqlite(self, source: Source, wanted: list[str]) -> None:
        held = apsw.Connection(str(source.path), flags=apsw.SQLITE_OPEN_READONLY)
        names = ", ".join(f'CAST("{_doubled(name)}" AS TEXT)' for name in wanted)
        known = {row[0] for row in held.execute(
            "SELECT name FROM pragma_table_info(?)", (source.table,))}  # fmt: skip
        if not set(wanted) <= known:
            lacking = sorted(set(wanted) - known)[0]
            raise DatasetError(f"table {show(source.table)} has no column {show(lacking)}")
        rows = held.execute(f'SELECT {names} FROM "{_doubled(source.table or "")}"').fetchall()
        held.close()
        cells = {
            f"c{place}": np.array([_text(row[place]) for row in rows], dtype=object)
            for place in range(len(wanted))
        }
        aliases = ", ".join(
            f'CAST(c{place} AS VARCHAR) AS "{_doubled(name)}"' for place, name in enumerate(wanted)
        )
        self._connection.execute(f"CREATE TABLE raw AS SELECT {aliases} FROM cells")
        del cells


def _text(cell: object) -> str | None:
    return cell if isinstance(cell, str) else None


def _cleaned(dataset: Dataset) -> exp.Create:
    """CREATE TABLE clean: an index for every declared column, at most c rows per person."""
    columns = [clean(column).as_(column.name, quoted=True) for column in dataset.columns]
    select = exp.select(*columns).from_("raw")
    if dataset.unit.id_column is not None:
        select = select.qualify(_place_in_unit(dataset) <= dataset.unit.most_rows)
    return exp.Create(this=exp.to_table(TABLE), kind="TABLE", expression=select)


def _place_in_unit(dataset: Dataset) -> exp.Expression:
    """A row's place among its person's rows, ordered by content: nobody else's rows matter."""
    person = exp.column(str(dataset.unit.id_column), quoted=True)
    order = [clean(column) for column in dataset.columns]
    return exp.Window(
        this=exp.RowNumber(),
        partition_by=[person],
        order=exp.Order(expressions=[exp.Ordered(this=key) for key in order]),
    )


def _header(path: Path, delimiter: str) -> list[str]:
    """The column names in the first line of a text file: a public fact."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            names = next(csv.reader(lines, delimiter=delimiter), [])
    except csv.Error:
        names = []
    if not names or len(set(names)) != len(names) or not all(names):
        raise DatasetError(f"the first line of {show(path.name)} must name its columns, each once")
    return names


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _doubled(name: str) -> str:
    return name.replace('"', '""')
