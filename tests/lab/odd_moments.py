"""Clocks that jump, processes that fork and ledgers that are set back to an older copy.

`python tests/lab/odd_moments.py` runs all of them for some minutes. Each campaign returns its
figures, takes a fault that is planted, and must find that. What was found is written down for the
security report.
"""

import os
import random
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

import discreet.budget
from discreet.budget import Claim, Single, entries
from discreet.errors import DiscreetError
from discreet.exact import uniform_words
from lab.failing_disk import for_a_while
from lab.killing import written_down

_START = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
_DAY = 86_400


class Jumping:
    """A clock that is decades off at every look."""

    @staticmethod
    def time():
        return _START + _DAY * random.randrange(-9999, 9999)


def clock(ledgers, path, many, *, planted=False):
    """Ask under a few ids while the clock jumps; `planted` ids hold the day, as a key might."""
    found = {"asked": 0, "ids": 12, "charged": 0, "backwards": 0, "unclean": 0}
    with patch.object(entries, "time", Jumping):
        for _ in range(3):
            with ledgers.open_or_create(path, "1") as ledger:
                for number in range(many // 3):
                    day = f" {Jumping.time() // _DAY:.0f}" if planted else ""
                    name = f"q{number % found['ids']}{day}"
                    ledger.answered(name, Claim(Single(1)), lambda: {"v": "x"}, analyst="ana")
                    found["asked"] += 1
                found["unclean"] += not ledger.audit().clean
                found["charged"] = ledger.balance().spent
                times = [entry.at for entry in ledger.entries()]
    found["backwards"] = sum(a > b for a, b in pairwise(times))
    found["wrongly"] = found["charged"] - found["ids"]
    return found


def fork(path, many, *, planted=False):
    """Fork while a ledger is open: no value is drawn twice, no child charges its parent's ledger.

    `planted` draws from bits that were fetched before the fork.
    """
    fetched = uniform_words(2 * many)
    found = {"forks": many, "drawn": 0, "repeated": 0, "let_through": 0}
    seen = set()
    with discreet.budget.Ledger.create(path, "1") as ledger:
        for at in range(many):
            told = _in_a_child(ledger, fetched[:2] if planted else None)
            here = fetched[:2] if planted else uniform_words(2)
            for value in (told[1:], here.tobytes()):
                found["drawn"] += 1
                found["repeated"] += value in seen
                seen.add(value)
            found["let_through"] += told[:1] != b"r"
            ledger.answered(f"q{at}", Claim(Single(1)), lambda: {"v": "x"}, analyst="ana")
        found["unclean"] = int(not ledger.audit().clean or ledger.balance().spent != many)
    return found


def _in_a_child(ledger, fetched):
    """What a child draws, after a mark: r where its parent's ledger refused it."""
    there, here = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            ledger.answered("child", Claim(Single(1)), lambda: {"v": "x"}, analyst="ana")
            mark = b"c"
        except DiscreetError:
            mark = b"r"
        value = uniform_words(2) if fetched is None else fetched
        os.write(here, mark + value.tobytes())
        os._exit(0)
    os.close(here)
    with os.fdopen(there, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return told


def set_back(folder, many, *, planted=False):
    """Put back a copy of a ledger that is older by a few entries; it must not go on from there.

    `planted` puts the head beside it back as well, which a machine that is set back whole does.
    """
    found = {"copies": many, "refused": 0, "accepted": 0}
    for at in range(many):
        place, copy = folder / f"at{at}", folder / "copy"
        place.mkdir()
        path = place / "survey.ledger"
        with discreet.budget.Ledger.create(path, "1") as ledger:
            for number in range(random.randint(1, 4)):
                ledger.answered(f"a{number}", Claim(Single(1)), lambda: {"v": "x"}, analyst="ana")
        shutil.copytree(place, copy)
        with discreet.budget.Ledger(path) as ledger:
            for number in range(random.randint(1, 4)):
                ledger.answered(f"b{number}", Claim(Single(1)), lambda: {"v": "y"}, analyst="ana")
        for file in copy.iterdir():
            if planted or not file.name.endswith(".head"):
                shutil.copy(file, place / file.name)
        try:
            with discreet.budget.Ledger(path) as ledger:
                ledger.answered("b0", Claim(Single(1)), lambda: {"v": "z"}, analyst="ana")
            found["accepted"] += 1
        except DiscreetError:
            found["refused"] += 1
        shutil.rmtree(copy)
        shutil.rmtree(place)
    return found


def main():
    """All of them, with the figures of the report."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        told = clock(discreet.budget.Ledger, folder / "c.ledger", 3_000)
        written_down("a clock that jumps by decades at every look", told)
        written_down("forks of a process that holds a ledger", fork(folder / "f.ledger", 1_000))
        written_down("a ledger that is set back to an older copy", set_back(folder, 1_000))
        for why in ("FullError", "ReadOnlyError", "IOError"):
            inner = folder / why
            inner.mkdir()
            failed, new, ids, charges, clean = for_a_while(inner, 100, why=why)
            figures = {"failed": failed, "told": new, "ids": ids, "charged": charges}
            figures |= {"unclean": int(not clean), "wrongly": charges - ids}
            written_down(f"a disk that fails for a while: {_WHY[why]}", figures)


_WHY = {"FullError": "no room", "ReadOnlyError": "read-only", "IOError": "errors"}

if __name__ == "__main__":
    main()
