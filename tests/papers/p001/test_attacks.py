"""The attacks work on exact answers, fail on private ones, and would succeed without the noise.

Bounds: docs/proofs/reconstruction.md.
"""

import math

import numpy as np
import pytest

from discreet.errors import BudgetError
from discreet.papers.checking import chance_of_as_odd, chance_of_at_least
from discreet.papers.p001 import reconstruction
from discreet.papers.p001.linkage import (
    Patients,
    chance_of_differencing,
    chance_of_linking,
    difference,
    link,
)
from discreet.papers.p001.reconstruction import (
    EXACT,
    PLAIN,
    at_best,
    attack,
    ceiling,
    least_squares,
    noise_variance,
    private_counts,
)
from statistics_bounds import ALARM


def test_exact_counts_give_every_bit_away():
    found = attack(32, 72, (), 50)[EXACT]
    assert found.right == found.pinned == found.bits == 32 * 50


def test_private_counts_leave_a_coin_for_every_bit():
    found = attack(32, 72, ("1",), 200)
    plain = found[PLAIN]
    assert chance_of_as_odd(plain.right - plain.pinned, plain.bits - plain.pinned, 0.5) > ALARM
    assert plain.pinned < 0.3 * plain.bits
    for one in found["1"], plain:
        assert chance_of_at_least(one.right, one.bits, ceiling("1")) > ALARM


def test_without_the_noise_the_same_checks_would_fail(monkeypatch):
    monkeypatch.setattr(reconstruction, "private_counts", lambda counts, total: counts)
    found = attack(32, 72, ("1",), 50)
    assert found[PLAIN].pinned == found[PLAIN].bits
    assert chance_of_at_least(found[PLAIN].right, found[PLAIN].bits, ceiling("1")) < ALARM


def test_a_large_budget_lets_the_attack_through_again():
    """ε protects, not noise as such: at 100 most bits of few people are told."""
    found = attack(16, 56, ("100",), 200)["100"]
    assert chance_of_at_least(found.right, found.bits, 0.6) < ALARM


def test_small_budgets_hold_for_any_attack():
    found = attack(32, 8, ("0.1",), 200)["0.1"]
    assert at_best("0.1", 8) < ceiling("0.1") < 0.53
    assert chance_of_at_least(found.right, found.bits, ceiling("0.1")) > ALARM


def test_all_answers_together_cost_the_total(monkeypatch):
    counts = np.zeros((2, 7), dtype=np.int64)
    assert private_counts(counts, "1").shape == (2, 7)
    monkeypatch.setattr(reconstruction.Epsilon, "of", lambda value: _Dear())
    with pytest.raises(BudgetError, match="7 answers"):
        private_counts(counts, "1")


class _Dear:
    billionths = 10**9


def test_least_squares_solves_the_normal_equations():
    random = np.random.default_rng()
    groups = random.integers(0, 2, (3, 20, 6)).astype(float)
    answers = random.integers(0, 9, (3, 20))
    fitted = least_squares(groups, answers, 0.7)
    for a, y, x in zip(groups, answers, fitted, strict=True):
        gradient = a.T @ (a @ x - y) + 0.7 * (x - 0.5)
        assert np.abs(gradient).max() < 1e-9


def test_the_variance_of_the_noise_is_that_of_its_law():
    rate = 0.25
    k = np.arange(-400, 401)
    law = np.exp(-rate * np.abs(k))
    assert noise_variance("1", 4) == pytest.approx(float((law * k**2).sum() / law.sum()))


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_linkage_and_differencing(epsilon):
    patients = Patients.made_up(600)
    right, people = link(patients)
    assert right == people == len(patients.unique)
    assert difference(2_000) == 2_000
    linked, people = link(patients, epsilon)
    assert chance_of_as_odd(linked, people, chance_of_linking(epsilon)) > ALARM
    found = difference(5_000, epsilon)
    assert chance_of_as_odd(found, 5_000, chance_of_differencing(epsilon)) > ALARM
    assert max(chance_of_linking(epsilon), chance_of_differencing(epsilon)) <= ceiling(epsilon)


def test_unique_people_are_those_whom_nobody_equals():
    patients = Patients(((1, 1, 0), (1, 1, 0), (2, 1, 0)), np.array([0, 1, 1]))
    assert patients.unique.tolist() == [2]


def test_the_ceiling_is_what_randomized_response_reaches():
    assert ceiling("log 3") == pytest.approx(0.75)
    assert math.isclose(ceiling("2"), math.exp(2) / (1 + math.exp(2)))
