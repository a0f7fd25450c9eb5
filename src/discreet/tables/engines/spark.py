"""Spark asked in place, over Spark Connect: nothing but counts leaves the cluster.

Spark has no transactions. A question of one SELECT reads every file once; one of several is asked
of a checkpoint, which the cluster makes of the columns that it uses and drops afterwards, so that
all of them see the same rows. What Spark says of a failure may quote a cell, so messages are our
own.
"""

import atexit
import os
import socket
import sys
import threading
import uuid
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from sqlglot import exp

from discreet.connection import SPARK, why_unreached
from discreet.errors import DatasetError, MissingExtra
from discreet.exact import show
from discreet.tables.cleaning.forms import Cell, Kind
from discreet.tables.cleaning.spark import SPARK_LEAVES
from discreet.tables.engines.asked import Asking, translated
from discreet.tables.engines.protocol import (
    ALL_ROWS,
    TABLE,
    Columns,
    Snapshot,
    Table,
    check_public_size,
    rendered,
    whole_rows,
)
from discreet.tables.facts import Dataset
from discreet.tables.key import Key
from discreet.tables.readers.reader import LONGEST, UNREADABLE, check_types, no_column
from discreet.tables.source import Source

OLDEST = 4
"""The oldest version of Spark that is asked."""
_PORT, _SECONDS = 15002, 10
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}
"""What a session is told first: each would change what a text or a SELECT means."""
_TEXT = (
    f"CASE WHEN octet_length({{0}}) > {LONGEST} THEN '{UNREADABLE}' "
    "ELSE make_valid_utf8(collate({0}, 'UTF8_BINARY')) END"
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
        self._session = _session(dataset.source)
        try:
            with self._within():
                types = self._types()
                check_types(dataset.source, types)
                self._asking = _asking(dataset, types)
                self._opened_as = {name: types[name] for name in self._asking.cells}
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
                seen = _Seen(self, None)
                if public and not selects:
                    check_public_size(self.dataset, seen)
                yield seen
                return
            view, rows = f"clean_{uuid.uuid4().hex}", self._checkpoint([*selects, ALL_ROWS])
            rows.createTempView(view)
            try:
                seen = _Seen(self, view)
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
        """The counts of a SELECT in Spark's words."""
        found = self._session.sql(select, args={"lottery": self._lottery}).collect()
        return whole_rows([tuple(row) for row in found])

    def cancel(self) -> None:
        """End all that this session runs."""
        self._session.interruptAll()

    def close(self) -> None:
        """Let go of the session, and of what it made."""
        try:
            self._session.stop()
        except _failures():  # it is gone already
            return

    def _checkpoint(self, selects: Sequence[str]) -> Any:
        trees = [translated(one, self._asking.dialect) for one in selects]
        named = {column.name for tree in trees for column in tree.find_all(exp.Column)}
        cleaned = self._asking.cleaned(named)
        made = self._session.sql(cleaned, args={"lottery": self._lottery}).localCheckpoint()
        # its client takes it for one of whichever session is active, not of the one that made it
        made._plan._spark_session = self._session
        return type(made)(made._plan, self._session)

    def _types(self) -> dict[str, str]:
        fields = self._session.table(_table(self.dataset.source)).schema.fields
        return {str(one.name): str(one.dataType.simpleString()) for one in fields}

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
        except _failures() as problem:
            raise _failed(source, problem, late=late.is_set()) from None
        finally:
            timer.cancel()
            self._session.removeTag(tag)


class _Seen:
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
    source, person = dataset.source, dataset.unit.id_column
    names: Collection[str] = dict.fromkeys(
        [*(one.name for one in dataset.columns), *([] if person is None else [person])]
    )
    cells = {}
    for name in names:
        if name not in types:
            raise no_column(source, name, list(types))
        cells[name] = _cell(source, name, types[name])
    return Asking(
        dataset=dataset,
        cells=cells,
        origin=_table(source),
        leaves=SPARK_LEAVES,
        dialect="spark",
        lottery=":lottery",
    )


def _cell(source: Source, name: str, shown: str) -> Cell:
    bare, quoted = shown.partition("(")[0].partition(" ")[0], SPARK_LEAVES.name(name)
    if bare not in _KINDS:
        raise DatasetError(
            f"column {show(name)} of {source.called} is of type {bare}, which is not read; select "
            "it in a view as text, as a number, or as a timestamp"
        )
    kind, how = _KINDS[bare]
    told = how.format(quoted)
    if bare == "decimal" and int(shown.partition("(")[2].partition(",")[0]) <= _SURE_DIGITS:
        return Cell(told, Kind.DOUBLE, f"CAST({quoted} AS DOUBLE)")
    if kind is Kind.TEXT:
        return Cell(told, by_engine=bare in ("float", "decimal"))
    return Cell(SPARK_LEAVES.written(told), kind, told)


def _table(source: Source) -> str:
    return ".".join(map(SPARK_LEAVES.name, (source.table or "").split(".")))


def _session(source: Source) -> Any:
    """A session of its own at the server; one that does not answer is told at once."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it would print, we say
    try:
        with warnings.catch_warnings(), taken_for_a_program():
            warnings.simplefilter("ignore")  # of its frames, which are not used
            from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415
            from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("the client of Spark Connect", SPARK) from None
    assert source.connection is not None
    address, where = source.connection.address(), f"Spark Connect at {source.connection}"
    try:
        place = urlsplit(address)
        reached = (place.hostname or "", place.port or _PORT)
        socket.create_connection(reached, timeout=_SECONDS).close()
        session = SparkSession.builder.remote(address).create()
        # its own farewell waits for threads that are gone by then, for ever
        atexit.unregister(session.client._on_exit)
        session.client.set_retry_policies([DefaultPolicy(max_retries=2)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of settings that may go: then they are not needed
            for name, value in _SETTINGS.items():
                session.conf.set(name, value)
        version = str(session.version)
    except (OSError, ValueError) as problem:
        raise DatasetError(f"{where}: {why_unreached(problem)}") from None
    except _failures():
        raise DatasetError(f"{where}: it refuses, or is no Spark Connect server") from None
    if int(version.partition(".")[0]) < OLDEST:
        session.stop()
        raise DatasetError(f"{where} is version {version}; it must be {OLDEST}.0 or newer")
    return session


@contextmanager
def taken_for_a_program() -> Iterator[None]:
    """Lets the client be loaded by `python -c`, which it takes for its own tests, and then ends."""
    main = sys.modules["__main__"]
    nameless = main.__spec__ is None and not hasattr(main, "__file__")
    if nameless:
        main.__file__ = ""
    try:
        yield
    finally:
        if nameless:
            del main.__file__


def _failures() -> tuple[type[Exception], ...]:
    """What its client raises."""
    from grpc import RpcError  # noqa: PLC0415
    from pyspark.errors import PySparkException  # noqa: PLC0415

    return (PySparkException, RpcError)


def _failed(source: Source, problem: Exception, *, late: bool) -> DatasetError:
    """What to say of a failure, by its condition: what Spark says may quote a cell."""
    where = f"{source.called} of Spark Connect at {source.connection}"
    condition = str(getattr(problem, "getCondition", lambda: "")() or "")
    if condition.startswith("TABLE_OR_VIEW_NOT_FOUND"):
        return DatasetError(
            f"Spark Connect at {source.connection} has no table or view {show(source.table)}; "
            'write it with its schema, such as table = "research.stays"'
        )
    why = "the connection or the SELECT failed; see the server's own log"
    if late:
        why = f"the SELECT took longer than its time limit of {source.time_limit} s; time_limit in "
        why += "[source] sets it"
    elif "PERMISSION" in condition or "INSUFFICIENT" in condition:
        why = "this user may not read it"
    elif "CANCELED" in condition:
        why = "it was cancelled"
    return DatasetError(f"cannot ask {where}: {why}")
