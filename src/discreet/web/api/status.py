"""Whether the server works, what it has served, and who calls."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from discreet.web.api.common import Calling, Serving, problems, told
from discreet.web.api.replies import HealthReply, MeReply
from discreet.web.problems import Forbidden

router = APIRouter(tags=["status"])


@router.get("/health", response_model=HealthReply, responses=problems(503))
def health(service: Serving) -> Response:
    """Whether every ledger can be used; for load balancers, without a token."""
    for held in service.every():
        held.curator.ledger.balance()
    return told({"status": "ok"})


@router.get("/metrics", response_class=PlainTextResponse, responses=problems())
def metrics(request: Request, service: Serving, calling: Calling) -> Response:
    """Requests, latencies, answers and ε spent, for Prometheus; custodians alone."""
    if not calling.is_custodian:
        raise Forbidden("this is for custodians")
    text = request.app.state.metrics.text(service)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/api/me", response_model=MeReply, responses=problems())
def me(service: Serving, calling: Calling) -> Response:
    """Who calls, and what they may ask."""
    return told({
        "name": calling.name,
        "role": calling.role,
        "local": calling.is_local,
        "datasets": [held.name for held in service.datasets(calling)],
        "expires": None if calling.account is None else calling.account.expires,
    })  # fmt: skip
