"""The attack by exact law: plans hold, faults that are planted are found, bits are followed."""

import os
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attack.campaign import AIMS, campaign
from attack.campaign import SIZES as EVERY_SIZE
from discreet.attack.attack import attack
from discreet.attack.finite import check_draws, of_flips, of_table
from discreet.attack.powers import power_of_e
from discreet.attack.rates import rate_of
from discreet.cli.rendering.attack import lines
from discreet.errors import InvalidInput, MechanismError
from discreet.model import Grid, Labels
from discreet.planning import plan
from discreet.planning.candidates.choice import MAKERS
from discreet.planning.joint import count_releases
from discreet.planning.joint.registry import JOINERS
from discreet.planning.releases import counts, moments, whole_tables
from discreet.planning.subjects import subject as subject_module
from discreet.planning.subjects.subject import extremes
from discreet.requests import read_order
from discreet.sampling import Flips, LazyTable, NoiseTables, choices, laplace, noise_tables
from discreet.sampling.tables import BITS
from discreet.tables import CategoryColumn, NumberColumn
from exponential_series import exponential
from planning.facts import dataset

SOAK = os.environ.get("DISCREET_SOAK")
PAIRS, SEED, SIZES = (10**6, None, EVERY_SIZE) if SOAK else (10**4, 18, (3, 5, 9))


def attacked(sql, epsilon="2", rows=12):
    facts = dataset(rows, public=False, change=False)
    return attack(read_order(sql, facts, epsilon=epsilon), facts, rows=2)


COUNT = "SELECT SUM(weight)"
WORDS = "SELECT TOP(clinic, 2)"
MEAN = "SELECT AVG(mood) WHERE clinic = 'A'"
TOGETHER = "SELECT COUNT(mood > 2), COUNT(clinic = 'A'), COUNT(weight > 0)"


@pytest.mark.parametrize("sql", [COUNT, WORDS, MEAN, TOGETHER])
def test_plans_hold_and_need_what_they_charge(sql):
    found = attacked(sql)
    assert found.holds
    assert 0.9 < found.largest < 1 + 1e-6


APART = [
    "SELECT COUNT(*)",
    "SELECT COUNT(*) WHERE clinic = 'A' OR mood > 2",
    "SELECT COUNT(*) GROUP BY clinic",
]


@pytest.mark.parametrize("sql", APART)
@pytest.mark.parametrize("change", [True, False])
def test_a_person_with_one_row_for_each_value_is_met_with_all_of_them(sql, change, monkeypatch):
    """Rows of different values are different though they are counted alike."""
    facts = dataset(12, public=False, change=change, per_person=3, one_row_per="clinic")
    order = read_order(sql, facts, epsilon="2")
    assert 0.6 < attack(order, facts, rows=3, most_pairs=300).largest < 1 + 1e-6
    monkeypatch.setattr(subject_module, "most_selected", lambda *_: 1)
    monkeypatch.setattr(subject_module, "rows_apart", lambda *_: False)
    if "GROUP" not in sql:
        assert not attack(order, facts, rows=3, most_pairs=300).holds


@pytest.mark.parametrize("change", [True, False])
def test_moments_of_people_in_several_groups_cost_what_is_charged(change):
    facts = dataset(12, public=False, change=change, per_person=3, one_row_per="clinic")
    order = read_order("SELECT SUM(mood), COUNT(*) GROUP BY clinic", facts, epsilon="2")
    assert 0.6 < attack(order, facts, rows=3, most_pairs=60).largest < 1 + 1e-6


@pytest.mark.parametrize("statistic", ["REGR_SLOPE", "REGR_INTERCEPT", "COVAR_POP", "CORR"])
@pytest.mark.parametrize("grouped", ["", " GROUP BY clinic"])
def test_a_sum_that_a_statistic_does_not_need_is_in_no_output(statistic, grouped):
    """The squares of a slope's first column have no noise, so they must not be there at all."""
    facts = dataset(200, public=False)
    order = read_order(f"SELECT {statistic}(mood, weight){grouped}", facts, epsilon="1")
    report = attack(order, facts, rows=2, most_pairs=100)
    assert report.holds
    assert report.largest > 0.3


