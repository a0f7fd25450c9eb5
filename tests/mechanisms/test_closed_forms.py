"""Each family agrees with its formula."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.exact import Epsilon
from discreet.measures import properties
from discreet.mechanisms import build, explicit_fair, geometric, laplace, normalized_laplace
from discreet.mechanisms.families.permute_and_flip import flip_probabilities
from discreet.mechanisms.families.staircase import (
    best_for_absolute,
    best_for_squared,
    staircase_noise,
)
from discreet.model import AllPairs, Grid, Labels, Within, sensitivity
from mechanism_families import EPSILONS, RELATIONS

CLOSE = {"rtol": 1e-9, "atol": 1e-15}
CASES = [(e, n) for e in ("0.01", "0.5", "log 3", "5") for n in RELATIONS]


def _laplace_cdf(x, scale):
    return np.where(x < 0, np.exp(-np.abs(x) / scale) / 2, 1 - np.exp(-np.abs(x) / scale) / 2)


@pytest.mark.parametrize(("epsilon", "neighbours"), CASES)
def test_laplace_is_the_difference_of_its_cdf(epsilon, neighbours):
    grid = Grid.between(0, 4, "0.5")
    scale = float(sensitivity(grid, neighbours)) / float(Epsilon.of(epsilon))
    edges = np.concatenate([[-np.inf], np.arange(0.25, 4, 0.5), [np.inf]])
    wanted = np.diff(_laplace_cdf(edges[:, None] - grid.floats()[None, :], scale), axis=0)
    assert np.allclose(laplace(grid, neighbours, epsilon).probabilities(), wanted, rtol=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_geometric_has_its_printed_probabilities(epsilon, neighbours):
    size, steps = 7, {Within(1): 1, Within(3): 3, AllPairs(): 6}[neighbours]
    alpha = math.exp(-float(Epsilon.of(epsilon)) / steps)
    found = geometric(Grid.between(0, size - 1), neighbours, epsilon).probabilities()
    for i, j in itertools.product(range(size), repeat=2):
        end = i in (0, size - 1)
        wanted = alpha ** abs(i - j) * (1 if end else 1 - alpha) / (1 + alpha)
        assert found[i, j] == pytest.approx(wanted, rel=1e-9, abs=1e-15)


def test_geometric_on_a_wide_grid_is_the_two_sided_law_until_its_ends():
    wide = geometric(Grid.between(0, 2), Within(1), 1, outputs=Grid.between(-50, 52))
    law = np.tanh(0.5) * np.exp(-np.abs(np.arange(-49, 52) - 1.0))
    assert np.allclose(wide.probabilities()[1:-1, 1], law, **CLOSE)


@pytest.mark.parametrize("gamma", ["absolute", "squared", "0", "0.3", "1"])
@pytest.mark.parametrize(("epsilon", "neighbours"), CASES)
def test_staircase_is_the_integral_of_its_density(gamma, epsilon, neighbours):
    """003 (20) and (21), integrated by a sum over pieces so short that none has a step inside."""
    grid = Grid.between(0, 4)
    eps, width = float(Epsilon.of(epsilon)), float(sensitivity(grid, neighbours))
    best = {"absolute": best_for_absolute, "squared": best_for_squared}
    split = best[gamma](eps) if gamma in best else float(gamma)
    y = -math.expm1(-eps) / (2 * width * (split + math.exp(-eps) * (1 - split)))

    def density(x):
        stairs, rest = divmod(abs(x) / width, 1.0)
        return y * math.exp(-eps * stairs) * (1.0 if rest < split else math.exp(-eps))

    def mass(low, high):
        stairs = [s * (k + part) * width for k in range(8) for part in (0, split) for s in (-1, 1)]
        cuts = sorted({low, high, *(cut for cut in stairs if low < cut < high)})
        return sum((b - a) * density((a + b) / 2) for a, b in itertools.pairwise(cuts))

    found = build("staircase", grid, neighbours, epsilon, gamma=gamma).probabilities()
    for i, j in itertools.product(range(1, 4), range(5)):
        assert found[i, j] == pytest.approx(mass(i - j - 0.5, i - j + 0.5), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0, 10.0])
@pytest.mark.parametrize(("best", "power"), [(best_for_absolute, 1), (best_for_squared, 2)])
def test_the_best_gamma_has_the_least_error(epsilon, best, power):
    def error(gamma):
        b = math.exp(-epsilon)
        top = (1 - b) / (2 * (gamma + b * (1 - gamma)))
        marks = [0.0, *(n + gamma for n in range(math.ceil(60 / epsilon)))]
        return sum(
            2 * top * b**n * (end ** (power + 1) - start ** (power + 1)) / (power + 1)
            for n, (start, end) in enumerate(itertools.pairwise(marks))
        )

    gamma = best(epsilon)
    assert 0 < gamma <= 0.5
    assert all(error(gamma) <= error(other) for other in np.linspace(0.001, 0.999, 99))
    if power == 1:
        assert error(gamma) == pytest.approx(math.exp(epsilon / 2) / math.expm1(epsilon), rel=1e-9)


def test_staircase_cells_on_one_flat_step_are_equal_exactly():
    noise = staircase_noise(Fraction(7), best_for_absolute)
    first = noise.mass(Fraction(3), Fraction(4), 1.0)
    assert all(noise.mass(Fraction(k), Fraction(k + 1), 1.0) == first for k in range(3, 9))


@pytest.mark.parametrize(("epsilon", "neighbours"), CASES)
def test_normalized_laplace_is_formula_22_with_its_minus_sign(epsilon, neighbours):
    grid = Grid.between(0, 5)
    scale = 2 * float(sensitivity(grid, neighbours)) / float(Epsilon.of(epsilon))
    low, high = -0.5, 5.5
    f = grid.floats()
    norm = 2 - np.exp(-(f - low) / scale) - np.exp(-(high - f) / scale)
    edges = np.arange(low, high + 1)
    mass = np.diff(_laplace_cdf(edges[:, None] - f[None, :], scale), axis=0)
    found = normalized_laplace(grid, neighbours, epsilon).probabilities()
    assert np.allclose(found, 2 * mass / norm, rtol=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("size", [2, 3, 6, 7, 20])
def test_explicit_fair_is_fair_symmetric_monotone_and_has_its_levels(epsilon, size):
    """Cormode et al.: y·α^|i−j| near the answer, and y·α^⌈(|i−j| + min(j, n−j))/2⌉ beyond."""
    alpha, n = math.exp(-float(Epsilon.of(epsilon))), size - 1
    mechanism = explicit_fair(Grid.between(0, n), Within(1), epsilon)
    assert all(verdict.holds for _, verdict in properties(mechanism).items())
    found = mechanism.probabilities()
    y = found[0, 0]
    for i, j in itertools.product(range(size), repeat=2):
        apart, room = abs(i - j), min(j, n - j)
        level = apart if apart < room else math.ceil((apart + room) / 2)
        assert found[i, j] == pytest.approx(y * alpha**level, rel=1e-9, abs=1e-15)
    columns = [sorted(mechanism.column(j).tolist()) for j in range(size)]
    assert all(column == columns[0] for column in columns)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_explicit_fair_keeps_its_properties_whatever_the_neighbours(neighbours):
    for size in range(2, 15):
        mechanism = explicit_fair(Grid.between(1, size), neighbours, "0.8")
        assert all(verdict.holds for _, verdict in properties(mechanism).items())


@pytest.mark.parametrize("size", [2, 3, 10])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_randomized_response_tells_the_truth_as_often_as_epsilon_allows(epsilon, size):
    labels = Labels(tuple(f"answer {k}" for k in range(size)))
    found = build("randomized-response", labels, AllPairs(), epsilon).probabilities()
    e = math.exp(float(Epsilon.of(epsilon)))
    assert np.allclose(found.diagonal(), e / (e + size - 1), rtol=1e-9)
    assert np.allclose(found[~np.eye(size, dtype=bool)], 1 / (e + size - 1), rtol=1e-9)


@pytest.mark.parametrize(("epsilon", "neighbours"), CASES)
def test_exponential_weighs_by_its_scores(epsilon, neighbours):
    grid = Grid.between(0, 6)
    rate = float(Epsilon.of(epsilon)) / (2 * float(sensitivity(grid, neighbours)))
    weights = np.exp(-rate * np.abs(np.arange(7)[:, None] - np.arange(7)[None, :]))
    found = build("exponential", grid, neighbours, epsilon).probabilities()
    assert np.allclose(found, weights / weights.sum(axis=0), rtol=1e-9)


@pytest.mark.parametrize("coins", [[1.0], [1.0, 0.2], [0.9, 1.0, 1.0, 1e-3], [1, 0.5, 0.25, 0, 1]])
def test_permute_and_flip_by_all_permutations(coins):
    wanted = np.zeros(len(coins))
    for order in itertools.permutations(range(len(coins))):
        left = 1.0 / math.factorial(len(coins))
        for candidate in order:
            wanted[candidate] += left * coins[candidate]
            left *= 1 - coins[candidate]
    found = flip_probabilities(np.array(coins, dtype=float)[:, None]).ravel()
    assert np.allclose(found, wanted, rtol=1e-13, atol=0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_permute_and_flip_never_scores_below_the_exponential_mechanism(epsilon):
    grid = Grid.between(0, 9)
    scores = -np.abs(np.arange(10)[:, None] - np.arange(10)[None, :])
    one, other = (
        (build(name, grid, AllPairs(), epsilon).probabilities() * scores).sum(axis=0)
        for name in ("permute-and-flip", "exponential")
    )
    assert (one >= other - 1e-9).all()
