"""Datasets: declared facts, and the caller's budget."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from discreet.web.api.common import Calling, Holding, Serving, problems, told
from discreet.web.api.replies import DatasetReply, DatasetsReply
from discreet.web.held import Held
from discreet.web.identity import Caller
from discreet.web.service import Service

router = APIRouter(prefix="/api/datasets", tags=["datasets"])


@router.get("", response_model=DatasetsReply, responses=problems(503))
def datasets(service: Serving, calling: Calling) -> Response:
    """The datasets that the caller may ask."""
    found = [_facts(service, held, calling) for held in service.datasets(calling)]
    return told({"datasets": found})


@router.get("/{dataset}", response_model=DatasetReply, responses=problems(404, 422, 503))
def dataset(service: Serving, held: Holding, calling: Calling) -> Response:
    """One of them."""
    return told(_facts(service, held, calling))


def _facts(service: Service, held: Held, calling: Caller) -> dict[str, Any]:
    return {**held.facts(), "budget": service.budget(held, calling).to_dict()}
