"""Ledger entries: frozen events, chained by their hashes; and the mark that anchors keep."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from discreet.text import Word

GENESIS = "0" * 64
"""What the first entry names as the one before it."""

_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))


class EntryKind(Word):
    """What an entry records; the ledger's own rules (`schema.py`) name the same."""

    BUDGET = "budget"
    CHARGE = "charge"
    ANSWER = "answer"
    ACKNOWLEDGED = "acknowledged"
    """A loss."""
    FACTS = "facts"
    """What the guarantee rests on from here on."""


@dataclass(frozen=True)
class Event:
    """What happened: a budget set, a question charged, an answer stored, a loss or new facts
    acknowledged."""

    kind: EntryKind
    analyst: str
    _: KW_ONLY
    question: str = ""
    billionths: int = 0
    body: str = "{}"
    """More about it, as `canonical` writes it."""


@dataclass(frozen=True)
class Head:
    """The number and the hash of the newest entry."""

    seq: int
    hash: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the ledger; its hash covers everything before it."""

    seq: int
    at: str
    kind: str
    analyst: str
    question: str
    billionths: int
    body: str
    previous: str
    hash: str

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> "Entry":
        """An entry as the database keeps it, in the order of the fields."""
        return cls(**dict(zip(_FIELDS, row, strict=True)))

    @property
    def head(self) -> Head:
        """What the next entry follows."""
        return Head(self.seq, self.hash)

    def computed_hash(self) -> str:
        """SHA-256 of all the fields and the hash of the entry before."""
        return _hash(*(getattr(self, name) for name in _FIELDS[:-1]))

    def facts(self) -> dict[str, Any]:
        """The body, parsed."""
        parsed = json.loads(self.body)
        return parsed if isinstance(parsed, dict) else {}

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain JSON values, for export."""
        return {
            "seq": self.seq,
            "at": self.at,
            "kind": self.kind,
            "analyst": self.analyst,
            "question": self.question,
            "billionths": self.billionths,
            "body": self.facts(),
            "previous": self.previous,
            "hash": self.hash,
        }


_FIELDS = tuple(field.name for field in fields(Entry))


def now() -> str:
    """The time, as entries write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def canonical(body: dict[str, Any]) -> str:
    """A body as text that is the same for the same content."""
    return _CANONICAL.encode(body)


def following(head: Head | None, event: Event, at: str) -> Entry:
    """The entry that records an event after `head`."""
    seq, previous = (1, GENESIS) if head is None else (head.seq + 1, head.hash)
    return Entry(
        seq=seq,
        at=at,
        kind=event.kind,
        analyst=event.analyst,
        question=event.question,
        billionths=event.billionths,
        body=event.body,
        previous=previous,
        hash=_hash(
            seq,
            at,
            event.kind,
            event.analyst,
            event.question,
            event.billionths,
            event.body,
            previous,
        ),
    )


def _hash(*fields: int | str) -> str:
    """SHA-256 of the fields as a JSON list; written out here, it takes a third of the time.

    >>> _hash(1, 'é"') == hashlib.sha256(json.dumps([1, 'é"']).encode()).hexdigest()
    True
    """
    told = (str(one) if isinstance(one, int) else encode_basestring_ascii(one) for one in fields)
    return hashlib.sha256(f"[{', '.join(told)}]".encode()).hexdigest()


_LONGEST = 19
"""Digits of a number that SQLite can hold."""


class Mark(NamedTuple):
    """The newest entry of a ledger, and what all entries had spent by then."""

    head: Head
    spent: int | None = None
    """In billionths of ε; None where an earlier version wrote it, which did not say."""

    def __str__(self) -> str:
        amount = "" if self.spent is None else f" {self.spent}"
        return f"{self.head.seq} {self.head.hash}{amount}"

    @classmethod
    def parsed(cls, text: str) -> "Mark | None":
        """What `str` wrote; None for anything else.

        >>> str(Mark.parsed("3 " + 64 * "a" + " 500"))[-5:], Mark.parsed("3 abc")
        ('a 500', None)
        """
        words = text.split()
        if len(words) not in (2, 3) or not all(map(_is_number, (words[0], *words[2:]))):
            return None
        if len(words[1]) != 64 or set(words[1]) - set("0123456789abcdef"):
            return None
        spent = int(words[2]) if len(words) == 3 else None
        return cls(Head(int(words[0]), words[1]), spent)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _LONGEST
