"""What is charged for a question: the cost, and what was asked for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from discreet.budget.composition import Cost, cost_to_dict
from discreet.budget.entries import canonical


@dataclass(frozen=True)
class Claim:
    """A cost with public facts about the question; written out once, however often it is made.

    >>> from discreet.budget import Single
    >>> Claim(Single(7), {"asked": "COUNT(*)"}).body
    '{"asked":"COUNT(*)","cost":{"single":7}}'
    """

    cost: Cost
    facts: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def total(self) -> int:
        """What it costs, in billionths of ε."""
        return self.cost.total

    @cached_property
    def body(self) -> str:
        """What the charge's entry says: the same text for the same claim."""
        return canonical({"cost": cost_to_dict(self.cost), **self.facts})
