"""No answer without its charge: kills, power cuts, no room, read-only media, frozen processes and
clocks that jump; each campaign finds a fault that is planted. Longer ones: killing.py and
failing_disk.py, which write down what they found for the security report.
"""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import discreet.budget
from discreet.errors import LedgerError
from lab import odd_moments
from lab.failing_disk import asked
from ledger_stores import Ledger

SOAKING = bool(os.environ.get("DISCREET_SOAK"))
KILLS, CUTS = (10_000, 10_000) if SOAKING else (25, 40)
HERE = Path(__file__).parent


def apart(module, work, folder, many, **how):
    """A campaign in a process of its own: one forks, the other has a disk that fails."""
    code = (
        "import dataclasses, importlib, json, sys; from pathlib import Path\n"
        "module, work, folder, many, how = sys.argv[1:]\n"
        "found = getattr(importlib.import_module(module), work)(\n"
        "    Path(folder), int(many), **json.loads(how))\n"
        "print(json.dumps(dataclasses.asdict(found) if dataclasses.is_dataclass(found) else found))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, module, work, folder, str(many), json.dumps(how)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, timeout=36_000,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize("stop", [False, True])
def test_a_kill_at_any_moment_loses_no_charge_of_a_told_answer(either, tmp_path, stop):
    """Also of one that was frozen and woken, as a machine that is suspended and resumed."""
    many = KILLS // 5 if stop else KILLS
    found = apart("lab.killing", "campaign", tmp_path, many, stop=stop)
    assert found["told"] >= found["kills"] // 2
    assert (found["lacking"], found["unclean"], found["drawn_twice"]) == (0, 0, 0)
    assert found["unanswered"] == 0, "charge, draw and answer are one commit"


def test_who_tells_before_the_commit_is_found(tmp_path):
    """The planted fault: it is seen within a few kills."""
    assert apart("lab.killing", "campaign", tmp_path, 10, hurry=True)["lacking"] > 0


def test_a_power_cut_at_any_write_loses_no_charge_of_a_told_answer(tmp_path):
    found = apart("lab.failing_disk", "campaign", tmp_path, CUTS)
    assert found["told"] > 0
    assert found["undone"] > 0
    assert (found["lacking"], found["unclean"], found["refused"]) == (0, 0, 0), found


def test_commits_that_are_not_synced_are_found(tmp_path):
    """The planted fault: the log is synced at checkpoints alone."""
    found = apart("lab.failing_disk", "campaign", tmp_path, 100, lax=True)
    assert found["lacking"] or found["refused"] or found["unclean"]


@pytest.mark.parametrize("why", ["FullError", "ReadOnlyError", "IOError"])
def test_a_disk_that_fails_for_a_while_charges_nothing_twice(tmp_path, why):
    """No room, read-only, an error: whoever asked is told so, and may ask again under the id."""
    most = 100 if SOAKING else 14
    failed, new, ids, charges, clean = apart(
        "lab.failing_disk", "for_a_while", tmp_path, most, why=why
    )
    assert failed >= most // 3
    assert new <= ids == charges
    assert clean


def test_who_tells_what_could_not_be_written_is_found(tmp_path):
    """The planted fault: an answer whose commit failed for want of room."""
    *_, ids, charges, _ = apart(
        "lab.failing_disk", "for_a_while", tmp_path, 14, why="FullError", hasty=True
    )
    assert charges < ids


def test_a_clock_that_jumps_changes_nothing_that_is_charged(either, tmp_path):
    """Forwards and backwards by decades between any two entries."""
    found = odd_moments.clock(Ledger, tmp_path / "survey.ledger", 3_000 if SOAKING else 75)
    assert (found["wrongly"], found["unclean"]) == (0, 0)
    assert found["backwards"], "the clock did jump"


def test_ids_that_hold_the_day_are_found(tmp_path):
    """The planted fault: by another clock it is another question."""
    assert odd_moments.clock(Ledger, tmp_path / "survey.ledger", 75, planted=True)["wrongly"] > 0


@pytest.mark.parametrize("planted", [False, True])
def test_a_fork_repeats_no_value_and_charges_nothing(tmp_path, planted):
    """Planted are bits that were fetched before the fork."""
    many = 1_000 if SOAKING else 10
    found = odd_moments.fork(tmp_path / "survey.ledger", many, planted=planted)
    assert bool(found["repeated"]) == planted
    assert (found["let_through"], found["unclean"]) == (0, 0)


@pytest.mark.parametrize("planted", [False, True])
def test_a_ledger_that_is_set_back_does_not_go_on(tmp_path, planted):
    """Planted is the head that is set back with it: that is why a second one is kept elsewhere."""
    many = 1_000 if SOAKING else 5
    found = odd_moments.set_back(tmp_path, many, planted=planted)
    assert found["accepted"] == (many if planted else 0)


def test_a_full_disk_under_the_head_alone_tells_nothing(tmp_path, monkeypatch):
    """What is committed and not marked is not told before it is."""
    with closing(discreet.budget.Ledger.create(tmp_path / "survey.ledger", "1")) as ledger:
        with monkeypatch.context() as full:
            full.setattr(type(ledger._anchor), "write", _no_room)
            with pytest.raises(LedgerError):
                asked(ledger, "a")
        again = asked(ledger, "a")
        assert (again.new, again.answer) == (False, {"value": "a"})
        assert ledger.balance().spent == 1


def _no_room(*_):
    raise OSError(28, "No space left on device")


def test_a_head_that_cannot_be_synced_keeps_no_ledger_open(tmp_path, monkeypatch):
    """An error of the disk at the very end: the files are let go of, and the next one opens."""
    ledger = discreet.budget.Ledger.create(tmp_path / "survey.ledger", "1")
    asked(ledger, "a")
    ledger._anchor.dirty = True
    with monkeypatch.context() as failing:
        failing.setattr("discreet.budget.store.force", _no_room)
        ledger.close()
    with closing(discreet.budget.Ledger(tmp_path / "survey.ledger")) as again:
        assert again.balance().spent == 1
