"""An audit of the ledger from its entries alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.budget.composition import cost_from_dict
from discreet.budget.entries import GENESIS, Entry, EntryKind, Premises
from discreet.errors import DiscreetError, EpsilonError
from discreet.exact import Epsilon
from discreet.text import BILLION

_DIGITS = frozenset("0123456789abcdef")


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


def joint_problems(together: Any, charged: int) -> list[str]:
    """What is wrong with the certificates of draws that several answers share, for one charge.

    They were proved when they were made; here what the entry says of them is held against what was
    charged, in billionths (docs/proofs/gauge-noise.md).

    >>> joint_problems([{"parts": [0], "epsilon": "2", "body": None}], 10**9)
    ['shared draws cost 2,000,000,000 billionths, more than the 1,000,000,000 charged']
    """
    if not isinstance(together, list):
        return ["what was drawn together cannot be read"]
    problems, spent = list[str](), 0
    for one in together:
        try:
            cost = Epsilon.of(one["epsilon"]).billionths
            problems += _proof(one, cost)
        except (KeyError, TypeError, ValueError, ZeroDivisionError, EpsilonError):
            return [*problems, "what was drawn together cannot be read"]
        spent += cost
    if spent > charged:
        problems.append(
            f"shared draws cost {spent:,} billionths, more than the {charged:,} charged"
        )
    return problems


def _proof(one: dict[str, Any], cost: int) -> list[str]:
    problems = [] if one["parts"] else ["a shared draw belongs to no answer"]
    body = one["body"]
    if body is None:
        return problems
    width, rate = body["width"], Fraction(body["rate"])
    if width <= 0 or rate <= 0 or width * rate * BILLION > cost:
        problems.append(f"{width} steps of {rate} do not match a cost of {cost:,} billionths")
    if len(one["certificate"]) != 64 or set(one["certificate"]) - _DIGITS:
        problems.append("a shared draw has no certificate")
    return problems
