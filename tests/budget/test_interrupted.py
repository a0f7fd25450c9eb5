"""Ctrl-C at every place of a charge: the ledger goes on, whoever waited and whoever comes next."""

import os
import secrets
from itertools import count

import pytest

from discreet.budget import Claim, Single, audit
from interrupted import UNHEARD, interrupted
from ledger_stores import Ledger

STEP = {"file": 1, "postgresql": 1 if os.environ.get("DISCREET_SOAK") else 20}
_BEYOND = 5
"""Now and then a charge takes a shorter way: so many must end before a place for it to be beyond
the last."""


@pytest.mark.filterwarnings(UNHEARD)
@pytest.mark.parametrize("crowded", [False, True])
def test_wherever_a_charge_is_interrupted_the_next_ones_are_answered(either, tmp_path, crowded):
    """In a crowd, and alone: by the writer's thread, by oneself, and from a ledger beside it."""
    claim, numbers, ended = Claim(Single(1)), count(), 0
    place = 1 + secrets.randbelow(STEP[either])
    ledger = Ledger.create(tmp_path / "survey.ledger", "1")  # one that is stuck never closes

    def charge():
        ledger.charge(f"q{next(numbers)}", Single(1), analyst="ana")

    while ended < _BEYOND:
        ledger._writer._crowded = crowded
        reached = interrupted(charge, place)
        soon = ledger.answered_soon(f"q{next(numbers)}", claim, dict, analyst="ana")
        assert soon.result(60).new, place
        charge()
        place, ended = (place + STEP[either], 0) if reached else (place, ended + 1)
    assert place > 20
    with Ledger(ledger.path) as beside:
        assert beside.charge("beside", Single(1), analyst="bob").new
    assert audit(ledger.entries()).clean
    ledger.close()
