"""Reading a source's cells: every record becomes one row, whatever it holds.

What a record is in each kind of source, and why one moves one row, is proved in
docs/proofs/one-record-one-row.md. A reader for each kind, in a file of its own.
"""

from discreet.tables.readers.reader import (
    RAW,
    cannot_read,
    column_names,
    column_types,
    load,
    load_part,
    load_texts,
    only_table,
    table_names,
)

__all__ = [
    "RAW",
    "cannot_read",
    "column_names",
    "column_types",
    "load",
    "load_part",
    "load_texts",
    "only_table",
    "table_names",
]
