"""The stored release that an answer is a part of: it was paid for before."""

import hashlib
from dataclasses import dataclass
from typing import Any

from discreet.questions import Question


@dataclass(frozen=True)
class Origin:
    """A release in the ledger, by its receipt and the time of its entry."""

    receipt: str
    at: str

    def __str__(self) -> str:
        return f"from the answer of {self.at[:10]} ({self.receipt}), no charge"

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {"receipt": self.receipt, "at": self.at}

    def digest(self, question: Question) -> str:
        """SHA-256 of what will be done: to tell a question from this release."""
        text = f"stored {self.receipt} {question.digest}"
        return hashlib.sha256(text.encode()).hexdigest()
