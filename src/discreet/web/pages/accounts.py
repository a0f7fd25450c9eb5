"""Accounts, for custodians: who may ask, of what, until when; a token is shown once."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet.accounts import Account, NewToken, Role
from discreet.errors import DiscreetError
from discreet.text import moment, one_line
from discreet.web.bodies import AccountBody, check
from discreet.web.identity import Caller, service_of
from discreet.web.pages.forms import lists_of
from discreet.web.pages.rendering import page
from discreet.web.pages.visitor import Visitor
from discreet.web.problems import Refusal

router = APIRouter(include_in_schema=False)
_EMPTY: dict[str, Any] = {
    "name": "",
    "role": Role.ANALYST,
    "datasets": [],
    "epsilon": "",
    "expires": "",
}


@router.get("/accounts")
def accounts_page(request: Request, caller: Visitor) -> Response:
    """Every account, and a form for a new one."""
    return _page(request, caller)


@router.post("/accounts")
async def create(request: Request, caller: Visitor) -> Response:
    """Create an account and show its token, this once."""
    service = service_of(request)
    given = lists_of(await request.form())
    form = {
        **_EMPTY,
        **{name: values[0].strip() for name, values in given.items()},
        "datasets": given.get("datasets", []),
    }
    try:
        wanted = check(
            AccountBody,
            {
                "name": form["name"],
                "role": form["role"],
                "datasets": form["datasets"],
                "epsilon": form["epsilon"] or None,
                "expires": form["expires"] or None,
            },
        )
        token = await asyncio.to_thread(service.accounts_create, wanted, caller)
    except (DiscreetError, Refusal) as problem:
        if isinstance(problem, Refusal) and problem.status != 422:
            raise
        return _page(request, caller, form=form, error=one_line(str(problem)), status=422)
    return _page(request, caller, fresh=token, first=caller.is_local)


@router.post("/accounts/{name}/revoke")
async def revoke(name: str, request: Request, caller: Visitor) -> Response:
    """End an account."""
    await asyncio.to_thread(service_of(request).accounts_revoke, name, caller)
    return RedirectResponse("/accounts", 303)


def _page(
    request: Request,
    caller: Caller,
    *,
    form: dict[str, Any] | None = None,
    fresh: NewToken | None = None,
    first: bool = False,
    error: str | None = None,
    status: int = 200,
) -> Response:
    service = service_of(request)
    every = service.accounts_list(caller)
    return page(
        "accounts.html",
        caller,
        here="/accounts",
        twin="/api/accounts",
        status=status,
        accounts=[_row(one) for one in every],
        datasets=[
            {"name": served.name, "title": served.dataset.name}
            for served in service.datasets(caller)
        ],
        form=form or {**_EMPTY, "role": Role.ANALYST if every else Role.CUSTODIAN},
        fresh=None if fresh is None else {"name": fresh.account.name, "token": fresh.text},
        first=first,
        error=error,
    )


def _row(account: Account) -> dict[str, Any]:
    return {
        "name": account.name,
        "role": account.role,
        "datasets": "all" if account.is_custodian else ", ".join(account.datasets),
        "created": moment(account.created),
        "expires": "never" if account.expires is None else moment(account.expires),
        "state": account.state(datetime.now(UTC)),
    }
