"""What the commands of `discreet ledger` compute and print."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.budget import Audit, Balance, Entry, EntryKind, Ledger, SharedBook, epsilon_after
from discreet.cli.rendering.answer import account_lines
from discreet.cli.rendering.question_list import Questions
from discreet.curator import ledger_path, reopen_ledger
from discreet.errors import DatasetError, InvalidInput
from discreet.exact import Epsilon, show
from discreet.requests import read_number
from discreet.tables import Dataset, read_dataset
from discreet.text import Amount, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST_SHOWN = 50


def place_of(file: str) -> Path:
    """The ledger that is meant: the file itself, or the one beside a dataset file."""
    return Path(file) if file.endswith(".ledger") else ledger_path(file)


def told_place(file: str) -> str:
    """Where the ledger is, as it is shown: a path, or which book in PostgreSQL."""
    dataset = dataset_of(file)
    shared = None if dataset is None else dataset.shared_book
    return str(place_of(file) if shared is None else shared)


def dataset_of(file: str) -> Dataset | None:
    """The dataset whose ledger is meant; None where the ledger alone is named, or is left."""
    if file.endswith(".ledger") or not Path(file).is_file():
        return None
    return read_dataset(file)


def shared_of(file: str) -> tuple[Dataset, SharedBook]:
    """The dataset of a file, and its ledger in PostgreSQL, which it must declare."""
    dataset = read_dataset(file)
    if dataset.shared_book is None:
        raise DatasetError(
            f"{show(file)} keeps its ledger in a file; first declare in [ledger] that it is "
            "in PostgreSQL, and where to connect"
        )
    return dataset, dataset.shared_book


def opened(file: str) -> Ledger:
    """The ledger, open; where there is neither ledger nor dataset file, the file is the mistake."""
    place = place_of(file)
    if not place.is_file() and not Path(file).is_file() and not file.endswith(".ledger"):
        raise DatasetError(f"there is no dataset file {show(file)}, and no ledger beside it")
    dataset = dataset_of(file)
    return Ledger(place) if dataset is None else reopen_ledger(dataset, file)


def decimals(accounts: dict[str, int]) -> dict[str, str]:
    """Spent ε by account; the total is called total."""
    return {account_name(name): str(Amount(spent)) for name, spent in accounts.items()}


def account_name(name: str) -> str:
    """What an account is called; an old ledger may have an analyst called total.

    >>> account_name(""), account_name("ana"), account_name("total")
    ('total', 'ana', 'total (analyst)')
    """
    return "total (analyst)" if name == "total" else name or "total"


def account(balance: Balance) -> dict[str, Any]:
    """An account as JSON values; allowed and left are null without a limit."""
    return {
        "allowed": None if balance.allowed is None else str(Amount(balance.allowed)),
        "spent": str(Amount(balance.spent)),
        "left": None if balance.left is None else str(Amount(balance.left)),
    }


def summary(ledger: Ledger, delta: str) -> dict[str, Any]:
    """Accounts, questions, and the advanced accounting as information."""
    level = float(read_number(delta, "delta"))
    if not 0 < level < 1:
        raise InvalidInput(f"--delta must lie between 0 and 1, got {delta}")
    entries = ledger.entries()
    answered = {entry.question for entry in entries if entry.kind == EntryKind.ANSWER}
    charges = [entry for entry in entries if entry.kind == EntryKind.CHARGE]
    return {
        "ledger": str(ledger.path),
        "entries": len(entries),
        "accounts": {account_name(name): account(b) for name, b in ledger.balances().items()},
        "questions": [
            {
                "id": entry.question,
                "at": entry.at,
                "analyst": entry.analyst,
                "epsilon": str(Amount(entry.billionths)),
                "asked": entry.facts().get("asked"),
                "answered": entry.question in answered,
            }
            for entry in charges
        ],
        "losses": sum(entry.kind == EntryKind.ACKNOWLEDGED for entry in entries),
        "facts": _facts(entries),
        "advanced": _advanced([entry.billionths for entry in charges], level),
    }


def _facts(entries: list[Entry]) -> dict[str, Any] | None:
    """What the guarantee rests on, since when, and how often it changed; None in an old ledger."""
    recorded = [entry for entry in entries if entry.kind == EntryKind.FACTS]
    if not recorded:
        return None
    newest = recorded[-1]
    return {
        "digest": newest.question,
        "since": newest.at,
        "changes": len(recorded) - 1,
        "declared": newest.facts().get("facts"),
    }


def _advanced(spent: Iterable[int], delta: float) -> dict[str, Any] | None:
    """The (ε, δ) of all answers together: information, never the books."""
    costs = [Epsilon(billionths) for billionths in spent if billionths]
    if not costs:
        return None
    return {"delta": delta, "epsilon": epsilon_after(costs, delta)}


def summary_lines(facts: dict[str, Any], accounts: dict[str, Balance]) -> "list[RenderableType]":
    """The same for people."""
    from discreet.cli.rendering.terminal import heading

    balances = [(account_name(name), balance) for name, balance in accounts.items()]
    questions = facts["questions"]
    lines: list[RenderableType] = [
        heading(f"{Path(facts['ledger']).name}: privacy spent"),
        account_lines(balances),
        "",
        heading(plural(len(questions), "question")),
    ]
    if len(questions) > _MOST_SHOWN:
        lines.append(f"  the last {_MOST_SHOWN}:")
    if questions:
        lines.append(Questions.of(questions[-_MOST_SHOWN:]))
    if facts["losses"]:
        often = "once" if facts["losses"] == 1 else f"{facts['losses']} times"
        lines += ["", f"entries were lost and acknowledged {often}"]
    if facts["facts"] is not None and facts["facts"]["changes"]:
        often = plural(facts["facts"]["changes"], "acknowledged change")
        lines += ["", f"{often} of what the guarantee rests on"]
    if facts["advanced"] is not None:
        lines += [
            "",
            f"for information: together these answers are ({facts['advanced']['epsilon']:.6g}, "
            f"{facts['advanced']['delta']:g})-private; the ledger counts pure ε",
        ]
    return lines


def audit_lines(audit: Audit) -> list[str]:
    """The audit for people."""
    spent = ", ".join(f"{name} {amount}" for name, amount in decimals(audit.spent).items())
    verdict = "✓ no problems"
    if not audit.clean:
        verdict = f"✗ {plural(len(audit.problems), 'problem')}"
    many = plural(audit.entries, "entry", "entries")
    lost = f"; losses acknowledged: {audit.losses}" if audit.losses else ""
    return [
        f"{many}, every hash, cost and balance recomputed: {verdict}",
        f"spent: {spent}{lost}",
        *(f"  {problem}" for problem in audit.problems),
    ]
