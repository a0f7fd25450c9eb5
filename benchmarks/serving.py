"""Answers a second through `discreet serve`: 64 connections from another process on loopback.

Every request asks a question whose plan is in memory, with a bearer token and a fresh
Idempotency-Key, so every one is charged and stored durably. Afterwards the ledger is audited from
its entries alone and must hold exactly the answers that were received.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.survey import write_survey
from benchmarks.timing import Row
from discreet.budget import Ledger, audit

CONNECTIONS = 64
SECONDS = float(os.environ.get("DISCREET_BENCH_SECONDS", "5"))
WANTED_RATE = 1_000
WANTED_P99 = 0.250
WANTED_START = 2.0
SQL = "SELECT COUNT(*) WHERE clinic = 'A'"
EPSILON = "0.0001"


@dataclass(frozen=True)
class Load:
    """What came back: how long each answer took, and under which receipts."""

    seconds: float
    latencies: list[float]
    receipts: set[str]

    def quantile(self, share: float) -> float:
        """The latency below which so many answers came."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        token = survey(folder)
        with served(folder) as (port, started, _):
            yield Row("discreet serve until /health answers", started, wanted_seconds=WANTED_START)
            warm(port, token)
            found = asyncio.run(load(port, token, CONNECTIONS, SECONDS, "load"))
        checked(folder, found)
    many = len(found.latencies)
    what = f"answers over HTTP, {CONNECTIONS} connections, ledger equal to the answers"
    yield Row(what, found.seconds, many, wanted_seconds=many / WANTED_RATE)
    yield Row("  the middle answer took", found.quantile(0.5))
    yield Row("  99 of 100 took at most", found.quantile(0.99), wanted_seconds=WANTED_P99)


def survey(folder: Path) -> str:
    """A dataset and an analyst's token."""
    write_survey(folder)
    done = subprocess.run(
        [sys.executable, "-m", "discreet", "token", "create", "bench", "--dataset",
         str(folder / "survey.toml"), "--epsilon", "90", "--json"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    token: str = json.loads(done.stdout)["token"]
    return token


@contextmanager
def served(folder: Path) -> Iterator[tuple[int, float, int]]:
    """A server in a process of its own: its port, how long it took to answer, its number."""
    started = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "discreet", "serve", str(folder / "survey.toml"), "--port", "0",
         "--log", "warning"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", server.stdout.readline())
        assert found, "the server did not start"
        port = int(found[1])
        urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=30).read()
        yield port, time.perf_counter() - started, server.pid
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)
        if server.stdout is not None:
            server.stdout.close()


def warm(port: int, token: str, *, fresh: bool = True) -> None:
    """Ask until the plan is in memory."""
    for turn in range(60):
        if asyncio.run(load(port, token, 1, 0.5, f"warm-{turn}", fresh=fresh)).receipts:
            return
    raise SystemExit("the plan did not come")


async def load(
    port: int, token: str, connections: int, seconds: float, name: str, *, fresh: bool = True
) -> Load:
    """Ask over so many connections for so long; an older server knows no fresh draws."""
    more = {"fresh": True} if fresh else {}
    end = time.perf_counter() + seconds
    latencies: list[float] = []
    receipts: set[str] = set()
    body = json.dumps({"sql": SQL, "epsilon": EPSILON, **more}).encode()

    def request(key: str) -> bytes:
        head = (
            "POST /api/datasets/survey/ask HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            f"Idempotency-Key: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        asked = 0
        while time.perf_counter() < end:
            asked += 1
            sent = time.perf_counter()
            writer.write(request(f"{name}-{number}-{asked}"))
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"content-length: (\d+)", head, re.I)[1])  # type: ignore[index]
            reply = await reader.readexactly(length)
            if b" 200 " in head[:20]:
                latencies.append(time.perf_counter() - sent)
                receipts.add(re.search(rb'"receipt":"([^"]+)"', reply)[1].decode())  # type: ignore[index]
            elif b" 202 " not in head[:20]:
                raise SystemExit(f"refused: {reply.decode()}")
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(connections)))
    return Load(time.perf_counter() - started, latencies, receipts)


def checked(folder: Path, found: Load) -> None:
    """The ledger holds every answer that was received, each with its charge, and adds up."""
    with Ledger(folder / "survey.ledger") as ledger:
        entries = ledger.entries()
    assert audit(entries).clean
    answered = {entry.question for entry in entries if entry.kind == "answer"}
    charged = {entry.question for entry in entries if entry.kind == "charge"}
    assert len(found.receipts) == len(found.latencies)
    loaded = {question for question in answered if question.startswith("bench:load")}
    assert loaded == found.receipts
    assert answered == charged
