"""One record of a source moves one row of what is counted, whatever it holds: by black box."""

import os
import random

import pytest

from lab.hostile_sources import KINDS
from lab.pairs import attack

MANY = 100_000 // len(KINDS) if os.environ.get("DISCREET_SOAK") else 20


@pytest.mark.parametrize("kind", KINDS)
def test_one_record_of_any_source_moves_one_row(kind, tmp_path):
    found = attack(kind, tmp_path, MANY, random.Random())
    assert found["pairs"] == MANY
    assert not found["broken"], found


def test_a_reader_that_lets_one_cell_decide_about_others_is_found(tmp_path):
    assert attack("text", tmp_path, 100, random.Random(), planted=True)["broken"] > 0
