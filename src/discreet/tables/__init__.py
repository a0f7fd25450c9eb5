"""Tables: their public facts, their dataset files, and the rows behind them."""

from discreet.tables.dataset_file import examine_dataset, read_dataset
from discreet.tables.drafts import Doubtful, Draft, draft_dataset, kind_of_source
from discreet.tables.engine import TABLE, Columns, Table, rendered
from discreet.tables.facts import (
    GAP,
    Budget,
    CategoryColumn,
    Column,
    ColumnType,
    Dataset,
    Facts,
    NumberColumn,
    PrivacyUnit,
    Source,
    imputes,
    skips_gaps,
)
from discreet.tables.key import Key, key_of
from discreet.tables.looseness import Looseness, loose_columns
from discreet.tables.problems import Problem
from discreet.tables.stock import Stock, odd_lines, pinning, take_stock

__all__ = [
    "GAP",
    "TABLE",
    "Budget",
    "CategoryColumn",
    "Column",
    "ColumnType",
    "Columns",
    "Dataset",
    "Doubtful",
    "Draft",
    "Facts",
    "Key",
    "Looseness",
    "NumberColumn",
    "PrivacyUnit",
    "Problem",
    "Source",
    "Stock",
    "Table",
    "draft_dataset",
    "examine_dataset",
    "imputes",
    "key_of",
    "kind_of_source",
    "loose_columns",
    "odd_lines",
    "pinning",
    "read_dataset",
    "rendered",
    "skips_gaps",
    "take_stock",
]
