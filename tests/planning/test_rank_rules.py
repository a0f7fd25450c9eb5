"""Rank rules keep their promise on all small tables, by their exact law (docs/proofs/ranks.md).

Scores and laws are worked out here from their definitions; nothing is taken from the sampler.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.attack.steps import of_stepped
from discreet.errors import QuestionError
from discreet.exact import Epsilon, spendable
from discreet.model import Grid
from discreet.planning import Task, Wishes, choose, subject_of
from discreet.planning.candidates.rank_rules import (
    RankSetting,
    bare_rules,
    cuts,
    inwards,
    leaning,
    leanings,
    plain_rule,
)
from discreet.planning.releases.choice import flipped
from discreet.planning.releases.ranks import RankRelease, RankRule, Target, loss_of_privacy
from discreet.tables import NumberColumn
from planning.facts import asked, dataset, tallied

VALUES = 4
SHARES = [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
STARTS = [(0, 1, 2, 3), (0, 2), (0, 1, 3)]
BITS = 160


@cache
def tables(rows):
    return [t for t in product(range(rows + 1), repeat=VALUES) if sum(t) == rows]


def scores_of(rule, table):
    """leaning − max(down·(L − high), up·(low − A)), by counting rows."""
    m, share = sum(table), rule.target.share
    place = max(1, -(-share.numerator * m // share.denominator))
    moved = moved_by(rule.target, m, place)
    low = Fraction(place) + moved
    high = low - 1
    if rule.target.as_fraction:
        low, high = share * m + moved, share * m + moved - Fraction(1, rule.target.parts)
    found = []
    for start, end, lean in zip(rule.starts, ends_of(rule), rule.leanings, strict=True):
        below, reached = sum(table[:start]), sum(table[:end])
        found.append(lean - max(rule.down * (below - high), rule.up * (low - reached)))
    return found


def moved_by(target, rows, place):
    """The shift of so many rows, by its definition: it grows with the rows it moves to."""
    if target.growth is None:
        return target.shift
    ahead = rows - place if target.shift > 0 else place - 1
    grown = min(abs(target.shift), max(0, ahead - target.unmoved) * target.growth)
    return grown if target.shift > 0 else -grown


def ends_of(rule):
    return (*rule.starts[1:], VALUES)


def exact_law(rule, table):
    """Permute-and-flip by its definition: ∫ q_i Π (1 − u·q_j) du, with rational log-coins."""
    scores = scores_of(rule, table)
    if rule.in_steps:
        return stepped_law(scores, rule.down + rule.up)
    best = max(scores)
    coins = [ball(score - best).exp() for score in scores]
    law = []
    for place, coin in enumerate(coins):
        polynomial = flint.arb_poly([1])
        for other, their in enumerate(coins):
            if other != place:
                polynomial *= flint.arb_poly([1, -their])
        parts = (polynomial[k] / (k + 1) for k in range(polynomial.length()))
        law.append(coin * sum(parts, start=flint.arb(0)))
    return law


def stepped_law(scores, step):
    """Noise in whole steps by its definition: who is ahead for every number of steps of each.

    All but i stay below i, or tie with it and have the smaller lot: given that i has g steps, each
    by itself, so that a polynomial in e^(−step·g) is summed over all g.
    """
    alpha, law = ball(-step).exp(), []
    for place, score in enumerate(scores):
        below, ties = flint.arb_poly([1]), []
        least = max([0, *(math.ceil((one - score) / step) for one in scores)])
        for other, their in enumerate(scores):
            away = Fraction(score - their, step)
            if other != place and away.denominator == 1:
                ties.append(alpha ** int(least + away))
            elif other != place:
                below *= flint.arb_poly([1, -(alpha ** math.ceil(least + away))])
        chance = flint.arb(0)
        for lots in range(1 << len(ties)):
            alike = below
            for which, reached in enumerate(ties):
                tied = lots >> which & 1
                one = [0, reached * (1 - alpha)] if tied else [1, -reached]
                alike *= flint.arb_poly(one)
            summed = (alike[k] / (1 - alpha ** (k + 1)) for k in range(alike.length()))
            chance += sum(summed, start=flint.arb(0)) / (1 + lots.bit_count())
        law.append((1 - alpha) * alpha**least * chance)
    return law


def ball(exact):
    return flint.arb(flint.fmpq(*Fraction(exact).as_integer_ratio()))


def worst_ratio(rule, pairs):
    """The largest log-ratio of any output on any of these pairs, as a ball."""
    laws, worst = {}, flint.arb(0)
    for pair in pairs:
        for table in pair:
            if table not in laws:
                laws[table] = exact_law(rule, table)
        for p, q in zip(laws[pair[0]], laws[pair[1]], strict=True):
            worst = worst.max((p / q).log()).max((q / p).log())
    return worst


def changed(table):
    for source, target in product(range(VALUES), repeat=2):
        if source != target and table[source]:
            other = list(table)
            other[source] -= 1
            other[target] += 1
            yield tuple(other)


def grown(table):
    for place in range(VALUES):
        yield (*table[:place], table[place] + 1, *table[place + 1 :])


def changed_pairs(rows, times=1):
    for table in tables(rows):
        near = {table}
        for _ in range(times):
            near |= {other for one in near for other in changed(one)}
        yield from ((table, other) for other in near)


def grown_pairs(most, times=1):
    for rows in range(most):
        for table in tables(rows):
            near = {table}
            for _ in range(times):
                near |= {other for one in near for other in grown(one)}
            yield from ((table, other) for other in near)


@pytest.fixture(autouse=True)
def _precisely():
    kept, flint.ctx.prec = flint.ctx.prec, BITS
    yield
    flint.ctx.prec = kept


def rule_of(share, shift, down, up, starts, lean, *, as_fraction=False, growth=None, unmoved=0):
    fractional = as_fraction and 0 < share < 1
    if growth is not None:
        shift = abs(shift) if share < Fraction(1, 2) else -abs(shift)
        growth = None if share == Fraction(1, 2) else growth
    elif fractional:
        shift = Fraction(0)
    return RankRule(
        target=Target(
            share=share, shift=shift, as_fraction=fractional, growth=growth, unmoved=unmoved
        ),
        starts=starts,
        told=starts,
        down=down,
        up=up,
        leanings=tuple(Fraction(lean * k, 3) for k in range(len(starts))),
    )


def stepping(rule):
    """The same by noise in whole steps, of ranks that are whole."""
    target = replace(rule.target, as_fraction=False)
    return replace(rule, target=target, in_steps=True)


rates = st.sampled_from([Fraction(1, 10), Fraction(1, 8), Fraction(1, 2), Fraction(7, 8)])
rules = st.builds(
    lambda share, shift, down, up, starts, lean, as_fraction, growth, unmoved: rule_of(
        share,
        shift,
        down,
        up,
        starts,
        lean,
        as_fraction=as_fraction,
        growth=growth,
        unmoved=unmoved,
    ),
    st.sampled_from([*SHARES, Fraction(3, 8), Fraction(5, 8)]),
    st.sampled_from([Fraction(0), Fraction(-1), Fraction(3, 4), Fraction(-1, 2), Fraction(1, 8)]),
    rates,
    rates,
    st.sampled_from(STARTS),
    st.integers(-2, 2),
    st.booleans(),
    st.sampled_from([None, Fraction(1, 32), Fraction(1, 4)]),
    st.integers(0, 1),
)
every_rule = st.one_of(rules, rules.map(stepping))
small_tables = st.sampled_from([t for n in range(5) for t in tables(n)])


@given(rule=rules, table=small_tables)
def test_the_sampler_draws_by_the_scores_of_the_definition(rule, table):
    scores, rate = rule.exact_scores(np.array(table))
    assert [score * rate for score in scores] == scores_of(rule, table)
    assert rule.scores(np.array([table]))[0] == pytest.approx(
        [float(score) for score in scores_of(rule, table)]
    )


@given(rule=every_rule)
def test_no_pair_of_neighbours_exceeds_what_the_rates_cost(rule):
    """Rows that come or go always; rows that change where the place is a whole rank."""
    target = rule.target
    cost = loss_of_privacy(
        target.share,
        rule.down,
        rule.up,
        as_fraction=target.as_fraction,
        growth=target.growth,
    )
    allowed = ball(cost) + flint.arb("1e-30")
    assert worst_ratio(rule, grown_pairs(3)) < allowed
    if not target.as_fraction:
        assert worst_ratio(rule, changed_pairs(3)) < allowed


@given(rule=rules.map(stepping), table=small_tables)
def test_the_law_that_figures_rest_on_is_that_of_the_definition(rule, table):
    expected = [float(one) for one in exact_law(rule, table)]
    counts = np.array([table, table])
    assert sum(expected) == pytest.approx(1)
    assert rule.law(counts)[1] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert rule.quick_law(counts)[1] == pytest.approx(expected, abs=1e-4)


@given(rule=rules.map(stepping), table=small_tables)
def test_draws_in_steps_have_the_law_of_the_definition(rule, table):
    """The levels and orders that are drawn by, through the law of the attack."""
    chances = of_stepped(rule.choosing(np.array(table)))
    for low, high, chance in zip(chances.low, chances.high, exact_law(rule, table), strict=True):
        assert low / chances.whole <= float(chance) * (1 + 1e-12)
        assert high / chances.whole >= float(chance) * (1 - 1e-12)
        assert high - low <= 1 + chances.whole >> 150


def test_neighbouring_values_are_told_apart_as_well_as_can_be():
    """At a border both tables err α/(1 + α), the least that two neighbours can; flips err more."""
    rate = Fraction(2)
    for share in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
        place = math.ceil(share * 100)
        rule = plain_rule(share, 2, rate, one_way=False, rows=100)
        assert rule.in_steps
        for reached in (place, place - 1):
            counts = np.array([[reached, 100 - reached]])
            wrong = rule.law(counts)[0][int(reached == place)]
            assert wrong == pytest.approx(1 / (1 + math.exp(2)))
    flips = replace(plain_rule(Fraction(9, 10), 2, rate, one_way=False, rows=100), in_steps=False)
    both = flips.law(np.array([[90, 10]]))[0][1] + flips.law(np.array([[89, 11]]))[0][0]
    assert both > 2.5 / (1 + math.exp(2))


def test_the_bounds_are_reached():
    """So the rates could not be larger: the price is ε, not less."""
    half, every = Fraction(1, 2), (0, 1, 2, 3)
    whole = rule_of(half, Fraction(0), half, half, every, 0)
    assert worst_ratio(whole, changed_pairs(4)) > 0.9
    part = rule_of(half, Fraction(0), half, half, every, 0, as_fraction=True)
    assert worst_ratio(part, grown_pairs(4)) > 0.9 * half
    assert worst_ratio(part, changed_pairs(4)) > 1.2 * half, "a change is more than ε for fractions"


NUMBERS = NumberColumn("x", Grid.between(0, VALUES - 1), Fraction(0), True)
OTHERS = NumberColumn("y", Grid.between(0, 1), Fraction(0), True)
ASKED = ("MIN(x)", "QUANTILE(x, 0.1)", "MEDIAN(x)", "QUANTILE(x, 0.9)", "MAX(x)")


@pytest.mark.parametrize("person", [1, 2])
@pytest.mark.parametrize("kind", ["changed", "filtered", "added"])
@pytest.mark.parametrize("ask", ASKED)
def test_what_the_planner_chooses_by_rank_is_private(ask, kind, person):
    """Every rank-based candidate, under each relation, for persons with one row and with two."""
    facts = dataset(4, change=kind != "added", public=kind != "added", per_person=person,
                    columns=(NUMBERS, OTHERS))  # fmt: skip
    question = asked(f"SELECT {ask}" + " WHERE y = 1" * (kind == "filtered"), facts)
    subject = subject_of(question.items[0], question, facts)
    epsilon = Epsilon.of("0.8")
    choice = choose(Task(subject, Wishes(), epsilon, cache=None))
    found = [one.release for one in choice.candidates if isinstance(one.release, RankRelease)]
    assert found
    allowed = ball(spendable(epsilon)) + flint.arb("1e-30")
    for release in found:
        if kind != "changed":
            assert worst_ratio(release.rule, grown_pairs(3, person)) < allowed
        if kind != "added":
            assert worst_ratio(release.rule, changed_pairs(4, person)) < allowed


def test_every_rule_that_is_tried_is_private():
    """Of the many that are tried on few values, each seventh."""
    rate = Fraction(4, 5)
    allowed = ball(rate) + flint.arb("1e-30")
    for share in (Fraction(1, 10), Fraction(1, 2), Fraction(1)):
        setting = RankSetting(values=VALUES, from_zero=True, rows=3, share=share, rate=rate)
        tried = [
            leaning(rule, towards)
            for starts in (*cuts(setting), *STARTS)
            for towards in leanings(setting, starts).T
            for rule in bare_rules(setting, starts, starts)
        ]
        for rule in tried[::7]:
            assert worst_ratio(rule, changed_pairs(3)) < allowed


@pytest.mark.parametrize("as_fraction", [False, True])
@pytest.mark.parametrize("share", SHARES)
def test_only_the_answer_goes_unpunished(share, as_fraction):
    """With every value a run of its own: the value at the rank alone has no penalty."""
    one = Fraction(1)
    rule = rule_of(share, Fraction(0), one, one, (0, 1, 2, 3), 0, as_fraction=as_fraction)
    for rows in range(1, 5):
        for table in tables(rows):
            place = max(1, -(-share.numerator * rows // share.denominator))
            answer = int((np.cumsum(table) >= place).argmax())
            free = [value for value, score in enumerate(scores_of(rule, table)) if score >= 0]
            assert free == [answer]


@given(rule=every_rule, table=st.sampled_from([t for n in range(1, 5) for t in tables(n)]))
def test_rows_off_holds_on_every_table(rule, table):
    """But for the stated chance, the told run holds the answer once so many rows have changed."""
    rows, share = sum(table), rule.target.share
    place = max(1, -(-share.numerator * rows // share.denominator))
    if not 1 <= place + moved_by(rule.target, rows, place) <= rows:
        return
    failure = 0.2
    off = rule.rows_off(failure, rows, maybe_none=False)
    beyond = 0.0
    for chance, start, end in zip(exact_law(rule, table), rule.starts, ends_of(rule), strict=True):
        away = max(0, sum(table[:start]) - (place - 1), place - sum(table[:end]))
        beyond += float(chance) if away > off else 0.0
    assert beyond <= failure + 1e-9


def test_what_is_told_is_the_value_of_the_run_that_is_drawn():
    facts = dataset(8, columns=(NumberColumn("x", Grid.between(0, 40), Fraction(0), True),))
    question = asked("SELECT MEDIAN(x)", facts)
    subject = subject_of(question.items[0], question, facts)
    rule = RankRule(
        target=Target(share=Fraction(1, 2)),
        starts=(0, 10, 30),
        told=(4, 19, 35),
        down=Fraction(40),
        up=Fraction(40),
        leanings=(Fraction(0),) * 3,
    )
    release = RankRelease(subject=subject, rule=rule, within=Fraction(2))
    draw = release.sampler(tallied(subject, [12, 12, 12, 29, 3, 40, 40, 10]))
    told = release.told(draw(), Fraction(19, 20))
    assert (told.value, told.run, told.interval) == (19, (10, 29), (17, 21))


@pytest.mark.parametrize("rows", [3, 10, 57, 1000])
@pytest.mark.parametrize(
    "share", [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(19, 20)]
)
@pytest.mark.parametrize("epsilon", ["0.01", "0.3", "1", "2", "20"])
def test_inner_quantiles_aim_inwards_but_not_far(epsilon, share, rows):
    """Inside the table, on the way to the median; and little worse where that is the wrong way."""
    rate = Fraction(epsilon)
    shift, place = inwards(share, rows, rate), max(1, math.ceil(share * rows))
    middle = Fraction(rows + 1, 2)
    assert abs(place + shift - middle) <= abs(place - middle)
    assert 1 <= place + shift <= rows
    plain = plain_rule(share, 2, rate, one_way=False, rows=rows)
    target = replace(plain.target, shift=shift)
    plain = replace(plain, target=target, in_steps=False)
    wrong_way = int(shift > 0)
    table = np.array([place, rows - place] if wrong_way else [place - 1, rows - place + 1])
    scores = plain.scores(table[None, :])[0]
    mistaken = flipped(scores[None, :])[0][wrong_way]
    by_hand = 1 / (1 + math.exp(float(rate) / 2))
    assert mistaken + 0.25 <= 1.25 * (by_hand + 0.25) + 1e-9


def test_ends_aim_at_their_rank_and_medians_not_beyond_the_middle():
    """Of an even number of rows the middle is half a row above the median's rank."""
    for share in (Fraction(0), Fraction(1)):
        assert inwards(share, 100, Fraction(1)) == 0
    median = Fraction(1, 2)
    assert [inwards(median, rows, Fraction(1)) for rows in (100, 101)] == [Fraction(1, 8), 0]


