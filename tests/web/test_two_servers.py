"""The walk of docs/how-to/share-the-ledger.md: two servers, one ledger, one of them killed."""

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
from discreet.curator import Curator
from served_api import make_dataset

PEOPLE = ("ana", "bob")
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
    monkeypatch.setenv("LEDGER_URL", postgres.url(database))
    file = make_dataset(tmp_path, total="3")
    with file.open("a") as more:
        more.write('\n[ledger]\nkind = "postgresql"\nurl_env = "LEDGER_URL"\naccounts = true\n')
    ran("ledger", "prepare", str(file), "--role", "walking")
    ana, bob = (ran("token", "create", name, "--dataset", str(file)).split()[0] for name in PEOPLE)
    url = postgres.url(database, role="walking")
    one, two = Server(file, url), Server(file, url)
    try:
        first, second = one.ask(ana, "a"), two.ask(bob, "b")
        assert two.ask(ana, "a")["results"] == first["results"]
        told = ran("token", "revoke", "ana", "--dataset", str(file))
        assert "revoked" in told
        time.sleep(0.6)
        assert one.ask(ana, "a") == two.ask(ana, "a") == 401
        ana = ran("token", "create", "ana", "--dataset", str(file)).split()[0]
        one.run.kill()
        assert two.ask(ana, "a")["free"]
        assert two.ask(bob, "b")["results"] == second["results"]
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
