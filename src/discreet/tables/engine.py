"""The table in DuckDB, cleaned once into whole numbers; the only room that sees rows.

Rows are read when the table is opened, part by part, and cells are cleaned on the way: every
declared column becomes the index of a declared value, in as few bytes as that takes. After that the
connection has no access to files and its settings are locked, and a question is one aggregate
SELECT over integers, which no row can make fail. A table that is declared to be small is at hand as
arrays too: to count those takes a hundredth of the time.
"""

import threading
import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

import duckdb
import numpy as np
import numpy.typing as npt
from sqlglot import exp

from discreet.errors import DatasetError
from discreet.lifetimes import Closing
from discreet.tables import readers
from discreet.tables.bounding import bounded, person_of
from discreet.tables.cells import Cell
from discreet.tables.cleaning import Form, cells_of, clean
from discreet.tables.columns import Column, skips_gaps
from discreet.tables.expressions import with_derived
from discreet.tables.facts import Dataset, Facts
from discreet.tables.key import Key, digest
from discreet.tables.readers.reader import name_sql
from discreet.tables.source import Source

Columns: TypeAlias = Mapping[str, npt.NDArray[np.intp]]
"""The cleaned table: for every column, the index of each row's value."""


class Cells(Mapping[str, npt.NDArray[np.intp]]):
    """A table's columns by name; a derived one is worked out from its cells."""

    def __init__(self, stored: Columns, facts: Facts) -> None:
        self._stored, self._facts = stored, facts

    def __getitem__(self, name: str) -> npt.NDArray[np.intp]:
        found = self._stored.get(name)
        if found is not None:
            return found
        derived = self._facts.derived(name)
        if derived is None:
            raise KeyError(name)
        return derived.cells(self._stored)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)


TABLE = "clean"
"""What questions call the rows: a view of all indices in 64 bits, so that none is ever too large
for what is worked out from it."""
_KEPT = "kept"
"""The rows themselves, narrow."""
_MOST_CELLS = 4_000_000
_DIALECT = "duckdb"
_PIN = "the custodian runs discreet check, which tells the digest to write into [source]"


