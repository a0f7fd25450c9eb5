"""The curator: the one place where question, plan, charge, draw and answer are joined."""

from discreet.curator.answer import Answer, Result
from discreet.curator.books import (
    BudgetDifference,
    acknowledge_loss,
    default_analyst,
    differing_budgets,
    ledger_path,
    notices,
    open_key,
    open_ledger,
    reopen_ledger,
)
from discreet.curator.curator import Curator
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
    "acknowledge_loss",
    "default_analyst",
    "differing_budgets",
    "ledger_path",
    "notices",
    "open_dataset",
    "open_key",
    "open_ledger",
    "reopen_ledger",
]
