"""The table in DuckDB, cleaned once into whole numbers.

Rows are read when the table is opened, part by part, and cells are cleaned on the way: every
declared column becomes the index of a declared value, in as few bytes as that takes. After that the
connection has no access to files and its settings are locked, and a question is one aggregate
SELECT over integers, which no row can make fail. A table that is declared to be small is at hand as
arrays too: to count those takes a hundredth of the time.
"""

import threading
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import duckdb
import numpy as np
from sqlglot import exp

from discreet.errors import DatasetError
from discreet.tables import readers
from discreet.tables.cleaning import ColumnForm, cells_of, clean
from discreet.tables.cleaning.forms import SqlCell
from discreet.tables.engines.asked import check_person
from discreet.tables.engines.bounding import bounded, person_of
from discreet.tables.engines.protocol import (
    TABLE,
    Cells,
    Columns,
    Snapshot,
    Table,
    check_public_size,
    read_of,
    rendered,
)
from discreet.tables.facts import Dataset
from discreet.tables.key import Key, digest
from discreet.tables.readers.reader import name_sql
from discreet.tables.source import Source

_KEPT = "kept"
"""The rows themselves, narrow. What questions ask is a view of all indices in 64 bits, so that none
is ever too large for what is worked out from it."""
_MOST_CELLS = 4_000_000
_DENSE_BITS = 20
"""Rows of as many groups are counted in an array; by hashes it takes three times as long."""
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
"""What DuckDB calls whole numbers: these come as they are told."""
_PIN = "check the dataset file as its custodian: that prints the digest to write into [source]"


