"""The ledger: a statement, an audit, an export."""

from fastapi import APIRouter
from starlette.responses import Response

from discreet.web.api.common import MOST_LINES, Calling, Most, Served, Serving, json_reply, problems
from discreet.web.api.replies import ExportReply, LedgerReply, VerifiedReply

router = APIRouter(prefix="/api/datasets/{dataset}/ledger", tags=["ledger"])


@router.get("", response_model=LedgerReply, responses=problems(404, 422, 503))
def statement(
    service: Serving, served: Served, calling: Calling, most: Most = MOST_LINES
) -> Response:
    """The statement, newest last: the caller's entries, or all for custodians."""
    lines = [line.to_dict() for line in service.statement(served, calling)[-most:]]
    return json_reply({"lines": lines, "budget": service.budget(served, calling).to_dict()})


@router.post("/verify", response_model=VerifiedReply, responses=problems(404, 422, 503))
def verify(service: Serving, served: Served, calling: Calling) -> Response:
    """Verify the ledger: recompute every hash, cost and balance."""
    return json_reply(service.verify(served, calling).to_dict())


@router.get("/export", response_model=ExportReply, responses=problems(404, 422, 503))
def export(service: Serving, served: Served, calling: Calling) -> Response:
    """Export every entry (custodians only)."""
    return json_reply({"entries": service.export(served, calling)})