def test_scores_of_fine_shares_and_many_rows_never_leave_their_size():
    """A product beyond 64 bits would turn the order of values around, and break privacy."""
    rule = RankRule(
        target=Target(share=Fraction(333_333, 10**6), as_fraction=True),
        starts=(0, 1, 2),
        told=(0, 1, 2),
        down=Fraction(1, 2),
        up=Fraction(1, 2),
        leanings=(Fraction(0),) * 3,
    )
    counts = np.array([9 * 10**18, 0, 0], dtype=np.int64)
    scores, _ = rule.exact_scores(counts)
    assert scores[0] > scores[1] == scores[2]
    with pytest.raises(QuestionError, match="at most 6 decimals"):
        asked("SELECT QUANTILE(mood, 0.33333333)", dataset(10))


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1)])
def test_ends_of_a_private_number_of_rows_are_fewer_rows_off(share):
    """No value is more than one row too far out, so the other side has the larger rate."""
    private = plain_rule(share, 101, Fraction(1), one_way=True)
    public = plain_rule(share, 101, Fraction(1), one_way=True, rows=1000)
    assert private.down + private.up == public.down + public.up == 1
    off = private.rows_off(0.05, 1000, maybe_none=True)
    assert off <= 0.75 * public.rows_off(0.05, 1000, maybe_none=True)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1)])
