"""Ledger entries: frozen events, chained by their hashes; and the mark that anchors keep.

A charge of ε says something only together with whom it protects and how far one of them can move an
answer. So the ledger records the public facts that its charges were worked out from, its premises,
and a charge under other ones is refused until the custodian has acknowledged the change, which is
an entry as well.
"""

import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property, lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from discreet.errors import FactsChanged
from discreet.exact import show
from discreet.lifetimes import holding
from discreet.text import Word, decimal_text

GENESIS = "0" * 64
"""What the first entry names as the one before it."""

_CANONICAL = json.JSONEncoder(
    sort_keys=True, ensure_ascii=True, separators=(",", ":"), check_circular=False
)


class EntryKind(Word):
    """What an entry records; the rules in each store name the same."""

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


class Head(NamedTuple):
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
        return _hash(**{name: getattr(self, name) for name in _FIELDS[:-1]})

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
    return _at(int(time.time()))


@lru_cache(maxsize=1)
def _at(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat(timespec="seconds")


def canonical(body: dict[str, Any]) -> str:
    """A body as text that is the same for the same content."""
    return _CANONICAL.encode(body)


def following(head: Head | None, event: Event, at: str) -> Entry:
    """The entry that records an event after `head`."""
    seq, previous = (1, GENESIS) if head is None else (head.seq + 1, head.hash)
    said: dict[str, Any] = {
        "seq": seq,
        "at": at,
        "kind": event.kind,
        "analyst": event.analyst,
        "question": event.question,
        "billionths": event.billionths,
        "body": event.body,
        "previous": previous,
    }
    said["hash"] = _hash(**said)
    return holding(Entry, said)


def _hash(
    *,
    seq: int,
    at: str,
    kind: str,
    analyst: str,
    question: str,
    billionths: int,
    body: str,
    previous: str,
) -> str:
    """SHA-256 of the fields as a JSON list; written out here, it takes a fifth of the time.

    >>> entry = following(None, Event(EntryKind.CHARGE, 'é"', question="q", billionths=7), "now")
    >>> fields = [1, "now", "charge", 'é"', "q", 7, "{}", GENESIS]
    >>> entry.hash == hashlib.sha256(json.dumps(fields).encode()).hexdigest()
    True
    """
    quoted = encode_basestring_ascii
    long = _quoted_again(body) if kind == EntryKind.CHARGE else quoted(body)
    content = (
        f"[{seq}, {quoted(at)}, {quoted(kind)}, {quoted(analyst)}, {quoted(question)}, "
        f"{billionths}, {long}, {quoted(previous)}]"
    )
    return hashlib.sha256(content.encode()).hexdigest()


_quoted_again = lru_cache(maxsize=64)(encode_basestring_ascii)
"""Of charges, whose bodies are the same whenever the same is asked."""
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


ANCHOR = "ledger.anchor"
"""The fact that says where the second anchor is."""
KEY = "ledger.key"
"""The fact that tells which secret decides over a person's rows: a lost key is noticed."""
_PLACES = ("source.path", "source.files", ANCHOR, KEY)
"""Facts that messages name and do not tell: an analyst may read them."""
_MOST_TOLD = 3
_FRACTION = re.compile(r"-?\d+/[1-9]\d*")


@dataclass(frozen=True)
class Change:
    """A fact that is not what it was; None where there was none, or is none any more."""

    key: str
    before: Any
    after: Any

    def __str__(self) -> str:
        if self.key in _PLACES:
            return f"{self.key} changed"
        return f"{self.key} was {_said(self.before)}, now {_said(self.after)}"

    def to_dict(self) -> dict[str, Any]:
        """The change as plain JSON values."""
        return {"key": self.key, "before": self.before, "after": self.after}


@dataclass(frozen=True)
class Premises:
    """Public facts by the keys of the dataset file, as plain JSON values."""

    facts: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the facts: the same for the same facts.

        >>> Premises({"a": 1, "b": 2}).digest == Premises({"b": 2, "a": 1}).digest
        True
        """
        return hashlib.sha256(canonical(dict(self.facts)).encode()).hexdigest()

    @classmethod
    def recorded(cls, entry: Entry) -> "Premises":
        """What an entry recorded."""
        facts = entry.facts().get("facts")
        return cls(facts if isinstance(facts, dict) else {})

    def changes_from(self, before: "Premises | None") -> tuple[Change, ...]:
        """What is not as it was; nothing when nothing was recorded.

        >>> str(Premises({"privacy.size": 5}).changes_from(Premises({"privacy.size": 4}))[0])
        'privacy.size was 4, now 5'
        >>> str(Premises({"columns.x.step": "15/2"}).changes_from(Premises({}))[0])
        'columns.x.step was not there, now 7.5'
        """
        if before is None:
            return ()
        return tuple(
            Change(key, before.facts.get(key), self.facts.get(key))
            for key in sorted({*before.facts, *self.facts})
            if before.facts.get(key) != self.facts.get(key)
        )

    def refused_after(self, before: "Premises") -> FactsChanged:
        """What to say of a charge under other facts than the recorded ones."""
        changes = self.changes_from(before)
        listed = "; ".join(map(str, changes[:_MOST_TOLD]))
        more = f"; and {len(changes) - _MOST_TOLD} more" if len(changes) > _MOST_TOLD else ""
        return FactsChanged(
            f"the guarantee of this ledger rests on other facts: {listed}{more}; restore them, or "
            "acknowledge the change",
            tuple(change.key for change in changes),
        )

    def body(self, before: "Premises | None", reason: str = "") -> str:
        """What the entry of these facts says, after those recorded before."""
        return canonical({
            "facts": dict(self.facts),
            "before": None if before is None else before.digest,
            "changes": [change.to_dict() for change in self.changes_from(before)],
            "reason": reason,
        })  # fmt: skip


def _said(value: Any) -> str:
    """A fact as it is written in a dataset file; halves are recorded as 15/2, and told as 7.5."""
    if value is None:
        return "not there"
    if isinstance(value, list):
        return show(", ".join(map(str, value)))
    if not isinstance(value, str) or not value.isprintable():
        return show(value)
    return decimal_text(Fraction(value)) if _FRACTION.fullmatch(value) else value
