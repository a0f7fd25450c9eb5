"""Several questions planned as one, from Python: each may then be asked by its plan."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from discreet.curator.answer import Answer
from discreet.curator.free import checked_id
from discreet.errors import OverBudget
from discreet.requests import Order
from discreet.text import Amount


class Told(Protocol):
    """A plan that says what it is."""

    @property
    def digest(self) -> str:
        """What tells it from every other plan."""

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON values."""


_Plan_co = TypeVar("_Plan_co", bound=Told, covariant=True)


class Asks(Protocol):
    """Where planned questions are asked: a curator here, or one behind a server."""

    def ask(
        self, order: Order, *, plan: str | None = None, question_id: str | None = None
    ) -> Answer:
        """Charge and answer by the plan of this digest; the same id again is free."""

    def left(self) -> int:
        """What may still be spent, in billionths."""


@dataclass(frozen=True)
class PlannedBatch(Generic[_Plan_co]):
    """Several questions with the ε of each and its plan; nothing is spent before `ask`."""

    curator: Asks
    orders: tuple[Order, ...]
    plans: tuple[_Plan_co, ...]

    @property
    def total(self) -> Fraction:
        """What all of them cost together."""
        return self.cost.value

    @property
    def cost(self) -> Amount:
        """The same as an amount of ε."""
        return Amount(sum(int(one.to_dict()["billionths"]) for one in self.plans))

    def ask(self, *, id: str | None = None) -> list[Answer]:
        """Ask every question by its plan; each is charged and stored by itself.

        Args:
            id: Answers are stored under this id with -1, -2, … behind it; the same again are free.

        Returns:
            The answers, in order.

        Raises:
            OverBudget: All together cost more than is left; nothing was charged.
            PlanChanged: A question is planned in another way by now; it was not charged.
        """
        self.check(id=id)
        return [
            self.curator.ask(
                order, plan=plan.digest, question_id=None if id is None else f"{id}-{place}"
            )
            for place, (order, plan) in enumerate(zip(self.orders, self.plans, strict=True), 1)
        ]

    def check(self, *, id: str | None = None) -> None:
        """Refuse to begin what cannot be ended.

        Args:
            id: As in `ask`: with one, some answers may be stored already, and nothing is refused.

        Raises:
            OverBudget: All together cost more than is left.
            BudgetError: The id leaves no room for the numbers of the questions.
        """
        if id is not None:
            checked_id(f"{id}-{len(self.orders)}")
        cost, left = self.cost, Amount(self.curator.left())
        if cost.billionths > left.billionths and id is None:
            raise OverBudget(
                f"all questions together would cost ε = {cost}, and {left} is left; ask for less, "
                "or have the custodian raise it",
                cost=cost.billionths,
                left=left.billionths,
            )

    def to_dict(self) -> dict[str, Any]:
        """The plans as plain JSON values."""
        return {"total": str(self.cost), "plans": [one.to_dict() for one in self.plans]}

    def __str__(self) -> str:
        return "\n".join([*map(str, self.plans), f"together ε = {self.cost}"])
