"""Tables 1 to 4 of 003 to all printed digits, but for one that the paper misprints."""

import numpy as np
import pytest

from discreet.papers import ITEMS
from discreet.papers.p003 import tables


def outcome(number):
    return ITEMS[f"003/table-{number}"].run(lambda *_: None)


def shares(found):
    return np.array([row[1:] for row in found.tables[0].rows])


@pytest.mark.parametrize(
    ("number", "printed"), [(1, tables.TABLE_1), (3, tables.TABLE_3), (4, tables.TABLE_4)]
)
def test_every_printed_digit(number, printed):
    apart = np.abs(np.round(shares(outcome(number)), 3) - np.array(printed))
    wrong = [tuple(int(k) for k in place) for place in np.argwhere(apart > 1e-9)]
    assert wrong == ([tables.SLIP] if number == 3 else [])


def test_the_slip_of_table_3_is_the_papers():
    cell = shares(outcome(3))[tables.SLIP]
    row, column = tables.SLIP
    assert round(cell, 3) == 0.090 == tables.TABLE_3[5 - row][5 - column]


def test_table_2_by_objective_and_properties():
    found = outcome(2)
    matrix = shares(found)
    apart = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    assert (matrix * apart).sum() == pytest.approx(tables.OBJECTIVE_2, abs=5e-5)
    assert all(check.holds for check in found.checks)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_every_check_holds(number):
    assert [check.claim for check in outcome(number).checks if not check.holds] == []


def test_the_one_disagreement_is_said():
    failing = [check for check in outcome(3).checks if not check.holds]
    assert [(check.printed, check.ours) for check in failing] == [("0.091", "0.090101")]


def test_a_wrong_digit_would_be_seen():
    wrong = [list(row) for row in tables.TABLE_4]
    wrong[2][1] += 0.001
    check = tables._all_digits("Table 4", shares(outcome(4)), wrong)
    assert not check.holds
    assert "35 of 36" in check.ours
