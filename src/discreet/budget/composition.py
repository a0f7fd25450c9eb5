"""What several answers cost together (001 Props. 3 and 4).

A cost is a small tree of whole billionths. It is written into the ledger as it is, so that an
auditor can add it up again from the entries alone.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

from discreet.errors import BudgetError
from discreet.exact import Epsilon, show


@dataclass(frozen=True)
class Single:
    """One mechanism run at ε, in billionths."""

    billionths: int

    def __post_init__(self) -> None:
        if isinstance(self.billionths, bool) or not isinstance(self.billionths, int):
            raise BudgetError(f"a cost must be whole billionths of ε, got {show(self.billionths)}")
        if self.billionths < 0:
            raise BudgetError(f"a cost cannot be negative, got {self.billionths}")

    @classmethod
    def of(cls, epsilon: Epsilon) -> "Single":
        """The cost of a mechanism certified at ε."""
        return cls(epsilon.billionths)

    @property
    def total(self) -> int:
        """What it costs, in billionths of ε."""
        return self.billionths


@dataclass(frozen=True)
class Sequential:
    """Several answers about the same records: the costs add up (Props. 3 and 4)."""

    parts: tuple["Cost", ...]

    @property
    def total(self) -> int:
        """What they cost together, in billionths of ε."""
        return sum(part.total for part in self.parts)


@dataclass(frozen=True)
class Disjoint:
    """Answers about disjoint groups of records, of which one person touches at most `touched`.

    Adding or removing a record touches one group, changing a record may touch two: the cost is the
    sum of the `touched` largest (docs/proofs/composition.md).

    >>> Disjoint((Single(3), Single(5), Single(4)), touched=2).total
    9
    """

    parts: tuple["Cost", ...]
    touched: int

    def __post_init__(self) -> None:
        if self.touched < 1:
            raise BudgetError(f"a person touches at least one group, got {self.touched}")

    @property
    def total(self) -> int:
        """What they cost together, in billionths of ε."""
        return sum(sorted((part.total for part in self.parts), reverse=True)[: self.touched])


Cost: TypeAlias = Single | Sequential | Disjoint
"""What a question costs, and why."""


def cost_to_dict(cost: Cost) -> dict[str, Any]:
    """A cost as plain JSON values, for the ledger."""
    if isinstance(cost, Single):
        return {"single": cost.billionths}
    parts = [cost_to_dict(part) for part in cost.parts]
    if isinstance(cost, Sequential):
        return {"sequential": parts}
    return {"disjoint": parts, "touched": cost.touched}


def cost_from_dict(data: object) -> Cost:
    """Read back what `cost_to_dict` wrote."""
    match data:
        case {"single": int(billionths)}:
            return Single(billionths)
        case {"sequential": list(parts)}:
            return Sequential(tuple(cost_from_dict(part) for part in parts))
        case {"disjoint": list(parts), "touched": int(touched)}:
            return Disjoint(tuple(cost_from_dict(part) for part in parts), touched)
    raise BudgetError(f"a cost must be single, sequential or disjoint, got {show(data)}")
