"""Mutants are still about the source as it is; run.py tries them."""

import os
from pathlib import Path

import pytest

from lab.mutants.run import ROOT, killer, mutants

EVERY = mutants()


@pytest.mark.parametrize("mutant", EVERY, ids=[one["law"] for one in EVERY])
def test_what_a_mutant_changes_is_there_once(mutant):
    text = (ROOT / "src" / "discreet" / mutant["file"]).read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1
    assert all((ROOT / Path(words.split()[0])).exists() for words in mutant["tests"])


def test_laws_are_said_once():
    assert len({one["law"] for one in EVERY}) == len(EVERY)


@pytest.mark.skipif(not os.environ.get("DISCREET_SOAK"), reason="minutes for each: in make soak")
@pytest.mark.parametrize("mutant", EVERY, ids=[one["law"] for one in EVERY])
def test_every_mutant_is_killed(mutant, tmp_path):
    assert killer(mutant, tmp_path) is not None
