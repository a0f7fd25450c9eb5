"""PostgreSQL asked in place: every question in one read-only transaction with one snapshot.

Nothing is prepared there and nothing written: a role that may SELECT from a view is enough. Under
REPEATABLE READ all SELECTs of a question see the same rows; under less, a row that moves between
two of them would count twice. What the server says of a failure may quote a cell, so messages are
our own.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlglot import exp

from discreet.connection import driver_of_postgresql
from discreet.errors import DatasetError
from discreet.tables.cleaning.forms import Kind, SqlCell
from discreet.tables.cleaning.postgresql import POSTGRESQL_LEAVES
from discreet.tables.engines.asked import Asking
from discreet.tables.engines.protocol import (
    TABLE,
    Columns,
    Snapshot,
    Table,
    check_public_size,
    read_of,
    rendered,
    whole_rows,
)
from discreet.tables.facts import Dataset
from discreet.tables.key import Key
from discreet.tables.readers.postgresql import (
    BARE,
    BY_ENGINE,
    SETTINGS,
    failed,
    kind_of,
    limit_sql,
    table_sql,
    types_in,
)
from discreet.tables.readers.reader import check_types, name_sql, no_column

_PURPOSE = "discreet questions"
_ROOM = "SET work_mem = '64MB'"
"""For counts of a fine grid, which would else go by a file."""
_LOTTERY = "discreet.lottery"
"""A setting of the transaction, so that the secret is in the text of no SELECT."""


class PostgresTable(Table):
    """A table or a view of PostgreSQL, of which every question asks anew."""

    def __init__(self, dataset: Dataset, key: Key | None = None) -> None:
        """Look at the types of its columns, and whether the role may read it."""
        super().__init__(dataset)
        self._key = key or Key.random()
        self._running: set[Any] = set()
        self._lock = threading.Lock()
        self._closed = False
        with self._transaction() as opened:
            types = types_in(dataset.source, opened)
            check_types(dataset.source, types)
            self._asking = _asking(dataset, types)
            self._types = {name: types[name] for name in read_of(dataset)}
            self.types = {name: (shown,) for name, shown in self._types.items()}
            seen = _Transaction(self, opened)
            seen.rows(f"SELECT 0, COUNT(*) FROM {TABLE} WHERE FALSE GROUP BY 1")
            check_public_size(dataset, seen)

    @contextmanager
    def snapshot(self, *selects: str) -> Iterator[Snapshot]:
        """One transaction, if the columns are still what they were."""
        with self._transaction() as opened:
            types = types_in(self.dataset.source, opened)
            check_types(self.dataset.source, types, before=self._types)
            seen = _Transaction(self, opened)
            check_public_size(self.dataset, seen)
            yield seen

    def said(self, select: exp.Select | str) -> str:
        """A SELECT over the cleaned table, as the server is told."""
        text = select if isinstance(select, str) else rendered(select, self.dataset)
        return self._asking.said(text)

    def cancel(self) -> None:
        """Ask the server to end what runs."""
        with self._lock:
            running = list(self._running)
        for one in running:
            one.cancel_safe(timeout=5)

    def close(self) -> None:
        """Ask no more."""
        self._closed = True
        self.cancel()

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        source, driver = self.dataset.source, driver_of_postgresql()
        if self._closed:
            raise DatasetError(f"{source.called} was closed; open the dataset again to ask")
        assert source.connection is not None
        opened = source.connection.open(_PURPOSE)
        with self._lock:
            self._running.add(opened)
        try:
            named = f"SET application_name = '{_PURPOSE}'"
            for setting in (*SETTINGS, _ROOM, limit_sql(source), named):
                opened.execute(setting)
            opened.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            opened.execute("SELECT set_config(%s, %s, true)", (_LOTTERY, self._key.lottery))
            yield opened
        except driver.Error as problem:
            raise failed(source, problem.sqlstate) from None
        finally:
            with self._lock:
                self._running.discard(opened)
            opened.close()


class _Transaction:
    """The rows as one transaction sees them."""

    columns: Columns | None = None

    def __init__(self, table: PostgresTable, opened: Any) -> None:
        self._table, self._opened = table, opened
        self.complete = table.complete

    def rows(self, select: exp.Select | str) -> list[tuple[int, ...]]:
        """The rows of one aggregate SELECT."""
        return whole_rows(self._opened.execute(self._table.said(select)).fetchall())


def _asking(dataset: Dataset, types: dict[str, str]) -> Asking:
    source = dataset.source
    cells = {}
    for name in read_of(dataset):
        if name not in types:
            raise no_column(source, name, list(types))
        kind, how = kind_of(source, name, types[name])
        quoted = name_sql(name)
        cells[name] = _cell(
            kind,
            how.format(quoted),
            by_engine=types[name] in BY_ENGINE,
            bare=BARE.format(quoted),
        )
    return Asking(
        dataset=dataset,
        cells=cells,
        origin=table_sql(source),
        leaves=POSTGRESQL_LEAVES,
        dialect="postgres",
        lottery=f"current_setting('{_LOTTERY}')",
    )


def _cell(kind: Kind, text: str, *, by_engine: bool, bare: str) -> SqlCell:
    if kind is Kind.TEXT:
        return SqlCell(text, by_engine=by_engine, bare=bare)
    return SqlCell(POSTGRESQL_LEAVES.written(text), kind, text)
