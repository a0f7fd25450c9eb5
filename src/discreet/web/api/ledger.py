"""The ledger: a statement, an audit, an export."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from discreet import reports
from discreet.web import reading
from discreet.web.api.common import MOST_LINES, Calling, Most, Served, problems
from discreet.web.api.replies import ExportReply, LedgerReply, ReportReply, VerifiedReply
from discreet.web.bodies import json_reply

Receipts = Annotated[
    list[str] | None, Query(description="which answers, in this order; all if left out")
]

router = APIRouter(prefix="/api/datasets/{dataset}/ledger", tags=["ledger"])


@router.get("", response_model=LedgerReply, responses=problems(404, 422, 503))
def statement(served: Served, calling: Calling, most: Most = MOST_LINES) -> Response:
    """The statement, newest last: the caller's entries, or all for custodians."""
    lines = [line.to_dict() for line in reading.statement(served, calling)[-most:]]
    return json_reply({"lines": lines, "budget": reading.budget(served, calling).to_dict()})


@router.post("/verify", response_model=VerifiedReply, responses=problems(404, 422, 503))
def verify(served: Served, calling: Calling) -> Response:
    """Verify the ledger: recompute every hash, cost and balance."""
    return json_reply(reading.verify(served, calling).to_dict())


@router.get("/export", response_model=ExportReply, responses=problems(404, 422, 503))
def export(served: Served, calling: Calling) -> Response:
    """Export every entry (custodians only)."""
    return json_reply({"entries": reading.export(served, calling)})


@router.get("/report", response_model=ReportReply, responses=problems(404, 422, 503))
def report(served: Served, calling: Calling, receipt: Receipts = None) -> Response:
    """The data of a release report (custodians only)."""
    return json_reply(reading.report(served, calling, receipt or ()).to_dict())


@router.get(
    "/report.html",
    response_class=Response,
    responses={
        200: {"content": {"text/html": {}}, "description": "A page that stands alone."},
        **problems(404, 422, 503),
    },
)
def report_page(served: Served, calling: Calling, receipt: Receipts = None) -> Response:
    """A release report as a page that stands alone and prints well (custodians only)."""
    made = reading.report(served, calling, receipt or ())
    file, name = served.curator.path.name, f"{served.name}-report"
    return Response(
        reports.report_html(made, file, f"{name}.json"),
        media_type="text/html",
        headers={"Content-Disposition": f'attachment; filename="{name}.html"'},
    )
