"""Spark asked in place, over Spark Connect: nothing but counts leaves the cluster.

Spark has no transactions. A question of one SELECT reads every file once; one of several is asked
of a checkpoint, which the cluster makes of the columns that it uses and drops afterwards, so that
all of them see the same rows. What Spark says of a failure may quote a cell, so messages are our
own.
"""

import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlglot import exp

from discreet.errors import DatasetError
from discreet.exact import show
from discreet.tables.cleaning.forms import Kind, SqlCell
from discreet.tables.cleaning.spark import SPARK_LEAVES
from discreet.tables.engines.asked import Asking, translated
from discreet.tables.engines.protocol import (
    ALL_ROWS,
    TABLE,
    Columns,
    Snapshot,
    Table,
    check_public_size,
    read_of,
    rendered,
    whole_rows,
)
from discreet.tables.engines.spark_connect import failed, failures, session_of
from discreet.tables.facts import Dataset
from discreet.tables.key import Key
from discreet.tables.readers.reader import LONGEST, UNREADABLE, check_types, no_column
from discreet.tables.source import Source

_BARE = "collate({0}, 'UTF8_BINARY')"
_TEXT = (
    f"CASE WHEN octet_length({{0}}) > {LONGEST} THEN '{UNREADABLE}' "
    f"ELSE make_valid_utf8({_BARE}) END"
)
_KINDS: dict[str, tuple[Kind, str]] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), (Kind.WHOLE, "CAST({0} AS BIGINT)")),
    "double": (Kind.DOUBLE, "{0}"),
    "boolean": (Kind.TRUTH, "{0}"),
    "date": (Kind.DAY, "CAST(unix_date({0}) AS BIGINT)"),
    "timestamp": (Kind.MOMENT, "unix_micros({0})"),
    "timestamp_ntz": (Kind.MOMENT, "unix_micros(CAST({0} AS TIMESTAMP))"),
    "float": (Kind.TEXT, "CAST({0} AS STRING)"),
    "decimal": (Kind.TEXT, "CAST({0} AS STRING)"),
    **dict.fromkeys(("string", "varchar", "char"), (Kind.TEXT, _TEXT)),
}
"""What cells are by the names of their types, and how they are told."""
_SURE_DIGITS = 15
"""Decimals of as many are doubles and powers of ten without rounding, and rounded once."""


class SparkTable(Table):
    """A table or a view that Spark knows, of which every question asks anew."""

    def __init__(self, dataset: Dataset, key: Key | None = None) -> None:
        """Look at the types of its columns."""
        super().__init__(dataset)
        self._lottery = (key or Key.random()).lottery
        self._session = session_of(dataset.source)
        try:
            with self._within():
                types = self._types()
                check_types(dataset.source, types)
                self._asking = _asking(dataset, types)
                self._opened_as = {name: types[name] for name in self._asking.cells}
                self.types = {name: (shown,) for name, shown in self._opened_as.items()}
            with self.snapshot():  # what fails, fails when it is opened
                pass
        except DatasetError:
            self.close()
            raise

    @contextmanager
    def snapshot(self, *selects: str) -> Iterator[Snapshot]:
        """The table itself for one SELECT, else a checkpoint of what they use."""
        public = self.dataset.size_is_public
        with self._within():
            check_types(self.dataset.source, self._types(), before=self._opened_as)
            if len(selects) + public < 2:
                seen = _QuestionRows(self, None)
                if public and not selects:
                    check_public_size(self.dataset, seen)
                yield seen
                return
            view, rows = f"clean_{uuid.uuid4().hex}", self._checkpoint([*selects, ALL_ROWS])
            rows.createTempView(view)
            try:
                seen = _QuestionRows(self, view)
                check_public_size(self.dataset, seen)
                yield seen
            finally:
                self._session.catalog.dropTempView(view)

    def rows(self, select: exp.Select | str) -> list[tuple[int, ...]]:
        """The rows of one aggregate SELECT."""
        text = select if isinstance(select, str) else rendered(select, self.dataset)
        with self.snapshot(text) as seen:
            return seen.rows(text)

    def said(self, select: str, view: str | None = None) -> str:
        """A SELECT over the cleaned table as Spark is told, or over a checkpoint of it."""
        if view is None:
            return self._asking.said(select)
        tree = translated(select, self._asking.dialect).sql(dialect=self._asking.dialect)
        return f"WITH {TABLE} AS (SELECT * FROM {view}) {tree}"

    def collected(self, select: str) -> list[tuple[int, ...]]:
        """The counts of a SELECT in Spark's words; columns are read faster than its rows."""
        table = self._asked(select).toArrow()
        return whole_rows(list(zip(*(one.to_pylist() for one in table.columns), strict=True)))

    def cancel(self) -> None:
        """End all that this session runs."""
        self._session.interruptAll()

    def close(self) -> None:
        """Let go of the session, and of what it made."""
        try:
            self._session.stop()
        except failures():  # it is gone already
            return

    def _checkpoint(self, selects: Sequence[str]) -> Any:
        trees = [translated(one, self._asking.dialect) for one in selects]
        named = {column.name for tree in trees for column in tree.find_all(exp.Column)}
        cleaned = self._asking.cleaned(named)
        made = self._asked(cleaned).localCheckpoint()
        # its client takes it for one of whichever session is active, not of the one that made it
        made._plan._spark_session = self._session
        return type(made)(made._plan, self._session)

    def _asked(self, select: str) -> Any:
        """A SELECT, with the secret of the lottery where rows are drawn."""
        drawn = self.dataset.unit.id_column is not None
        return self._session.sql(select, args={"lottery": self._lottery} if drawn else None)

    def _types(self) -> dict[str, str]:
        return types_in(self._session, self.dataset.source)

    @contextmanager
    def _within(self) -> Iterator[None]:
        """What is done inside ends at the time limit, and fails in our words."""
        source, tag = self.dataset.source, f"discreet-{uuid.uuid4().hex}"
        late = threading.Event()

        def end() -> None:
            late.set()
            self._session.interruptTag(tag)

        timer = threading.Timer(source.time_limit, end)
        timer.daemon = True
        timer.start()
        self._session.addTag(tag)
        try:
            yield
        except failures() as problem:
            raise failed(source, problem, late=late.is_set()) from None
        finally:
            timer.cancel()
            self._session.removeTag(tag)