def test_a_rate_twice_too_large_is_found(monkeypatch):
    def wrong(over, under):
        return NoiseTables.of(Fraction(2 * over, under))

    monkeypatch.setattr(laplace, "_noise_tables", wrong)
    found = attacked(WORDS)
    assert not found.holds
    assert 1.9 < found.largest < 2.1


def test_one_noise_for_all_words_is_found(monkeypatch):
    def shared(true, tables):
        noise = tables.draw()
        return [one + noise for one in true]

    monkeypatch.setattr(counts, "_with_noise", shared)
    assert attacked(WORDS).broken.loss.ratio is None


def test_a_count_without_noise_is_found(monkeypatch):
    monkeypatch.setattr(moments, "with_noise", lambda true, z: (true[0] + z[1], true[1]))
    assert attacked(MEAN).broken.loss.ratio is None


def test_a_row_that_counts_twice_is_found(monkeypatch):
    honest = count_releases.true_count
    monkeypatch.setattr(count_releases, "true_count", lambda *given: 2 * honest(*given))
    found = attacked(TOGETHER)
    assert not found.holds
    assert 1.9 < found.largest < 2.1


def test_a_telling_that_sees_the_table_is_found(monkeypatch):
    honest = counts.CountsRelease.ready

    def leaking(self, counted, confidence):
        made = honest(self, counted, confidence)
        return made._replace(told=lambda output: replace(made.told(output), drawn=counted.rows))

    monkeypatch.setattr(counts.CountsRelease, "ready", leaking)
    assert attacked(WORDS).leaks


FALSE_ALARMS = {
    "SELECT COUNT(weight > 0), COUNT(mood > 0), COUNT(*) GROUP BY clinic, mood": (12, "2.7"),
    "SELECT QUANTILE(weight, 0.25)": (200, "2.7"),
}
"""Questions that were once taken for broken: many cells, and very rare outcomes."""


@pytest.mark.parametrize("sql", FALSE_ALARMS)
def test_what_is_private_raises_no_alarm(sql):
    rows, epsilon = FALSE_ALARMS[sql]
    assert attacked(sql, epsilon, rows).holds


def test_people_with_three_rows_in_many_cells_raise_no_alarm():
    """A campaign once took it for broken: three rows of one person move three of 21 noises."""
    columns = (
        NumberColumn("mood", Grid.between(0, 1), None, True),
        NumberColumn("weight", Grid.between("-1", "0.5", "0.5"), None, False),
        CategoryColumn("clinic", Labels.of(["A", "B", "other"]), None),
        CategoryColumn("smokes", Labels.of(["false", "true"]), None, is_boolean=True),
    )
    facts = dataset(4, public=False, change=True, per_person=3, columns=columns)
    sql = (
        "SELECT COUNT(mood = 1 OR weight > 0.5), COUNT(weight >= 0), COUNT(mood IS NULL), "
        "COUNT(mood * 2 > weight) WHERE clinic IN ('A', 'other') GROUP BY smokes"
    )
    found = attack(read_order(sql, facts, epsilon="2.7"), facts, rows=3, most_pairs=400)
    assert found.holds
    assert found.largest > 0.9


def test_a_reply_to_noise_is_attacked_by_the_noise(monkeypatch):
    """The best reply to noisy counts was once taken for counts without noise."""
    facts = dataset(3, public=True)
    asked = {"epsilon": "1", "mechanism": "remapped tables"}
    order = read_order("SELECT COUNT(*) GROUP BY clinic", facts, **asked)
    found = attack(order, facts, rows=3)
    assert found.holds
    assert 0.9 < found.largest < 1 + 1e-6
    monkeypatch.setattr(
        whole_tables.RemappedTables, "drawing", lambda self, counts: lambda: list(counts)
    )
    assert not attack(order, facts, rows=3).holds


