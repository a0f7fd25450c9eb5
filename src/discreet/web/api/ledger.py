"""The ledger: a statement, an audit, an export."""

from fastapi import APIRouter
from starlette.responses import Response

from discreet.web.api.common import MOST_LINES, Calling, Holding, Most, Serving, problems, told
from discreet.web.api.replies import ExportReply, LedgerReply, VerifiedReply

router = APIRouter(prefix="/api/datasets/{dataset}/ledger", tags=["ledger"])


@router.get("", response_model=LedgerReply, responses=problems(404, 422, 503))
def statement(
    service: Serving, held: Holding, calling: Calling, most: Most = MOST_LINES
) -> Response:
    """Like a bank statement: the caller's own lines, or all for custodians; the newest last."""
    lines = [line.to_dict() for line in service.statement(held, calling)[-most:]]
    return told({"lines": lines, "budget": service.budget(held, calling).to_dict()})


@router.post("/verify", response_model=VerifiedReply, responses=problems(404, 422, 503))
def verify(service: Serving, held: Holding, calling: Calling) -> Response:
    """Recompute every hash, cost and balance."""
    return told(service.verify(held, calling).to_dict())


@router.get("/export", response_model=ExportReply, responses=problems(404, 422, 503))
def export(service: Serving, held: Holding, calling: Calling) -> Response:
    """Every entry, for an auditor; custodians alone."""
    return told({"entries": service.export(held, calling)})
