"""Requests at random, in process: `nice python tests/lab/flood.py MANY [MINUTES]`.

Every route of the application, by any method and anybody, with bodies, headers, SQL, numbers and
letters that nobody should send. No reply is a bug, none tells of the inside, nothing is charged but
what was told, and memory stays bounded. What was found is added to requests.json.
"""

import asyncio
import logging
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from discreet.accounts.accounts import csrf_of
from discreet.budget import Single
from discreet.web.app import create_app
from discreet.web.identity import noting_peer
from discreet.web.pages.routes import PAGES
from discreet.web.settings import Settings
from lab.abuse_words import ASKED, Words
from lab.written import add
from served_api import Api, make_accounts, make_dataset

WRITTEN = Path(__file__).parent / "requests.json"
MOST_GROWTH = 64 << 20
"""Bytes by which a server may grow after its first thousands of requests."""
SETTLED = 0.2
"""The share of a run after which memory is watched: caches that are bounded are full by then."""
_AT_ONCE, _ROUND = 6, 25_000
_UNLIMITED = {"rate": 1e9, "anonymous_rate": 1e9, "failures": 10**9}


@dataclass
class Found:
    """What a campaign came to."""

    requests: int = 0
    statuses: Counter = field(default_factory=Counter)
    routes: int = 0
    bugs: list = field(default_factory=list)
    """Requests that ended in 5xx, in an exception or in words about the inside; the first few."""
    late: int = 0
    """Requests without a reply within two minutes by the clock."""
    late_ones: list = field(default_factory=list)
    """Which these were, and what the longest wait for a reply was for: seconds and the request."""
    longest: tuple = (0.0, "")
    slowest: float = 0.0
    """Seconds of the loop's own time, in which nobody else is served, from request to reply."""
    grown: int = 0
    """Bytes, after the run has settled."""
    charged: int = 0
    wrongly: int = 0
    """Charges of requests that were refused, or of none that was sent; answers without a charge."""

    def problems(self):
        """Everything that must not be, in words."""
        said = [f"bug: {one}" for one in self.bugs]
        if self.late:
            said.append(f"{self.late} requests without a reply")
        if self.grown > MOST_GROWTH:
            said.append(f"memory grew by {self.grown >> 20} MB")
        if self.wrongly:
            said.append(f"{self.wrongly} charges nobody was told of, or answers without one")
        return said


def campaign(folder, many, *, seed=None, planted=False, minutes=None):
    """Send requests; `planted` are faults that must be found: a bug, a leak and a charge."""
    whole = partial(_campaign, Path(folder), many, random.Random(seed), planted, minutes)
    with ThreadPoolExecutor(1) as alone:  # a browser's tests may have left a loop in this thread
        return alone.submit(lambda: asyncio.run(whole())).result()


async def _campaign(folder, many, dice, planted, minutes):
    for name in ("survey", "visits"):
        make_dataset(folder, name, total="100")
    tokens = make_accounts(folder)
    desk = folder / "desk"
    desk.mkdir()
    make_dataset(desk, "clinics")
    app = create_app(
        Settings(
            files=(folder / "survey.toml", folder / "visits.toml"), port=0, warm=False,
            setup=desk, sign_on_header="X-Forwarded-User", sign_on_proxy="10.0.0.9",
            patience=0.01, **_UNLIMITED,
        )
    )  # fmt: skip
    service = app.state.service
    for curator in (one.curator for one in service.every_dataset()):
        curator.ledger.allow("ana", "50")
        curator.ledger.allow("ben", "50")
    api = Api(folder, service, None, tokens)
    for question in ASKED:
        for dataset in ("survey", "visits"):
            api.known(question, dataset)
    sessions = {name: service.accounts.open_session(token) for name, token in tokens.items()}
    words = Words(dice, routes_of(app), tokens, {n: (c, csrf_of(c)) for n, c in sessions.items()})
    found = Found(routes=len(words.routes))
    async with _running(app, found):
        kept = [] if planted else None
        if planted:
            _plant(service)
        await _send(noting_peer(app), words, found, many, minutes, kept)
    _compare_books(api, words, found)
    return found


def _compare_books(api, words, found):
    """Every charge is of a request that was not refused; what was told is in the ledger."""
    charged = set()
    for name in ("survey", "visits"):
        charged |= {entry.question for entry in api.charges(name)}
    found.charged = len(charged)
    own = {id for id in charged if words.was_granted(id)}
    found.wrongly = len(charged - own) + len(words.told - charged)


