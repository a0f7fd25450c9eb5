"""Designs, and jobs to come back for."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from discreet.web.api.common import JOB, Calling, Name, Serving, body_of, problems
from discreet.web.api.replies import DesignReply, JobReply
from discreet.web.bodies import DesignBody, body, json_reply
from discreet.web.designing import Designed
from discreet.web.job import Job
from discreet.web.problems import NotFound
from discreet.web.served import PricedBatch, PricedPlan

router = APIRouter(prefix="/api", tags=["designs"])


@router.post(
    "/designs",
    response_model=DesignReply,
    responses={**JOB, **problems(400, 409, 413, 415, 422)},
    openapi_extra=body_of(DesignBody),
)
async def design(request: Request, service: Serving, calling: Calling) -> Response:
    """Design an optimal mechanism and certify it. No data is involved."""
    designed = await service.design(await body(request, DesignBody), calling)
    if isinstance(designed, Job):
        return json_reply(designed.to_dict(), 202, {"Location": designed.url, "Retry-After": "1"})
    return json_reply(designed.document)


@router.get("/jobs/{id}", response_model=JobReply, responses=problems(404, 422))
def job(service: Serving, calling: Calling, id: Name) -> Response:
    """The state of a job, and its result once it is done."""
    return json_reply(job_document(service.job(id, calling)))


@router.delete("/jobs/{id}", response_model=JobReply, responses=problems(404, 422))
def cancel(service: Serving, calling: Calling, id: Name) -> Response:
    """Cancel a job; one that has ended is left as it is."""
    return json_reply(job_document(service.cancel(id, calling)))


@router.get("/jobs/{id}/mechanism", response_model=dict[str, Any], responses=problems(404, 422))
def mechanism(service: Serving, calling: Calling, id: Name) -> Response:
    """The mechanism file of a finished design, for `discreet show`."""
    result = service.job(id, calling).result
    if not isinstance(result, Designed) or result.mechanism is None:
        raise NotFound("this job has no mechanism file")
    return json_reply(
        result.mechanism, headers={"Content-Disposition": 'attachment; filename="mechanism.json"'}
    )


def job_document(job: Job) -> dict[str, Any]:
    """A job with its result, if there is one."""
    result = job.result
    if isinstance(result, PricedPlan | PricedBatch):
        return job.to_dict(result.to_dict())
    return job.to_dict(result.document if isinstance(result, Designed) else None)
