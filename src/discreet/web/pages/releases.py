"""Releases as pages with a lasting address: what was answered, and how a reader checks it."""

import asyncio
import shlex
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from discreet import reports
from discreet.errors import DiscreetError
from discreet.questions.words import asked_again, protection_words, size_words
from discreet.reports import (
    ReleaseReport,
    ReportedAnswer,
)
from discreet.reports.rows import columns_table, remarks
from discreet.reports.words import board, commands, sure_words
from discreet.text import Amount, capital, moment, plural
from discreet.web.bodies import QuestionBody, check, json_reply
from discreet.web.identity import Caller, service_of
from discreet.web.job import Job
from discreet.web.mechanisms import documents_of
from discreet.web.pages.answer_view import AnswerView
from discreet.web.pages.answers import option_of, wishes_of
from discreet.web.pages.forms import lists_of
from discreet.web.pages.rendering import page
from discreet.web.pages.visitor import Reader, Visitor
from discreet.web.problems import NotFound, Refusal
from discreet.web.publishing import Publishing
from discreet.web.releases import Publication
from discreet.web.served import ServedDataset

router = APIRouter(include_in_schema=False)
_FEW_ANSWERS = 3
"""Of so many, pictures are shown at once; of more, each is behind a line to open."""
CHECK = (
    "python3 -c \"import json,hashlib as h; p=json.load(open('proof.json')); "
    "f=lambda e: h.sha256(json.dumps([e['seq'],e['at'],e['kind'],e['analyst'],e['question'],"
    "int(e['billionths']),e['body'],e['previous']]).encode()).hexdigest(); "
    "print(all(f(e)==e['hash'] for e in p['entries']))\""
)
"""Recomputes the hashes of a proof with nothing but Python."""


@router.get("/releases")
async def releases_page(request: Request, reader: Reader) -> Response:
    """Every release that the reader may see."""
    publishing = service_of(request).publishing
    releases = await asyncio.to_thread(publishing.listed, reader)
    return page(
        "releases.html",
        reader,
        here="/releases",
        twin="/releases.json",
        releases=[
            {**_facts(one), "about": publishing.served(one).dataset.name} for one in releases
        ],
    )


@router.get("/releases.json")
async def releases_twin(request: Request, reader: Reader) -> Response:
    """The list for programs."""
    releases = await asyncio.to_thread(service_of(request).publishing.listed, reader)
    return json_reply({"releases": [one.to_dict() for one in releases]})


@router.post("/datasets/{name}/releases")
async def make(name: str, request: Request, caller: Visitor) -> Response:
    """Put answers together; they are not public yet."""
    service = service_of(request)
    served = service.dataset(name, caller)
    given = lists_of(await request.form())
    receipts, title = given.get("receipt", []), (given.get("title") or [""])[0]
    made = await asyncio.to_thread(service.publishing.make, served, receipts, title, caller)
    return RedirectResponse(f"/releases/{made.id}", 303)


@router.get("/releases/{id}.json")
async def release_twin(id: str, request: Request, reader: Reader) -> Response:
    """A release for programs; what all have spent is told once it is public."""
    publishing, release, report = await asyncio.to_thread(_found, request, id, reader)
    facts = report.to_dict()
    if not publishing.tells_all(release, reader):
        facts = {
            name: facts[name] for name in ("format", "dataset", "epsilon", "answers", "others")
        }
    return json_reply({**facts, "release": release.to_dict()})


@router.get("/releases/{id}/report.{form}")
async def release_report(id: str, form: str, request: Request, reader: Reader) -> Response:
    """The report of a release as a file that stands alone: html, md or json."""
    publishing, release, report = await asyncio.to_thread(_found, request, id, reader)
    writers = {"html": reports.report_html, "md": reports.report_markdown}
    if not publishing.tells_all(release, reader) or form not in {*writers, "json"}:
        raise NotFound("there is no such report")
    name = f"{release.dataset}-{release.id}"
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    if form == "json":
        return json_reply(report.to_dict(), 200, headers)
    file = publishing.served(release).curator.path.name
    kind = {"html": "text/html", "md": "text/markdown; charset=utf-8"}[form]
    text = await asyncio.to_thread(writers[form], report, file, f"{name}.json")
    return Response(text, headers=headers, media_type=kind)


@router.get("/releases/{id}/proof.json")
async def release_proof(id: str, request: Request, reader: Reader) -> Response:
    """The entries of the ledger that readers can recompute; once it is public."""
    publishing = service_of(request).publishing
    release = await asyncio.to_thread(publishing.find, id, reader)
    if not publishing.tells_all(release, reader):
        raise NotFound("there is no proof yet")
    return json_reply(await asyncio.to_thread(publishing.proof, release))


@router.get("/releases/{id}/mechanisms.json")
async def release_mechanisms(id: str, request: Request, reader: Reader) -> Response:
    """What was drawn from, in integers that readers can check; once it is public."""
    publishing = service_of(request).publishing
    release = await asyncio.to_thread(publishing.find, id, reader)
    if not publishing.tells_all(release, reader):
        raise NotFound("there is no proof yet")
    return json_reply(await asyncio.to_thread(publishing.mechanisms, release))


