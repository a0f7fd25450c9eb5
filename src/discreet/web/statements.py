"""The ledger's entries as people read them: answers, and lines of a statement."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from discreet.budget import Entry, EntryKind
from discreet.text import Amount


@dataclass(frozen=True, kw_only=True)
class AnswerLine:
    """An answered question, in one line."""

    receipt: str
    at: str
    analyst: str
    asked: str
    epsilon: str

    def to_dict(self) -> dict[str, Any]:
        """The line as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class LedgerLine:
    """One entry of the ledger: what happened, and what had been spent after it."""

    seq: int
    at: str
    kind: str
    """budget, charge, acknowledged or facts."""
    analyst: str
    receipt: str | None
    asked: str | None
    epsilon: str
    """Charged, or allowed from now on for a budget."""
    spent: str
    """By all the lines shown, up to this one."""
    answered: bool | None
    """Whether a charge has its answer; None for other kinds."""

    def to_dict(self) -> dict[str, Any]:
        """The line as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Verified:
    """What an audit found; the details are for custodians."""

    clean: bool
    entries: int | None
    losses: int | None
    problems: tuple[str, ...] | None

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain JSON values."""
        problems = None if self.problems is None else list(self.problems)
        return {**asdict(self), "problems": problems}


def answer_lines(entries: Iterable[Entry]) -> list[AnswerLine]:
    """The answered questions, the newest first."""
    charges: dict[str, Entry] = {}
    lines = []
    for entry in entries:
        if entry.kind == EntryKind.CHARGE:
            charges[entry.question] = entry
        elif entry.kind == EntryKind.ANSWER and entry.question in charges:
            charge = charges[entry.question]
            lines.append(
                AnswerLine(
                    receipt=entry.question,
                    at=entry.at,
                    analyst=entry.analyst,
                    asked=_asked(charge) or "",
                    epsilon=str(Amount(charge.billionths)),
                )
            )
    return lines[::-1]


def ledger_lines(entries: Iterable[Entry]) -> list[LedgerLine]:
    """Budgets, charges, losses and facts, oldest first, with what had been spent."""
    every = list(entries)
    answered = {entry.question for entry in every if entry.kind == EntryKind.ANSWER}
    spent, lines = 0, []
    for entry in every:
        if entry.kind == EntryKind.ANSWER:
            continue
        if entry.kind in (EntryKind.CHARGE, EntryKind.ACKNOWLEDGED):
            spent += entry.billionths
        charged = entry.kind == EntryKind.CHARGE
        lines.append(
            LedgerLine(
                seq=entry.seq,
                at=entry.at,
                kind=entry.kind,
                analyst=entry.analyst,
                receipt=entry.question if charged else None,
                asked=_asked(entry) if charged else None,
                epsilon=str(Amount(entry.billionths)),
                spent=str(Amount(spent)),
                answered=entry.question in answered if charged else None,
            )
        )
    return lines


def _asked(entry: Entry) -> str | None:
    asked = entry.facts().get("asked")
    return asked if isinstance(asked, str) else None
