"""Noise in whole steps: the draw is the largest noisy score of the definition."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.sampling import NoiseTables, Stepped, stepped

scores = st.lists(st.integers(-40, 5), min_size=1, max_size=6)


@given(scores=scores, step=st.integers(1, 9), data=st.data(), words=st.booleans())
def test_the_largest_noisy_score_is_chosen_and_ties_are_left_to_a_lot(scores, step, data, words):
    noise = data.draw(st.lists(st.integers(0, 6), min_size=len(scores), max_size=len(scores)))
    signed = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    drawn = np.array([~k if flip else k for k, flip in zip(noise, signed, strict=True)])
    choice = Stepped.of(np.array(scores) if words else scores, step, Fraction(1))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(NoiseTables, "draw_many", lambda tables, count: drawn[:count])
        patched.setattr(stepped, "pick_one", lambda allowed: allowed.tolist())
        found = choice.draw()
    noisy = [score + step * k for score, k in zip(scores, noise, strict=True)]
    assert found == [one == max(noisy) for one in noisy]


def test_scores_beyond_machine_words_keep_their_order():
    far = 2**70
    choice = Stepped.of([0, -far, 7 - far], 8, Fraction(1, 2))
    assert choice.levels[0] == 0
    assert choice.levels[1] == choice.levels[2] == -(2**61)
    assert {choice.draw() for _ in range(20)} == {0}


def test_draws_have_their_law():
    """Two scores half a step apart: the other is told in α/(1 + α); Hoeffding at one in 10^9."""
    choice, many = Stepped.of([0, -1], 2, Fraction(1)), 20_000
    told = sum(choice.draw() for _ in range(many)) / many
    assert told == pytest.approx(1 / (1 + np.e), abs=np.sqrt(np.log(2e9) / (2 * many)))