def routes_of(app):
    """Every route with its methods: of the API as it documents itself, of the pages as they are."""
    told = [
        (path, [method.upper() for method in methods])
        for path, methods in app.openapi()["paths"].items()
    ]
    told += [(one.path, sorted(one.methods)) for page in PAGES for one in page.router.routes]
    return [*told, ("/static/{path}", ["GET"]), ("/openapi.json", ["GET"]), ("/{odd}", ["GET"])]


@asynccontextmanager
async def _running(app, found):
    """The application as a server starts it; what it logs as a bug is one."""

    class Noting(logging.Handler):
        def emit(self, record):
            if record.levelno >= logging.ERROR and len(found.bugs) < 20:
                found.bugs.append(
                    f"logged {record.getMessage()} {record.exc_info and record.exc_info[1]!r}"
                )

    logger, handler = logging.getLogger("discreet.web"), Noting()
    logger.addHandler(handler)
    logger.propagate = False
    try:
        async with app.router.lifespan_context(app):
            yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = True


def _plant(service):
    """Faults: a question that is a bug, and a charge of which nobody is told."""
    inner = service.order

    def order(served, wanted):
        if "(" in wanted.sql:
            raise ZeroDivisionError("planted")
        return inner(served, wanted)

    service.order = order
    service.every_dataset()[0].curator.ledger.charge("planted:1", Single(1), analyst="ana")


async def _send(app, words, found, many, minutes, kept):
    """All of them, a few at a time: who waits for a worker holds nobody up."""
    places, settled = iter(range(many)), []
    until = time.monotonic() + 60 * minutes if minutes else float("inf")
    senders = [
        _sender(app, words, found, many, until, kept, places, settled) for _ in range(_AT_ONCE)
    ]
    await asyncio.gather(*senders)
    found.grown = memory() - (settled[0] if settled else memory())


async def _sender(app, words, found, many, until, kept, places, settled):
    for place in places:
        if kept is not None:
            kept.append(b"x" * (2 * MOST_GROWTH // many))
        if place == int(SETTLED * many):
            settled.append(memory())
        if time.monotonic() > until:
            break
        request = words.request()
        begun, sent = time.thread_time(), time.monotonic()
        try:
            status, body = await asyncio.wait_for(_reply(app, request), 120)
        except TimeoutError:
            found.late, status, body = found.late + 1, 0, b""
            found.late_ones.append(str(request))
        except Exception as problem:  # that is what is looked for
            status, body = 599, repr(problem).encode()
        found.slowest = max(found.slowest, time.thread_time() - begun)
        waited = time.monotonic() - sent
        if waited > found.longest[0]:
            found.longest = round(waited, 1), f"{request.method} {request.path} {status}"
        found.requests += 1
        found.statuses[status] += 1
        inside = b"Traceback" in body or b"/discreet/web/" in body
        if ((status >= 500 and status != 503) or inside) and len(found.bugs) < 20:
            found.bugs.append(f"{status} {request} {body[:200]!r}")
        words.learn(request, status, body)
        if place % 20_000 == 19_999:
            print(place + 1, dict(found.statuses), f"{memory() >> 20} MB", found.bugs, flush=True)


async def _reply(app, request):
    """One request through the application, as a server hands it over."""
    status, pieces, sent = 0, [], iter(request.pieces)

    async def receive():
        piece = next(sent, None)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": piece is not request.pieces[-1]}

    async def send(message):
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            pieces.append(message.get("body", b""))

    await app(request.scope(), receive, send)
    return status, b"".join(pieces)


def memory():
    """Bytes of this process, servers in its threads included."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def main(many, minutes=600):
    """A campaign by hand: a new server for every 25,000 requests, each written down."""
    left, until = int(many), time.monotonic() + 60 * float(minutes)
    while left > 0 and time.monotonic() < until:
        folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        started = time.process_time()
        try:
            rest = (until - time.monotonic()) / 60
            found = campaign(folder, min(left, _ROUND), minutes=rest)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        seconds = time.process_time() - started
        left -= found.requests
        print(found, found.problems() or "nothing found", f"{seconds:.0f} s", flush=True)
        figures = {
            "requests": found.requests, "routes": found.routes, "bugs": len(found.bugs),
            "late": found.late,
            "charged": found.charged, "wrongly": found.wrongly, "megabytes": found.grown >> 20,
            "slowest": round(found.slowest, 1), "seconds": round(seconds),
        }  # fmt: skip
        add(WRITTEN, "fuzzed requests", figures, most=("routes", "megabytes", "slowest"))


if __name__ == "__main__":
    main(*sys.argv[1:])
