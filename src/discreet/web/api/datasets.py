"""Datasets: declared facts, and the caller's budget."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from discreet.web import reading
from discreet.web.api.common import Calling, Served, Serving, problems
from discreet.web.api.replies import DatasetReply, DatasetsReply
from discreet.web.bodies import json_reply
from discreet.web.identity import Caller
from discreet.web.served import ServedDataset

router = APIRouter(prefix="/api/datasets", tags=["datasets"])


@router.get("", response_model=DatasetsReply, responses=problems(503))
def datasets(service: Serving, calling: Calling) -> Response:
    """List the caller's datasets."""
    facts = [_facts(served, calling) for served in service.datasets(calling)]
    return json_reply({"datasets": facts})


@router.get("/{dataset}", response_model=DatasetReply, responses=problems(404, 422, 503))
def dataset(served: Served, calling: Calling) -> Response:
    """One dataset: its public facts and the caller's budget."""
    return json_reply(_facts(served, calling))


def _facts(served: ServedDataset, calling: Caller) -> dict[str, Any]:
    return {**served.facts(), "budget": reading.budget(served, calling).to_dict()}
