"""Fair mechanisms when all answers are neighbours: the closed form is the optimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.designer.request import Request
from discreet.designer.variant2.all_pairs import loss_by_distance, nearest_others
from discreet.designer.variant2.band import Triangles, reach_of
from discreet.designer.variant2.search import best_plan
from discreet.model import AllPairs, Goal, Grid, Listed
from ground_truth import priors


@settings(max_examples=40)
@given(st.integers(2, 12), st.floats(0.02, 5), st.data())
def test_the_closed_form_is_the_program_s_optimum(size, epsilon, data) -> None:
    prior = np.array([float(share) for share in data.draw(priors(size))])
    rises = data.draw(st.lists(st.floats(0, 4), min_size=size, max_size=size))
    by_distance = np.cumsum(rises)
    shrink = float(np.exp(-epsilon))
    best = nearest_others(by_distance, prior, shrink)
    places = np.arange(size)
    cost = by_distance[np.abs(places[:, None] - places)] * prior
    triangles = Triangles((cost, cost[::-1, ::-1]), size - 1, shrink, float(np.trace(cost)))
    _, value, _ = best_plan(triangles, reach_of(triangles, size))
    assert best.lower_bound == pytest.approx(value, rel=1e-7, abs=1e-9)


def test_how_many_others_grows_as_epsilon_falls() -> None:
    """Nothing but the truth at a large ε; at a small one, nearly everything alike."""
    distance, prior = np.arange(10.0), np.full(10, 0.1)
    others = [nearest_others(distance, prior, np.exp(-e)).others for e in (5, 2, 1, 0.1, 0.001)]
    assert others == sorted(others)
    assert others[0] == 0


def test_uneven_answers_have_no_loss_by_distance() -> None:
    uneven = Request.of(Listed.of([0, 1, 5]), AllPairs(), 1, Goal.of("absolute"))
    assert loss_by_distance(uneven) is None
    even = loss_by_distance(Request.of(Grid.between(0, 1, step="0.1"), AllPairs(), 1))
    assert even is not None
    by_distance, doubt = even
    assert by_distance == pytest.approx(np.arange(11) / 10)
    assert 0 <= doubt < 1e-15
