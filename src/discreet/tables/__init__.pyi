"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.tables.cleaning import CLEANING
from discreet.tables.columns import (
    GAP,
    CategoryColumn,
    Column,
    ColumnType,
    DateColumn,
    NumberColumn,
    imputes,
    number_sql,
    skips_gaps,
)
from discreet.tables.dataset_file import examine_dataset, read_dataset, read_facts
from discreet.tables.drafts import DatasetDraft, Doubtful, draft_dataset, kind_of_source
from discreet.tables.engines import TABLE, Cells, Columns, Snapshot, Table, open_table, rendered
from discreet.tables.expressions import Derived, ExpressionReader, name_text, shown, sql_text
from discreet.tables.facts import Budget, Dataset, Facts, PrivacyUnit
from discreet.tables.key import Key
from discreet.tables.looseness import Looseness, loose_columns
from discreet.tables.problems import FileProblem
from discreet.tables.readers.frames import FRAMES_WANTED, handed_over
from discreet.tables.readers.typed_cells import means
from discreet.tables.source import Source
from discreet.tables.stock import Stock, odd_lines, pinning, take_stock
from discreet.tables.type_names import same_type

__all__ = [
    "CLEANING",
    "FRAMES_WANTED",
    "GAP",
    "TABLE",
    "Budget",
    "CategoryColumn",
    "Cells",
    "Column",
    "ColumnType",
    "Columns",
    "Dataset",
    "DatasetDraft",
    "DateColumn",
    "Derived",
    "Doubtful",
    "ExpressionReader",
    "Facts",
    "FileProblem",
    "Key",
    "Looseness",
    "NumberColumn",
    "PrivacyUnit",
    "Snapshot",
    "Source",
    "Stock",
    "Table",
    "draft_dataset",
    "examine_dataset",
    "handed_over",
    "imputes",
    "kind_of_source",
    "loose_columns",
    "means",
    "name_text",
    "number_sql",
    "odd_lines",
    "open_table",
    "pinning",
    "read_dataset",
    "read_facts",
    "rendered",
    "same_type",
    "shown",
    "skips_gaps",
    "sql_text",
    "take_stock",
]
