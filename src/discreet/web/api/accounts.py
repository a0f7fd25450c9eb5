"""Accounts, for custodians."""

import asyncio

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from discreet.web.api.common import Calling, Name, Serving, body_of, problems
from discreet.web.api.replies import AccountReply, AccountsReply, NewTokenReply
from discreet.web.bodies import AccountBody, body, json_reply

router = APIRouter(prefix="/api/accounts", tags=["accounts"])


@router.get("", response_model=AccountsReply, responses=problems())
def accounts(service: Serving, calling: Calling) -> Response:
    """List all accounts (custodians only)."""
    return json_reply({"accounts": [one.to_dict() for one in service.accounts_list(calling)]})


@router.post(
    "",
    response_model=NewTokenReply,
    status_code=201,
    responses=problems(400, 413, 415, 422, 503),
    openapi_extra=body_of(AccountBody),
)
async def create(request: Request, service: Serving, calling: Calling) -> Response:
    """Create an account; its token is shown once, in this reply."""
    wanted = await body(request, AccountBody)
    made = await asyncio.to_thread(service.accounts_create, wanted, calling)
    return json_reply({"token": made.text, "account": made.account.to_dict()}, 201)


@router.delete("/{name}", response_model=AccountReply, responses=problems(404, 422))
def revoke(service: Serving, calling: Calling, name: Name) -> Response:
    """Revoke an account; what it has spent stays spent."""
    return json_reply(service.accounts_revoke(name, calling).to_dict())
