"""Several quantiles from one draw: score, law and draws against enumeration of all small tables.

What the score and the law must be is written out here once more, from the definition: the least
variation of any path through what the told values allow, and how far ahead the true ones are.
"""

import itertools
import math
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.exact import Epsilon, working_precision
from discreet.joint import quantile_law, quantiles
from discreet.joint.magnitudes import UNITS, InWords, PythonNumbers
from discreet.joint.quantile_law import chances
from discreet.joint.quantile_recursion import START, Recursion
from discreet.joint.quantile_score import QuantileScore
from discreet.joint.quantiles import MOST_STATES, QuantileChoice
from discreet.model import Relation
from discreet.statistics import Rank
from draw_times import slower, smallest_seen, tells_apart
from statistics_bounds import assert_follows

LISTS = {
    "median": "1/2",
    "quartiles": "1/4 1/2 3/4",
    "ends and median": "0 1/2 1",
    "uneven": "1/3 2/5",
    "outer tenths": "1/10 9/10",
}
ONE_ROW = [Relation.CHANGE, Relation.ADD_OR_REMOVE, Relation.EITHER]
EVERY = [(shares, relation) for shares in LISTS for relation in ONE_ROW]


def _shares(name):
    return tuple(map(Fraction, LISTS[name].split()))


def _tables(values, rows):
    """All ways to spread so many rows over the values."""
    ends = itertools.combinations(range(rows + values - 1), values - 1)
    return [tuple(np.diff((-1, *one, rows + values - 1)) - 1) for one in ends]


def _target(share, rows, relation, denominator):
    """In parts 1/(2·denominator) of a row, from the page."""
    if relation == Relation.CHANGE:
        return denominator * (2 * max(1, math.ceil(share * rows)) - 1)
    return int(2 * denominator * share * rows) - 1


