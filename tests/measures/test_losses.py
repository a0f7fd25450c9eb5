"""Losses are the sums of their formulas."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import GoalError, SpaceError
from discreet.measures import (
    expected_absolute_error,
    expected_loss,
    expected_squared_error,
    loss_by_answer,
    worst_case_loss,
)
from discreet.model import AllPairs, Goal, Grid, Labels, Loss, Mechanism, category_of
from ground_truth import mechanisms, number_spaces, priors, probability

COST = {
    "absolute": lambda r, f: abs(r - f),
    "squared": lambda r, f: (r - f) ** 2,
}


def slow_losses(mechanism, cost):
    """Σ_r Pr(r|f)·cost for every f, in fractions."""
    return [
        sum(
            (probability(mechanism, i, j) * cost(r, f)
             for i, r in enumerate(mechanism.outputs.values())),
            Fraction(0),
        )
        for j, f in enumerate(mechanism.answers.values())
    ]  # fmt: skip


@given(mechanisms(number_spaces()), st.sampled_from(sorted(COST)), st.data())
def test_formulas_23_and_24_under_any_prior(mechanism, name, data):
    losses = slow_losses(mechanism, COST[name])
    assert loss_by_answer(mechanism, name) == pytest.approx([float(x) for x in losses], abs=1e-12)
    assert worst_case_loss(mechanism, name) == pytest.approx(float(max(losses)), abs=1e-12)
    prior = data.draw(st.just(["uniform"]) | priors(len(losses)))
    shares = [Fraction(1, len(losses))] * len(losses) if prior == ["uniform"] else prior
    wanted = float(sum(share * loss for share, loss in zip(shares, losses, strict=True)))
    measure = expected_absolute_error if name == "absolute" else expected_squared_error
    said = prior[0] if prior == ["uniform"] else prior
    assert measure(mechanism, said) == pytest.approx(wanted, abs=1e-12)
    assert expected_loss(mechanism, Goal.of(name, said)) == measure(mechanism, said)


@given(mechanisms(number_spaces()))
def test_zero_one_is_the_chance_of_missing_the_own_category(mechanism):
    home = category_of(mechanism.outputs, mechanism.answers)
    missed = [float(1 - probability(mechanism, home[j], j)) for j in range(len(home))]
    assert loss_by_answer(mechanism, "zero-one") == pytest.approx(missed, abs=1e-12)


@given(mechanisms(number_spaces()))
def test_goals_without_a_word_and_at_worst(mechanism):
    assert expected_loss(mechanism) == expected_absolute_error(mechanism)
    assert expected_loss(mechanism, Goal.of(worst_case=True)) == worst_case_loss(mechanism)


def test_any_loss_and_tables():
    space = Grid.between(0, 1)
    coin = Mechanism.of(space, space, AllPairs(), [[3, 1], [1, 3]])
    table = Loss.of_table([[0, 8], [4, 0]])
    assert loss_by_answer(coin, table).tolist() == [1, 2]
    assert loss_by_answer(coin, lambda r, f: 4 * (r > f)).tolist() == [1, 0]


def test_labels_have_no_distance_and_priors_must_fit():
    names = Labels.of(["a", "b"])
    coin = Mechanism.of(names, names, AllPairs(), [[3, 1], [1, 3]])
    with pytest.raises(SpaceError, match="needs numbers, got 2 labels"):
        expected_absolute_error(coin)
    assert expected_loss(coin, Goal.of("zero-one")) == 0.25
    with pytest.raises(GoalError, match="the prior has 3 numbers, but the space has 2 answers"):
        expected_loss(coin, Goal.of("zero-one", [0.5, 0.25, 0.25]))


def test_weights_beyond_a_machine_word_measure_the_same():
    space = Grid.between(0, 2)
    rows = [[5, 3, 1], [2, 3, 2], [1, 2, 5]]
    small = Mechanism.of(space, space, AllPairs(), rows)
    large = Mechanism.of(space, space, AllPairs(), np.array(rows, dtype=object) * 10**40)
    assert loss_by_answer(small).tolist() == loss_by_answer(large).tolist()