class CopiedTable(Table):
    """A dataset's rows in this process: they are copied once, and no longer change."""

    fixed = True

    def __init__(
        self, dataset: Dataset, key: Key | None = None, *, only: Collection[str] | None = None
    ) -> None:
        """Read the rows; without its key a dataset's lottery is drawn anew, and nothing pinned
        can be read."""
        super().__init__(dataset, only)
        self._lock = threading.Lock()
        self._connection = duckdb.connect(":memory:", config={"threads": 2})
        self._forget = weakref.finalize(self, self._connection.close)
        try:
            self._load(dataset, key)
        except duckdb.Error:
            self.close()
            raise readers.cannot_read(dataset.source) from None
        except DatasetError:
            self.close()
            raise
        for setting in ("SET enable_external_access = false", "SET lock_configuration = true"):
            self._connection.execute(setting)

    @contextmanager
    def snapshot(self, *selects: str) -> Iterator[Snapshot]:
        """The rows do not change."""
        yield self

    def rows(self, select: exp.Select | str) -> list[tuple[int, ...]]:
        """The rows of one aggregate SELECT over the cleaned table, perhaps `rendered` before."""
        text = select if isinstance(select, str) else rendered(select, self.dataset)
        with self._lock:
            done = self._connection.execute(text)
            whole = all(str(column[1]) in _WHOLE for column in done.description)
            fetched = done.fetchall()
        if whole:  # a histogram may have hundreds of thousands of rows, nearly all without NULL
            return [row if None not in row else tuple(cell or 0 for cell in row) for row in fetched]
        return [tuple(int(cell) if cell is not None else 0 for cell in row) for row in fetched]

    def cancel(self) -> None:
        """DuckDB's own interruption."""
        self._connection.interrupt()

    def close(self) -> None:
        """Forget the rows."""
        self.columns = None
        self._forget()

    def _load(self, dataset: Dataset, key: Key | None) -> None:
        for setting in (
            "preserve_insertion_order = false",
            f"perfect_ht_threshold = {_DENSE_BITS}",
        ):
            self._connection.execute(f"SET {setting}")
        wanted, person = [one.name for one in self.wanted], dataset.unit.id_column
        if person is not None and person not in wanted:
            wanted.append(person)
        types = readers.column_types(dataset.source)
        self.types = {name: types[name] for name in read_of(dataset) if name in types}
        self._connection.execute(self._declaration())
        self._read(dataset.source, wanted, key)
        if person is not None:
            for statement in bounded(_KEPT, dataset, key or Key.random()):
                self._connection.execute(statement)
        wide = [one.name for one in self.wanted]
        wide += [dataset.person] if dataset.has_people else []
        columns = ", ".join(f"CAST({name_sql(one)} AS BIGINT) AS {name_sql(one)}" for one in wide)
        self._connection.execute(f"CREATE VIEW {TABLE} AS SELECT {columns} FROM {_KEPT}")
        check_public_size(dataset, self)
        if dataset.most_rows * len(self.wanted) <= _MOST_CELLS:
            self.columns = self._cells()

    def _declaration(self) -> str:
        """CREATE TABLE kept: an index for every column, and whose row it is as text."""
        forms = [ColumnForm(column, place=place) for place, column in enumerate(self.wanted)]
        empty = ", ".join(f"CAST(NULL AS VARCHAR) AS {one.cell}" for one in forms)
        columns = [f"{clean(one)} AS {name_sql(one.column.name)}" for one in forms]
        if self.dataset.unit.id_column is not None:
            columns.append(f"CAST('' AS VARCHAR) AS {name_sql(self.dataset.person)}")
        origin = cells_of(f"(SELECT {empty}) AS cells", forms)
        return f"CREATE TABLE {_KEPT} AS SELECT {', '.join(columns)} FROM {origin} WHERE FALSE"

    def _take(self, cells: Sequence[SqlCell], origin: str) -> None:
        """Clean the cells of a part of the source, on their way in."""
        both = list(zip(self.wanted, cells, strict=False))
        forms = [ColumnForm.of(column, cell, place) for place, (column, cell) in enumerate(both)]
        selected = [one.selected(cell) for one, (_, cell) in zip(forms, both, strict=True)]
        indices, rows = [clean(one) for one in forms], ""
        person = self.dataset.unit.id_column
        if person is not None:
            places = [one.name for one in self.wanted]
            place = places.index(person) if person in places else len(places)
            name = name_sql(self.dataset.person)
            if self.dataset.source.is_served:
                check_person(self.dataset, cells[place])
            whose, rows = person_of(cells[place], name)
            selected.append(whose)
            indices.append(name)
        cleaned = cells_of(f"(SELECT {', '.join(selected)} FROM {origin}) AS cells", forms)
        self._connection.execute(
            f"INSERT INTO {_KEPT} SELECT {', '.join(indices)} FROM {cleaned} {rows}"
        )

    def _read(self, source: Source, wanted: list[str], key: Key | None) -> None:
        """The cells as they are; of a pinned file, only if it is the one that was pinned."""
        seal = key.seal() if source.is_pinned and key is not None else None
        if source.is_pinned and (seal is None or source.digest is None):
            raise DatasetError(f"{source.called} is not pinned; {_PIN}")
        with self._told_by_cells_alone():
            readers.load(self._connection, source, wanted, self._take, seal)
        if seal is not None and digest(seal) != source.digest:
            raise DatasetError(f"{source.called} is not the file that was pinned; {_PIN}")

    @contextmanager
    def _told_by_cells_alone(self) -> Iterator[None]:
        """No cell is cleaned by what a file says of its columns.

        The least and greatest number of a Parquet column leave NaN out: by them DuckDB would take
        NaN for a number between the others, so that one record decided how others are read.
        """
        self._connection.execute("SET disabled_optimizers = 'statistics_propagation'")
        yield
        self._connection.execute("RESET disabled_optimizers")

    def _cells(self) -> Columns:
        columns = self._connection.execute(f"SELECT * FROM {TABLE}").fetchnumpy()
        stored = {name: np.ascontiguousarray(one, dtype=np.intp) for name, one in columns.items()}
        return Cells(stored, self.dataset)
