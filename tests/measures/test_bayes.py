"""The Bayes remap is the best of all remaps, and keeps every promise."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.measures import (
    bayes_absolute_error,
    bayes_loss,
    bayes_remap,
    bayes_squared_error,
    expected_loss,
    properties,
)
from discreet.model import AllPairs, Goal, Grid, Labels, Mechanism, Within
from ground_truth import (
    labels,
    mechanisms,
    naive_delta,
    naive_worst_ratio,
    number_spaces,
    priors,
    probability,
)

COST = {"absolute": lambda r, f: abs(r - f), "squared": lambda r, f: (r - f) ** 2}
small = mechanisms(number_spaces(max_size=4), scales=(1, 2**70))


def slow_bayes(mechanism, shares, cost):
    """The least expected loss over every way of replying to outputs with answers, one by one."""
    answers = mechanism.answers.values()
    return sum(
        min(
            sum(share * probability(mechanism, i, j) * cost(reply, truth)
                for j, (truth, share) in enumerate(zip(answers, shares, strict=True)))
            for reply in answers
        )
        for i in range(len(mechanism.outputs))
    )  # fmt: skip


@given(small, st.sampled_from(sorted(COST)), st.data())
def test_formulas_25_and_26_under_any_prior(mechanism, name, data):
    prior = data.draw(priors(len(mechanism.answers)))
    wanted = float(slow_bayes(mechanism, prior, COST[name]))
    measure = bayes_absolute_error if name == "absolute" else bayes_squared_error
    assert measure(mechanism, prior) == pytest.approx(wanted, abs=1e-12)
    assert bayes_loss(mechanism, prior, name) == measure(mechanism, prior)


@settings(max_examples=40)
@given(mechanisms(number_spaces(max_size=3), scales=(1,)), st.data())
def test_no_other_remap_is_better(mechanism, data):
    prior = data.draw(priors(len(mechanism.answers)))
    least = bayes_loss(mechanism, prior)
    answers, rows = mechanism.answers.values(), range(len(mechanism.outputs))
    for replies in product(answers, repeat=len(rows)):
        loss = sum(
            prior[j] * probability(mechanism, i, j) * abs(replies[i] - truth)
            for i in rows
            for j, truth in enumerate(answers)
        )
        assert loss >= least - 1e-12


@given(small, st.sampled_from(["absolute", "squared", "zero-one"]), st.data())
def test_the_remap_reaches_the_bayes_loss(mechanism, loss, data):
    prior = data.draw(priors(len(mechanism.answers)))
    remapped = bayes_remap(mechanism, prior, loss)
    reached = expected_loss(remapped, Goal.of(loss, prior))
    assert reached == pytest.approx(bayes_loss(mechanism, prior, loss), abs=1e-11)
    if mechanism.outputs == mechanism.answers:
        assert reached <= expected_loss(mechanism, Goal.of(loss, prior)) + 1e-11


@given(small, st.fractions(min_value="3/2", max_value=9), st.data())
def test_every_promise_is_kept(mechanism, ratio, data):
    """001 Prop. 1: adding rows loses no privacy, pure or approximate."""
    remapped = bayes_remap(mechanism, data.draw(priors(len(mechanism.answers))))
    assert remapped.total == mechanism.total
    assert remapped.neighbours == mechanism.neighbours
    worst, before = naive_worst_ratio(remapped), naive_worst_ratio(mechanism)
    assert before is None or (worst is not None and worst <= before)
    assert naive_delta(remapped, ratio) <= naive_delta(mechanism, ratio)


@given(small, st.sampled_from(["absolute", "squared", "zero-one"]))
def test_remapping_twice_changes_nothing_more(mechanism, loss):
    once = bayes_remap(mechanism, loss=loss)
    assert bayes_remap(once, loss=loss).same_as(once)


@given(mechanisms(labels(max_size=4), scales=(1,)))
def test_labels_are_replied_to_by_the_likeliest(mechanism):
    size = len(mechanism.answers)
    guessed = sum(max(probability(mechanism, i, j) for j in range(size)) / size
                  for i in range(len(mechanism.outputs)))  # fmt: skip
    assert bayes_loss(mechanism, loss="zero-one") == pytest.approx(float(1 - guessed), abs=1e-12)


def test_ties_favour_neither_side():
    space = Grid.between(0, 4)
    flat = Mechanism.of(space, space, AllPairs(), [[1] * 5] * 5)
    assert properties(bayes_remap(flat)).symmetric
    rows = [[9 - abs(i - j) for j in range(5)] for i in range(5)]
    for j in range(5):
        rows[j][j] += 60 - sum(row[j] for row in rows)
    turned = Mechanism.of(space, space, Within(1), rows)
    assert properties(turned).symmetric
    assert properties(bayes_remap(turned)).symmetric


def test_an_output_that_is_a_best_reply_to_itself_stays():
    space = Grid.between(0, 2)
    mechanism = Mechanism.of(space, space, AllPairs(), [[1, 1, 0], [0, 0, 1], [0, 0, 0]])
    assert bayes_remap(mechanism).weights.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]


def test_replies_may_be_any_space():
    space = Grid.between(0, 1)
    coin = Mechanism.of(space, space, AllPairs(), [[3, 1], [1, 3]])
    halves = Grid.between(0, 1, "1/4")
    remapped = bayes_remap(coin, loss="squared", onto=halves)
    assert remapped.outputs == halves
    assert remapped.weights.tolist() == [[0, 0], [3, 1], [0, 0], [1, 3], [0, 0]]
    assert bayes_loss(coin, loss="squared", onto=halves) == pytest.approx(3 / 16)


def test_the_name_says_what_was_done():
    names = Labels.of(["a", "b"])
    coin = Mechanism.of(names, names, AllPairs(), [[1, 3], [3, 1]], name="coin", notes={"x": 1})
    remapped = bayes_remap(coin, loss="zero-one")
    assert remapped.name == "coin, remapped"
    assert dict(remapped.notes) == {"x": 1, "remapped": {"loss": "zero-one", "from": "coin"}}
    assert remapped.weights.tolist() == [[3, 1], [1, 3]]
    assert Fraction(int(remapped.weights[0, 0]), remapped.total) == Fraction(3, 4)
