"""Several questions that are paid together: one transaction charges, draws and stores them all.

Either every charge and every answer is on the disk, or no answer was released
(docs/proofs/one-commit.md, Claim 4).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.budget.charging import (
    Charge,
    Claim,
    Job,
    Page,
    answer_lost,
    answering,
    over_budget,
)
from discreet.budget.entries import EntryKind, Premises
from discreet.errors import OverBudget

Charges = tuple[Charge, ...]


@dataclass(frozen=True, eq=False)
class Asked:
    """One of several questions that are paid together."""

    question: str
    """The id under which it is stored."""
    claim: Claim
    draw: Callable[[], dict[str, Any]]
    """Called once, under all charges."""


def answering_all(
    parts: Sequence[Asked], analyst: str, *, premises: Premises | None = None
) -> tuple[Job[Charges], Callable[[Page, Charges], Charges]]:
    """All charges, or a refusal that leaves none; then all draws and answers, or none of these."""
    each = [
        answering(one.question, one.claim, one.draw, analyst, premises=premises) for one in parts
    ]

    def charged(page: Page) -> Charges:
        try:
            with page.whole():
                return tuple(_not_lost(charge(page)) for charge, _ in each)
        except OverBudget:
            owed = sum(
                one.claim.total
                for one in parts
                if page.find(EntryKind.CHARGE, one.question) is None
            )
            raise over_budget(page, analyst, owed, "all questions together") from None

    def drawn(page: Page, charges: Charges) -> Charges:
        with page.whole():
            return tuple(
                draw(page, charge) for (_, draw), charge in zip(each, charges, strict=True)
            )

    return charged, drawn


def _not_lost(charge: Charge) -> Charge:
    """What was charged before and never answered is refused before others are charged."""
    if not charge.new and charge.answer is None:
        raise answer_lost(charge.question)
    return charge
