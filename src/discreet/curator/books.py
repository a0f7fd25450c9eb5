"""The ledger of a dataset file: beside it, with the file's budgets written in at its creation.

A budget that is changed in the file later is not applied by itself: raising what may be spent is
the custodian's explicit act.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from discreet.budget import Ledger
from discreet.exact import Epsilon
from discreet.tables import Dataset


def ledger_path(dataset_file: str | os.PathLike[str]) -> Path:
    """Where the ledger of a dataset file is.

    >>> ledger_path("survey.toml").name
    'survey.ledger'
    """
    return Path(dataset_file).with_suffix(".ledger")


def open_ledger(dataset: Dataset, path: Path) -> Ledger:
    """The ledger at a path, created with the dataset's budgets when there is none yet."""
    return Ledger.open_or_create(path, dataset.budget.total, dict(dataset.budget.analysts))


@dataclass(frozen=True)
class BudgetDifference:
    """A budget that the dataset file and the ledger tell differently; the ledger decides."""

    analyst: str
    """Whose it is; the total has the empty name."""
    declared: Epsilon
    allowed: int | None
    """What the ledger says, in billionths; None without a limit."""


def differing_budgets(dataset: Dataset, ledger: Ledger) -> list[BudgetDifference]:
    """Where the dataset file and the ledger disagree on budgets."""
    declared = [("", dataset.budget.total), *dataset.budget.analysts]
    allowed = {name: ledger.balance(name).allowed for name, _ in declared}
    return [
        BudgetDifference(name, epsilon, allowed[name])
        for name, epsilon in declared
        if allowed[name] != epsilon.billionths
    ]
