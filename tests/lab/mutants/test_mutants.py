"""Mutants are still about the source as it is; run.py tries them."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lab.mutants.run import HERE, ROOT, mutants

EVERY = mutants()
ROOMS = sorted({one["room"] for one in EVERY})
WANTED = 25


def test_what_mutants_change_is_there():
    """A line that is written anew loses its mutant: a few may wait for the next run of run.py."""
    stale = [mutant["law"] for mutant in EVERY if not _applies(mutant)]
    assert len(stale) <= len(EVERY) // 10, stale


def _applies(mutant):
    file = ROOT / "src" / "discreet" / mutant["file"]
    tests = [ROOT / Path(words.split()[0]) for words in mutant["tests"]]
    return (
        file.exists()
        and file.read_text(encoding="utf-8").count(mutant["old"]) == 1
        and mutant["old"] != mutant["new"]
        and tests
        and all(one.exists() for one in tests)
    )


def test_laws_are_said_once():
    assert len({one["law"] for one in EVERY}) == len(EVERY)


def test_every_law_of_the_list_has_a_mutant():
    wanted = tomllib.loads((HERE.parent / "laws.toml").read_text(encoding="utf-8"))
    known = {one["law"] for one in EVERY}
    named = {name for laws in wanted.values() for mutants in laws.values() for name in mutants}
    assert named <= known, named - known


def test_every_room_has_enough():
    for room in ROOMS:
        assert sum(one["room"] == room for one in EVERY) >= WANTED


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
