"""Densities as matrices (003 Def. 2), with and without snapping (Def. 4)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify
from discreet.errors import DesignError, SpaceError
from discreet.mechanisms import (
    category_masses,
    density_of,
    discretised,
    laplace,
    snapped_density,
)
from discreet.mechanisms.families.laplace import laplace_noise
from discreet.model import AllPairs, Grid, Labels, Within
from ground_truth import number_spaces


def _laplace_cdf(x, answer, epsilon):
    return math.exp(epsilon * (x - answer)) / 2 if x < answer else 1 - _survival(x, answer, epsilon)


def _survival(x, answer, epsilon):
    return math.exp(-epsilon * (x - answer)) / 2


@given(number_spaces(), number_spaces(), st.floats(0.01, 5))
def test_a_noise_and_its_cdf_give_one_matrix(outputs, answers, epsilon):
    noise = category_masses(laplace_noise(1), outputs, answers, epsilon, snap=True)
    cdf = category_masses(density_of(_laplace_cdf, _survival), outputs, answers, epsilon, snap=True)
    assert np.allclose(noise, cdf, rtol=1e-9, atol=1e-14)
    assert np.allclose(noise.sum(axis=0), 1)


@given(number_spaces(), number_spaces(), st.floats(0.01, 5))
def test_snapping_adds_to_the_outer_categories_only(outputs, answers, epsilon):
    plain, snap = (
        category_masses(laplace_noise(1), outputs, answers, epsilon, snap=snap)
        for snap in (False, True)
    )
    assert np.array_equal(plain[1:-1], snap[1:-1])
    assert (snap[[0, -1]] >= plain[[0, -1]]).all()
    assert np.allclose(snap.sum(axis=0), 1)


def test_a_density_given_by_its_cdf_alone_is_certified():
    grid = Grid.between(0, 9)
    by_cdf = snapped_density(grid, Within(1), "0.5", density_of(_laplace_cdf, _survival))
    certify(by_cdf, "0.5")
    assert np.allclose(by_cdf.probabilities(), laplace(grid, Within(1), "0.5").probabilities())


def test_a_density_inside_the_range_needs_no_snapping():
    """A triangle around the middle of the answers, whatever the answer: private at every ε."""

    def cdf(x, _answer, _epsilon):
        place = min(max((x + 0.5) / 3, 0.0), 1.0)
        return 2 * place**2 if place < 0.5 else 1 - 2 * (1 - place) ** 2

    mechanism = discretised(Grid.between(0, 2), AllPairs(), "0.1", density_of(cdf))
    assert np.allclose(mechanism.probabilities()[:, 0], [2 / 9, 5 / 9, 2 / 9])
    certify(mechanism, "0.1")


def test_mass_outside_the_outputs_is_refused_with_advice():
    with pytest.raises(DesignError, match=r"0\.[0-9]+ of the mass under answer 0 lies outside"):
        discretised(Grid.between(0, 2), Within(1), 1, laplace_noise(1))
    wide = Grid.between(-60, 62)
    assert discretised(Grid.between(0, 2), Within(1), 1, laplace_noise(1), outputs=wide).shape[0]


def test_a_density_that_is_not_private_is_not_made_private_in_silence():
    with pytest.raises(DesignError, match=r"no integer matrix near density satisfies ε = 0\.1"):
        snapped_density(Grid.between(0, 5), Within(1), "0.1", density_of(
            lambda x, f, _: _laplace_cdf(x, f, 2.0), lambda x, f, _: _survival(x, f, 2.0)
        ))  # fmt: skip


def test_labels_have_no_density():
    with pytest.raises(SpaceError, match="needs numbers, got 2 labels"):
        laplace(Labels.of(["a", "b"]), AllPairs(), 1)
