"""Kill whoever charges, again and again: `python tests/lab/killing.py [KILLS]` writes it down.

A child is forked from this process, which holds no ledger: a kill costs some hundredths of a
second. It charges and answers in a loop and tells each answer through a pipe, as a server tells it
over a line; whatever was told must be in the ledger, with its charge, whenever the kill came. A
child that is told to `hurry` tells before the commit: the planted fault, which must be found.
"""

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from discreet.budget import Claim, Single  # noqa: E402
from lab.written import add  # noqa: E402
from ledger_stores import Ledger  # noqa: E402

FAULTS = Path(__file__).with_name("faults.json")
BLOCK = 100
"""Kills of one ledger; then everything that was told is looked for in it."""


@dataclass
class Found:
    """What a campaign of kills came to."""

    kills: int = 0
    told: int = 0
    lacking: int = 0
    """Answers that were told and are not in the ledger with their charge."""
    unanswered: int = 0
    """Charges without an answer: budget that a crash wasted, at most one for each kill."""
    unclean: int = 0
    """Ledgers whose audit found something."""
    drawn_twice: int = 0
    """Ids that were charged or answered more than once."""


def campaign(folder: Path, kills: int, *, hurry: bool = False, stop: bool = False) -> Found:
    """Kill so many children that charge ledgers in a folder.

    Args:
        folder: Where the ledgers are made.
        kills: How many.
        hurry: Whether children tell an answer before it is committed.
        stop: Whether a child is frozen and woken again before it is killed, while another charges.
    """
    found = Found()
    for place in range(0, kills, BLOCK):
        path = folder / f"{place}.ledger"
        Ledger.create(path, "1").close()
        told: list[list[str]] = []
        for _ in range(min(BLOCK, kills - place)):
            told += _killed(path, hurry=hurry, stop=stop)
            found.kills += 1
        _looked(path, told, found)
    return found


def _killed(path: Path, *, hurry: bool, stop: bool) -> list[list[str]]:
    """What a child told before it was killed: after its first answer, or while it opens."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _charging(path, writing, hurry=hurry)
    os.close(writing)
    with os.fdopen(reading) as telling:
        first = telling.readline() if random.random() < 0.9 else ""
        time.sleep(random.random() * 0.01)
        if stop:
            _frozen(child, path)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        lines = [first, *telling.read().splitlines(keepends=True)]
    return [line.split() for line in lines if line.endswith("\n")]


def _frozen(child: int, path: Path) -> None:
    """Freeze a child and wake it, as a machine that is suspended; another charges meanwhile, or
    waits for the turn that the frozen one holds."""
    os.kill(child, signal.SIGSTOP)
    other = os.fork()
    if other == 0:
        try:
            with Ledger(path) as ledger:
                _asked(ledger, f"meanwhile-{child}", dict)
        finally:
            os._exit(0)
    time.sleep(random.random() * 0.02)
    os.kill(child, signal.SIGCONT)
    os.waitpid(other, 0)


def _charging(path: Path, writing: int, *, hurry: bool) -> None:
    """What the child does until it is killed."""
    try:
        with Ledger(path) as ledger:
            for number in range(10**6):
                name = f"{os.getpid()}-{number}"
                line = f"{name} {number}\n".encode()

                def draw(number: int = number, line: bytes = line) -> dict[str, object]:
                    if hurry:
                        os.write(writing, line)
                        time.sleep(0.05)
                    return {"value": str(number)}

                _asked(ledger, name, draw)
                if not hurry:
                    os.write(writing, line)
    finally:
        os._exit(1)


def _asked(ledger, name, draw):
    return ledger.answered(name, Claim(Single(1)), draw, analyst="ana")


def _looked(path: Path, told: list[list[str]], found: Found) -> None:
    with Ledger(path) as ledger:
        entries = ledger.entries()
        found.unclean += not ledger.audit().clean
    charged = [entry.question for entry in entries if entry.kind == "charge"]
    answers = {entry.question: entry.facts() for entry in entries if entry.kind == "answer"}
    found.told += len(told)
    known = set(charged)
    found.lacking += sum(
        name not in known or answers.get(name) != {"value": value} for name, value in told
    )
    found.unanswered += len(set(charged) - set(answers))
    found.drawn_twice += len(charged) - len(set(charged))
    found.drawn_twice += sum(entry.kind == "answer" for entry in entries) - len(answers)


def written_down(what: str, facts: dict[str, object]) -> None:
    """Keep what a campaign found, for the security report; runs of one kind are added up."""
    add(FAULTS, what, facts)


def blocks(kills: int) -> Iterator[Found]:
    """A campaign in parts, so that what was done stays when it is interrupted."""
    for _ in range(0, kills, 10 * BLOCK):
        with tempfile.TemporaryDirectory() as folder:
            yield campaign(Path(folder), min(kills, 10 * BLOCK))


if __name__ == "__main__":
    for part in blocks(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000):
        written_down("kill -9 of a process that charges a ledger in a file", asdict(part))
        print(part, flush=True)
