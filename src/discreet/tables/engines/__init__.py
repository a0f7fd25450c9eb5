"""Engines: where rows are counted. Each stands behind one small protocol; the source decides which.

Rows of files, frames and copied tables are in DuckDB, in this process. Others are asked where they
are.
"""

from collections.abc import Callable, Collection

from discreet.connection import POSTGRESQL, SPARK
from discreet.tables.engines.copied import CopiedTable
from discreet.tables.engines.postgresql import PostgresTable
from discreet.tables.engines.protocol import TABLE, Cells, Columns, Snapshot, Table, rendered
from discreet.tables.engines.spark import SparkTable
from discreet.tables.facts import Dataset
from discreet.tables.key import Key

__all__ = ["TABLE", "Cells", "Columns", "Snapshot", "Table", "open_table", "rendered"]

ASKED: dict[str, Callable[[Dataset, Key | None], Table]] = {
    POSTGRESQL: PostgresTable,
    SPARK: SparkTable,
}
"""Engines that are asked where the rows are, by the kind of their source."""


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
        return ASKED[dataset.source.kind](dataset, key)
    return CopiedTable(dataset, key, only=only)
