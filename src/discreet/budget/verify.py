"""An audit of the ledger from its entries alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.budget.composition import cost_from_dict
from discreet.budget.entries import GENESIS, Entry, EntryKind, Premises
from discreet.budget.joint_proofs import joint_problems
from discreet.errors import DiscreetError


@dataclass(frozen=True)
class Audit:
    """What the entries add up to, and what is wrong with them, entry by entry."""

    entries: int
    spent: dict[str, int]
    """Billionths of ε by account; the total has the empty name."""
    losses: int
    """How often a custodian acknowledged that entries were lost."""
    problems: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def audit(entries: Sequence[Entry]) -> Audit:
    """Recompute every hash, every cost and every balance.

    Args:
        entries: Every entry, oldest first.

    Returns:
        Whether the chain holds, the balances, and the first fault if there is one.
    """
    problems: list[str] = []
    spent: dict[str, int] = {"": 0}
    allowed: dict[str, int] = {}
    charged: set[str] = set()
    answered: set[str] = set()
    lost: set[str] = set()
    losses = 0
    premises: str | None = None
    previous = GENESIS
    for place, entry in enumerate(entries, start=1):
        problems += [f"entry {entry.seq}: {text}" for text in _chain(entry, place, previous)]
        previous = entry.hash
        if entry.kind == EntryKind.BUDGET:
            allowed[entry.analyst] = entry.billionths
        elif entry.kind == EntryKind.CHARGE:
            problems += [f"entry {entry.seq}: {text}" for text in _cost(entry, charged)]
            charged.add(entry.question)
            for account in {"", entry.analyst}:
                spent[account] = spent.get(account, 0) + entry.billionths
        elif entry.kind == EntryKind.ACKNOWLEDGED:
            losses += 1
            lost.update(charged - answered)
            spent[""] += entry.billionths
        elif entry.kind == EntryKind.FACTS:
            problems += [f"entry {entry.seq}: {text}" for text in _premises(entry, premises)]
            premises = entry.question
        elif entry.question in lost:
            problems.append(f"entry {entry.seq}: an answer to a charge from before a loss")
        elif entry.question not in charged:
            problems.append(f"entry {entry.seq}: an answer without its charge")
        elif entry.question in answered:
            problems.append(f"entry {entry.seq}: a second answer to one question")
        else:
            answered.add(entry.question)
        problems += [
            f"entry {entry.seq}: {account or 'the total'} is overspent"
            for account in {"", entry.analyst}
            if account in allowed and spent.get(account, 0) > allowed[account]
        ]
    return Audit(len(entries), spent, losses, tuple(problems))


def _chain(entry: Entry, place: int, previous: str) -> list[str]:
    problems = []
    if entry.seq != place:
        problems.append(f"expected entry {place} here")
    if entry.previous != previous:
        problems.append("does not follow the entry before it")
    if entry.computed_hash() != entry.hash:
        problems.append("was changed after it was written")
    if entry.kind not in set(EntryKind):
        problems.append(f"unknown kind {entry.kind}")
    return problems


def _premises(entry: Entry, before: str | None) -> list[str]:
    problems = []
    if Premises.recorded(entry).digest != entry.question or entry.billionths:
        problems.append("its facts do not match their digest")
    if entry.facts().get("before") != before:
        problems.append("its facts do not follow those recorded before")
    return problems


def _cost(entry: Entry, charged: set[str]) -> list[str]:
    problems = []
    if entry.question in charged:
        problems.append("a second charge for one question")
    try:
        total = cost_from_dict(entry.facts().get("cost")).total
    except (DiscreetError, ValueError):
        return [*problems, "its cost cannot be read"]
    if total != entry.billionths:
        problems.append(f"charged {entry.billionths:,} billionths, but its parts cost {total:,}")
    return problems + joint_problems(entry.facts().get("together", []), total)
