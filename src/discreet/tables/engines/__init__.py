"""Engines: where rows are counted. Each stands behind one small protocol."""

from discreet.tables.engines.protocol import (
    TABLE,
    Cells,
    Columns,
    Snapshot,
    Table,
    open_table,
    rendered,
)

__all__ = ["TABLE", "Cells", "Columns", "Snapshot", "Table", "open_table", "rendered"]
