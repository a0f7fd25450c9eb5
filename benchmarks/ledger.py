"""Durable charges per second through the group commit, at 1, 4 and 16 clients."""

import itertools
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.timing import Row
from discreet.budget import Ledger, Single

SECONDS = 1.5
WANTED = 5_000


def rows() -> list[Row]:
    return [_row(clients) for clients in (1, 4, 16, 64)]


def _row(clients: int) -> Row:
    granted, seconds = _charged(clients)
    wanted = granted / WANTED if clients == 16 else None
    work = f"durable charges, {clients} client{'s' if clients > 1 else ''} (wall clock)"
    return Row(work, seconds, granted, wanted_seconds=wanted)


def _charged(clients: int) -> tuple[int, float]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.create(Path(folder) / "bench.ledger", "100") as ledger,
        ThreadPoolExecutor(clients) as pool,
    ):
        end = time.perf_counter() + SECONDS

        def client(number: int) -> int:
            for charged in itertools.count():
                if time.perf_counter() > end:
                    return charged
                ledger.charge(f"{number}-{charged}", Single(1), analyst="bench")
            return 0

        started = time.perf_counter()
        granted = sum(pool.map(client, range(clients)))
        return granted, time.perf_counter() - started
