"""Mutants are still about the source as it is; run.py tries them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.mutants.run import HERE, ROOT, mutants

EVERY = mutants()
ROOMS = sorted({one["room"] for one in EVERY})
WANTED = 25


def test_what_a_mutant_changes_is_there_once():
    """All in one test: there are hundreds of them, and each takes no time."""
    for mutant in EVERY:
        text = (ROOT / "src" / "discreet" / mutant["file"]).read_text(encoding="utf-8")
        assert text.count(mutant["old"]) == 1, mutant["law"]
        assert mutant["old"] != mutant["new"]
        assert mutant["tests"]
        assert all((ROOT / Path(words.split()[0])).exists() for words in mutant["tests"])


def test_laws_are_said_once():
    assert len({one["law"] for one in EVERY}) == len(EVERY)


@pytest.mark.skipif(not os.environ.get("DISCREET_SOAK"), reason="seconds for each: in make soak")
@pytest.mark.parametrize("room", ROOMS)
def test_every_mutant_is_killed(room):
    done = subprocess.run(
        [sys.executable, HERE / "run.py", room],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == sum(one["room"] == room for one in EVERY)
    assert not [line for line in lines if "SURVIVES" in line or "NOT TRIED" in line]
