"""The public door: what is returned is certified, bounded, and has what was required."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.certifier import Certified, certify, smallest_delta
from discreet.designer import METHODS, Method, count, design, mean
from discreet.designer.request import relative_gap
from discreet.errors import DesignError, GoalError, NeighboursError, SpaceError
from discreet.measures import bayes_loss, bayes_remap, expected_loss, properties
from discreet.model import AllPairs, Goal, Graph, Grid, Labels, Loss, Within, extended, scaled
from ground_truth import number_spaces, priors, relations

epsilons = st.sampled_from(["0.05", "0.3", "log 2", "1", "2.5"])
losses = st.sampled_from(["absolute", "squared", "zero-one"])
requirement_sets = st.sets(
    st.sampled_from(["column-monotone", "row-monotone", "symmetric", "fair", "every-output"])
).map(",".join)


@st.composite
def goals(draw, size):
    if draw(st.booleans()):
        return Goal.of(draw(losses), worst_case=True)
    prior = draw(st.just("uniform") | priors(size))
    return Goal.of(draw(losses), prior if prior == "uniform" else [float(p) for p in prior])


def wider_and_coarser(answers):
    """Outputs as 003 has them: extended, coarser or finer, always centred on the answers."""
    if not isinstance(answers, Grid):
        return st.none()
    factors = st.sampled_from(["1/2", "1", "3/2", "2"])
    return st.just(extended(answers)) | factors.map(lambda factor: scaled(answers, factor))


def _sound(found, epsilon, delta=0):
    assert isinstance(found.certified, Certified)
    certify(found.mechanism, epsilon, delta)
    assert found.lower_bound <= found.value
    assert found.value == pytest.approx(
        expected_loss(found.mechanism, found.request.goal), rel=1e-12
    )
    assert found.gap == relative_gap(found.value, found.lower_bound)
    assert not properties(found.mechanism).missing(found.request.requirements)


@settings(max_examples=60, deadline=None)
@given(st.data(), epsilons)
def test_every_request_is_met(data, epsilon):
    answers = data.draw(number_spaces(6))
    outputs = data.draw(st.none() | number_spaces(6))
    relation = data.draw(relations(len(answers)))
    goal = data.draw(goals(len(answers)))
    found = design(answers, relation, epsilon, goal, outputs=outputs)
    _sound(found, epsilon)
    assert found.gap < 1e-6 or found.value < 1e-9


@settings(max_examples=40, deadline=None)
@given(st.data(), epsilons, requirement_sets)
def test_requirements_hold_in_the_integers(data, epsilon, requirements):
    answers = data.draw(number_spaces(5))
    anything = st.none() if "symmetric" in requirements else number_spaces(5)
    outputs = data.draw(st.none() | anything | wider_and_coarser(answers))
    relation = data.draw(relations(len(answers)))
    goal = data.draw(goals(len(answers)))
    found = design(answers, relation, epsilon, goal, requirements, outputs=outputs)
    _sound(found, epsilon)
    assert found.gap < 1e-6 or found.value < 1e-9


@settings(max_examples=25, deadline=None)
@given(st.data(), epsilons)
def test_each_requirement_more_costs_no_less(data, epsilon):
    """Variant 1 ≤ … ≤ Variant 2 in value."""
    answers = data.draw(number_spaces(6))
    relation = data.draw(relations(len(answers)))
    names = ["column-monotone", "row-monotone", "symmetric", "fair"]
    values = [
        design(answers, relation, epsilon, requirements=",".join(names[:k])).value
        for k in range(len(names) + 1)
    ]
    for before, after in pairwise(values):
        assert after >= before * (1 - 1e-6) - 1e-9


@settings(max_examples=25, deadline=None)
@given(st.data(), epsilons, losses)
def test_a_bayesian_reader_never_loses_more(data, epsilon, loss):
    """Remapping a best design changes nothing: it was best. Remapping another's goal may help."""
    answers = data.draw(number_spaces(6))
    relation = data.draw(relations(len(answers)))
    prior = [float(share) for share in data.draw(priors(len(answers)))]
    found = design(answers, relation, epsilon, Goal.of("absolute", prior))
    remapped = bayes_remap(found.mechanism, prior, loss)
    goal = Goal.of(loss, prior)
    certify(remapped, epsilon)
    assert expected_loss(remapped, goal) <= expected_loss(found.mechanism, goal) + 1e-12
    assert expected_loss(remapped, goal) == pytest.approx(
        bayes_loss(found.mechanism, prior, loss), abs=1e-12
    )
    if loss == "absolute":
        assert expected_loss(remapped, goal) == pytest.approx(found.value, rel=1e-6, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(
    st.data(),
    st.sampled_from(["0.05", "0.5", "log 2", "2"]),
    st.sampled_from(["1e-12", "1e-6", "0.001", "0.1", "0.9"]),
)
def test_delta_buys_accuracy_and_is_kept_exactly(data, epsilon, delta):
    answers = data.draw(number_spaces(5))
    relation = data.draw(relations(len(answers)))
    goal = data.draw(goals(len(answers)))
    found = design(answers, relation, epsilon, goal, delta=delta)
    _sound(found, epsilon, delta)
    assert smallest_delta(found.mechanism, epsilon).high <= Fraction(delta)
    pure = design(answers, relation, epsilon, goal)
    assert found.value <= pure.value * (1 + 1e-6) + 1e-12


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from(["0.05", "log 2", "2"]), requirement_sets)
def test_delta_and_requirements_together(data, epsilon, requirements):
    answers = data.draw(number_spaces(5))
    relation = data.draw(relations(len(answers)))
    goal = data.draw(goals(len(answers)))
    found = design(answers, relation, epsilon, goal, requirements, delta="0.01")
    _sound(found, epsilon, "0.01")
    assert found.gap < 1e-6 or found.value < 1e-9


