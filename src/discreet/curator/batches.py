"""Several questions planned as one: they are then asked by their plans, in one transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from discreet.budget import Ledger
from discreet.curator.answer import Answer
from discreet.curator.free import checked_id
from discreet.curator.prepared import Due
from discreet.errors import IdTaken, OverBudget
from discreet.planning.batch import numbered, repeats
from discreet.requests import BatchOrder, Order
from discreet.text import Amount


class ShownPlan(Protocol):
    """A plan that says what it is."""

    @property
    def digest(self) -> str:
        """What tells it from every other plan."""

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON values."""


_Plan_co = TypeVar("_Plan_co", bound=ShownPlan, covariant=True)


class Asks(Protocol):
    """Where planned questions are asked: a curator here, or one behind a server."""

    def ask_planned(self, planned: "PlannedBatch[Any]", id: str | None = None) -> list[Answer]:
        """Charge and answer all of them in one transaction; the same id again is free."""

    def left(self) -> int:
        """What may still be spent, in billionths."""


@dataclass(frozen=True)
class PlannedBatch(Generic[_Plan_co]):
    """Several questions with the ε of each and its plan; nothing is spent before `ask`."""

    curator: Asks
    wanted: BatchOrder
    """What was asked for, of all together."""
    orders: tuple[Order, ...]
    plans: tuple[_Plan_co, ...]

    @property
    def digests(self) -> list[str]:
        """What tells each plan from every other."""
        return [one.digest for one in self.plans]

    @property
    def repeats(self) -> tuple[int | None, ...]:
        """For each question, the place of the earlier one that it repeats: that one pays."""
        return repeats(list(zip(self.digests, self._costs, strict=True)))

    @cached_property
    def _costs(self) -> list[int]:
        return [int(one.to_dict()["billionths"]) for one in self.plans]

    def ids(self, id: str | None) -> list[str | None]:
        """Under what each answer is stored."""
        many = range(1, len(self.orders) + 1)
        return [None if id is None else f"{id}-{place}" for place in many]

    @property
    def total(self) -> Fraction:
        """What all of them cost together; a question that is there twice costs once."""
        return self.cost.value

    @property
    def cost(self) -> Amount:
        """The same as an amount of ε."""
        each = zip(self._costs, self.repeats, strict=True)
        return Amount(sum(cost for cost, earlier in each if earlier is None))

    def ask(self, *, id: str | None = None) -> list[Answer]:
        """Ask every question by its plan: all are charged and stored together, or none is.

        Args:
            id: Answers are stored under this id with -1, -2, … behind it; the same again are free.

        Returns:
            The answers, in order.

        Raises:
            OverBudget: All together cost more than is left; nothing was charged.
            PlanChanged: A question is planned in another way by now; nothing was charged.
        """
        self.check(id=id)
        return self.curator.ask_planned(self, id)

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
                f"all questions together would cost ε = {cost}, but only {left} is left; ask for "
                "less, or ask the custodian to raise the budget",
                cost=cost.billionths,
                left=left.billionths,
            )

    def to_dict(self) -> dict[str, Any]:
        """The plans as plain JSON values."""
        return {
            "total": str(self.cost),
            "repeats": numbered(self.repeats),
            "plans": [one.to_dict() for one in self.plans],
        }

    def __str__(self) -> str:
        return "\n".join([*map(str, self.plans), f"together ε = {self.cost}"])


def asked_together(
    made_ready: Callable[[], "list[Due | Answer]"], ledger: Ledger, analyst: str
) -> list[Answer]:
    """Charge, draw and store whatever is due in one transaction, then release; in their order."""
    while True:
        parts = made_ready()
        due = [one for one in parts if isinstance(one, Due)]
        try:
            charges = iter(ledger.answered_all(due, analyst=analyst) if due else ())
        except IdTaken as taken:  # by one who asked the same at this moment, by another plan
            if taken.question is None or ledger.answer(taken.question) is None:
                raise
            continue
        return [one.release(next(charges)) if isinstance(one, Due) else one for one in parts]
