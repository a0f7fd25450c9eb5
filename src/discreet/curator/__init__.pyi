"""What the room offers, for type checkers: the names are in `__init__.py`."""

from discreet.curator.answer import Answer
from discreet.curator.batches import PlannedBatch
from discreet.curator.curator import Curator
from discreet.curator.dataset_ledger import (
    BudgetDifference,
    acknowledge_loss,
    default_analyst,
    differing_budgets,
    has_ledger,
    ledger_path,
    notices,
    open_key,
    open_ledger,
    reopen_ledger,
)
from discreet.curator.first_types import check_first_types
from discreet.curator.fluent import OpenDataset, open_dataset
from discreet.curator.inquiry import Inquiry
from discreet.curator.result import Result
from discreet.requests import Order

__all__ = [
    "Answer",
    "BudgetDifference",
    "Curator",
    "Inquiry",
    "OpenDataset",
    "Order",
    "PlannedBatch",
    "Result",
    "acknowledge_loss",
    "check_first_types",
    "default_analyst",
    "differing_budgets",
    "has_ledger",
    "ledger_path",
    "notices",
    "open_dataset",
    "open_key",
    "open_ledger",
    "reopen_ledger",
]
