"""A plan that was made behind a server."""

from dataclasses import dataclass
from typing import Any

from discreet.planning import plan_html, plan_sentence


@dataclass(frozen=True)
class RemotePlan:
    """How a question would be answered, as the server told it."""

    facts: dict[str, Any]

    @property
    def epsilon(self) -> str:
        """What the question would cost."""
        return str(self.facts["epsilon"])

    @property
    def enough(self) -> bool:
        """Whether the budget suffices."""
        return bool(self.facts["enough"])

    @property
    def notes(self) -> tuple[str, ...]:
        """Plain sentences about what will not be worth its ε."""
        return tuple(self.facts["notes"])

    @property
    def digest(self) -> str:
        """SHA-256 of what will be done."""
        return str(self.facts["digest"])

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return dict(self.facts)

    def __str__(self) -> str:
        return plan_sentence(self.facts)

    def _repr_html_(self) -> str:
        return plan_html(self.facts)