@cache
def _least_variation(table, shares, relation, told):
    """Half of the least variation of a path 0, …, 0 through all intervals, by trying all points."""
    parts = 2 * math.lcm(*(share.denominator for share in shares))
    below = [0, *itertools.accumulate(int(one) for one in table)]
    costs = {0: 0}
    floor = parts // 2 if shares[0] == 0 else -1
    for share, place in zip(shares, told, strict=True):
        target = _target(share, below[-1], relation, parts // 2)
        if relation != Relation.CHANGE:
            target = max(target, floor)
        start, end = (parts * one - target for one in below[place : place + 2])
        ends = (
            {start, end}
            | {one for one in costs if start < one < end}
            | ({0} if start < 0 < end else set())
        )
        costs = {to: min(cost + abs(to - one) for one, cost in costs.items()) for to in ends}
    return Fraction(min(cost + abs(one) for one, cost in costs.items()), 2 * parts)


@cache
def _score(table, shares, relation, told):
    """The least variation or, where that is 0, how many rows all targets are from any end."""
    found = _least_variation(table, shares, relation, told)
    if found > 0 or sum(table) == 0:
        return found
    denominator = math.lcm(*(share.denominator for share in shares))
    below = [0, *itertools.accumulate(int(one) for one in table)]
    rooms = []
    for share, place in zip(shares, told, strict=True):
        target = _target(share, below[-1], relation, denominator)
        if relation != Relation.CHANGE and shares[0] == 0:
            target = max(target, denominator)
        rooms += [abs(target - 2 * denominator * end) for end in below[place : place + 2]]
    return -Fraction(min(rooms), 2 * denominator)


def _outputs(values, many):
    return list(itertools.combinations_with_replacement(range(values), many))


def _neighbours(table, relation):
    """Tables that one row leads to."""
    for place in range(len(table)):
        less = tuple(one - (at == place) for at, one in enumerate(table))
        if relation != Relation.CHANGE:
            yield tuple(one + (at == place) for at, one in enumerate(table))
        if less[place] >= 0 and relation != Relation.ADD_OR_REMOVE:
            for to in range(len(table)):
                yield tuple(one + (at == to) for at, one in enumerate(less))


@pytest.mark.parametrize(("name", "relation"), EVERY)
def test_the_score_is_the_least_variation_and_below_0_for_the_true_ones_alone(name, relation):
    shares = _shares(name)
    score = QuantileScore(shares, relation)
    for values, rows in itertools.product(range(1, 5), range(1, 6)):
        for table in _tables(values, rows):
            counts = np.array(table)
            scores = {told: score.of(counts, told) for told in _outputs(values, len(shares))}
            truth = tuple(int(Rank(share).places(counts)) for share in shares)
            assert [told for told, found in scores.items() if found <= 0] == [truth]
            assert scores[truth] < 0
            if rows <= 3:
                for told, found in scores.items():
                    assert found == _score(table, shares, relation, told)


@pytest.mark.parametrize(("name", "relation"), EVERY)
def test_no_row_moves_the_score_by_more_than_the_slope(name, relation):
    """All tables of up to four values and five rows, all neighbours, all outputs."""
    shares, most = _shares(name), Fraction(0)
    score = QuantileScore(shares, relation)
    known = {}

    def scored(table, told):
        if (table, told) not in known:
            known[table, told] = score.of(np.array(table), told)
        return known[table, told]

    for values, rows in itertools.product(range(2, 5), range(6)):
        for table, told in itertools.product(_tables(values, rows), _outputs(values, len(shares))):
            here = scored(table, told)
            for other in _neighbours(table, relation):
                most = max(most, abs(scored(other, told) - here))
    assert most <= score.slope
    assert most == score.slope


@pytest.mark.parametrize(("name", "relation"), EVERY)
@pytest.mark.parametrize("rows_per_unit", [1, 2, 3])
def test_the_law_is_private_on_all_small_tables(name, relation, rows_per_unit):
    """In rationals, without the sampler: e^(−step) is 4/5, so e^ε is a power of 5/4."""
    shares, ratio = _shares(name), Fraction(4, 5)
    choice = QuantileChoice.of(
        QuantileScore(shares, relation), Epsilon.of(1), values=3, most_rows=6,
        rows_per_unit=rows_per_unit,
    )  # fmt: skip
    parts = 2 * math.lcm(*(share.denominator for share in shares))
    steps = 2 * parts / choice.rate
    assert steps.denominator == 1
    bound = 1 / ratio**steps.numerator

    def law(table):
        weights = {
            told: ratio ** int(2 * parts * _score(table, shares, relation, told))
            for told in _outputs(3, len(shares))
        }
        return {told: weight / sum(weights.values()) for told, weight in weights.items()}

    laws = {table: law(table) for rows in range(5 + rows_per_unit) for table in _tables(3, rows)}
    for rows in range(5 if rows_per_unit == 1 else 3):
        for table in _tables(3, rows):
            near = {table}
            for _ in range(rows_per_unit):
                near |= {other for one in near for other in _neighbours(one, relation)}
            for other in near:
                for told, chance in laws[table].items():
                    assert chance <= bound * laws[other][told]
                    assert laws[other][told] <= bound * chance


@pytest.mark.parametrize(("name", "relation"), EVERY)
def test_the_recursion_has_the_law_of_all_outputs_listed(name, relation):
    """In rationals, on all tables of up to four values and five rows."""
    shares, ratio = _shares(name), Fraction(2, 3)
    score = QuantileScore(shares, relation)
    for values, rows in itertools.product(range(1, 5), range(6)):
        for table in _tables(values, rows):
            counts = np.array(table)
            choice = QuantileChoice(score=score, values=values, most_rows=5, rate=Fraction(1))
            recursion = Recursion(choice.steps(counts), PythonNumbers(lambda step: ratio**step))
            levels = recursion.levels()
            outputs = _outputs(values, len(shares))
            weights = [ratio ** int(2 * score.parts * score.of(counts, one)) for one in outputs]
            for told, weight in zip(outputs, weights, strict=True):
                chance = _chance(recursion, levels, told)
                assert chance * sum(weights) == weight


def _chance(recursion, levels, told):
    """What the draw, value by value or all the true ones at once, comes to."""
    chance, at_once, state = Fraction(1), Fraction(0), START
    for level, value in enumerate(told):
        weights = recursion.next(level, levels[level], state)
        chance *= Fraction(weights[value]) / sum(weights)
        if level == 0 and told == recursion.ahead.places:
            at_once = Fraction(weights[-1]) / sum(weights)
        state = state.told(recursion.steps, level, value)
    return chance + at_once


TABLES = st.lists(st.integers(0, 40), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from(EVERY), st.sampled_from(["1/1000", "0.3", "7"]))
def test_words_enclose_the_weights_they_stand_for(table, kind, step):
    """Each is at or below its number, which is above it by no more than is said to be lacking."""
    name, relation = kind
    score, step = QuantileScore(_shares(name), relation), Fraction(step)
    choice = QuantileChoice(score=score, values=len(table), most_rows=600, rate=Fraction(1))
    steps = choice.steps(np.array(table))
    ours = Recursion(steps, InWords(step, score.farthest(600))).levels()
    with working_precision(400):
        exact = Recursion(steps, PythonNumbers.balls(step)).levels()
        for words, balls in zip(ours, exact, strict=True):
            for one, other in zip(
                (words.upper, words.lower, words.carried),
                (balls.upper, balls.lower, balls.carried),
                strict=True,
            ):
                assert one.lacks < 1 << 12
                for mantissa, power, ball in zip(one.mantissas, one.exponents, other, strict=True):
                    assert 1 << 61 <= int(mantissa) < 1 << 62
                    more = ball / (int(mantissa) * flint.arb(2) ** int(power)) - 1
                    assert more > -(2.0**-300)
                    assert more < one.lacks * 2.0**-UNITS


def _choice(name, relation, values, rows, epsilon="1.5"):
    score = QuantileScore(_shares(name), relation)
    return QuantileChoice.of(score, Epsilon.of(epsilon), values=values, most_rows=rows)


def _law(choice, counts):
    outputs = _outputs(choice.values, len(choice.score.shares))
    weights = [math.exp(-choice.rate * choice.score.of(counts, one)) for one in outputs]
    return outputs, [weight / math.fsum(weights) for weight in weights]


@pytest.mark.parametrize(("name", "relation"), EVERY)
def test_the_chances_of_each_value_are_those_of_all_outputs_summed(name, relation):
    """Tables of several sizes at once, some with none or all of their rows at one value."""
    tables = [np.array(one) for one in ((4, 0, 3, 1, 2), (0, 0, 10, 0, 0), (0, 1, 0, 0, 9))]
    if relation != Relation.CHANGE:
        tables += [np.array(one) for one in ((0, 0, 0, 0, 0), (1, 0, 0, 2, 0))]
    choice = _choice(name, relation, 5, 10)
    found = chances(choice, tables)
    for table, counts in enumerate(tables):
        outputs, law = _law(choice, counts)
        wanted = np.zeros((len(choice.score.shares), 5))
        for told, chance in zip(outputs, law, strict=True):
            wanted[np.arange(len(told)), list(told)] += chance
        assert found[:, table] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("name", "relation"), EVERY)
