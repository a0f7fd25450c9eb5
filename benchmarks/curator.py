"""A cached ask end to end, beside OpenDP's Context and SmartNoise SQL on the same table.

The plan is in memory, as it is from the second time a question is asked at some ε. Where rows are
read, what was counted before is forgotten first. Ours parses, plans, counts the rows, charges
durably, draws, stores and releases; the others charge nobody and store nothing. Times are of the
clock on the wall, the best of asks in turns of eight.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.peers import Peer, PeerError
from benchmarks.survey import ROWS, write_survey
from benchmarks.timing import Row
from discreet.curator import OpenDataset, open_dataset

TURNS = 12
IN_A_ROW = 8
LONG = 0.3
CLIENTS = 16
SECONDS = 1.5
WANTED_RATIO = 50
WANTED_SECONDS = 0.010
ASKED = {
    "count": "SELECT COUNT(*) WHERE clinic = 'A'",
    "mean": "SELECT AVG(age)",
    "sum": "SELECT SUM(age)",
    "groups": "SELECT COUNT(*) GROUP BY clinic",
    "median": "SELECT MEDIAN(age)",
}
EPSILON = "0.01"
CROWD_EPSILON = "0.001"
CROWD_MEAN_EPSILON = "0.005"
"""With less, so few rows would always be too few for a mean."""
COUNTED, KEPT = "rows counted", "counts kept"

Taken = Callable[[], float]
"""Asks once and says how many seconds that took."""


def rows() -> Iterator[Row]:
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        ages, clinics = write_survey(folder)
        survey = closing.enter_context(open_dataset(folder / "survey.toml", analyst="bench"))
        peers = _peers(closing, ages, clinics)
        yield Row("one durable write of 4 KiB to this disk", _durable_write(folder))
        for question, sql in ASKED.items():
            best = _compared(survey, question, sql, peers)
            counted, kept = best.pop(COUNTED), best.pop(KEPT)
            yield Row(f"ask of {ROWS:,} rows: {sql}", counted, wanted_seconds=WANTED_SECONDS)
            crowd_epsilon = CROWD_MEAN_EPSILON if question == "mean" else CROWD_EPSILON
            answered, seconds = _crowd(survey, sql, crowd_epsilon)
            for name, theirs in best.items():
                yield Row(f"  {question}, rows counted", counted, 1, name, theirs, WANTED_RATIO)
                yield Row(f"  {question}, counts kept", kept, 1, name, theirs, WANTED_RATIO)
                work = f"  {question}, {CLIENTS} client threads (theirs: one)"
                yield Row(work, seconds, answered, name, theirs * answered)


def _peers(
    closing: ExitStack, ages: list[int], clinics: list[str]
) -> dict[str, tuple[Peer, list[str]]]:
    """The tools that could be installed, with the questions each can answer."""
    found = {}
    for name, environment, script in (
        ("OpenDP Context, a table,", "tables", "asking_opendp_table"),
        ("OpenDP Context, one list,", "libraries", "asking_opendp"),
        ("SmartNoise SQL", "smartnoise", "asking_smartnoise"),
    ):
        try:
            peer = closing.enter_context(Peer(environment, script))
            reply = peer.ask({"ages": ages, "clinics": clinics})
        except (PeerError, OSError) as problem:
            print(f"{name} is left out: {problem}", file=sys.stderr)
            continue
        found[f"{name} {reply['version']}"] = peer, reply["can"]
    return found


def _compared(
    survey: OpenDataset[Any], question: str, sql: str, peers: dict[str, tuple[Peer, list[str]]]
) -> dict[str, float]:
    """Ours with the rows counted and with their counts kept, and every peer that can, in turns."""

    curator: Any = survey.curator

    def ask(*, forget: bool) -> float:
        if forget:
            curator._counts.clear()
        started = time.perf_counter()
        survey.sql(sql).ask(epsilon=EPSILON, fresh=True)
        return time.perf_counter() - started

    def asking(peer: Peer) -> Taken:
        return lambda: float(peer.ask({"question": question})["seconds"])

    able = {name: asking(peer) for name, (peer, can) in peers.items() if question in can}
    return _in_turns({COUNTED: lambda: ask(forget=True), KEPT: lambda: ask(forget=False), **able})


def _in_turns(takers: dict[str, Taken], turns: int = TURNS) -> dict[str, float]:
    """The best of each; who takes long is asked once in a turn."""
    taken = {name: [take()] for name, take in takers.items()}
    for _ in range(turns):
        for name, take in takers.items():
            times = 1 if min(taken[name]) > LONG else IN_A_ROW
            taken[name] += [take() for _ in range(times)]
    return {name: min(each) for name, each in taken.items()}


def _durable_write(folder: Path) -> float:
    """What the least durable charge takes, whoever makes it."""
    with (folder / "written").open("wb") as file:

        def write() -> float:
            started = time.perf_counter()
            os.pwrite(file.fileno(), os.urandom(4096), 0)
            os.fdatasync(file.fileno())
            return time.perf_counter() - started

        return _in_turns({"write": write}, 40)["write"]


def _crowd(survey: OpenDataset[Any], sql: str, epsilon: str) -> tuple[int, float]:
    """How many answers many threads get from one curator, and in how many seconds."""
    survey.sql(sql).ask(epsilon=epsilon, fresh=True)
    end = time.perf_counter() + SECONDS

    def client(_: int) -> int:
        answered = 0
        while time.perf_counter() < end:
            survey.sql(sql).ask(epsilon=epsilon, fresh=True)
            answered += 1
        return answered

    started = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        answered = sum(pool.map(client, range(CLIENTS)))
    return answered, time.perf_counter() - started
