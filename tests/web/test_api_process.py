"""The server as a process: it starts, stops after what it has begun, and survives kill -9."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from discreet.accounts import Accounts
from discreet.budget import Ledger, audit
from own_loop import run_apart
from served_api import make_dataset

SOAK = bool(os.environ.get("DISCREET_SOAK"))
KILLS = 20 if SOAK else 1
CLIENTS = 16
BODY = {"sql": "SELECT MEDIAN(mood)", "epsilon": "0.001"}


class Process:
    """`discreet serve` in a process of its own."""

    def __init__(self, folder, *options):
        self.errors = folder / "errors.log"
        with self.errors.open("w") as errors:
            self.run = subprocess.Popen(
                [sys.executable, "-m", "discreet", "serve", str(folder / "survey.toml"),
                 "--port", "0", "--log", "warning", *options],
                stdout=subprocess.PIPE, stderr=errors, text=True,
            )  # fmt: skip
        self.first = self.run.stdout.readline()
        found = re.search(r":(\d+)$", self.first.strip())
        self.port = int(found[1]) if found else None

    def end(self, how=signal.SIGTERM):
        """Stop it: its exit code, the rest of its output, its errors."""
        self.run.send_signal(how)
        return self.ended()

    def ended(self):
        with self.run.stdout:
            output = self.run.stdout.read()
        return self.run.wait(timeout=60), output, self.errors.read_text()


@pytest.fixture
def folder(tmp_path):
    make_dataset(tmp_path, total="90")
    with Accounts(tmp_path / "discreet.accounts") as accounts:
        token = accounts.create("ana", datasets=("survey",)).text
        accounts.create("otto", "custodian")
    return tmp_path, token


async def asking(port, token, name, answers, stop):
    """Ask until the server goes away or one is told to stop."""
    body = json.dumps(BODY).encode()

    async def client(number):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for turn in range(100_000):
                if stop.is_set():
                    return
                key = f"{name}-{number}-{turn}"
                head = (
                    "POST /api/datasets/survey/ask HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                    f"Idempotency-Key: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
                )
                writer.write(head.encode() + body)
                reply = await reader.readuntil(b"\r\n\r\n")
                length = int(re.search(rb"content-length: (\d+)", reply, re.I)[1])
                content = await reader.readexactly(length)
                if reply.startswith(b"HTTP/1.1 200"):
                    answers.append(json.loads(content))
                else:
                    await asyncio.sleep(0.1)
        except (asyncio.IncompleteReadError, OSError):
            return
        finally:
            writer.close()

    await asyncio.gather(*(client(number) for number in range(CLIENTS)))


def books(folder):
    with Ledger(folder / "survey.ledger") as ledger:
        entries = ledger.entries()
    assert audit(entries).clean
    stored = {one.question: one.facts()["results"] for one in entries if one.kind == "answer"}
    charged = {one.question for one in entries if one.kind == "charge"}
    return stored, charged


@pytest.mark.slow
def test_killed_in_the_middle_every_answer_received_has_its_charge(folder):
    place, token = folder
    received = []
    for turn in range(KILLS):
        server = Process(place)
        answers, stop = [], asyncio.Event()

        async def kill(server=server, answers=answers, stop=stop, turn=turn):
            load = asyncio.create_task(asking(server.port, token, f"k{turn}", answers, stop))
            end = time.monotonic() + 60
            while len(answers) < 50 and time.monotonic() < end:
                await asyncio.sleep(0.02)
            server.run.kill()
            await load

        run_apart(kill())
        server.ended()
        received += answers
        assert len(answers) >= 50
        stored, charged = books(place)
        assert set(stored) <= charged
        for answer in received:
            assert answer["receipt"] in charged
            kept = [result["value"] for result in stored[answer["receipt"]]]
            assert [{"whole": one["exact"]} for one in answer["results"]] == kept
    server = Process(place)
    key = received[0]["receipt"].partition(":")[2]
    again = _ask(server.port, token, key)
    assert again["free"]
    assert again["results"] == received[0]["results"]
    assert server.end()[0] == 0


def test_told_to_stop_it_finishes_what_it_has_begun(folder):
    place, token = folder
    server = Process(place)
    answers, stop = [], asyncio.Event()

    async def end():
        load = asyncio.create_task(asking(server.port, token, "g", answers, stop))
        while len(answers) < 30:
            await asyncio.sleep(0.02)
        server.run.send_signal(signal.SIGTERM)
        await load

    run_apart(end())
    code, _, errors = server.ended()
    assert (code, errors) == (0, "")
    stored, charged = books(place)
    assert set(stored) == charged == {answer["receipt"] for answer in answers}


def _ask(port, token, key):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/datasets/survey/ask",
        json.dumps(BODY).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
         "Idempotency-Key": key},
    )  # fmt: skip
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read())


def test_it_says_where_it_is_and_who_may_sign_in_and_ends_quietly(folder):
    place, _ = folder
    server = Process(place)
    code, output, errors = server.end(signal.SIGINT)
    assert f"serving survey at http://127.0.0.1:{server.port}" in server.first
    assert "may sign in: ana (analyst), otto (custodian)" in output
    assert (code, errors) == (0, "")


def test_without_accounts_it_says_so_and_serves_no_other_machine(tmp_path):
    make_dataset(tmp_path)
    server = Process(tmp_path)
    _, output, _ = server.end()
    assert "no accounts: only this machine is served" in output
    outward = Process(tmp_path, "--host", "0.0.0.0")
    code, _, errors = outward.ended()
    assert code == 2
    assert "without accounts only this computer is served" in errors
    assert outward.port is None


def test_https_with_a_certificate(folder):
    place, token = folder
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
         str(place / "key.pem"), "-out", str(place / "cert.pem")],
        capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode:
        pytest.skip("openssl is not here to make a certificate")
    import ssl

    server = Process(place, "--tls-cert", str(place / "cert.pem"), "--tls-key",
                     str(place / "key.pem"))  # fmt: skip
    context = ssl.create_default_context(cafile=str(place / "cert.pem"))
    address = f"https://127.0.0.1:{server.port}/api/me"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=30, context=context) as reply:
        assert "max-age" in reply.headers["strict-transport-security"]
        assert json.loads(reply.read())["name"] == "ana"
    assert server.first.strip().startswith("serving survey at https://")
    server.end()
