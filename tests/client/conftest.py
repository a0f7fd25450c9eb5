"""A server in a thread of this process, and a client of it."""

import csv

import httpx
import pytest

from discreet.accounts import Accounts
from discreet.client import Client
from discreet.web.settings import Settings
from served_api import running
from small_survey import CLINIC, MOOD, WEIGHT, dataset_text


@pytest.fixture
def survey(tmp_path):
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["mood", "weight", "clinic"])
        writer.writerows([1 + n % 5, 10 + n % 5 / 2, "AB"[n % 2]] for n in range(30))
    (tmp_path / "survey.toml").write_text(
        dataset_text(analysts='ana = "10"', columns=MOOD + WEIGHT + CLINIC, name="visits")
    )
    return tmp_path / "survey.toml"


@pytest.fixture
def wire(survey):
    """The address of a running server, and a token for ana."""
    with Accounts(survey.parent / "discreet.accounts") as accounts:
        token = accounts.create("ana", "analyst", ("survey",)).text
    with running(Settings(files=(survey,), port=0)) as (_, server):
        yield str(server.base_url), token


@pytest.fixture
def client(wire):
    with Client(*wire) as opened:
        yield opened


class Lossy(httpx.BaseTransport):
    """Delivers every request and loses the first replies to POSTs."""

    def __init__(self, lose):
        self.inner, self.lose, self.sent = httpx.HTTPTransport(), lose, []

    def handle_request(self, request):
        reply = self.inner.handle_request(request)
        if request.method == "POST":
            self.sent.append(request.headers.get("Idempotency-Key"))
            if len(self.sent) <= self.lose:
                reply.close()
                raise httpx.ReadTimeout("lost")
        return reply

    def close(self):
        self.inner.close()


@pytest.fixture
def lossy():
    return Lossy