@router.get("/releases/{id}/verify")
async def verify_page(id: str, request: Request, reader: Reader) -> Response:
    """How to check a release: in this browser, or by commands."""
    publishing, release, report = await asyncio.to_thread(_found, request, id, reader)
    if not publishing.tells_all(release, reader):
        raise NotFound("there is no proof yet")
    served = publishing.served(release)
    return page(
        "verify.html",
        reader,
        here="/releases",
        twin=f"/releases/{release.id}/proof.json",
        release=_facts(release),
        head=report.head,
        entries=f"{report.entries:,}",
        check=CHECK,
        commands=commands(served.curator.path.name, f"{release.dataset}-{release.id}.json"),
        certificates=await asyncio.to_thread(_certificates, served, report),
    )


@router.get("/releases/{id}")
async def release_page(id: str, request: Request, reader: Reader) -> Response:
    """What was released, in words, numbers and pictures."""
    publishing, release, report = await asyncio.to_thread(_found, request, id, reader)
    facts = await asyncio.to_thread(_shown, publishing, release, report, reader)
    facts["address"] = f"{request.base_url}releases/{release.id}"
    return page(
        "release.html", reader, here="/releases", twin=f"/releases/{release.id}.json", **facts
    )


@router.post("/releases/{id}/publish")
async def publish(id: str, request: Request, caller: Visitor) -> Response:
    """Let everybody read it."""
    whole = bool((await request.form()).get("whole"))
    publishing = service_of(request).publishing
    release = await asyncio.to_thread(publishing.publishable, id, caller)
    mechanisms = await _mechanisms(request, release, caller)
    await asyncio.to_thread(
        lambda: publishing.publish(id, caller, whole=whole, mechanisms=mechanisms)
    )
    return RedirectResponse(f"/releases/{id}", 303)


@router.post("/releases/{id}/withdraw")
async def withdraw(id: str, request: Request, caller: Visitor) -> Response:
    """Take it back."""
    await asyncio.to_thread(service_of(request).publishing.withdraw, id, caller)
    return RedirectResponse(f"/releases/{id}", 303)


async def _mechanisms(request: Request, release: Publication, caller: Caller) -> dict[str, Any]:
    """What the answers were drawn from, planned again from declared facts, unless that takes long.

    Its certificates tell whether it is the same.
    """
    service = service_of(request)
    served = service.publishing.served(release)
    documents: dict[str, Any] = {}
    for receipt in release.receipts:
        charged = await asyncio.to_thread(served.curator.ledger.charged, receipt)
        asked = "" if charged is None else str(charged.facts().get("asked", ""))
        wishes = wishes_of(charged, asked_again(asked, served.dataset))
        try:
            wanted = check(QuestionBody, {"sql": asked, **wishes, "fresh": True})
            planned = await service.plan(served, wanted, caller)
        except (DiscreetError, Refusal):
            continue
        if isinstance(planned, Job):
            service.cancel(planned.id, caller)
        else:
            documents |= await asyncio.to_thread(documents_of, planned.plan)
    return documents


def _found(
    request: Request, id: str, reader: Caller | None
) -> tuple[Publishing, Publication, ReleaseReport]:
    publishing = service_of(request).publishing
    release = publishing.find(id, reader)
    return publishing, release, publishing.report(release)


def _facts(release: Publication) -> dict[str, Any]:
    return {
        "id": release.id,
        "dataset": release.dataset,
        "title": release.title,
        "author": release.author,
        "many": plural(len(release.receipts), "answer"),
        "made": moment(release.made),
        "at": release.published or release.made,
        "published": None if release.published is None else moment(release.published),
        "whole": release.whole,
    }


def _shown(
    publishing: Publishing, release: Publication, report: ReleaseReport, reader: Caller | None
) -> dict[str, Any]:
    all_told = publishing.tells_all(release, reader)
    spent = Amount(report.total.spent)
    return {
        "release": _facts(release),
        "about": report.dataset.name,
        "asks": reader is not None and reader.may_ask(release.dataset),
        "decides": reader is not None and reader.is_custodian,
        "epsilon": str(report.epsilon),
        "spent": str(spent) if all_told else None,
        "sure": sure_words(spent.value) if all_told else None,
        "answers": [_answer(one, report) for one in report.answers],
        "others": [one.sentence for one in report.others],
        "open_pictures": len(report.answers) <= _FEW_ANSWERS,
        "board": board(report) if all_told else [],
        "size": capital(size_words(report.dataset)),
        "protection": protection_words(report.dataset),
        "columns": columns_table(report.dataset),
        "head": report.head if all_told else None,
    }


def _answer(one: ReportedAnswer, report: ReleaseReport) -> dict[str, Any]:
    question = asked_again(one.answer.asked, report.dataset)
    return {
        "words": one.words,
        "sql": one.answer.asked,
        "epsilon": one.answer.epsilon,
        "receipt": one.answer.receipt,
        "at": moment(one.at),
        "view": AnswerView.of(one.answer, report.dataset),
        "pictures": reports.answer_pictures(one.answer, question, report.dataset),
        "remarks": [capital(line) for line in remarks(one.answer)],
    }


def _certificates(served: ServedDataset, report: ReleaseReport) -> list[dict[str, Any]]:
    """For each answer, the command that works its certificate out from the declared facts."""
    certificates = []
    for one in report.answers:
        charged = served.curator.ledger.charged(one.answer.receipt)
        wishes = wishes_of(charged, asked_again(one.answer.asked, report.dataset))
        options = " ".join(option_of(name, value) for name, value in wishes.items())
        asked = f"{served.curator.path.name} {shlex.quote(one.answer.asked)}"
        digests = (part.certificate for part in one.answer.results if part.certificate)
        certificates.append(
            {
                "words": one.words,
                "command": f"discreet plan {asked} {options} --json",
                "digests": list(dict.fromkeys(digests)),
            }
        )
    return certificates