def test_a_bound_above_the_value_is_not_believed(monkeypatch):
    from discreet.designer import entry as module
    from discreet.designer.plain.method import run
    from discreet.designer.request import Finding

    def boast(request):
        found = run(request)
        return Finding(found.mechanism, found.value * 1.01)

    boaster = Method(
        name="boaster",
        title="a boaster",
        citation="nobody",
        why_not=lambda request: None,
        run=boast,
    )
    monkeypatch.setattr(module, "METHODS", (boaster, *METHODS))
    found = design(*_of(count(3)), 1, cache=None)
    assert found.method != "boaster"
    assert "lies above its value" in found.tried[0].outcome


def test_coarser_outputs_cost_more_and_finer_ones_change_little():
    answers = Grid.between(0, 12)
    values = [
        design(answers, Within(3), "0.6", outputs=scaled(answers, factor)).value
        for factor in ("1/2", 1, 3, 6)
    ]
    assert values == sorted(values)
    assert values[0] == pytest.approx(values[1], rel=0.02)


def test_worst_case_counts_reach_the_geometric_bound():
    """Gupte & Sundararajan: on a long line the minimax loss is the geometric's 2α/(1 − α²)."""
    found = design(*_of(count(24)), "1", Goal.of(worst_case=True))
    alpha = np.exp(-1.0)
    assert found.value <= 2 * alpha / (1 - alpha**2)
    assert found.value == pytest.approx(2 * alpha / (1 - alpha**2), rel=5e-3)


def test_labels_with_their_own_loss():
    names = Labels.of(["north", "south", "east"])
    found = design(names, AllPairs(), "log 2", Goal.of("zero-one"))
    assert found.value == pytest.approx(0.5)
    assert found.expected_absolute_error is None
    ring = Graph.of(3, [(0, 1), (1, 2), (0, 2)])
    table = Loss.of_table([[0, 1, 5], [1, 0, 1], [5, 1, 0]])
    assert design(names, ring, 1, Goal.of(table)).gap < 1e-6


def _of(query):
    return query.answers, query.neighbours


