"""The curator: the one place where question, plan, charge, draw and answer are joined."""

from discreet.curator.answer import Answer, Result
from discreet.curator.books import (
    BudgetDifference,
    differing_budgets,
    ledger_path,
    notices,
    open_key,
    open_ledger,
)
from discreet.curator.curator import Curator, default_analyst
from discreet.curator.fluent import Inquiry, OpenDataset, open_dataset
from discreet.requests import Order

__all__ = [
    "Answer",
    "BudgetDifference",
    "Curator",
    "Inquiry",
    "OpenDataset",
    "Order",
    "Result",
    "default_analyst",
    "differing_budgets",
    "ledger_path",
    "notices",
    "open_dataset",
    "open_key",
    "open_ledger",
]
