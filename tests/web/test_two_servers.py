"""The walk of docs/how-to/share-the-ledger.md: from a table in PostgreSQL to two servers with one
ledger and one list of accounts, one of them killed."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

from discreet.cli import app
from discreet.client import Client
from discreet.curator import Curator

PEOPLE = ("ana", "bob")
TABLE = """
    CREATE TABLE survey (mood int, clinic text);
    INSERT INTO survey SELECT 1 + n % 5, CASE WHEN n % 3 = 0 THEN 'A' ELSE 'B' END
    FROM generate_series(1, 60) AS n;
    GRANT SELECT ON survey TO walking
"""
BODY = {"sql": "SELECT MEDIAN(mood)", "epsilon": "0.5"}


class Server:
    """`discreet serve` in a process of its own, as the role that serves."""

    def __init__(self, file, url):
        self.run = subprocess.Popen(
            [sys.executable, "-m", "discreet", "serve", str(file), "--port", "0",
             "--log", "warning"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "LEDGER_URL": url},
        )  # fmt: skip
        self.port = int(re.search(r":(\d+)$", self.run.stdout.readline().strip())[1])

    def ask(self, token, key):
        """What is told; a plan that is being made is waited for."""
        told = self._asked(token, key)
        while isinstance(told, dict) and "results" not in told:
            time.sleep(0.1)
            told = self._asked(token, key)
        return told

    def _asked(self, token, key):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/datasets/survey/ask",
            json.dumps({**BODY, "fresh": True}).encode(),
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
             "Idempotency-Key": key},
        )  # fmt: skip
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code


def ran(*words):
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.slow
def test_two_ports_one_budget_and_a_kill_loses_nothing(postgres, tmp_path, monkeypatch):
    database = postgres.database()
    postgres.sql("CREATE ROLE walking LOGIN")
    postgres.sql(TABLE, database)
    monkeypatch.setenv("LEDGER_URL", postgres.url(database))
    monkeypatch.setenv("SURVEY_URL", postgres.url(database, role="walking"))
    (tmp_path / "one").mkdir()
    file = tmp_path / "one" / "survey.toml"
    address = postgres.url(database, role="walking")
    assert "SURVEY_URL" in ran("init", address, "--table", "survey", "--save", str(file))
    file.write_text(file.read_text().replace("confirmed = false", "confirmed = true"))
    with file.open("a") as more:
        more.write('\n[ledger]\nkind = "postgresql"\nurl_env = "LEDGER_URL"\naccounts = true\n')
    ran("ledger", "prepare", str(file), "--role", "walking")
    ana, bob = (ran("token", "create", name, "--dataset", str(file)).split()[0] for name in PEOPLE)
    url = postgres.url(database, role="walking")
    other = tmp_path / "two" / "survey.toml"  # as on another machine: its own head of the ledger
    other.parent.mkdir()
    other.write_text(file.read_text())
    one, two = Server(file, url), Server(other, url)
    try:
        first = one.ask(ana, "a")
        with Client(f"http://127.0.0.1:{one.port}", bob) as client:
            second = client.dataset("survey").sql(BODY["sql"]).ask(epsilon=BODY["epsilon"])
        assert two.ask(ana, "a")["results"] == first["results"]
        assert "revoked" in ran("token", "revoke", "ana", "--dataset", str(file))
        time.sleep(0.6)
        assert one.ask(ana, "a") == two.ask(ana, "a") == 401
        ana = ran("token", "create", "ana", "--dataset", str(file)).split()[0]
        one.run.kill()
        assert two.ask(ana, "a")["free"]
        with Client(f"http://127.0.0.1:{two.port}", bob) as client:
            assert client.answer("survey", second.receipt).value == second.value
        with ThreadPoolExecutor(8) as pool:
            told = list(pool.map(lambda number: two.ask(bob, f"c{number}"), range(8)))
        assert sum(isinstance(one, dict) for one in told) == 4
    finally:
        for server in (one, two):
            server.run.kill()
            server.run.communicate()
    with Curator(file) as curator:
        assert curator.ledger.balance().left == 0
        assert curator.ledger.audit().clean
