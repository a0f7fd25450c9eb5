"""The table in DuckDB, cleaned once into whole numbers; the only room that sees rows.

Rows are read when the table is opened: every declared column becomes the index of a declared value.
After that the connection has no access to files and its settings are locked, and a question is one
aggregate SELECT over integers, which no row can make fail. A table that is declared to be small is
at hand as arrays too: to count those takes a hundredth of the time.
"""

import threading
import weakref
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import duckdb
import numpy as np
import numpy.typing as npt
from sqlglot import exp

from discreet.closing import Closing
from discreet.errors import DatasetError
from discreet.tables import readers
from discreet.tables.cleaning import GAPS, cells_of, clean, trimmed
from discreet.tables.columns import skips_gaps
from discreet.tables.expressions import with_derived
from discreet.tables.facts import Dataset, Facts
from discreet.tables.key import Key, digest
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
_MOST_CELLS = 4_000_000
_DIALECT = "duckdb"
_PIN = "the custodian runs discreet check, which tells the digest to write into [source]"


class Table(Closing):
    """A dataset's rows, ready to be counted."""

    def __init__(self, dataset: Dataset, key: Key | None = None) -> None:
        """Read the rows; without its key a dataset's lottery is drawn anew, and nothing pinned
        can be read."""
        self.dataset = dataset
        self.columns: Columns | None = None
        """The cells, when the declared size allows it: the size they have decides nothing."""
        self.complete = frozenset(one.name for one in dataset.columns if not skips_gaps(one))
        """The columns that have no gaps."""
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
        wanted = [column.name for column in dataset.columns]
        if dataset.unit.id_column is not None and dataset.unit.id_column not in wanted:
            wanted.append(dataset.unit.id_column)
        self._read(dataset.source, wanted, key)
        self._connection.execute(_cleaned(dataset, key).sql(dialect=_DIALECT))
        self._connection.execute(f"DROP TABLE {readers.RAW}")
        if dataset.size_is_public:
            self._check_public_size(dataset.most_rows)
        if dataset.most_rows * len(dataset.columns) <= _MOST_CELLS:
            self.columns = self._cells()

    def _read(self, source: Source, wanted: list[str], key: Key | None) -> None:
        """The cells as they are; of a pinned file, only if it is the one that was pinned."""
        seal = key.seal() if source.is_pinned and key is not None else None
        if source.is_pinned and (seal is None or source.digest is None):
            raise DatasetError(f"{source.called} is not pinned; {_PIN}")
        readers.load(self._connection, source, wanted, seal)
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


def rendered(select: exp.Select, facts: Facts) -> str:
    """A SELECT in the words of this engine, with the derived columns that it names.

    Worth keeping: it takes longer than running it.
    """
    named = dict.fromkeys(column.name for column in select.find_all(exp.Column))
    named.pop(facts.person, None)
    derived = {name: found for name in named if (found := facts.derived(name)) is not None}
    return (with_derived(select, derived) if derived else select).sql(dialect=_DIALECT)


def _cleaned(dataset: Dataset, key: Key | None) -> exp.Create:
    """CREATE TABLE clean: an index for every declared column, at most c rows per person.

    Where that may be several, whose they are is told by a number: people can be counted.
    """
    columns = [clean(column).as_(column.name, quoted=True) for column in dataset.columns]
    if dataset.has_people:
        columns.append(_number_of_person(dataset).as_(dataset.person, quoted=True))
    select = exp.select(*columns).from_(cells_of(readers.RAW, dataset.columns))
    if dataset.unit.id_column is not None:
        select = select.where(_is_a_person(dataset)).qualify(
            _place_in_unit(dataset, key or Key.random()) <= dataset.unit.most_rows
        )
    return exp.Create(this=exp.to_table(TABLE), kind="TABLE", expression=select)


def _is_a_person(dataset: Dataset) -> exp.Condition:
    """Whether a row says whose it is: without an id, or with one that could not be read, it could
    push out another person's row, so it is left out."""
    told = exp.func("COALESCE", _person(dataset), exp.Literal.string(""))
    gaps = [exp.Literal.string(gap) for gap in GAPS]
    return exp.and_(
        exp.Not(this=exp.In(this=exp.Lower(this=told.copy()), expressions=gaps)),
        exp.Not(this=exp.Like(this=told.copy(), expression=exp.Literal.string("%\ufffd%"))),
    )


def _place_in_unit(dataset: Dataset, key: Key) -> exp.Expression:
    """A row's place among its person's rows, in an order that nobody else's rows have a say in.

    Rows are ordered by a hash of a secret, the person and the cells: by the cells themselves, the
    smallest values would be kept, and every mean would be too low; without the secret, whoever
    writes rows could choose which of them win.
    """
    cells = [exp.cast(clean(column), "TEXT") for column in dataset.columns]
    secret = exp.Literal.string(key.lottery)
    told = exp.func("CONCAT_WS", exp.Literal.string(" "), secret, _person(dataset), *cells)
    return exp.Window(
        this=exp.RowNumber(),
        partition_by=[_person(dataset)],
        order=exp.Order(expressions=[exp.Ordered(this=exp.func("SHA256", told))]),
    )


def _number_of_person(dataset: Dataset) -> exp.Expression:
    """A number for each person, in which nothing but their difference matters."""
    order = exp.Order(expressions=[exp.Ordered(this=_person(dataset))])
    return exp.Window(this=exp.Anonymous(this="DENSE_RANK"), order=order)


def _person(dataset: Dataset) -> exp.Expression:
    """Whose row it is; blanks around an id make nobody else of a person."""
    return trimmed(exp.column(str(dataset.unit.id_column), quoted=True))