NESTED = ", ".join(f"COUNT(mood <= {value})" for value in range(8))


@pytest.mark.parametrize("change", [True, False])
def test_nested_counts_hold_for_people_with_several_rows(change):
    """Running totals of the cells between them: every row of a person costs, no size is public."""
    columns = (NumberColumn("mood", Grid.between(0, 9), Fraction(0), True, complete=True),)
    facts = dataset(9, public=change, change=change, per_person=2, columns=columns)
    asked = {"epsilon": "2", "mechanism": "running totals"}
    found = attack(read_order(f"SELECT {NESTED}", facts, **asked), facts, rows=2)
    assert found.holds
    assert 0.4 < found.largest < 1 + 1e-6


@pytest.mark.parametrize("sql", ["SELECT MEDIAN(mood)", "SELECT QUANTILE(weight, 0.9)"])
def test_ranks_by_noise_in_whole_steps_hold_and_need_what_they_charge(sql):
    facts = dataset(12, public=True)
    order = read_order(sql, facts, epsilon="2", mechanism="by rank")
    found = attack(order, facts, rows=2)
    assert found.titles == ["rank-based choice (noise in whole steps)"]
    assert found.holds
    assert 0.9 < found.largest < 1 + 1e-6


def test_sums_and_means_of_a_private_number_of_rows_hold_together():
    facts = dataset(6, public=False, change=False)
    sql = "SELECT SUM(mood), AVG(mood), COUNT(*) GROUP BY clinic"
    order = read_order(sql, facts, epsilon="2", mechanism="sum and count together")
    found = attack(order, facts, rows=2)
    assert found.holds
    assert 0.4 < found.largest < 1 + 1e-6


def test_every_mechanism_is_aimed_at():
    """So that a campaign meets all that a plan may choose."""
    assert set(AIMS) == {one.name for one in (*MAKERS, *JOINERS)}


def test_a_campaign_over_random_questions_finds_nothing():
    found = campaign(PAIRS, seed=SEED, most_pairs=2_000, sizes=SIZES)
    assert not found.broken
    assert found.largest < 1 + 1e-6


@pytest.mark.parametrize("sql", [COUNT, WORDS, MEAN, TOGETHER, "SELECT MEDIAN(mood)"])
def test_every_random_bit_comes_from_the_operating_system(sql, monkeypatch):
    facts = dataset(12, public=False, change=False)
    made = plan(read_order(sql, facts, epsilon=2).question, facts, epsilon=2)
    counted = [extremes(part.subject)[-1:] for part in made.parts]
    made.ready(counted).draw()

    def none(size):
        raise BlockingIOError

    monkeypatch.setattr(os, "urandom", none)
    with pytest.raises(BlockingIOError):
        made.ready(counted).draw()


def test_too_many_tables_and_too_many_rows_are_one_line():
    facts = dataset(6_000, public=True)
    order = read_order("SELECT COUNT(mood > 2), COUNT(weight > 0)", facts, epsilon=1)
    with pytest.raises(InvalidInput, match=r"6000 rows that vary make 6,001 .* rows=4 would work"):
        attack(order, facts, rows=6_000)
    wide = replace(facts, columns=(NumberColumn("mood", Grid.between(0, 9_999), None, True),))
    with pytest.raises(InvalidInput, match="with a step 2 times as large would work"):
        attack(read_order("SELECT MEDIAN(mood)", wide, epsilon="1"), wide)
    with pytest.raises(InvalidInput, match="the limit is 100,000; size=100 attacks"):
        attack(order, facts, size=10**6)


def test_an_attack_that_takes_too_long_tries_what_it_can_and_says_so(monkeypatch):
    assert attacked(WORDS).every
    monkeypatch.setattr("discreet.attack.attack.MOST_WORK", 50)
    found = attacked(WORDS)
    assert found.holds
    assert not found.every
    assert 0 < found.pairs < 50
    (told,) = lines(found, found.target.small.dataset)
    assert "fewer --rows try all of them" in list(told.columns[1].cells)[4].plain