def test_a_large_epsilon_finds_the_ends_of_a_private_number_of_rows(share):
    """Hundreds of values lie one row too far out: together they must weigh next to nothing."""
    counts = np.zeros(501, dtype=np.int64)
    counts[[100, 150, 400]] = 20, 20, 1
    law = flipped(plain_rule(share, 501, Fraction(40), one_way=True).scores(counts[None, :]))[0]
    assert law[400 if share else 100] > 1 - 1e-5


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1, 4), Fraction(9, 10)])
@pytest.mark.parametrize("one_way", [False, True])
def test_the_place_of_a_private_number_of_rows_moves_by_a_row_at_most(share, one_way):
    """For every number of rows; few are not moved, and many as far as if they were public."""
    target = plain_rule(share, 2, Fraction(1, 2), one_way=one_way).target
    rows = np.arange(3000)
    _, low = target.ends(rows)
    steps = np.diff(low)
    assert steps.min() >= 0
    assert steps.max() <= target.parts
    centre = np.array([share * n if one_way else max(1, math.ceil(share * n)) for n in range(3000)])
    moved = [Fraction(int(one), target.parts) - base for one, base in zip(low, centre, strict=True)]
    assert not any(moved[:31])
    assert moved[-1] == target.shift == inwards(share, 10**6, Fraction(1, 2))
