"""An analyst requests every route over adjacent tables: replies differ in what was drawn alone.

Routes are taken from the application, not from a list: a new one is requested and compared by
itself. One that refuses the analyst because the requests here do not suit it fails the second test,
until it is asked as it wants, or named among those that are not for analysts.
"""

import re
import time
from html import unescape
from pathlib import Path

import httpx
import pytest

from adjacent_replies import plain
from discreet.accounts import Accounts
from discreet.web.app import create_app
from discreet.web.pages.routes import PAGES
from discreet.web.settings import Settings
from served_pages import browsing, hidden_fields, rows, running, write_survey

AT, API = "/datasets/survey", "/api/datasets/survey"
MEDIAN = {"sql": "SELECT MEDIAN(satisfaction)", "epsilon": "0.5"}
TOGETHER = {"questions": [{"sql": "SELECT COUNT(smokes)"}], "total": "0.1"}
DESIGN = {"statistic": "count", "n": 3, "epsilon": "1"}
SENTENCE = "statistic=count&by=clinic&epsilon=0.1"
BASKET = "q=SELECT+COUNT(age>30)&q=SELECT+COUNT(smokes)+GROUP+BY+clinic&total=0.2"
FILLED = {
    "name": "survey", "dataset": "survey", "receipt": "ana:api", "column": "age", "form": "html",
}  # fmt: skip
NOT_FOR_ANALYSTS = re.compile(
    r"\S+ /setup\b.*|\S+ (/api)?/accounts\b.*|GET /metrics|GET .*/ledger/(export|report(\.html)?)"
    r"|POST /releases/\{id\}/(publish|withdraw)"
)
"""The custodian's; an analyst is refused, in the same words whatever the rows are."""
QUERIES = {
    "/datasets/{name}/ask": SENTENCE,
    "/datasets/{name}/ask.json": SENTENCE,
    "/datasets/{name}/basket": BASKET,
    "/datasets/{name}/basket.json": BASKET,
    "/workbench": "statistic=count&n=3&epsilon=1",
    "/workbench.json": "statistic=count&n=3&epsilon=1",
    "/workbench/mechanism": "statistic=count&n=3&epsilon=1",
}
BODIES = {
    "/api/datasets/{dataset}/plan": MEDIAN,
    "/api/datasets/{dataset}/ask": MEDIAN,
    "/api/datasets/{dataset}/plan-batch": TOGETHER,
    "/api/datasets/{dataset}/ask-batch": TOGETHER,
    "/api/designs": DESIGN,
}


def routes(app) -> list[tuple[str, str]]:
    """Every method and path: of the API as it documents itself, of the pages as they are."""
    told = [
        (method.upper(), path)
        for path, methods in app.openapi()["paths"].items()
        for method in methods
    ]
    told += [
        (method, one.path)
        for page in PAGES
        for one in page.router.routes
        for method in sorted(one.methods)
    ]
    ends = {("POST", "/sign-in"): 1, ("POST", "/sign-out"): 2}  # each begins anew
    order = sorted(told, key=lambda one: (ends.get(one, 0), one[0] != "GET"))
    return [*order[:-1], ("GET", "/api"), ("GET", "/openapi.json"), order[-1]]


class Analyst:
    """A browser and a program of one analyst."""

    def __init__(self, client: httpx.Client, token: str) -> None:
        self.client = client
        self.bearer = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        client.post("/sign-in", data={"token": token})
        self.begin()

    def begin(self) -> None:
        """Learn the word that forms of this session need."""
        self.csrf = hidden_fields(self.client.get(AT + "/ledger").text)["csrf"]

    def posted(self, path: str, fields: dict[str, object]) -> httpx.Response:
        """A form of a page, sent."""
        return self.client.post(path, data={**fields, "csrf": self.csrf})

    def called(self, method: str, path: str, body: object = None) -> httpx.Response:
        """A request of a program."""
        headers = {**self.bearer, "Idempotency-Key": "api"}
        return self.client.request(method, path, json=body, headers=headers)


def _prepared(ana: Analyst, custodian: Analyst) -> dict[str, str]:
    """An answer, and a release of it that is public: what addresses may name."""
    assert ana.called("POST", f"{API}/ask", MEDIAN).status_code == 200
    made = ana.posted(f"{AT}/releases", {"title": "A first look", "receipt": ["ana:api"]})
    release = str(made.url).rpartition("/")[2]
    assert custodian.posted(f"/releases/{release}/publish", {}).status_code == 200
    return {"release": release}


