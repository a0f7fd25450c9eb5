"""A small survey, served in earnest: for the tests of the pages, and for the browser's."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from discreet.web.app import create_app
from discreet.web.settings import Settings

PAGES = {"Accept": "text/html"}
FACTS = """
name = "{title}"
confirmed = true

[source]
path = "{name}.csv"

[privacy]
unit = "row"
neighbours = "change"
size = {size}

[budget]
total = "{total}"

[columns.clinic]
type = "category"
values = {clinics}
missing = "other"

[columns.age]
type = "integer"
low = 18
high = 37

[columns.satisfaction]
type = "integer"
low = 1
high = 5

[columns.smokes]
type = "boolean"
"""
ASKED = [
    ("SELECT COUNT(*) WHERE clinic = 'North'", "1"),
    ("SELECT MEDIAN(age)", "0.3"),
    ("SELECT MAX(satisfaction) WHERE smokes", "1"),
    ("SELECT AVG(age)", "1"),
    ("SELECT AVG(age) WHERE clinic = 'North'", "1"),
    ("SELECT SUM(age)", "1"),
    ("SELECT MODE(clinic)", "1"),
    ("SELECT TOP(clinic, 2)", "1"),
    ("SELECT SHARE(smokes)", "0.5"),
    ("SELECT COUNT(*) GROUP BY clinic", "1"),
]
"""Questions of every kind about it, each with an ε."""


def rows(size: int = 40) -> list[tuple[str, int, int, str]]:
    """Made-up answers to a survey."""
    return [
        (("North", "South")[i % 2], 18 + 7 * i % 20, 1 + i * i % 5, ("yes", "no")[i % 3 > 0])
        for i in range(size)
    ]


def write_survey(
    folder: Path,
    table: list[tuple[str, int, int, str]] | None = None,
    *,
    name: str = "survey",
    title: str = "a small survey",
    clinics: str = '["North", "South"]',
    total: str = "2",
) -> Path:
    """A dataset file and its rows."""
    table = rows() if table is None else table
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["clinic,age,satisfaction,smokes", *(",".join(map(str, row)) for row in table)]
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    file = folder / f"{name}.toml"
    file.write_text(
        FACTS.format(name=name, title=title, size=len(table), clinics=clinics, total=total),
        encoding="utf-8",
    )
    return file


VISITS = """
name = "clinic visits"
confirmed = true
[source]
path = "visits.csv"
[privacy]
size = 400
[budget]
total = "90"
[columns.clinic]
type = "category"
values = ["North", "South", "Saint-Barthélemy-du-Lac outpatient centre", "Harbour"]
gaps = false
missing = "North"
[columns.outcome]
type = "category"
values = ["recovered", "referred"]
gaps = false
missing = "referred"
[columns.visit]
type = "date"
low = 2021-01-01
high = 2023-12-31
[columns.age]
type = "integer"
low = 18
high = 47
unit = "years"
[columns.waited]
type = "integer"
low = 0
high = 120
step = 5
unit = "minutes"
"""


def write_visits(folder: Path) -> Path:
    """A dataset with dates, units, gaps and a clinic that nobody visits."""
    clinics = ("North", "South", "Saint-Barthélemy-du-Lac outpatient centre")
    lines = [
        f"{clinics[i % 3]},{('recovered', 'referred')[i % 4 > 2]},"
        f"{2021 + i % 3}-{1 + i % 12:02}-{1 + i % 28:02},{'' if i % 9 == 0 else 18 + i % 30},"
        f"{5 * (i % 24)}"
        for i in range(400)
    ]
    head = "clinic,outcome,visit,age,waited"
    (folder / "visits.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    (folder / "visits.toml").write_text(VISITS, encoding="utf-8")
    return folder / "visits.toml"


@contextmanager
def listening(*files: Path, **settings: Any) -> Iterator[str]:
    """A server on a port of its own; where it is."""
    with running(create_app(Settings(files=files, **_USUAL | settings))) as base:
        yield base


_USUAL: dict[str, Any] = {"workers": 1, "patience": 30.0}


@contextmanager
def set_up(folder: Path, *files: Path, **settings: Any) -> Iterator[tuple[httpx.Client, str]]:
    """A server whose custodian sets up tables of a folder: a browser, and the key of the link."""
    app = create_app(Settings(files=files, setup=folder, **_USUAL | {"warm": False} | settings))
    with running(app) as base, browsing(base) as client:
        yield client, app.state.service.desk.key


@contextmanager
def running(app: Any) -> Iterator[str]:
    """An application on a port of its own; where it is."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 180
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < deadline, "the server takes too long to start"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)


def browsing(base: str) -> httpx.Client:
    """A browser on this machine without JavaScript."""
    return httpx.Client(base_url=base, headers=PAGES, follow_redirects=True, timeout=60)


@contextmanager
def served(*files: Path, **settings: Any) -> Iterator[httpx.Client]:
    """A server and a browser of its own."""
    with listening(*files, **settings) as base, browsing(base) as client:
        yield client


def hidden_fields(page: str) -> dict[str, str]:
    """The hidden fields of the first form of a page that spends, creates or verifies."""
    forms = re.findall(r'<form[^>]*method="post"[^>]*>(.*?)</form>', page, re.DOTALL)
    form = next(one for one in forms if 'name="csrf"' in one and "Sign out" not in one)
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form)
    return {unescape(name): unescape(value) for name, value in found}


def twin_of(page: str) -> str:
    """Where a page says its JSON is."""
    found = re.search(r'<link rel="alternate" type="application/json" href="([^"]*)">', page)
    assert found is not None, "a page without a JSON twin"
    return unescape(found[1])
