"""The ledger like a bank statement: every charge with what was left, verified on request."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from discreet.accounts import Role
from discreet.budget import EntryKind
from discreet.questions.words import asked_words
from discreet.requests import read_number
from discreet.text import moment, plural
from discreet.web import reading
from discreet.web.identity import Caller, service_of
from discreet.web.pages.budgets import meter_of
from discreet.web.pages.datasets import answer_href
from discreet.web.pages.rendering import page
from discreet.web.pages.visitor import Visitor
from discreet.web.served import ServedDataset
from discreet.web.statements import LedgerLine, Verified

router = APIRouter(include_in_schema=False)
MOST_LINES = 200
"""Longer statements show their newest lines; the JSON has them all."""


@router.get("/datasets/{name}/ledger")
def ledger_page(name: str, request: Request, caller: Visitor) -> Response:
    """The statement."""
    return _page(request, service_of(request).dataset(name, caller), caller, None)


@router.post("/datasets/{name}/ledger/verify")
def verify(name: str, request: Request, caller: Visitor) -> Response:
    """Recompute every fingerprint and balance, and say what was found."""
    served = service_of(request).dataset(name, caller)
    return _page(request, served, caller, reading.verify(served, caller))


def _page(
    request: Request, served: ServedDataset, caller: Caller, audit: Verified | None
) -> Response:
    budget = reading.budget(served, caller)
    statement = reading.statement(served, caller)
    return page(
        "ledger.html",
        caller,
        here="/",
        twin=f"/api/datasets/{served.name}/ledger",
        name=served.name,
        title=served.dataset.name,
        lines=_lines(served, statement),
        any_answer=any(line.answered for line in statement),
        older=max(0, len(statement) - MOST_LINES),
        budget_meter=meter_of(budget),
        budget_sentence=budget.sentence,
        verdict=None if audit is None else _verdict(audit),
    )


def _verdict(audit: Verified) -> dict[str, Any]:
    if not audit.clean:
        detail = "; ".join(audit.problems or ()) or "Tell the custodian."
        return {"good": False, "detail": detail}
    if audit.entries is None:
        return {"good": True, "detail": "All hashes and balances were recomputed and agree."}
    lines = plural(audit.entries, "entry", "entries")
    detail = f"{lines}: all hashes, costs and balances were recomputed and agree."
    if audit.losses:
        detail += f" Acknowledged losses: {audit.losses}."
    return {"good": True, "detail": detail}


def _lines(served: ServedDataset, statement: list[LedgerLine]) -> list[dict[str, Any]]:
    """With what was left after each line, by the budget of that time."""
    allowed: dict[str, str] = {}
    shown = []
    for place, line in enumerate(statement):
        if line.kind == EntryKind.BUDGET:
            allowed[line.analyst] = line.epsilon
        if len(statement) - place <= MOST_LINES:
            shown.append(_line(served, line, allowed))
    return shown[::-1]


def _line(served: ServedDataset, line: LedgerLine, allowed: dict[str, str]) -> dict[str, Any]:
    whole = allowed.get("") or allowed.get(line.analyst)
    href = None
    if line.kind == EntryKind.BUDGET:
        whose = f"for {line.analyst}" if line.analyst else "in total"
        what, cost = f"Budget set to ε = {line.epsilon} {whose}", "–"
    elif line.kind == EntryKind.CHARGE:
        what, cost = asked_words(line.asked or "", served.dataset), f"ε {line.epsilon}"
        if line.answered and line.receipt:
            href = answer_href(served, line.receipt)
        else:
            what += " (charged, not answered)"
    elif line.kind == EntryKind.FACTS:
        what, cost = "The facts that the guarantee rests on were recorded", "–"
    else:
        what, cost = "A loss of entries was acknowledged", f"ε {line.epsilon}"
    return {
        "at": line.at,
        "when": moment(line.at),
        "who": line.analyst or Role.CUSTODIAN,
        "what": what,
        "cost": cost,
        "left": "–" if whole is None else f"ε {_minus(whole, line.spent)}",
        "href": href,
    }


def _minus(whole: str, spent: str) -> str:
    left = read_number(whole, "a budget") - read_number(spent, "what was spent")
    return f"{float(left):.9f}".rstrip("0").rstrip(".")
