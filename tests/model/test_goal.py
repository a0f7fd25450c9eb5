"""Goals: losses are what their names say, priors are distributions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import GoalError, SpaceError
from discreet.model import Goal, Grid, Labels, Loss, Prior, category_of
from ground_truth import labels, number_spaces, priors


@given(number_spaces(), number_spaces())
def test_named_losses_are_their_formulas(outputs, answers):
    home = category_of(outputs, answers)
    laws = {
        "absolute": lambda i, r, j, f: abs(r - f),
        "squared": lambda i, r, j, f: (r - f) ** 2,
        "zero-one": lambda i, r, j, f: 0 if home[j] == i else 1,
    }
    for name, law in laws.items():
        wanted = [
            [float(law(i, r, j, f)) for j, f in enumerate(answers.values())]
            for i, r in enumerate(outputs.values())
        ]
        assert np.allclose(Loss.of(name).matrix(outputs, answers), wanted, rtol=1e-12, atol=1e-12)


@given(number_spaces(), number_spaces())
def test_functions_and_tables_say_the_same(outputs, answers):
    called = Loss.of(lambda r, f: abs(r - f) ** 3).matrix(outputs, answers)
    assert called.tolist() == Loss.of_table(called).matrix(outputs, answers).tolist()


@given(labels())
def test_zero_one_needs_no_numbers(space):
    assert Loss.of("zero-one").matrix(space, space).tolist() == (1 - np.eye(len(space))).tolist()


def test_absolute_needs_numbers():
    names = Labels.of(["a", "b"])
    with pytest.raises(SpaceError, match="this loss needs numbers, got 2 labels"):
        Loss.of("absolute").matrix(names, names)


def test_truth_values_are_losses():
    space = Grid.between(0, 1)
    assert Loss.of(lambda r, f: r != f).matrix(space, space).tolist() == [[0, 1], [1, 0]]
    assert Loss.of(lambda r, f: np.bool_(r > f)).matrix(space, space).tolist() == [[0, 0], [1, 0]]


@given(st.integers(1, 6).flatmap(priors))
def test_a_prior_keeps_its_proportions(shares):
    weights = Prior.of(shares).probabilities(len(shares))
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert weights.tolist() == pytest.approx([float(share) for share in shares])


def test_priors_may_be_rounded_a_little():
    assert Prior.of(["0.333333"] * 3).probabilities(3).tolist() == pytest.approx([1 / 3] * 3)
    assert Prior.of("Uniform ").is_uniform
    assert Prior.of(np.array([0.25, 0.75])).weights == (0.25, 0.75)
    assert Prior.of([Fraction(1, 3), "2/3"]) == Prior.of([Fraction(1, 3), "2/3"])


def test_a_prior_fits_its_space():
    with pytest.raises(GoalError, match=r"^the prior has 2 numbers, but the space has 3 answers$"):
        Prior.of([0.5, 0.5]).probabilities(3)


def test_a_prior_or_the_worst_case():
    assert Goal.of(worst_case=True).worst_case
    with pytest.raises(GoalError, match="not both; leave the prior out"):
        Goal.of("absolute", [0.5, 0.5], worst_case=True)
    assert repr(Goal.of("squared", worst_case=True)) == "Goal(loss=Loss('squared'), worst_case)"


def test_a_loss_table_fits_its_spaces():
    with pytest.raises(GoalError, match="is 1 by 2, wanted 3 outputs by 2 answers"):
        Loss.of_table([[0, 1]]).matrix(Grid.between(0, 2), Grid.between(0, 1))
