"""A session of Spark Connect, and what is said when one fails: never what Spark says of a cell."""

import atexit
import os
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from discreet.connection import SPARK, why_unreached
from discreet.errors import DatasetError, MissingExtra
from discreet.exact import show
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
_TALKATIVE = (
    "SQLQueryContextLogger",
    "DataFrameQueryContextLogger",
    "pyspark.sql.connect.logging",
)
"""Where its client writes what Spark says of a failure, which may quote a cell."""


def session_of(source: Source) -> Any:
    """A session of its own at the server; one that does not answer is told at once."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it would print, we say
    try:
        with warnings.catch_warnings(), taken_for_a_program():
            warnings.simplefilter("ignore")  # of its frames, which are not used
            from pyspark.logger import PySparkLogger  # noqa: PLC0415
            from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415
            from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("the client of Spark Connect", SPARK) from None
    for name in _TALKATIVE:
        PySparkLogger.getLogger(name).disabled = True
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
    except failures():
        raise DatasetError(
            f"{where}: it refuses the connection, or is not a Spark Connect server"
        ) from None
    if int(version.partition(".")[0]) < OLDEST:
        session.stop()
        raise DatasetError(
            f"{where} has version {version}; version {OLDEST}.0 or newer is required"
        )
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


def failures() -> tuple[type[Exception], ...]:
    """What its client raises."""
    from grpc import RpcError  # noqa: PLC0415
    from pyspark.errors import PySparkException  # noqa: PLC0415

    return (PySparkException, RpcError)


def failed(source: Source, problem: Exception, *, late: bool) -> DatasetError:
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