def _paid(ana: Analyst, path: str) -> dict[str, object]:
    """What the form of a confirming page would send, under a key that is the same everywhere."""
    page = ana.client.get(path).text
    form = page.split("data-once>")[1].split("</form>")[0]
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="([^"]*)" value="([^"]*)"', form):
        fields.setdefault(name, []).append(unescape(value))
    return {**fields, "key": "page"}


def _requested(ana: Analyst, method: str, route: str, known: dict[str, str]) -> httpx.Response:
    path = route.replace(":path", "").format(**FILLED, id=known.get("release", known.get("job")))
    if method == "POST" and not route.startswith("/api"):
        forms = {
            "/datasets/{name}/ask": lambda: _paid(ana, f"{AT}/confirm?{SENTENCE}"),
            "/datasets/{name}/basket": lambda: _paid(ana, f"{AT}/basket/confirm?{BASKET}&key=b"),
            "/datasets/{name}/releases": lambda: {"title": "Again", "receipt": ["ana:api"]},
            "/sign-in": lambda: {"token": ana.bearer["Authorization"].partition(" ")[2]},
        }
        reply = ana.posted(path, forms.get(route, dict)())
        if route == "/sign-in":
            ana.begin()
        return reply
    if route.startswith("/api/") or method != "GET":
        return ana.called(method, path, BODIES.get(route))
    if route.endswith("confirm"):
        return ana.client.get(f"{path}?{BASKET if 'basket' in route else SENTENCE}&key=seen")
    return ana.client.get(path + (f"?{QUERIES[route]}" if route in QUERIES else ""))


def _transcript(
    folder: Path, table: list[tuple[str, int, int, str]], monkeypatch: pytest.MonkeyPatch
) -> dict[str, object]:
    """What the analyst gets from every route, without what was drawn; nothing is designed yet."""
    monkeypatch.setenv("DISCREET_CACHE", str(folder / "cache"))
    file = write_survey(folder, table, total="9")
    with Accounts(folder / "discreet.accounts") as accounts:
        token = accounts.create("ana", datasets=("survey",)).text
        otto = accounts.create("otto", "custodian").text
    told: dict[str, object] = {}
    usual = {"files": (file,), "setup": folder, "workers": 1, "warm": False}
    app = create_app(Settings(**usual, patience=60.0))
    with running(app) as base, browsing(base) as client, browsing(base) as other:
        ana = Analyst(client, token)
        known = _prepared(ana, Analyst(other, otto))
        for method, route in routes(app):
            if "/jobs/" not in route:
                reply = _requested(ana, method, route, known)
                led_to = re.findall("/releases/([^/.]+)", str(reply.url))
                told[f"{method} {route}"] = plain(reply, [*known.values(), *led_to])
    for number, (method, route) in enumerate(routes(app)):
        if "/jobs/" in route:
            app = create_app(Settings(**usual, patience=0.0))  # whatever is designed is a job
            with running(app) as base, browsing(base) as client:
                ana = Analyst(client, token)
                known = {"job": _job(ana, f"0.{number + 100}")}
                reply = _requested(ana, method, route, known)
                told[f"{method} {route}"] = plain(reply, known.values())
    return told


def _job(ana: Analyst, epsilon: str) -> str:
    """A design that is done, of a server whose only worker starts with it: nobody has it sooner."""
    job = ana.called("POST", "/api/designs", {**DESIGN, "epsilon": epsilon})
    assert job.status_code == 202
    end = time.monotonic() + 60
    while ana.called("GET", job.json()["url"]).json()["state"] != "done":
        assert time.monotonic() < end
        time.sleep(0.02)
    return str(job.json()["id"])


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory):
    folder, table = tmp_path_factory.mktemp("adjacent"), rows()
    changed = [("South", 37, 5, "yes"), *table[1:]]
    with pytest.MonkeyPatch.context() as patched:
        one = _transcript(folder / "one", table, patched)
        return one, _transcript(folder / "other", changed, patched)


def test_every_reply_to_an_analyst_is_the_same_but_for_what_was_drawn(both):
    one, other = both
    assert one.keys() == other.keys()
    for route, reply in one.items():
        assert reply == other[route], route


def test_every_route_answers_an_analyst_or_is_said_not_to_be_for_one(both):
    refused = {route for route, (status, *_) in both[0].items() if status >= 400}
    assert {route for route in refused if not NOT_FOR_ANALYSTS.fullmatch(route)} == set()
    assert {route for route in both[0] if NOT_FOR_ANALYSTS.fullmatch(route)} == refused
