"""Two checkouts in turns, and by how much this one is slower or faster."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean, median

from rich.console import Console
from rich.table import Table

from benchmarks import serving
from benchmarks.against.starts import processor, server, starts
from benchmarks.survey import GAPLESS, write_survey

HERE = Path(__file__).resolve().parents[2]
ASKED = (
    "SELECT COUNT(*) WHERE clinic = 'A'",
    "SELECT SUM(age)",
    "SELECT MEDIAN(age)",
    "SELECT COUNT(*) GROUP BY clinic",
    "SELECT COUNT(*) GROUP BY BIN(age, 10)",
)
DESIGNED = ("40", "200")
TURNS, IN_A_ROW, DESIGNS, CONNECTIONS = 24, 40, 8, (1, 16)
_MEMORY = Path("/dev/shm")
Both = tuple[list[float], list[float]]
"""How long each turn took: of the other checkout, and of this one."""
MOST = 1.10
"""How many times as long this checkout may take."""


class Checkout:
    """A worker that runs one checkout's code."""

    def __init__(self, python: str, root: Path, facts: Path) -> None:
        self.python = python
        self._process = subprocess.Popen(
            [python, str(HERE / "benchmarks" / "against" / "worker.py"), str(root), str(facts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root / "src")},
        )

    def taken(self, kind: str, times: int, what: str) -> list[float]:
        """The processor time of each of so many turns of a work, in seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(kind, times, what, file=self._process.stdin, flush=True)
        return [float(one) for one in json.loads(self._process.stdout.readline())]

    def close(self) -> None:
        """Let the worker end."""
        self._process.communicate()


def main(chosen: list[str]) -> int:
    """Print the table; 1 where something takes more than a tenth longer."""
    if len(chosen) != 2:
        print("name the other checkout's Python, and its folder", file=sys.stderr)
        return 2
    table = Table(title="processor time: the quickest tenth, and the median")
    for heading in ("work", "the other", "this one", "ratio", "the other", "this one", "ratio"):
        table.add_column(heading, justify="left" if heading == "work" else "right")
    slow = 0
    for work, (theirs, ours) in _measured(
        str(Path(chosen[0]).absolute()), Path(chosen[1]).resolve()
    ):
        told = []
        for figure in (_quickest, median):
            before, now = figure(theirs), figure(ours)
            told += [_amount(before), _amount(now), f"{now / before:.2f}"]
        table.add_row(work, *told)
        slow += _quickest(ours) > MOST * _quickest(theirs)
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    Console(width=None if sys.stdout.isatty() else 100).print(table)
    return int(slow > 0)


def _quickest(taken: list[float]) -> float:
    """The mean of the quickest tenth, which other work has disturbed least."""
    return fmean(sorted(taken)[: max(1, len(taken) // 10)])


def _measured(python: str, root: Path) -> Iterator[tuple[str, Both]]:
    with ExitStack() as closing:
        both = []
        for which, (runs, place) in enumerate(((python, root), (sys.executable, HERE))):
            place_of_facts = tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None)
            facts = Path(closing.enter_context(place_of_facts)) / str(which)
            facts.mkdir()
            write_survey(facts)
            (facts / "gapless.toml").write_text(GAPLESS)
            both.append(Checkout(runs, place, facts))
            closing.callback(both[-1].close)
        for sql in ASKED:
            yield sql, _in_turns(both, "ask", IN_A_ROW, sql)
        for size in DESIGNED:
            title = f"design of {int(size) + 1} answers, 4 steps apart"
            yield title, _in_turns(both, "design", 1, size, turns=DESIGNS)
    checkouts = [(python, root), (sys.executable, HERE)]
    yield from starts(checkouts)
    for many, taken in zip(CONNECTIONS, _served(checkouts), strict=True):
        yield f"an answer over HTTP, in the server, {many} at once", taken


def _in_turns(both: list[Checkout], kind: str, times: int, what: str, turns: int = TURNS) -> Both:
    for one in both:
        one.taken(kind, times, what)  # plans are made, and rows are counted
    taken: Both = [], []
    for turn in range(turns):
        for which in (0, 1) if turn % 2 else (1, 0):
            taken[which].extend(both[which].taken(kind, times, what))
    return taken


def _served(checkouts: list[tuple[str, Path]]) -> list[Both]:
    """The processor time of the server for an answer, on average in each turn: by connections."""
    taken: list[Both] = [([], []) for _ in CONNECTIONS]
    with ExitStack() as closing:
        running = [closing.enter_context(server(*one)) for one in checkouts]
        for which, (port, token, _) in enumerate(running):
            serving.warm(port, token, fresh=bool(which))
        for turn in range(TURNS):
            for which in (0, 1) if turn % 2 else (1, 0):
                port, token, process = running[which]
                for place, many in enumerate(CONNECTIONS):
                    before, name = processor(process), f"turn-{turn}-{many}"
                    load = serving.load(port, token, many, 0.4, name, fresh=bool(which))
                    found = asyncio.run(load)
                    spent = processor(process) - before
                    taken[place][which].append(spent / max(1, len(found.receipts)))
    return taken


def _amount(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"
