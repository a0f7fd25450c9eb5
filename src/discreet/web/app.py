"""The application: service, gate, API, pages and static files, put together."""

import asyncio
import errno
import importlib
import importlib.util
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from discreet.errors import DiscreetError
from discreet.web.api import routers
from discreet.web.api.document import document
from discreet.web.gate import AskMiddleware, Gate, Metrics
from discreet.web.problems import (
    Refusal,
    Unprocessable,
    Unwritable,
    problem_response,
    refusal_of,
)
from discreet.web.service import Service
from discreet.web.settings import Settings

_THREADS = 64
_STATIC = Path(__file__).parent / "static"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
log = logging.getLogger("discreet.web")


def create_app(settings: Settings) -> FastAPI:
    """The application over the datasets of the settings; what is wrong with them is raised here."""
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS))
        service.start()
        yield
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="discreet",
        description="Statistical questions of sensitive tables, answered within a privacy budget.",
        version=_version(),
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    app.state.service = service
    app.state.metrics = Metrics()
    for router in routers():
        app.include_router(router)
    if _STATIC.is_dir():
        app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    pages = _pages()
    if pages is not None:
        app.include_router(pages.router(service))
    app.add_middleware(AskMiddleware)
    app.add_middleware(Gate, service=service, metrics=app.state.metrics)
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(DiscreetError, _failed)
    app.add_exception_handler(apsw.Error, _unwritable)
    app.add_exception_handler(OSError, _unwritable)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(Exception, _bug)
    return app


def _pages() -> Any:
    """The pages, where they are installed: `router(service)`, and `refused(request, refusal)`."""
    if importlib.util.find_spec("discreet.web.pages") is None:
        return None
    pages = importlib.import_module("discreet.web.pages")
    return pages if hasattr(pages, "router") else None


async def _told(request: Request, refusal: Refusal) -> Response:
    """As a page for people who look at pages, else as problem+json."""
    wants_page = "text/html" in request.headers.get("accept", "")
    if wants_page and not request.scope["path"].startswith("/api/"):
        refused = getattr(_pages(), "refused", None)
        if refused is not None:
            response: Response = await refused(request, refusal)
            return response
    return problem_response(refusal)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return await _told(request, error)


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, DiscreetError)
    return await _told(request, refusal_of(error))


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return await _told(request, Unprocessable(f"{place}: {first['msg']}"))


async def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "not-found", 405: "method-not-allowed"}
    word = words.get(error.status_code, "refused")
    refusal = Refusal(error.status_code, word, str(error.detail), error.headers)
    return await _told(request, refusal)


async def _unwritable(request: Request, problem: Exception) -> Response:
    """The server's own files cannot be written; what else the system refuses is a bug."""
    if isinstance(problem, OSError) and problem.errno not in _NO_ROOM:
        return await _bug(request, problem)
    log.error("files", extra={"facts": {"why": type(problem).__name__}})
    return await _told(request, Unwritable())


async def _bug(request: Request, error: Exception) -> Response:
    log.error("bug", exc_info=error)
    return problem_response(Refusal(500, "bug", "internal error"))


def _version() -> str:
    from discreet import __version__  # noqa: PLC0415

    return str(__version__)