class _QuestionRows:
    """The rows of one question."""

    columns: Columns | None = None

    def __init__(self, table: SparkTable, view: str | None) -> None:
        self._table, self._view = table, view
        self.complete = table.complete

    def rows(self, select: exp.Select | str) -> list[tuple[int, ...]]:
        """The rows of one aggregate SELECT."""
        text = select if isinstance(select, str) else rendered(select, self._table.dataset)
        return self._table.collected(self._table.said(text, self._view))


def _asking(dataset: Dataset, types: Mapping[str, str]) -> Asking:
    source, cells = dataset.source, {}
    for name in read_of(dataset):
        if name not in types:
            raise no_column(source, name, list(types))
        cells[name] = cell_of(source, name, types[name])
    return Asking(
        dataset=dataset,
        cells=cells,
        origin=table_sql(source),
        leaves=SPARK_LEAVES,
        dialect="spark",
        lottery=":lottery",
    )


def types_in(session: Any, source: Source) -> dict[str, str]:
    """The columns of a table and the names of their types."""
    fields = session.table(table_sql(source)).schema.fields
    return {str(one.name): str(one.dataType.simpleString()) for one in fields}


def cell_of(source: Source, name: str, shown: str) -> SqlCell:
    """A cell of a type, as Spark tells it; a type of which not all cells can be told is refused."""
    bare, quoted = shown.partition("(")[0].partition(" ")[0], SPARK_LEAVES.name(name)
    if bare not in _KINDS:
        raise DatasetError(
            f"column {show(name)} of {source.called} is of type {bare}, which is not supported; "
            "select it in a view as text, as a number, or as a timestamp"
        )
    kind, how = _KINDS[bare]
    text = how.format(quoted)
    if bare == "decimal" and int(shown.partition("(")[2].partition(",")[0]) <= _SURE_DIGITS:
        return SqlCell(text, Kind.DOUBLE, f"CAST({quoted} AS DOUBLE)")
    if kind is Kind.TEXT:
        if bare in ("float", "decimal"):
            return SqlCell(text, by_engine=True)
        return SqlCell(text, bare=_BARE.format(quoted))
    return SqlCell(SPARK_LEAVES.written(text), kind, text)


def table_sql(source: Source) -> str:
    """The name of a table, with its schema."""
    return ".".join(map(SPARK_LEAVES.name, (source.table or "").split(".")))
