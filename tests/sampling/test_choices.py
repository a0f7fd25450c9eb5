"""Exponential choice, permute-and-flip and noisy max: the law of each, and who is whose twin."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.sampling import (
    choices,
    exponential_choice,
    noisy_max_choice,
    permute_and_flip_choice,
    tables,
)
from discreet.sampling.weights import Weights
from exponential_series import exponential
from statistics_bounds import assert_follows, misfits

SCORES = [0, 3, 5, 5, 1]
RATE = Fraction(2, 5)


def exponential_law(scores, rate):
    weights = [math.exp(rate * (s - max(scores))) for s in scores]
    return [w / math.fsum(weights) for w in weights]


def permute_and_flip_law(scores, rate):
    """By its definition: over all orders, the first whose coin falls on heads."""
    coins = [math.exp(rate * (s - max(scores))) for s in scores]
    law = [0.0] * len(scores)
    for order in permutations(range(len(scores))):
        left = 1.0
        for i in order:
            law[i] += left * coins[i] / math.factorial(len(scores))
            left *= 1 - coins[i]
    return law


def noisy_max_law(scores, rate, noise, reach=400):
    """Over all values of the largest noisy score, sharing a tie among those that tie."""
    k = np.arange(-reach, reach + 1)
    mass = np.exp(-rate * np.abs(k)) * np.where((noise == "laplace") | (k >= 0), 1.0, 0.0)
    mass /= mass.sum()
    levels = np.arange(min(scores) - reach, max(scores) + reach + 1)
    at = np.array([_shifted(mass, s, levels[0], len(levels)) for s in scores])
    below = np.cumsum(at, axis=1) - at
    law = []
    for i in range(len(scores)):
        # Coefficients of t^m: m of the others tie with i, the rest stay below.
        shares = np.zeros((len(scores), len(levels)))
        shares[0] = at[i]
        for j in set(range(len(scores))) - {i}:
            shares[1:] = shares[1:] * below[j] + shares[:-1] * at[j]
            shares[0] *= below[j]
        law.append(sum(shares[m].sum() / (m + 1) for m in range(len(scores))))
    return [p / math.fsum(law) for p in law]


def _shifted(mass, score, first, size):
    row = np.zeros(size)
    start = score - len(mass) // 2 - first
    row[start : start + len(mass)] = mass
    return row


LAWS = {
    "exponential choice": (
        lambda count: exponential_choice(SCORES, count, rate=RATE),
        exponential_law(SCORES, RATE),
    ),
    "exponential choice of fractions": (
        lambda count: exponential_choice([RATE * s for s in SCORES], count),
        exponential_law(SCORES, RATE),
    ),
    "permute and flip": (
        lambda count: permute_and_flip_choice(SCORES, count, rate=RATE),
        permute_and_flip_law(SCORES, RATE),
    ),
    "permute and flip of fractions": (
        lambda count: permute_and_flip_choice([RATE * s for s in SCORES], count),
        permute_and_flip_law(SCORES, RATE),
    ),
    "noisy max, Laplace": (
        lambda count: noisy_max_choice(SCORES, RATE, count),
        noisy_max_law(SCORES, float(RATE), "laplace"),
    ),
    "noisy max, geometric": (
        lambda count: noisy_max_choice(SCORES, RATE, count, noise="geometric"),
        noisy_max_law(SCORES, float(RATE), "geometric"),
    ),
    "noisy max, exponential": (
        lambda count: noisy_max_choice(SCORES, RATE, count, noise="exponential"),
        permute_and_flip_law(SCORES, RATE),
    ),
    "noisy max, Gumbel": (
        lambda count: noisy_max_choice(SCORES, RATE, count, noise="gumbel"),
        exponential_law(SCORES, RATE),
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_vectors_follow_the_law(name):
    draw, law = LAWS[name]
    assert_follows(draw(200_000), law)


@pytest.mark.parametrize("name", LAWS)
def test_single_draws_follow_the_law(name):
    draw, law = LAWS[name]
    assert_follows([draw(None) for _ in range(6000)], law)


@pytest.mark.parametrize("name", LAWS)
def test_the_tests_would_catch_a_neighbouring_law(name):
    draw, own = LAWS[name]
    others = [law for _, law in LAWS.values() if np.abs(np.subtract(law, own)).max() > 0.01]
    assert len(others) >= 3
    for law in others:
        assert misfits(draw(200_000), law)


def test_blocks_join_without_a_seam(monkeypatch):
    monkeypatch.setattr(choices, "_CELLS", 16)
    for draw, law in (LAWS["permute and flip"], LAWS["noisy max, Laplace"]):
        drawn = draw(5000)
        assert len(drawn) == 5000
        assert_follows(drawn, law)


@pytest.mark.parametrize("size", [2, 3, 64, 100_000])
def test_equal_scores_are_chosen_equally(size):
    law = [1 / 2] * 2
    for choose in (exponential_choice, permute_and_flip_choice):
        count = 20_000 if size < 100 else 5
        drawn = choose(np.full(size, 7), count)
        if size % 2 == 0 and size < 100:
            assert_follows(drawn % 2, law)
        assert drawn.max() < size


def test_a_single_candidate_is_always_chosen():
    for noise in ("laplace", "geometric", "exponential", "gumbel"):
        assert noisy_max_choice([3], 1, noise=noise) == 0
        assert noisy_max_choice([3], "1e-6", 5, noise=noise).tolist() == [0] * 5


def test_scores_at_the_ends_of_64_bits():
    ends = [-(2**63), 2**63 - 1]
    assert exponential_choice(ends, rate="1e-6") == 1
    assert permute_and_flip_choice(ends, rate="1e-6") == 1
    assert_follows(exponential_choice([2**63, 2**63], 2000), [0.5, 0.5])


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=6),
       st.sampled_from([Fraction(1, 3), Fraction(2, 7), Fraction(1, 10**7)]))  # fmt: skip
def test_the_ends_of_a_running_table_enclose_the_real_sums(scores, rate):
    table = choices._running_table(Weights.of(scores, rate))
    gaps = [exponential(rate * (s - max(scores))) for s in scores]
    low = high = Fraction(0)
    scale = None
    for i, (below, above) in enumerate(gaps):
        low, high = low + below, high + above
        finer = table.refine(64)[i]
        if scale is None:
            scale = _power_of_two(finer[0], low)
        assert int(table.ends[i]) <= high * scale
        assert low * scale <= int(table.ends[i]) + table.slack
        assert finer[0] <= high * scale * 2**64
        assert low * scale * 2**64 <= finer[1]
    assert Fraction(1, 2) * 2**63 <= high * scale <= 2**63


def _power_of_two(finer, low):
    return Fraction(2) ** round(math.log2(finer / low / 2**64))


def test_a_coin_that_the_first_bits_leave_open_is_settled_by_the_next(monkeypatch):
    weights = Weights.of([0, 1], 1)
    low, _ = exponential(Fraction(-1))
    first = math.floor(low * 2**63)
    rest = math.floor(low * 2**127) - (first << 64)
    words = np.array([first, 0], dtype=np.uint64) << np.uint64(1)
    monkeypatch.setattr(choices, "uniform_words", lambda count: words)
    for offset, heads in ((-1, True), (1, False)):
        monkeypatch.setattr(tables, "uniform_bits", lambda bits, o=offset: rest + o)
        assert choices._heads(weights, 1).tolist() == [[heads, True]]


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=4),
    st.lists(st.integers(-1, 1), min_size=4, max_size=4),
    st.sampled_from(["laplace", "geometric"]),
)
def test_noisy_max_keeps_its_promise_in_spite_of_ties(scores, moves, noise):
    rate = 0.7
    moved = [s + m for s, m in zip(scores, moves, strict=False)]
    one, other = (noisy_max_law(x, rate, noise, 60) for x in (scores, moved))
    same_way = len({m for m in moves[: len(scores)] if m}) <= 1
    promised = rate * (1 if same_way else 2)
    worst = max(abs(math.log(p / q)) for p, q in zip(one, other, strict=True))
    assert worst <= promised + 1e-9


@pytest.mark.parametrize(
    "scores", [[0.5, 1], [Fraction(1, 2)], [2**62 + 1, 0], [-(2**63), 0], ["1"], [2**70]]
)
def test_noise_on_a_grid_needs_whole_scores(scores):
    with pytest.raises(InvalidInput, match="whole numbers below"):
        noisy_max_choice(scores, 1)


def test_unknown_noise_is_refused():
    with pytest.raises(InvalidInput, match="got 'cauchy'"):
        noisy_max_choice([1, 2], 1, noise="cauchy")
