"""Numbers in columns: at every width, nothing that was told is cut."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from discreet.cli.rendering.terminal import Beside, Column, Row, say

WORDS = st.text("abc(0,1.5", min_size=1, max_size=30)
NUMBERS = st.integers(0, 10**12).map(str)
LINES = st.lists(st.tuples(WORDS, NUMBERS, NUMBERS), min_size=1, max_size=4)


def _printed(told, width):
    screen = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    say(screen, told)
    return screen.file.getvalue()


def _told(lines, mechanism="by answer"):
    rows = tuple(Row((name, low, f"{low} … {high}", mechanism)) for name, low, high in lines)
    columns = (Column("name"), Column("answer", right=True), Column("95 % interval", right=True),
               Column("mechanism", wraps=True))  # fmt: skip
    return Beside(columns, rows, names=1)


@given(LINES, st.integers(22, 120))
def test_nothing_is_cut_at_any_width(lines, width):
    text = _printed(_told(lines), width)
    assert all(len(line) <= width for line in text.splitlines())
    together = "".join(text.split())
    for name, low, high in lines:
        assert name in together
        assert f"{low}…{high}" in together
    assert together.count("…") == len(lines)


@given(LINES, st.integers(0, 60))
def test_where_it_fits_only_what_wraps_goes_on_below(lines, more):
    told = _told(lines, "by answer " * 9)
    width = more + next(width for width in range(300) if told.fits(width))
    shown = _printed(told, width)
    for name, low, high in lines:
        assert any(line.split()[:3] == [name, low, low] for line in shown.splitlines())
        assert f"{low} … {high}" in shown


def test_heads_go_on_below_before_numbers_do():
    told = _told([("COUNT", "7", "9")])
    assert told.fits(45)
    assert not told.fits(44)
    first, second, line = _printed(told, 44).splitlines()
    assert first.split() == ["95", "%"]
    assert second.split() == ["name", "answer", "interval", "mechanism"]
    assert line.split() == ["COUNT", "7", "7", "…", "9", "by", "answer"]