@given(st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any))
def test_the_chances_of_a_table_are_those_of_its_weights(weights):
    found = of_table(LazyTable.of_integers(np.cumsum(weights).tolist()))
    for weight, low, high in zip(weights, found.low, found.high, strict=True):
        assert Fraction(low, found.whole) <= Fraction(weight, sum(weights))
        assert Fraction(weight, sum(weights)) <= Fraction(high, found.whole)
        assert Fraction(high - low, found.whole) < Fraction(1, 2**60)


def test_a_draw_that_does_not_follow_its_table_is_refused():
    class Wrong(LazyTable):
        def locate(self, words):
            return np.minimum(super().locate(words) + 1, len(self) - 1)

    honest = LazyTable.of_integers([1, 2, 4])
    check_draws(honest)
    with pytest.raises(MechanismError, match="does not follow its table"):
        check_draws(Wrong(honest.ends, honest.slack, honest.refine))


@pytest.mark.parametrize("rate", ["3", "1/2", "1/7", "1/47", "1/60", "1/1000", "1/3000000"])
def test_the_rate_of_noise_is_read_off_its_tables(rate):
    assert rate_of(noise_tables(rate)) == Fraction(rate)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=5), st.sampled_from(["1/3", "1", "2"]))
def test_the_law_of_permute_and_flip_by_every_set_of_heads(scores, rate):
    found = of_flips(Flips.of(scores, rate).weights)
    coins = [float(exponential(Fraction(rate) * (one - max(scores)))[0]) for one in scores]
    for place, (low, high) in enumerate(zip(found.low, found.high, strict=True)):
        expected = 0.0
        for heads in range(1 << len(scores)):
            if heads >> place & 1:
                chance = 1.0
                for other, coin in enumerate(coins):
                    chance *= coin if heads >> other & 1 else 1 - coin
                expected += chance / heads.bit_count()
        assert low / found.whole == pytest.approx(expected, abs=1e-12)
        assert high / found.whole == pytest.approx(expected, abs=1e-12)


def test_many_coins_are_added_up_in_floating_point_alike():
    scores = [0, -3, -1, 0, -8, -2, -2, -5]
    exact = of_flips(Flips.of(scores, "1/2").weights)
    padded = of_flips(Flips.of([*scores, *[-10_000] * 8], "1/2").weights)
    for one, low, high in zip(exact.low, padded.low, padded.high, strict=False):
        assert (
            Fraction(low, padded.whole) < Fraction(one, exact.whole) < Fraction(high, padded.whole)
        )


def test_coins_and_the_pick_among_heads_follow_their_words(monkeypatch):
    weights = Flips.of([0, -1, -2], "1").weights
    ends = weights.low << np.uint64(BITS - 62)
    for words, heads in [(ends - np.uint64(1), True), (ends + np.uint64(8), False)]:
        raw = words << np.uint64(64 - BITS)
        monkeypatch.setattr(choices, "uniform_words", lambda count, raw=raw: raw)
        found = choices._heads(weights, 1)[0]
        assert found[1:].tolist() == [heads, heads]
    for place in range(3):
        order = np.array([10, 20, 30], dtype=np.uint64)
        order[place] = 99
        monkeypatch.setattr(choices, "uniform_words", lambda count, order=order: order)
        assert choices.pick_one(np.array([True, True, True])) == place


@given(st.fractions(-40, 40))
def test_powers_of_e_are_enclosed(exponent):
    low, high = power_of_e(exponent)
    other_low, other_high = power_of_e(-exponent)
    assert low <= high <= low * (1 + Fraction(1, 10**50))
    assert low * other_low <= 1 <= high * other_high
    assert float(low) == pytest.approx(np.exp(float(exponent)))
