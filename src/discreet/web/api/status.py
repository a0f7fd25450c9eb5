"""Whether the server works, what it has served, and who calls."""

import re
from html import escape

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from discreet.web.api.common import Calling, Serving, problems
from discreet.web.api.replies import HealthReply, MeReply
from discreet.web.bodies import json_reply
from discreet.web.problems import Forbidden

router = APIRouter(tags=["status"])
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>API · discreet</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/discreet.css">
<link rel="icon" href="/static/mark.svg" type="image/svg+xml">
<link rel="alternate" type="application/json" href="/openapi.json"></head>
<body><a class="skip" href="#main">Skip to the content</a>
<header class="bar-top"><div class="inside">
<a class="brand" href="/"><img src="/static/mark.svg" alt="" width="24" height="24">discreet</a>
<nav aria-label="Main"><ul><li><a href="/">Datasets</a></li>
<li><a href="/workbench">Workbench</a></li>
<li><a href="/help">Help</a></li></ul></nav></div></header>
<main id="main" tabindex="-1"><h1>The API</h1>
<p>Send the token as <code>Authorization: Bearer …</code>. Full description:
<a href="/openapi.json">openapi.json</a>.</p>
<section class="sheet" aria-label="Operations">ROWS</section></main></body></html>
"""
_GROUP = """<details><summary>NAME</summary><table class="folds">
<thead><tr><th scope="col">method</th>
<th scope="col">path</th><th scope="col">what it does</th></tr></thead><tbody>ROWS</tbody></table>
</details>"""


@router.get("/health", response_model=HealthReply, responses=problems(503))
def health(service: Serving) -> Response:
    """Whether every ledger is usable. For load balancers; needs no token."""
    for served in service.every_dataset():
        served.curator.ledger.balance()
    return json_reply({"status": "ok"})


@router.get("/metrics", response_class=PlainTextResponse, responses=problems())
def metrics(request: Request, service: Serving, calling: Calling) -> Response:
    """Requests, latencies, answers and ε spent, for Prometheus (custodians only)."""
    if not calling.is_custodian:
        raise Forbidden("only custodians may do this")
    text = request.app.state.metrics.text(service)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/api/me", response_model=MeReply, responses=problems())
def me(service: Serving, calling: Calling) -> Response:
    """The caller and their datasets."""
    return json_reply(
        {
            "name": calling.name,
            "role": calling.role,
            "local": calling.is_local,
            "datasets": [served.name for served in service.datasets(calling)],
            "expires": None if calling.account is None else calling.account.expires,
        }
    )


@router.get("/api", include_in_schema=False)
def operations(request: Request) -> Response:
    """Every operation of the API, for people and for programs; the whole is in /openapi.json."""
    paths = request.app.openapi()["paths"]
    operations = [
        {"method": method.upper(), "path": path, "summary": facts.get("description", "")}
        for path, methods in paths.items()
        for method, facts in methods.items()
    ]
    if "text/html" not in request.headers.get("accept", ""):
        return json_reply({"openapi": "/openapi.json", "operations": operations})
    tags = [facts.get("tags", [""])[0] for methods in paths.values() for facts in methods.values()]
    groups = [
        _GROUP.replace("NAME", escape(tag)).replace(
            "ROWS",
            "".join(_row(one) for one, its in zip(operations, tags, strict=True) if its == tag),
        )
        for tag in dict.fromkeys(tags)
    ]
    return HTMLResponse(_PAGE.replace("ROWS", "".join(groups)))


def _row(one: dict[str, str]) -> str:
    return (
        f'<tr><td>{one["method"]}</td><th scope="row"><code>{escape(one["path"])}</code></th>'
        f"<td>{_first_line(one['summary'])}</td></tr>"
    )


def _first_line(summary: str) -> str:
    """The first line of a docstring as markup: what stands in backticks is code.

    >>> _first_line("Give `sql` & more.\\nThe rest.")
    'Give <code>sql</code> &amp; more.'
    """
    return re.sub(r"`+([^`]+)`+", r"<code>\1</code>", escape(summary.partition("\n")[0]))