def test_values_that_are_never_told_make_no_difference_to_the_chances(name, relation, monkeypatch):
    """Of many rows: with far values put together, as with every value by itself."""
    tables = [
        np.array([(31 * place * place + 17 * table) % 997 for place in range(60)])
        for table in range(6)
    ]
    tables.append(np.array([0, 9_000, *[0] * 57, 20_000]))
    choice = _choice(name, relation, 60, 40_000)
    found = chances(choice, tables)
    near = [quantile_law.NearTable.of(choice.steps(one), np.ones(60), 300.0) for one in tables]
    assert all(len(one.starts) < 60 for one in near)
    monkeypatch.setattr(quantile_law, "_UNSEEN", math.inf)
    assert found == pytest.approx(chances(choice, tables), abs=1e-12)


@pytest.mark.parametrize("epsilon", ["0.00001", "0.3", "40"])
@pytest.mark.parametrize("relation", ONE_ROW)
def test_no_table_matters_to_the_chances_of_another(relation, epsilon):
    """All lie on one line: of any ε, of no rows and of very many, in one block or in several."""
    tables = [np.array(one) for one in ((0, 7, 0, 2), (10**12, 0, 3, 9), (1, 1, 1, 1))]
    if relation != Relation.CHANGE:
        tables.append(np.zeros(4, dtype=np.int64))
    choice = _choice("uneven", relation, 4, 2 * 10**12, epsilon)
    together = chances(choice, tables * 3)
    for place, table in enumerate(tables * 3):
        assert together[:, place] == pytest.approx(chances(choice, [table])[:, 0], abs=1e-12)
    assert together.sum(axis=2) == pytest.approx(1)


@pytest.mark.parametrize(("name", "relation"), EVERY)
def test_draws_follow_the_law(name, relation):
    counts = np.array([2, 0, 5, 1, 3])
    choice = _choice(name, relation, 5, 11)
    outputs, law = _law(choice, counts)
    draw = choice.sampler(counts)
    places = {told: place for place, told in enumerate(outputs)}
    assert_follows([places[draw()] for _ in range(1_500)], law)


def test_draws_that_words_leave_open_are_settled_by_balls(monkeypatch):
    """With words of a few bits nearly every draw is open at first; the law stays."""
    plain = quantiles.common_words

    def coarse(numbers):
        words, _ = plain(numbers)
        return words >> np.uint64(58) << np.uint64(58), 1 << 59

    monkeypatch.setattr(quantiles, "common_words", coarse)
    counts = np.array([2, 0, 5, 1])
    choice = _choice("quartiles", Relation.ADD_OR_REMOVE, 4, 8)
    outputs, law = _law(choice, counts)
    draw = choice.sampler(counts)
    places = {told: place for place, told in enumerate(outputs)}
    assert_follows([places[draw()] for _ in range(300)], law)


