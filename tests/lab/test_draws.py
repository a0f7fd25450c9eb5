"""Draws at the places that random words seldom meet: words are scripted here."""

import numpy as np
import pytest

from discreet.sampling import Flips, LazyTable, choices, noise_tables, tables
from discreet.sampling.tables import BITS


def scripted(monkeypatch, module, name, given):
    """What a module asks for chance is told from a list, then from the honest source."""
    waiting, honest = list(given), getattr(module, name)
    monkeypatch.setattr(module, name, lambda size: waiting.pop(0) if waiting else honest(size))
    return waiting


def test_equal_words_are_drawn_again(monkeypatch):
    """Else the first of them would be picked too often."""
    same = np.array([7, 7, 3], dtype=np.uint64)
    other = np.array([3, 3, 9], dtype=np.uint64)
    left = scripted(monkeypatch, choices, "uniform_words", [same, other])
    assert choices.pick_one(np.array([True, True, True])) == 2
    assert not left


def test_open_coins_are_settled_by_more_bits(monkeypatch):
    """A word on the end of a weight says nothing yet."""
    weights = Flips.of([0, -1], "1").weights
    asked = []
    monkeypatch.setattr(choices, "settle", lambda word, _: asked.append(word) or 0)
    words = (weights.low << np.uint64(BITS - 62)).copy()
    assert choices._decided(weights, words, choices._ends_of(weights))[1]
    assert asked


@pytest.mark.parametrize("draw", ["draw", "draw_evenly"])
def test_outcomes_of_weight_0_are_never_drawn(draw, monkeypatch):
    table = LazyTable.of_integers([0, 2, 2, 4, 4])
    half = 1 << (BITS - 1)
    for word in (0, half - 1, half, 2 * half - 1):
        monkeypatch.setattr(tables, "uniform_bits", lambda _, word=word: word)
        raw = np.array([word], dtype=np.uint64) << np.uint64(64 - BITS)
        monkeypatch.setattr(tables, "uniform_words", lambda _, raw=raw: raw)
        assert getattr(table, draw)() == (1 if word < half else 3)


def test_a_single_word_on_an_end_is_settled_by_more_bits(monkeypatch):
    table = noise_tables("1/3").leading
    asked = []
    monkeypatch.setattr(tables, "uniform_bits", lambda _: int(table.ends[4]))
    monkeypatch.setattr(tables, "settle", lambda word, _: asked.append(word) or 4)
    assert table.draw() == 4
    assert asked


def test_long_vectors_never_repeat_a_block(monkeypatch):
    monkeypatch.setattr(tables, "_BLOCK", 64)
    monkeypatch.setattr(choices, "_CELLS", 128)
    table = LazyTable.of_integers(list(range(1, 257)))
    for drawn in (table.draw_many(256), Flips.of([0] * 2, "1").draw_many(256)):
        parts = drawn.reshape(-1, 64)
        assert len({part.tobytes() for part in parts}) == len(parts)


def test_a_choice_by_weights_asks_for_more_bits_where_a_word_is_open(monkeypatch):
    """Two equal weights: a word just at the middle decides nothing by itself."""
    weights = Flips.of([0, 0], "1").weights
    asked = []
    monkeypatch.setattr(choices, "settle", lambda word, _: asked.append(word) or 1)
    monkeypatch.setattr(choices, "uniform_bits", lambda _: (1 << (BITS - 1)) - 1)
    assert choices.choose_once(weights.low, weights.slack, weights.balls) in (0, 1)
    assert asked


def test_negative_wide_noise_has_the_digits_of_its_size(monkeypatch):
    """The size of −1 − k is k: a digit of 0 below a leading −1 is −1, not 0."""
    made = noise_tables("1/3000000")
    assert made.digits
    monkeypatch.setattr(type(made), "_leading", lambda self: -1)
    monkeypatch.setattr(LazyTable, "draw", lambda self: 0)
    assert made.draw() == -1
