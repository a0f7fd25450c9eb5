"""What the guarantee rests on: the public facts that a ledger's charges were worked out from.

A charge of ε says something only together with whom it protects and how far one of them can move an
answer. So the ledger records these facts, and a charge under other ones is refused until the
custodian has acknowledged the change, which is an entry as well.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet.budget.entries import Entry, canonical
from discreet.errors import FactsChanged
from discreet.exact import show
from discreet.text import decimal_text

ANCHOR = "ledger.anchor"
"""The fact that says where the second anchor is."""
KEY = "ledger.key"
"""The fact that tells which secret decides over a person's rows: a lost key is noticed."""
_PLACES = ("source.path", ANCHOR, KEY)
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
        told = "; ".join(map(str, changes[:_MOST_TOLD]))
        more = f"; and {len(changes) - _MOST_TOLD} more" if len(changes) > _MOST_TOLD else ""
        return FactsChanged(
            f"the guarantee of this ledger rests on other facts: {told}{more}; put them back, or "
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
