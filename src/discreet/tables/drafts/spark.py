"""Some rows of a table of Spark, for the custodian's draft alone: questions collect counts only."""

from contextlib import suppress

from discreet.tables.cleaning.forms import Kind, SqlCell
from discreet.tables.cleaning.spark import SPARK_LEAVES
from discreet.tables.engines.spark import cell_of, table_sql, types_in
from discreet.tables.engines.spark_connect import failed, failures, session_of
from discreet.tables.source import Source

_DATED = (Kind.DAY, Kind.MOMENT)


def rows_of_spark(source: Source, most: int) -> tuple[object, int, dict[str, str]]:
    """About so many rows by lot, as an Arrow table; how many there are, and the types of columns.

    Raises:
        DatasetError: It cannot be reached, has no such table, or has a column that is not read.
    """
    session = session_of(source)
    try:
        types = types_in(session, source)
        columns = ", ".join(_told(cell_of(source, name, one), name) for name, one in types.items())
        rows = int(session.table(table_sql(source)).count())
        lot = f" WHERE rand() < {most / rows}" if rows > most else ""
        return session.sql(f"SELECT {columns} FROM {table_sql(source)}{lot}").toArrow(), rows, types
    except failures() as problem:
        raise failed(source, problem, late=False) from None
    finally:
        with suppress(*failures()):
            session.stop()


def _told(cell: SqlCell, name: str) -> str:
    """A cell in its own kind; a date as one, for a draft shows it."""
    quoted = SPARK_LEAVES.name(name)
    return f"{quoted if cell.kind in _DATED else cell.as_kind(cell.kind)} AS {quoted}"
