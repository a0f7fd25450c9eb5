"""No cell of ours is a formula to a spreadsheet, and no number stops being one."""

import csv
import io
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.curator import Answer
from discreet.curator.result import Result
from discreet.text import number_text
from discreet.text.csv_cells import csv_text, harmless

FORMULAS = "=+-@\t\r\n＝＋－＠﹢﹣﹦﹫"
HOSTILE = st.builds(
    lambda blank, start, rest: blank + start + rest,
    st.sampled_from(["", " ", "\u00a0"]), st.sampled_from(list(FORMULAS)), st.text(max_size=20),
)  # fmt: skip


def runs(cell):
    """Whether a spreadsheet may run a cell: it opens like a formula and is no number."""
    try:
        float(cell)
    except ValueError:
        return cell.lstrip()[:1] in tuple(FORMULAS) and cell.lstrip() != ""
    return False


def read(text):
    return list(csv.reader(io.StringIO(text), strict=True))


@given(st.lists(st.lists(st.one_of(HOSTILE, st.text()), min_size=2, max_size=4), min_size=1))
def test_no_cell_runs_and_every_cell_stays_in_its_place(rows):
    back = read(csv_text(rows))
    assert [len(row) for row in back] == [len(row) for row in rows]
    for row, told in zip(rows, back, strict=True):
        for cell, kept in zip(row, told, strict=True):
            assert not runs(kept)
            assert kept.removeprefix("'") == harmless(cell).removeprefix("'")


@given(st.fractions(), st.sampled_from([4, 12]))
def test_numbers_stay_numbers(number, digits):
    told = number_text(number, digits)
    assert harmless(told) == told


@pytest.mark.parametrize("attack", ["=HYPERLINK(A1)", "+1+cmd|' /C calc'!A0", "@SUM(1)", "-2+3"])
def test_neither_an_alias_nor_a_word_runs_in_an_answer(attack):
    result = Result(
        label=attack, group=attack, value=attack, interval=None, expected_error=0.1,
        mechanism=attack, certificate=None,
    )  # fmt: skip
    results = (result, replace(result, group=None, value=((attack, Fraction(-3)),)))
    answer = Answer(
        receipt=attack,
        asked=attack,
        results=results,
        confidence=Fraction(95, 100),
        epsilon="0.5",
        spent="0.5",
        left="1",
        free=False,
        plan="p",
    )
    lines = read(answer.to_csv())
    assert len(lines) == 3
    cells = [cell for line in lines for cell in line]
    assert not any(runs(cell) for cell in cells)
    assert cells.count("'" + attack) == 9
    assert "-3" in cells