class Table(Closing):
    """A dataset's rows, ready to be counted."""

    def __init__(
        self, dataset: Dataset, key: Key | None = None, *, only: Collection[str] | None = None
    ) -> None:
        """Read the rows; without its key a dataset's lottery is drawn anew, and nothing pinned
        can be read. With `only`, no more columns are read than these, where a row is a person."""
        self.dataset = dataset
        self.columns: Columns | None = None
        """The cells, when the declared size allows it: the size they have decides nothing."""
        self.complete = frozenset(one.name for one in dataset.columns if not skips_gaps(one))
        """The columns that have no gaps."""
        self._read_columns = _wanted(dataset, only)
        self._names = frozenset(one.name for one in self._read_columns)
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

    def holds(self, used: Collection[str] | None) -> bool:
        """Whether these columns were read; all of them, if it is None."""
        wanted = [one.name for one in self.dataset.columns] if used is None else used
        return all(base in self._names for name in wanted for base in self.dataset.bases(name))

    def rows(self, select: exp.Select | str) -> list[tuple[int, ...]]:
        """The rows of one aggregate SELECT over the cleaned table, perhaps `rendered` before."""
        text = select if isinstance(select, str) else rendered(select, self.dataset)
        with self._lock:
            found = self._connection.execute(text).fetchall()
        return [tuple(int(cell) if cell is not None else 0 for cell in row) for row in found]

    def close(self) -> None:
        """Forget the rows."""
        self.columns = None
        self._forget()

    def _load(self, dataset: Dataset, key: Key | None) -> None:
        self._connection.execute("SET preserve_insertion_order = false")
        wanted, person = [one.name for one in self._read_columns], dataset.unit.id_column
        if person is not None and person not in wanted:
            wanted.append(person)
        self._connection.execute(self._declaration())
        self._read(dataset.source, wanted, key)
        if person is not None:
            for statement in bounded(_KEPT, dataset, key or Key.random()):
                self._connection.execute(statement)
        wide = [one.name for one in self._read_columns]
        wide += [dataset.person] if dataset.has_people else []
        told = ", ".join(f"CAST({name_sql(one)} AS BIGINT) AS {name_sql(one)}" for one in wide)
        self._connection.execute(f"CREATE VIEW {TABLE} AS SELECT {told} FROM {_KEPT}")
        if dataset.size_is_public:
            self._check_public_size(dataset.most_rows)
        if dataset.most_rows * len(self._read_columns) <= _MOST_CELLS:
            self.columns = self._cells()

    def _declaration(self) -> str:
        """CREATE TABLE kept: an index for every column, and whose row it is as text."""
        forms = [Form(column, place=place) for place, column in enumerate(self._read_columns)]
        empty = ", ".join(f"CAST(NULL AS VARCHAR) AS {one.cell}" for one in forms)
        told = [f"{clean(one)} AS {name_sql(one.column.name)}" for one in forms]
        if self.dataset.unit.id_column is not None:
            told.append(f"CAST('' AS VARCHAR) AS {name_sql(self.dataset.person)}")
        origin = cells_of(f"(SELECT {empty}) AS cells", forms)
        return f"CREATE TABLE {_KEPT} AS SELECT {', '.join(told)} FROM {origin} WHERE FALSE"

    def _take(self, cells: Sequence[Cell], origin: str) -> None:
        """Clean the cells of a part of the source, on their way in."""
        both = list(zip(self._read_columns, cells, strict=False))
        forms = [Form.of(column, cell, place) for place, (column, cell) in enumerate(both)]
        told = [one.selected(cell) for one, (_, cell) in zip(forms, both, strict=True)]
        indices, rows = [clean(one) for one in forms], ""
        person = self.dataset.unit.id_column
        if person is not None:
            places = [one.name for one in self._read_columns]
            place = places.index(person) if person in places else len(places)
            name = name_sql(self.dataset.person)
            whose, rows = person_of(cells[place], name)
            told.append(whose)
            indices.append(name)
        cleaned = cells_of(f"(SELECT {', '.join(told)} FROM {origin}) AS cells", forms)
        self._connection.execute(
            f"INSERT INTO {_KEPT} SELECT {', '.join(indices)} FROM {cleaned} {rows}"
        )

    def _read(self, source: Source, wanted: list[str], key: Key | None) -> None:
        """The cells as they are; of a pinned file, only if it is the one that was pinned."""
        seal = key.seal() if source.is_pinned and key is not None else None
        if source.is_pinned and (seal is None or source.digest is None):
            raise DatasetError(f"{source.called} is not pinned; {_PIN}")
        readers.load(self._connection, source, wanted, self._take, seal)
        if seal is not None and digest(seal) != source.digest:
            raise DatasetError(f"{source.called} is not the file that was pinned; {_PIN}")

    def _cells(self) -> Columns:
        found = self._connection.execute(f"SELECT * FROM {TABLE}").fetchnumpy()
        stored = {name: np.ascontiguousarray(one, dtype=np.intp) for name, one in found.items()}
        return Cells(stored, self.dataset)

    def _check_public_size(self, size: int) -> None:
        """A public size is the same for all neighbours, so refusing here reveals nobody."""
        counted = self.rows(exp.select(exp.Count(this=exp.Star())).from_(TABLE))[0][0]
        if counted != size:
            raise DatasetError(
                f"the dataset file says {size} rows and the table has another number; "
                "mend size in [privacy]"
            )


def _wanted(dataset: Dataset, only: Collection[str] | None) -> tuple[Column, ...]:
    """The columns that are read: which rows of a person are kept depends on all of them."""
    if only is None or dataset.unit.id_column is not None:
        return dataset.columns
    used = {base for name in only for base in dataset.bases(name)}
    return tuple(one for one in dataset.columns if one.name in used) or dataset.columns[:1]


def rendered(select: exp.Select, facts: Facts) -> str:
    """A SELECT in the words of this engine, with the derived columns that it names.

    Worth keeping: it takes longer than running it.
    """
    named = dict.fromkeys(column.name for column in select.find_all(exp.Column))
    named.pop(facts.person, None)
    derived = {name: found for name in named if (found := facts.derived(name)) is not None}
    return (with_derived(select, derived) if derived else select).sql(dialect=_DIALECT)
