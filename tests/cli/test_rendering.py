"""What is printed is true to the numbers: heat maps, thumbnails, tables and bars."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from discreet.certifier import tight_epsilon
from discreet.cli.rendering.description import neighbours_line, witness_line
from discreet.cli.rendering.matrix import cell_style, colour, matrix, picture, thumbnail
from discreet.cli.rendering.side_by_side import bar, is_best, losses_beside
from discreet.cli.rendering.terminal import heading, plain, say
from discreet.model import AllPairs, Graph, Grid, Labels, Mechanism
from discreet.plots.ink import luminance


def _printed(mechanism, width=100, **options):
    screen = Console(file=io.StringIO(), width=width, highlight=False, markup=False, **options)
    say(screen, *matrix(mechanism, screen))
    return screen.file.getvalue()


def _diagonal(space):
    return Mechanism.of(space, space, AllPairs(), np.eye(len(space), dtype=int) + 1)


def _luminance(rgb):
    return luminance(*(part / 255 for part in rgb))


@given(st.floats(0, 1))
def test_numbers_can_be_read_on_their_colour(share):
    """Contrast of at least 4.5 to 1, as WCAG 2 asks of text."""
    ink = 0.0 if cell_style(share).startswith("rgb(0,0,0)") else 1.0
    light, dark = sorted((_luminance(colour(share)), ink), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@given(st.floats(0, 1), st.floats(0, 1))
def test_likelier_is_brighter(one, other):
    low, high = sorted((one, other))
    assert _luminance(colour(low)) <= _luminance(colour(high)) + 0.01


@given(st.integers(1, 90), st.integers(1, 90), st.integers(1, 20), st.integers(1, 20))
def test_a_thumbnail_keeps_every_peak(rows, columns, most_rows, most_columns):
    shares = np.random.default_rng().random((rows, columns))
    small = thumbnail(shares, most_rows, most_columns)
    assert small.shape == (min(rows, most_rows), min(columns, most_columns))
    assert small.max() == shares.max()
    assert set(small.ravel()) <= set(shares.ravel())


def test_shades_stand_for_probabilities_where_there_are_no_colours():
    lines = [line.plain for line in picture(np.array([[1.0, 0.0], [0.5, 0.3]]), coloured=False)]
    assert lines == ["██  ", "▒▒░░"]


def test_half_blocks_show_two_rows_a_line():
    lines = picture(np.eye(5), coloured=True)
    assert [line.plain for line in lines] == ["▀" * 5] * 3


def test_a_table_in_colour_has_the_same_numbers():
    mechanism = _diagonal(Grid.between(1, 4))
    bare = _printed(mechanism)
    coloured = _printed(mechanism, force_terminal=True, color_system="truecolor")
    assert "\x1b[" not in bare
    assert "48;2;253;231;37" in coloured
    assert bare.count("0.400") == coloured.count("0.400") == 4


@pytest.mark.parametrize("size", [1, 2, 12, 13, 40, 41, 300])
@pytest.mark.parametrize("width", [40, 80, 160])
def test_no_matrix_floods_the_screen(size, width):
    lines = _printed(_diagonal(Grid.between(1, size)), width=width).splitlines()
    assert len(lines) <= 60
    assert all(len(line) <= max(width, 72) for line in lines)


def test_nor_does_a_tall_one():
    few, many = Grid.between(0, 1), Grid.between(0, 199)
    tall = Mechanism.of(few, many, AllPairs(), np.ones((200, 2), dtype=int))
    assert len(_printed(tall).splitlines()) <= 60


def test_names_cannot_command_the_terminal():
    odd = Labels.of(["\x1b[2J", "[bold]x", "b"])
    text = _printed(_diagonal(odd))
    assert "\x1b" not in text
    assert "\\x1b[2J" in text
    assert "[bold]x" in text


@given(st.floats(0, 1), st.floats(0, 1))
def test_longer_bars_mean_more(one, other):
    low, high = sorted((bar(one), bar(other)), key=len)
    if len(low) < len(high):
        assert (one < other) == (low == bar(one))
    assert len(bar(1.0, 10)) == 10


def test_the_smallest_loss_is_starred_and_ties_are_shared():
    assert is_best(0.1 + 0.2, [0.3, 0.4])
    assert not is_best(0.4, [0.3, 0.4])
    screen = Console(file=io.StringIO(), width=100)
    say(screen, losses_beside(["a", "b"], {"absolute": [1.0, 2.0], "squared": [3.0, 3.0]}))
    first, second = screen.file.getvalue().splitlines()[1:]
    assert first.split() == ["a", "1.0000*", "3.0000*"]
    assert second.split() == ["b", "2.0000", "3.0000*"]


def test_json_has_no_infinity():
    assert plain({"a": [float("inf"), float("nan"), 1.5]}) == {"a": [None, None, 1.5]}


def test_a_mechanism_that_tells_nothing_has_no_worst_pair():
    coins = Labels.of(["no", "yes"])
    deaf = Mechanism.of(coins, coins, AllPairs(), [[1, 1], [1, 1]])
    assert witness_line(deaf, tight_epsilon(deaf)) == "no output distinguishes neighbours"


def test_a_relation_that_protects_nobody_says_so():
    assert neighbours_line(Graph.of(2, [])) == "none, so every mechanism is private"
    assert neighbours_line(Graph.of(3, [(0, 1)])) == "1 listed pair"
    assert neighbours_line(Graph.of(3, [(0, 1), (1, 2)])) == "2 listed pairs"


@pytest.mark.parametrize("width", [20, 80, 88, 160])
def test_a_heading_is_one_line_on_every_screen(width):
    screen = Console(file=io.StringIO(), width=width)
    say(screen, heading("The ledger"))
    assert screen.file.getvalue() == "── The ledger ".ljust(min(width, 88), "─") + "\n"


def test_a_long_heading_is_never_cut():
    screen = Console(file=io.StringIO(), width=20)
    say(screen, heading("words " * 10 + "end"))
    assert screen.file.getvalue().split() == ["──", *["words"] * 10, "end"]
