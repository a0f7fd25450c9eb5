"""A budget as a sentence and a bar, from what a caller may know of it."""

from discreet.figures import Picture, budget_meter
from discreet.web.served import BudgetView


def meter_of(budget: BudgetView, asking: str = "0") -> Picture | None:
    """The bar of what the caller may spend; None where there is no limit of any kind."""
    amounts = budget.own if budget.own.allowed is not None else budget.total
    if amounts is None or amounts.allowed is None:
        left = float(budget.left)
        spent = float(budget.own.spent)
        return budget_meter(spent, spent + left, float(asking)) if spent + left > 0 else None
    spent = float(amounts.spent)
    allowed = min(float(amounts.allowed), spent + float(budget.left))  # others spend of it, too
    return budget_meter(spent, allowed or float(amounts.allowed), float(asking))
