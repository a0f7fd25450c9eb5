"""A server over two small datasets with three accounts, for the tests of the API."""

import asyncio
import json
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx

from discreet.accounts import Accounts
from discreet.budget import Ledger
from discreet.curator import Curator
from discreet.web.app import create_app
from discreet.web.serving import listening, server_of
from discreet.web.settings import Settings
from small_survey import CLINIC, MOOD, dataset_text

ROWS = tuple(f"{1 + place % 5},{'AB'[place % 2]}" for place in range(30))
MEDIAN = {"sql": "SELECT MEDIAN(mood)", "epsilon": "0.5"}
COUNT = {"sql": "SELECT COUNT(*) WHERE clinic = 'A'", "epsilon": "0.25"}
LIMITS = {"ana": "2", "ben": "1"}
PEOPLE = {"ana": ("survey",), "ben": ("survey", "visits")}


def make_dataset(folder, name="survey", rows=ROWS, total="20"):
    """A dataset file with its rows."""
    (folder / f"{name}.csv").write_text("mood,clinic\n" + "\n".join(rows) + "\n")
    file = folder / f"{name}.toml"
    source = f'path = "{name}.csv"'
    file.write_text(dataset_text(total=total, columns=MOOD + CLINIC, name=name, source=source))
    return file


def make_accounts(folder):
    """Two analysts with budgets and a custodian; their tokens by name."""
    with Accounts(folder / "discreet.accounts") as accounts:
        tokens = {
            name: accounts.create(name, "analyst", datasets).text
            for name, datasets in PEOPLE.items()
        }
        tokens["otto"] = accounts.create("otto", "custodian").text
    for name, datasets in PEOPLE.items():
        for dataset in datasets:
            with Curator(folder / f"{dataset}.toml") as curator:
                curator.ledger.allow(name, LIMITS[name])
    return tokens


class Api:
    """A running application, and requests of one account after the other."""

    def __init__(self, folder, service, client, tokens):
        self.folder, self.service, self.client, self.tokens = folder, service, client, tokens
        self._asked = 0

    def call(self, who, method, path, **more):
        """A request with somebody's token."""
        headers = {"Authorization": f"Bearer {self.tokens.get(who, who)}"} if who else {}
        headers |= more.pop("headers", {})
        return self.client.request(method, path, headers=headers, **more)

    def get(self, who, path, **more):
        return self.call(who, "GET", path, **more)

    def post(self, who, path, body=None, **more):
        return self.call(who, "POST", path, json=body, **more)

    def ask(self, who, body=MEDIAN, key=None, dataset="survey", **headers):
        """Ask under a key; a fresh one unless said."""
        self._asked += 1
        more = {"Idempotency-Key": key or f"key-{self._asked}", **headers}
        self.known(body, dataset)
        return self.post(who, f"/api/datasets/{dataset}/ask", body, headers=more)

    def known(self, body, dataset="survey"):
        """See that the plan is in memory, so that no worker is needed."""
        from discreet.errors import DiscreetError
        from discreet.web.bodies import QuestionBody, read
        from discreet.web.problems import Refusal

        held = {one.name: one for one in self.service.every_dataset()}.get(dataset)
        try:
            held.curator.plan(read(QuestionBody, json.dumps(body).encode()).order(held.curator))
        except (Refusal, DiscreetError, AttributeError):
            return

    def charges(self, dataset="survey"):
        """The charges in the ledger."""
        with Ledger(self.folder / f"{dataset}.ledger") as ledger:
            return [entry for entry in ledger.entries() if entry.kind == "charge"]


@contextmanager
def running(settings):
    """A server in a thread of this process: its application and a client of it."""
    app = create_app(settings)
    socket = listening(settings)
    server = server_of(settings, app)
    thread = threading.Thread(
        target=lambda: asyncio.run(server.serve(sockets=[socket])), daemon=True
    )
    thread.start()
    address = f"http://127.0.0.1:{socket.getsockname()[1]}"
    try:
        with httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
            yield app, client
    finally:
        server.should_exit = True
        thread.join(30)
        socket.close()


@contextmanager
def serving(folder: Path, *, with_accounts=True, rows=ROWS, tokens=None, **settings):
    """A server over `survey` and `visits` in a folder; `tokens` of an earlier one go on."""
    if tokens is None:
        for name in ("survey", "visits"):
            make_dataset(folder, name, rows)
        tokens = make_accounts(folder) if with_accounts else {}
    files = (folder / "survey.toml", folder / "visits.toml")
    with running(
        Settings(files=files, **{"port": 0, "warm": False, "patience": 60.0, **settings})
    ) as (
        app,
        client,
    ):
        yield Api(folder, app.state.service, client, tokens)