def test_what_a_design_says_of_itself():
    found = design(*_of(count(5)), "0.5", requirements="every-output")
    facts = found.to_dict()
    assert facts["certificate"]["epsilon"] == "0.5"
    assert facts["tried"][-1]["method"] == facts["method"] == found.method
    assert facts["gap"] == found.gap
    assert found.seconds > 0


def test_progress_is_told():
    seen = []
    design(*_of(mean(4, 0, 2)), "0.5", method="plain", progress=seen.append)
    assert [one.stage for one in seen][:2] == ["started", "ipm"]
    assert seen[-1].gap < 1e-6
    assert seen[0].gap is None


def test_what_is_not_certified_is_never_returned(monkeypatch):
    from discreet.designer import entry as module
    from discreet.designer.request import Finding
    from discreet.model import Mechanism

    def lie(request):
        weights = np.diag([7] * len(request.answers))
        truth = Mechanism.of(request.answers, request.answers, request.neighbours, weights)
        return Finding(truth, 0.0)

    liar = Method(
        name="liar", title="a liar", citation="nobody", why_not=lambda request: None, run=lie
    )
    monkeypatch.setattr(module, "METHODS", (liar, *METHODS))
    found = design(*_of(count(3)), 1, cache=None)
    assert found.method != "liar"
    assert "no finite ε" in found.tried[0].outcome
    with pytest.raises(DesignError, match="liar: not private at ε = 1"):
        design(*_of(count(3)), 1, method="liar", cache=None)


HUGE = Grid.between(0, 1_000_000)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (
            lambda: design(HUGE, Within(1), 1, requirements="fair"),
            DesignError,
            "no method designs 1,000,001 outputs by 1,000,001 answers with fair; ask for less, "
            "or use a larger step, so that there are at most 2,000 answers",
        ),
        (
            lambda: design(HUGE, Within(2), 1, requirements="fair"),
            DesignError,
            "so that there are at most 241 answers",
        ),
        (
            lambda: design(HUGE, Within(1), 1, delta="0.1"),
            DesignError,
            "with a positive δ; ask for less, or use a larger step, so that there are at most "
            "1,095 answers",
        ),
        (
            lambda: design(HUGE, Within(3), 1, Goal.of("zero-one", worst_case=True)),
            DesignError,
            "with worst-case",
        ),
        (
            lambda: design(Grid.between(0, 3), Within(1), 50, method="plain"),
            DesignError,
            "plain: ε = 50 is too large; the limit is 20",
        ),
        (
            lambda: design(Grid.between(0, 3), Within(1), 1, method="magic"),
            DesignError,
            "unknown method 'magic'; methods:",
        ),
        (
            lambda: design(Labels.of(["a", "b"]), AllPairs(), 1),
            GoalError,
            "the absolute loss needs numbers, got labels; use zero-one or a table of losses",
        ),
        (
            lambda: design(Grid.between(0, 3), Within(1), 1, Goal.of(prior=[0.5, 0.5])),
            GoalError,
            "the prior has 2 numbers, but the space has 4 answers",
        ),
        (
            lambda: design(Grid.between(0, 3), Graph.of(3, [(0, 1)]), 1),
            NeighboursError,
            "these neighbours are for 3 answers, but the space has 4",
        ),
        (
            lambda: design(
                Labels.of(["a", "b"]),
                AllPairs(),
                1,
                Goal.of(Loss.of_table([[1, 0], [0, 1]])),
                "fair",
                outputs=Labels.of(["a", "c"]),
            ),
            SpaceError,
            "'b' is not one of the 2 labels",
        ),
        (
            lambda: design(
                Grid.between(0, 3), Within(1), 1, requirements="all", outputs=Grid.between(1, 5)
            ),
            GoalError,
            "a symmetric matrix that is also monotone or fair needs evenly spaced outputs",
        ),
        (
            lambda: design(Grid.between(0, 3), Within(1), 1, requirements="pretty"),
            GoalError,
            "unknown requirement 'pretty'",
        ),
    ],
)
def test_a_request_that_cannot_be_met_says_why(ask, error, message):
    with pytest.raises(error) as caught:
        ask()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
