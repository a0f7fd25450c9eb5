"""Counts: the geometric rays, each told as what serves best, are optimal for every prior."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.designer.counts import COUNTS, GeometricRays
from discreet.designer.request import Request
from discreet.model import (
    Goal,
    Grid,
    Listed,
    Loss,
    LossName,
    Prior,
    RayMechanism,
    Within,
    extended,
    scaled,
)
from discreet.sampling import draw_many
from ground_truth import priors
from plain_reference import assert_as_good_as_plain, measured

epsilons = st.sampled_from(["0.02", "0.1", "0.5", "log 3", "2", "6"])
losses = st.sampled_from(["absolute", "squared", "zero-one"])


@st.composite
def counts(draw: st.DrawFn) -> Request:
    size = draw(st.integers(1, 24))
    answers = Grid(
        Fraction(draw(st.integers(-3, 3))),
        draw(st.sampled_from([Fraction(1), Fraction(3, 7)])),
        size,
    )
    prior = draw(st.just("uniform") | priors(size).map(lambda p: [float(share) for share in p]))
    outputs = draw(st.sampled_from([None, extended(answers, 150), scaled(answers, 2)]))
    return Request.of(
        answers, Within(1), draw(epsilons), Goal.of(draw(losses), prior), outputs=outputs
    )


@settings(max_examples=60, deadline=None)
@given(counts())
def test_as_good_as_the_plain_program(request: Request) -> None:
    assert_as_good_as_plain(COUNTS, request)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 12), epsilons, st.data())
def test_any_loss_by_which_larger_answers_prefer_larger_outputs(size, epsilon, data) -> None:
    gaps = data.draw(st.lists(st.integers(1, 9), min_size=size - 1, max_size=size - 1))
    answers = Listed.of([0, *np.cumsum(gaps).tolist()])
    power = data.draw(st.sampled_from([1, 1.5, 2, 3]))
    goal = Goal.of(lambda told, true: float(abs(told - true)) ** power)
    assert_as_good_as_plain(COUNTS, Request.of(answers, Within(1), epsilon, goal))


def test_table_3_of_003() -> None:
    """To three digits; of two cells that mirror one another, the paper prints one as 0.091."""
    request = Request.of(Grid.between(0, 5), Within(1), "0.5")
    shares = COUNTS.run(request).mechanism.probabilities()
    printed = [
        [0, 0, 0, 0, 0, 0],
        [0.771, 0.622, 0.378, 0.229, 0.139, 0.084],
        [0.090, 0.149, 0.245, 0.149, 0.090, 0.055],
        [0.055, 0.090, 0.149, 0.245, 0.149, 0.090],
        [0.084, 0.139, 0.229, 0.378, 0.622, 0.771],
        [0, 0, 0, 0, 0, 0],
    ]
    assert np.abs(shares - printed).max() <= 0.00055


@pytest.mark.parametrize("loss", ["absolute", "squared", "zero-one"])
def test_implicit_and_written_out_agree(loss: str) -> None:
    """A space too large to be written out by default, small enough to be measured."""
    size = 300
    shares = np.arange(1, size + 1) ** 1.5
    goal = Goal(Loss(loss), Prior(tuple(shares / shares.sum())))
    request = Request.of(Grid.between(0, 299), Within(1), "0.2", goal)
    finding = COUNTS.run(request)
    assert isinstance(finding.mechanism, RayMechanism)
    assert finding.value is not None
    value = measured(request, finding)
    assert 0 <= value - finding.lower_bound <= 1e-10 * value


def test_a_million_records() -> None:
    request = Request.of(Grid.between(0, 10**6), Within(1), "0.5")
    finding = COUNTS.run(request)
    certified = certify(finding.mechanism, "0.5")
    assert finding.value is not None
    assert 0 <= finding.value - finding.lower_bound <= 2e-7 * finding.value
    alpha = np.exp(-0.5)
    assert finding.value == pytest.approx(2 * alpha / (1 - alpha**2), rel=1e-5)
    drawn = draw_many(certified, 500_000, 1000)
    assert np.abs(drawn - 500_000).mean() < 4


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"neighbours": Within(2)}, "more than one step"),
        ({"epsilon": "1e-8"}, "below"),
        ({"requirements": "fair"}, "without requirements"),
        ({"goal": Goal.of(lambda told, true: float(told * true % 3))}, "prefer"),
    ],
)
def test_what_it_does_not_suit(change, reason) -> None:
    facts = {"answers": Grid.between(0, 5), "neighbours": Within(1), "epsilon": "0.5"} | change
    assert reason in (COUNTS.why_not(Request.of(**facts)) or "")


def test_outputs_may_be_more_than_the_answers() -> None:
    answers = Grid.between(0, 9)
    wider = Request.of(answers, Within(1), 1, outputs=extended(answers))
    assert wider.first_output == 10
    assert Request.of(answers, Within(1), 1, outputs=scaled(answers, 2)).first_output is None


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda q: sum(q) > 0.1),
    st.floats(0.05, 3),
    losses,
)
def test_costs_are_the_sums_they_stand_for(prior, epsilon, loss) -> None:
    shares = np.array(prior) / sum(prior)
    rays = GeometricRays(shares, epsilon, LossName(loss))
    told = rays.best_outputs()
    places = np.arange(len(shares))
    apart = np.abs(places[:, None] - places).astype(float)
    table = {"absolute": apart, "squared": apart**2, "zero-one": np.sign(apart)}[loss]
    every = (table * shares) @ np.exp(-epsilon * apart)
    cost, doubt = rays.costs(told)
    assert np.allclose(cost, every[told, places], rtol=1e-12, atol=1e-14)
    assert (cost - doubt <= every.min(axis=0) * (1 + 1e-15)).all()
    assert (every[told, places] <= every.min(axis=0) * (1 + 1e-12) + 1e-15).all()
    assert np.allclose(rays.constants(), table @ shares, atol=1e-12)
