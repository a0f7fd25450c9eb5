"""What would become of a question if it were asked: answered, free, or refused."""

from dataclasses import dataclass
from typing import Any

from discreet.curator import Curator, Order, has_ledger
from discreet.text import Amount


@dataclass(frozen=True)
class Prospect:
    """What the asker may still spend, in billionths, and whether the answer is stored already."""

    left: int
    free: bool
    under_id: bool = False
    """Whether it is stored under the id that was given, and not a part of another answer."""

    def refused(self, cost: int) -> bool:
        """Whether a question of this cost would be refused."""
        return not self.free and cost > self.left

    def document(self, cost: int) -> dict[str, Any]:
        """The same as JSON values."""
        return {"left": str(Amount(self.left)), "free": self.free, "refused": self.refused(cost)}

    def line(self, cost: int) -> str:
        """One line for people."""
        if self.free:
            reason = (
                "the answer under this id is stored" if self.under_id else "it was drawn before"
            )
            return f"free of charge: {reason}; nothing was spent"
        if self.refused(cost):
            return f"over budget: only ε = {Amount(self.left)} is left; nothing was spent"
        return f"ε = {Amount(self.left)} is left; nothing was spent"


def prospect_of(curator: Curator, order: Order, question_id: str | None) -> Prospect:
    """What the ledger says beforehand; where there is none yet, what the dataset file allows."""
    if not has_ledger(curator.dataset, curator.path):
        budget = curator.dataset.budget
        own = dict(budget.analysts).get(curator.analyst, budget.total)
        return Prospect(min(budget.total.billionths, own.billionths), free=False)
    under_id = question_id is not None and curator.is_stored(question_id)
    if under_id:
        # Costs nothing, and refuses an id that belongs to another question.
        curator.ask(order, question_id=question_id)
    else:
        curator.ledger.check_premises()
    free = under_id or curator.stored_part(order) is not None
    return Prospect(curator.left(), free, under_id)
