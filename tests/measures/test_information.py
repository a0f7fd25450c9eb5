"""Information: the formulas in bits, their limits, and their order under post-processing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import tight_epsilon
from discreet.measures import bayes_loss, bayes_remap, min_entropy_leakage, mutual_information
from discreet.model import AllPairs, Grid, Mechanism
from ground_truth import labels, mechanisms, number_spaces, priors, probability

any_mechanism = mechanisms(number_spaces(max_size=5) | labels(max_size=5), scales=(1, 2**70))


def entropy(shares):
    return -math.fsum(share * math.log2(share) for share in shares if share > 0)


@given(any_mechanism, st.data())
def test_mutual_information_is_what_the_output_takes_from_the_entropy(mechanism, data):
    prior = data.draw(priors(len(mechanism.answers)))
    joint = [
        [float(share * probability(mechanism, i, j)) for j, share in enumerate(prior)]
        for i in range(len(mechanism.outputs))
    ]
    both = entropy([cell for row in joint for cell in row])
    apart = entropy([float(share) for share in prior]) + entropy([sum(row) for row in joint])
    assert mutual_information(mechanism, prior) == pytest.approx(apart - both, abs=1e-9)


@given(any_mechanism, st.data())
def test_leakage_is_the_gain_of_one_guess(mechanism, data):
    prior = data.draw(priors(len(mechanism.answers)))
    after = sum(
        max(share * probability(mechanism, i, j) for j, share in enumerate(prior))
        for i in range(len(mechanism.outputs))
    )
    wanted = math.log2(after / max(prior))
    assert min_entropy_leakage(mechanism, prior) == pytest.approx(wanted, abs=1e-9)


@given(any_mechanism)
def test_between_nothing_and_everything(mechanism):
    most = math.log2(len(mechanism.answers)) + 1e-9
    for measure in (mutual_information, min_entropy_leakage):
        assert 0 <= measure(mechanism) <= most


@given(mechanisms(number_spaces(max_size=5), scales=(1,)))
def test_remapping_tells_no_more(mechanism):
    remapped = bayes_remap(mechanism)
    for measure in (mutual_information, min_entropy_leakage):
        assert measure(remapped) <= measure(mechanism) + 1e-9


@given(mechanisms(labels(max_size=5), scales=(1,)))
def test_leakage_under_a_uniform_prior_is_the_zero_one_bayes_loss_said_in_bits(mechanism):
    guessed = 1 - bayes_loss(mechanism, loss="zero-one")
    wanted = math.log2(guessed * len(mechanism.answers))
    assert min_entropy_leakage(mechanism) == pytest.approx(wanted, abs=1e-9)


@given(mechanisms(number_spaces(max_size=5), scales=(1,)))
def test_all_pairs_private_means_epsilon_bounds_both(mechanism):
    everywhere = Mechanism.of(mechanism.answers, mechanism.outputs, AllPairs(), mechanism.weights)
    limit = float(tight_epsilon(everywhere)) / math.log(2) + 1e-9
    assert mutual_information(everywhere) <= limit
    assert min_entropy_leakage(everywhere) <= limit


def test_the_ends():
    space = Grid.between(0, 3)
    honest = Mechanism.of(space, space, AllPairs(), [[int(i == j) for j in range(4)]
                                                     for i in range(4)])  # fmt: skip
    silent = Mechanism.of(space, space, AllPairs(), [[1] * 4] * 4)
    assert mutual_information(honest) == min_entropy_leakage(honest) == 2
    assert mutual_information(silent) == min_entropy_leakage(silent) == 0
