"""Engines: where rows are counted. Each stands behind one small protocol; the source decides which.

Rows of files, frames and copied tables are in DuckDB, in this process. Others are asked where they
are.
"""

import importlib
from collections.abc import Callable, Collection

from discreet.connection import POSTGRESQL, SPARK
from discreet.tables.engines.copied import CopiedTable
from discreet.tables.engines.protocol import TABLE, Cells, Columns, Snapshot, Table, rendered
from discreet.tables.facts import Dataset
from discreet.tables.key import Key

__all__ = ["TABLE", "Cells", "Columns", "Snapshot", "Table", "open_table", "rendered"]

ASKED = {POSTGRESQL: "postgresql.PostgresTable", SPARK: "spark.SparkTable"}
"""Engines that are asked where the rows are, by the kind of their source: each a class in a file of
its own, which is imported when a source asks for it."""


def open_table(
    dataset: Dataset, key: Key | None = None, *, only: Collection[str] | None = None
) -> Table:
    """A dataset's rows, in the engine that its source asks for.

    Args:
        dataset: Where the rows are, and what is declared of them.
        key: The dataset's secret; without it its lottery is drawn anew, and nothing pinned can be
            read.
        only: No more columns are read than these, where a row is a person.

    Returns:
        The rows, to be closed.

    Raises:
        DatasetError: They cannot be read as they are declared.
    """
    if dataset.source.asked:
        return _engine(dataset.source.kind)(dataset, key)
    return CopiedTable(dataset, key, only=only)


def _engine(kind: str) -> Callable[[Dataset, Key | None], Table]:
    file, _, name = ASKED[kind].partition(".")
    made: type[Table] = getattr(importlib.import_module(f"{__name__}.{file}"), name)
    return made
