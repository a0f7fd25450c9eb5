"""The datasets that are served, each with its one curator, and what may be told of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.budget import Balance
from discreet.curator import Curator, Order, PlannedBatch
from discreet.errors import DatasetError, InvalidInput, PlanChanged
from discreet.planning import Plan
from discreet.planning.batch import numbered
from discreet.questions import shown_text
from discreet.tables import Column, Dataset, DateColumn, NumberColumn
from discreet.text import Amount, decimal_text

MARK = "~"
"""Begins the names of made-up tables: no dataset file is called so."""


@dataclass(frozen=True, eq=False)
class ServedDataset:
    """One dataset of the server."""

    name: str
    """As it stands in URLs."""
    curator: Curator

    @classmethod
    def open(cls, name: str, file: Path) -> "ServedDataset":
        """Open the ledger; the rows are read a little later."""
        curator = Curator(file)
        if not curator.dataset.confirmed:
            raise DatasetError(
                f"{file.name} is a draft: confirm its bounds and set confirmed = true to serve it"
            )
        curator.ledger.check_premises()
        return cls(name, curator)

    @property
    def dataset(self) -> Dataset:
        """The public facts."""
        return self.curator.dataset

    @property
    def is_made_up(self) -> bool:
        """Whether its rows are made up: nothing about it is published."""
        return self.name.startswith(MARK)

    def facts(self) -> dict[str, Any]:
        """What is declared, as plain JSON values; never a row, never where the rows are."""
        dataset = self.dataset
        return {
            "name": self.name,
            "title": dataset.name,
            "rows": dataset.most_rows,
            "size_is_public": dataset.size_is_public,
            "unit": {
                "person": dataset.unit.id_column is not None,
                "most_rows": dataset.unit.most_rows,
                "one_row_per": dataset.unit.one_row_per,
            },
            "neighbours": dataset.relation.value,
            "columns": [
                {
                    **_column(column),
                    "expression": dataset.expression_sql(column.name),
                    "unit": column.unit if isinstance(column, NumberColumn) else "",
                    "description": column.description,
                }
                for column in dataset.every_column
            ],
        }


@dataclass(frozen=True)
class Amounts:
    """An account in ε as people write it; allowed and left are None without a limit."""

    allowed: str | None
    spent: str
    left: str | None

    @classmethod
    def of(cls, balance: Balance) -> "Amounts":
        """The amounts of a balance."""
        allowed, left = balance.allowed, balance.left
        return cls(
            None if allowed is None else str(Amount(allowed)),
            str(Amount(balance.spent)),
            None if left is None else str(Amount(left)),
        )

    def to_dict(self) -> dict[str, str | None]:
        """The amounts as plain JSON values."""
        return {"allowed": self.allowed, "spent": self.spent, "left": self.left}


@dataclass(frozen=True, kw_only=True)
class BudgetView:
    """What a caller may know of budgets: their own, and for custodians everything."""

    own: Amounts
    left: str
    """What the caller may still spend: their own, or what is left for all when that is less."""
    sentence: str
    total: Amounts | None = None
    """For custodians."""
    accounts: dict[str, Amounts] | None = None
    """For custodians: every analyst's own."""

    def to_dict(self) -> dict[str, Any]:
        """The view as plain JSON values."""
        accounts = self.accounts
        return {
            "own": self.own.to_dict(),
            "left": self.left,
            "sentence": self.sentence,
            "total": None if self.total is None else self.total.to_dict(),
            "accounts": None
            if accounts is None
            else {name: amounts.to_dict() for name, amounts in accounts.items()},
        }


@dataclass(frozen=True, kw_only=True)
class PricedPlan:
    """A plan that is ready, with what a caller wants to know before spending."""

    plan: Plan
    order: Order
    asked: str
    epsilon: str
    enough: bool
    left: str

    @classmethod
    def of(cls, served: ServedDataset, order: Order, made: Plan, left: int) -> "PricedPlan":
        """A plan beside what is left."""
        cost = made.cost.total
        return cls(
            plan=made,
            order=order,
            asked=shown_text(made.question, served.dataset),
            epsilon=str(Amount(cost)),
            enough=cost <= left,
            left=str(Amount(left)),
        )

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return {
            **self.plan.to_dict(),
            "asked": self.asked,
            "epsilon": self.epsilon,
            "enough": self.enough,
            "left": self.left,
        }


@dataclass(frozen=True, kw_only=True)
class PricedBatch:
    """The plans of several questions, with what they cost together."""

    planned: PlannedBatch[Plan]
    plans: tuple[PricedPlan, ...]
    left: int
    """What the caller may still spend, in billionths."""

    @property
    def total(self) -> int:
        """What all of them cost together, in billionths; a repeated question costs once."""
        return self.planned.cost.billionths

    def check_shown(self, shown: Sequence[str], stored: Sequence[bool]) -> None:
        """Refuse plans that are not those that were confirmed, before anything is charged.

        Args:
            shown: The digests of the plans that were confirmed.
            stored: Which questions were answered under this key already: they are told again.

        Raises:
            InvalidInput: There is not a plan for each question.
            PlanChanged: A question that is not answered yet is planned in another way by now.
        """
        if len(shown) != len(self.plans):
            raise InvalidInput(
                f"plans must have one digest for each question, got {len(shown)} for "
                f"{len(self.plans)} questions"
            )
        for one, digest, known in zip(self.planned.digests, shown, stored, strict=True):
            if not known and one != digest:
                raise PlanChanged(
                    "the plan of a question has changed; nothing was charged: look at the plans "
                    "again",
                    shown=digest,
                    current=one,
                )

    def to_dict(self) -> dict[str, Any]:
        """The plans as plain JSON values."""
        return {
            "total": str(Amount(self.total)),
            "enough": self.total <= self.left,
            "left": str(Amount(self.left)),
            "repeats": numbered(self.planned.repeats),
            "orders": [
                {name: one.order.request()[name] for name in ("epsilon", "within")}
                for one in self.plans
            ],
            "plans": [one.to_dict() for one in self.plans],
        }


def _written(column: NumberColumn, value: Fraction) -> str:
    """A value of a column, exactly."""
    return column.text(value) if isinstance(column, DateColumn) else decimal_text(value)


def _column(column: Column) -> dict[str, Any]:
    if isinstance(column, NumberColumn):
        grid = column.grid
        return {
            "name": column.name,
            "kind": column.type,
            "low": _written(column, grid.start),
            "high": _written(column, grid.last),
            "step": decimal_text(grid.step),
            "resolution": column.resolution if isinstance(column, DateColumn) else None,
            "values": None,
            "closed": False,
            "gaps": not column.complete,
            "missing": None if column.missing is None else _written(column, column.missing),
        }
    return {
        "name": column.name,
        "kind": column.type,
        "low": None,
        "high": None,
        "step": None,
        "resolution": None,
        "values": [str(value) for value in column.labels.values()],
        "closed": column.closed,
        "gaps": not column.complete,
        "missing": column.missing,
    }