@settings(max_examples=30, deadline=None)
@given(TABLES, st.sampled_from(EVERY), st.sampled_from(["0.001", "0.5", "50"]))
def test_told_quantiles_are_never_out_of_order(table, kind, epsilon):
    name, relation = kind
    choice = _choice(name, relation, len(table), 500, epsilon)
    told = choice.sampler(np.array(table))()
    assert list(told) == sorted(told)
    assert 0 <= told[0] <= told[-1] < len(table)


@pytest.mark.parametrize("relation", ONE_ROW)
def test_at_a_large_epsilon_the_truth_is_told(relation):
    """Nothing is lost among a million rows: weights span thousands of powers of 2."""
    counts = np.random.default_rng().multinomial(1_000_000, np.full(300, 1 / 300))
    choice = _choice("quartiles", relation, 300, 1_000_000, "60")
    truth = tuple(int(Rank(share).places(counts)) for share in _shares("quartiles"))
    assert choice.sampler(counts)() == truth


def test_how_far_off_all_are_at_once_in_every_table():
    """The bound holds on all small tables, and is that of the page for ages by quartiles."""
    ages = QuantileChoice.of(
        QuantileScore(_shares("quartiles"), Relation.CHANGE), Epsilon.of("0.5"),
        values=82, most_rows=600,
    )  # fmt: skip
    assert ages.rows_off(0.05) == 52
    assert replace(ages, most_rows=200).rows_off(0.05) == 58
    for name, relation in EVERY:
        choice = _choice(name, relation, 3, 40, "1")
        off = choice.rows_off(0.2)
        for table in ((0, 40, 0), (40, 0, 0), (13, 13, 14), (1, 0, 39), (20, 0, 20), (0, 1, 0)):
            counts = np.array(table)
            outputs, law = _law(choice, counts)
            away = [
                max(
                    int(Rank(share).rows_to_change(counts)[place])
                    for share, place in zip(choice.score.shares, told, strict=True)
                )
                for told in outputs
            ]
            far = math.fsum(p for p, one in zip(law, away, strict=True) if one > off)
            assert far <= 0.2


def test_very_many_values_are_put_together_in_runs():
    score = QuantileScore(tuple(Fraction(k, 100) for k in range(1, 100)), Relation.CHANGE)
    choice = QuantileChoice.of(score, Epsilon.of(1), values=5_000, most_rows=10)
    assert choice.run == -(-5_000 * 99**2 // MOST_STATES) == 50
    assert [choice.place(run) for run in (0, 1, choice.runs - 1)] == [24, 74, 4_974]
    counts = np.zeros(5_000, dtype=np.int64)
    counts[[3, 4_999]] = 5
    assert choice.steps(counts).points[[1, -2, -1]].tolist() == [10, 10, 20]


@pytest.mark.parametrize("shares", [(), ("1/2", "1/4"), ("1/2", "1/2"), ("-1/2",), ("1/2", "3/2")])
def test_shares_that_do_not_rise_from_0_to_1_are_refused(shares):
    with pytest.raises(InvalidInput, match="increasing shares"):
        QuantileScore(tuple(map(Fraction, shares)), Relation.CHANGE)


def test_shares_with_too_many_digits_are_refused():
    score = QuantileScore((Fraction(1, 10**17), Fraction(1, 2)), Relation.EITHER)
    with pytest.raises(InvalidInput, match="too many digits"):
        QuantileChoice.of(score, Epsilon.of(1), values=3, most_rows=10**6)


@pytest.mark.parametrize("relation", [Relation.CHANGE, Relation.ADD_OR_REMOVE])
def test_deciles_of_ten_thousand_values_and_a_million_rows_take_less_than_two_seconds(relation):
    score = QuantileScore(tuple(Fraction(k, 10) for k in range(1, 10)), relation)
    counts = np.random.default_rng().multinomial(1_000_000, np.full(10_000, 1e-4))
    started = time.process_time()
    choice = QuantileChoice.of(score, Epsilon.of("0.5"), values=10_000, most_rows=1_000_000)
    told = choice.sampler(counts)()
    assert time.process_time() - started < 2
    truth = [int(Rank(share).places(counts)) for share in score.shares]
    assert max(abs(one - true) for one, true in zip(told, truth, strict=True)) < 50


def test_the_time_of_a_draw_does_not_tell_neighbours_apart():
    choice = _choice("outer tenths", Relation.CHANGE, 3, 40, "4")
    one, other = np.array([9, 19, 12]), np.array([10, 18, 12])
    wins, pairs = slower(lambda: choice.sampler(one), lambda: choice.sampler(other), 800)
    assert smallest_seen(pairs) < 0.8
    assert not tells_apart(wins, pairs), (wins, pairs)
