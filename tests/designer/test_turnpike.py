"""Very long lines: bounds that hold, and a gap that falls as the line grows."""

import math

import pytest

from discreet.certifier import certify
from discreet.designer import design, mean
from discreet.designer.rays.bound import bound_at
from discreet.designer.rays.goal import Distances, Line
from discreet.designer.rays.method import RAYS
from discreet.designer.rays.turnpike import TURNPIKE, Usual, _prices
from discreet.designer.request import Request
from discreet.model import Goal, Grid, RayMechanism, Within
from discreet.sampling import draw_many


@pytest.mark.parametrize(
    ("steps", "epsilon", "loss"),
    [(4, "0.5", "absolute"), (4, "1", "squared"), (3, "2", "absolute"), (7, "0.8", "absolute")],
)
def test_brackets_what_rays_find(steps: int, epsilon: str, loss: str) -> None:
    """On a line that both can do: value above rays' bound, bound below rays' value, both near."""
    answers = Grid.between(0, 1500)
    request = Request.of(answers, Within(steps), epsilon, Goal.of(loss))
    quick, slow = TURNPIKE.run(request), RAYS.run(request)
    certify(quick.mechanism, epsilon)
    assert isinstance(quick.mechanism, RayMechanism)
    assert quick.value is not None
    assert slow.value is not None
    assert quick.lower_bound <= slow.value * (1 + 1e-12)
    assert quick.value >= slow.lower_bound * (1 - 1e-12)
    assert quick.value - quick.lower_bound <= 5e-5 * quick.value


def test_the_gap_does_not_grow_with_the_line() -> None:
    gaps = []
    for size in (2_001, 8_001, 32_001):
        request = Request.of(Grid.between(0, size - 1), Within(4), "0.5")
        finding = TURNPIKE.run(request)
        assert finding.value is not None
        gaps.append((finding.value - finding.lower_bound) * size)
    assert max(gaps) == pytest.approx(min(gaps), rel=1e-3)


def test_a_million_answers() -> None:
    query = mean(250_000, 0, 4)
    found = design(query.answers, query.neighbours, "0.5", cache=None)
    assert found.method == "turnpike"
    assert found.gap < 1e-6
    drawn = draw_many(found.certified, 400_000, 200)
    assert abs(drawn - 400_000).mean() < 40


def test_one_output_stands_for_all_that_see_the_same() -> None:
    """The bound with even prices in the middle is the bound with every output looked at."""
    goal = Distances(Line(1_201, 2, math.exp(-1.0)), 1)
    prices = _prices(goal, Usual.of(goal), 60)
    shaken = prices.copy()
    shaken[600] = math.nextafter(shaken[600], 0)
    assert bound_at(goal, prices) == pytest.approx(bound_at(goal, shaken), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, "or fewer"),
        ({"goal": Goal.of("zero-one")}, "not the absolute"),
        ({"requirements": "symmetric"}, "without requirements"),
        ({"epsilon": "1e-5"}, "below"),
        ({"answers": Grid.between(0, 500_000), "epsilon": "0.001"}, "too short"),
    ],
)
def test_what_it_does_not_suit(change, reason) -> None:
    facts = {"answers": Grid.between(0, 5), "neighbours": Within(4), "epsilon": "0.5"} | change
    assert reason in (TURNPIKE.why_not(Request.of(**facts)) or "")
