"""The ledger of a dataset file: beside it, with the file's budgets written in at its creation.

A budget that is changed in the file later is not applied by itself: raising what may be spent is
the custodian's explicit act (`discreet ledger budget`).
"""

import os
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


def differing_budgets(dataset: Dataset, ledger: Ledger) -> list[str]:
    """Where the dataset file and the ledger disagree on budgets, in words; the ledger decides."""
    wanted = [("", dataset.budget.total), *dataset.budget.analysts]
    notes = []
    for name, epsilon in wanted:
        allowed = ledger.balance(name).allowed
        if allowed != epsilon.billionths:
            whose = f"{name}'s budget" if name else "the total budget"
            there = "no limit" if allowed is None else str(Epsilon(allowed))
            option = f"--analyst {name} " if name else ""
            notes.append(
                f"{whose} is {epsilon} in the file and {there} in the ledger, which decides; "
                f"`discreet ledger budget FILE {option}--epsilon {epsilon}` applies the file's"
            )
    return notes
