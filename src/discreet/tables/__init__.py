"""Tables: their public facts, their dataset files, and the rows behind them."""

from discreet.tables.dataset_file import examine_dataset, read_dataset
from discreet.tables.engine import TABLE, Table
from discreet.tables.facts import (
    Budget,
    CategoryColumn,
    Column,
    Dataset,
    NumberColumn,
    PrivacyUnit,
    Source,
)
from discreet.tables.problems import Problem

__all__ = [
    "TABLE",
    "Budget",
    "CategoryColumn",
    "Column",
    "Dataset",
    "NumberColumn",
    "PrivacyUnit",
    "Problem",
    "Source",
    "Table",
    "examine_dataset",
    "read_dataset",
]
