"""Plans of every form, each with the facts under which a mistake would show, by exact law."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.attack.attack import attack
from discreet.designer.request import relative_gap
from discreet.planning import plan
from discreet.planning.releases.noise import (
    clamped_reach,
    law_of_noise,
    noise_loss,
    noise_reach,
    noises_apart,
    reach_upwards,
)
from discreet.planning.subjects.subject import Sharing, subject_of
from discreet.questions import parse_sql
from discreet.requests import read_order
from planning.facts import asked, dataset

CHANGE = {"public": False, "change": True}
COMES = {"public": False, "change": False}
PUBLIC = {"public": True, "change": True}
PLANS = {
    "SELECT COUNT(mood > 2)": (CHANGE, {}),
    "SELECT COUNT(*)": (COMES, {"per_person": 3}),
    "SELECT SUM(weight)": (CHANGE, {"per_person": 2}),
    "SELECT AVG(mood)": (PUBLIC, {}),
    "SELECT AVG(mood) WHERE clinic = 'A'": (CHANGE, {}),
    "SELECT MEDIAN(mood)": (CHANGE, {}),
    "SELECT MIN(mood)": (COMES, {"per_person": 2}),
    "SELECT MODE(clinic)": (CHANGE, {"per_person": 2}),
    "SELECT TOP(clinic, 2)": (CHANGE, {}),
    "SELECT MEDIAN(mood) GROUP BY clinic": (CHANGE, {"per_person": 2}),
    "SELECT SUM(weight) GROUP BY clinic": (CHANGE, {"per_person": 2}),
    "SELECT COUNT(*) GROUP BY clinic": (CHANGE, {"per_person": 2}),
    "SELECT COUNT(mood > 2), COUNT(weight > 0)": (CHANGE, {"per_person": 2}),
    "SELECT AVG(mood), SUM(mood)": (CHANGE, {}),
}
"""The extreme change of each form is among the pairs: a person's rows from one end to the other."""


TOO_FEW = ("SELECT AVG(mood) WHERE clinic = 'A'", "SELECT MEDIAN(mood) GROUP BY clinic")
"""Of small tables these are always told to have too few rows, and so refused."""


@pytest.mark.parametrize("sql", PLANS)
def test_one_persons_loss_is_at_most_the_charge_and_nearly_all_of_it(sql):
    given, more = PLANS[sql]
    many, epsilon = (60, "30") if sql in TOO_FEW else (5, "1")
    facts = dataset(many, **given, **more)
    found = attack(read_order(sql, facts, epsilon=epsilon), facts, rows=3, most_pairs=250)
    assert found.holds
    assert found.largest > 0.3


@pytest.mark.parametrize("per_person", [1, 2, 3])
@pytest.mark.parametrize("change", [True, False])
def test_what_groups_cost_follows_from_how_many_a_person_touches(per_person, change):
    facts = dataset(12, public=False, change=change, per_person=per_person)
    ways = 2 if change else 1
    for sql, touched, times in (
        ("SELECT MEDIAN(mood) GROUP BY clinic", per_person * ways, 1),
        ("SELECT SUM(mood) GROUP BY clinic", ways, per_person),
    ):
        question = asked(sql, facts)
        subject = subject_of(question.items[0], question, facts, 9)
        found = Sharing.of(subject, facts, 9)
        assert (found.touched, found.times) == (touched, times)
        assert found.cost(found.epsilon_for(10**9)).total <= 10**9
        assert found.cost(found.epsilon_for(10**9)).total > 10**9 - 9


def _beyond(rate, far):
    """Pr(|noise| > far)."""
    alpha = math.exp(-rate)
    return 2 * alpha ** (far + 1) / (1 + alpha)


@pytest.mark.parametrize("rate", [0.05, 0.5, 1.7])
@pytest.mark.parametrize("failure", [0.05, 0.2, 0.001])
def test_told_reaches_are_those_of_the_law_and_no_larger(rate, failure):
    far = noise_reach(rate, failure)
    assert _beyond(rate, far) <= failure * (1 + 1e-9)
    assert far == 0 or _beyond(rate, far - 1) > failure * (1 - 1e-6)
    up = reach_upwards(Fraction(rate), Fraction(failure))
    assert _beyond(rate, up) / 2 <= failure * (1 + 1e-9)
    alpha = math.exp(-rate)
    ks = np.arange(-1_000, 1_001)
    chances = (1 - alpha) / (1 + alpha) * alpha ** np.abs(ks)
    differences = np.convolve(chances, chances)
    apart = noises_apart(rate, failure)
    assert differences[2_000 + apart + 1 :].sum() <= failure * (1 + 1e-6)
    assert noise_loss(rate, "absolute") == pytest.approx((abs(ks) * chances).sum())
    assert noise_loss(rate, "squared") == pytest.approx((ks**2 * chances).sum())


@pytest.mark.parametrize("last", [1, 2, 3, 8, 30])
@pytest.mark.parametrize("rate", [0.1, 0.7])
def test_reaches_of_clamped_noise_hold_wherever_the_truth_lies(rate, last):
    far = clamped_reach(rate, 0.05, last)
    for truth in range(last + 1):
        values, chances = law_of_noise(rate, truth, last)
        assert chances[abs(values - truth) > far].sum() <= 0.05 * (1 + 1e-9)


@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(19, 20)])
def test_rows_behind_are_the_fewest_that_hold_on_every_table(confidence):
    """By the integers of every column: one row less would be told too seldom on some table."""
    facts = dataset(5)
    (part,) = plan(parse_sql("SELECT MODE(clinic)", facts), facts, epsilon=1, cache=None).parts
    release = part.chosen.release
    told = release.rows_behind(confidence)
    weights, whole = release.certified.mechanism.weights.tolist(), release.certified.mechanism.total

    def least(rows):
        held = []
        for column, counts in enumerate(release.databases.counts.tolist()):
            near = [
                place
                for place, one in enumerate(counts[: len(weights)])
                if one >= max(counts) - rows
            ]
            held.append(sum(int(weights[place][column]) for place in near))
        return Fraction(min(held), whole)

    assert least(told) >= confidence
    assert told == 0 or least(told - 1) < confidence


def test_a_gap_is_the_share_by_which_the_best_may_be_better():
    assert [relative_gap(2.0, bound) for bound in (2.0, 1.5, 0.0)] == [0, 0.25, 1]
