"""Tables: their public facts, their dataset files, and the rows behind them."""

from discreet.tables.dataset_file import examine_dataset, read_dataset
from discreet.tables.draft import Draft, draft_dataset, kind_of_source
from discreet.tables.engine import TABLE, Columns, Table, rendered
from discreet.tables.facts import (
    Budget,
    CategoryColumn,
    Column,
    Dataset,
    Facts,
    NumberColumn,
    PrivacyUnit,
    Source,
)
from discreet.tables.problems import Problem
from discreet.tables.stock import Stock, take_stock

__all__ = [
    "TABLE",
    "Budget",
    "CategoryColumn",
    "Column",
    "Columns",
    "Dataset",
    "Draft",
    "Facts",
    "NumberColumn",
    "PrivacyUnit",
    "Problem",
    "Source",
    "Stock",
    "Table",
    "draft_dataset",
    "examine_dataset",
    "kind_of_source",
    "read_dataset",
    "rendered",
    "take_stock",
]
