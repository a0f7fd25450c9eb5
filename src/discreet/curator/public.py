"""Answers that public facts give alone: nothing is spent, and no row is looked at.

They are worked out anew each time and never written down, so that nobody fills the disk with
questions that cost nothing. A receipt follows from what was asked; the newest are kept in memory.
"""

import hashlib

from discreet.curator.prepared import Prepared
from discreet.curator.storing import Drawn
from discreet.planning import Recent

_MOST_RESULTS = 1 << 16


class PublicAnswers:
    """The public answers given last, by their receipts."""

    def __init__(self) -> None:
        self._kept = Recent[str, tuple[str, Drawn]](
            _MOST_RESULTS, lambda _, told: len(told[1].results)
        )

    def give(self, ready: Prepared) -> tuple[str, Drawn]:
        """The receipt and the answer of a question that looks at no row."""
        receipt = f"public-{hashlib.sha256(ready.claim.body.encode()).hexdigest()[:16]}"
        return receipt, self._kept.get(receipt, lambda: (ready.asked, ready.public()))[1]

    def find(self, receipt: str) -> tuple[str, Drawn] | None:
        """What was asked under a receipt and its answer, while they are remembered."""
        return self._kept.peek(receipt)
