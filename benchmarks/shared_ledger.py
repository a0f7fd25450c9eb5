"""Durable charges per second of two servers, each a process: in PostgreSQL, beside one file.

The server of PostgreSQL is the one that tests start; 1, 16 and 64 clients are shared by both.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Row

SECONDS = 3
WANTED = 3_000
WHERE = "DISCREET_BENCH_LEDGERS"
_SERVER = """
import itertools, os, sys, time
from concurrent.futures import ThreadPoolExecutor
from discreet.budget import Ledger, SharedBook, Single
from discreet.connection import Connection

path, book, clients, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
shared = SharedBook(Connection("url_env", "DISCREET_BENCH_LEDGERS"), book) if book else None
with Ledger(path, shared=shared) as ledger, ThreadPoolExecutor(clients) as pool:
    print("ready", flush=True)
    sys.stdin.readline()
    end = time.perf_counter() + seconds

    def client(number):
        for charged in itertools.count():
            if time.perf_counter() > end:
                return charged
            ledger.charge(f"{os.getpid()}-{number}-{charged}", Single(1), analyst="bench")

    print(sum(pool.map(client, range(clients))))
"""


def rows() -> list[Row]:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from discreet.budget import SharedBook, prepare
    from discreet.connection import Connection
    from postgres_server import PostgresServer

    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        server = PostgresServer(Path(folder))
        try:
            os.environ[WHERE] = server.url()
            prepare(SharedBook(Connection("url_env", WHERE), "bench"))
            return [_row(clients) for clients in (1, 16, 64)]
        finally:
            server.stop()


def _row(clients: int) -> Row:
    shared, file = _charged(clients, f"bench{clients}"), _charged(clients, "")
    return Row(
        f"durable charges in PostgreSQL, two servers, {clients} clients (wall clock)",
        SECONDS,
        shared,
        peer="SQLite",
        peer_seconds=SECONDS * shared / max(file, 1),
        wanted_seconds=shared / WANTED if clients == 64 else None,
    )


def _charged(clients: int, book: str) -> int:
    """Charges of two processes; each has a folder of its own where the ledger is elsewhere."""
    from discreet.budget import Ledger, SharedBook
    from discreet.connection import Connection

    shared = SharedBook(Connection("url_env", WHERE), book) if book else None
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / who / "bench.ledger" for who in ("one", "two" if book else "one")]
        for path in paths:
            path.parent.mkdir(exist_ok=True)
        Ledger.open_or_create(paths[0], "100", shared=shared).close()
        each = [(clients + 1) // 2, clients // 2]
        serving = [
            subprocess.Popen(
                [sys.executable, "-c", _SERVER, str(path), book, str(many), str(SECONDS)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for path, many in zip(paths, each, strict=True)
            if many
        ]  # fmt: skip
        for one in serving:
            assert one.stdout is not None
            one.stdout.readline()
        return sum(int(one.communicate("go\n")[0]) for one in serving)
