"""Order statistics of a column told from one draw: as planned, against all small tables.

The score and the law are written out once more, from docs/proofs/quantiles-together.md: the program
is asked only what it draws with, that is for which shares, under which relation and at which rate.
"""

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from discreet.exact import Epsilon, spendable
from discreet.joint.quantile_score import QuantileScore
from discreet.joint.quantiles import QuantileChoice
from discreet.model import Grid, Relation
from discreet.planning import Wishes, plan
from discreet.planning.candidates.by_database import BY_DATABASE
from discreet.planning.candidates.by_rank import RANKS
from discreet.planning.joint import weighing
from discreet.planning.joint.joined import Whole
from discreet.planning.joint.quantiles import NAME, QUANTILES
from discreet.planning.percentiles import percentiles_of
from discreet.planning.planner import whole_of
from discreet.planning.reasons import Misfit
from discreet.planning.releases import imagined_lines, quantiles
from discreet.statistics import Rank, Tally
from discreet.tables import NumberColumn
from discreet.text import IF_PRIOR
from planning.facts import COLUMNS, GAPPY, asked, dataset
from statistics_bounds import assert_follows

QUARTILES = "QUANTILE(mood, 0.25), MEDIAN(mood), QUANTILE(mood, 0.75)"
THREE = NumberColumn("mood", Grid.between(0, 2), Fraction(0), True, complete=True)
AGES = NumberColumn("age", Grid.between(18, 99), Fraction(18), True, complete=True)
AGE_QUARTILES = "SELECT QUANTILE(age, 0.25), MEDIAN(age), QUANTILE(age, 0.75)"


@pytest.fixture
def always(monkeypatch):
    """Sets are taken wherever they can be made: what is planned is to be looked at."""
    monkeypatch.setattr(weighing, "JOINERS", (replace(QUANTILES, capped=False),))
    monkeypatch.setattr(weighing, "_ratio", lambda *_: 0.5)


def planned(sql, facts, **wanted):
    return plan(asked(sql, facts), facts, **({"epsilon": 1} | wanted))


@cache
def score(table, shares, relation, told):
    """How far the surplus of rows moves, trying every point; below 0 how far ahead the truth is."""
    parts = 2 * math.lcm(*(share.denominator for share in shares))
    below = [0, *itertools.accumulate(table)]
    targets = []
    for share in shares:
        if relation == Relation.CHANGE:
            targets.append(Fraction(2 * max(1, math.ceil(share * below[-1])) - 1, 2))
        else:
            floor = Fraction(1, 2) if shares[0] == 0 else Fraction(-1, parts)
            targets.append(max(share * below[-1] - Fraction(1, parts), floor))
    costs, rooms = {Fraction(0): Fraction(0)}, []
    for target, place in zip(targets, told, strict=True):
        start, end = (one - target for one in below[place : place + 2])
        rooms += [-start, end]
        points = {start, end, *(one for one in (*costs, Fraction(0)) if start < one < end)}
        costs = {to: min(cost + abs(to - one) for one, cost in costs.items()) for to in points}
    moved = min(cost + abs(one) for one, cost in costs.items()) / 2
    return -min(rooms) if moved == 0 and sum(table) else moved


@cache
def law(table, shares, relation, each):
    """In rationals: e^(−step) is 4/5, and a row of the score has so many steps."""
    outputs = itertools.combinations_with_replacement(range(len(table)), len(shares))
    powers = [score(table, shares, relation, told) * each for told in outputs]
    assert all(power.denominator == 1 for power in powers)
    weights = [Fraction(4, 5) ** int(power) for power in powers]
    return tuple(weight / sum(weights) for weight in weights)


@cache
def _loss(one, other, score_of, each):
    """The largest ratio of chances on two tables, either way round, over all outputs."""
    laws = [law(table, score_of.shares, score_of.relation, each) for table in (one, other)]
    ratios = [a / b for a, b in zip(*laws, strict=True)]
    return max(*ratios, 1 / min(ratios))


FACTS = {
    "all rows": ("", COLUMNS, True),
    "all rows, ends": ("", COLUMNS, True),
    "where": (" WHERE clinic = 'A'", COLUMNS, True),
    "gaps": ("", GAPPY, True),
    "groups": (" GROUP BY clinic", COLUMNS, True),
    "private size": ("", COLUMNS, False),
}


def _people(rows, most, public):
    """All tables: multisets of so many rows, or of up to so many."""
    sizes = [most] if public else range(most + 1)
    return [
        table for size in sizes for table in itertools.combinations_with_replacement(rows, size)
    ]


def _apart(one, other, change, rows_per_unit):
    """Whether one person can lead from one table to the other."""
    gone, come = (sum((Counter(a) - Counter(b)).values()) for a, b in ((one, other), (other, one)))
    if change:
        return max(gone, come) <= rows_per_unit
    return min(gone, come) == 0 and max(gone, come) <= rows_per_unit


def _counted(table, name):
    """The rows that count, by group: 'x' is a gap; the condition is group 'A'."""
    groups = ["A", "B", "other"] if name == "groups" else [None]
    told = []
    for group in groups:
        values = [
            value
            for value, clinic in table
            if value != "x"
            and (group is None or clinic == group)
            and (name != "where" or clinic == "A")
        ]
        told.append(tuple(values.count(value) for value in range(3)))
    return told


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("name", FACTS)
@pytest.mark.parametrize("rows_per_unit", [1, 2, 3])
def test_what_is_planned_is_private_on_all_small_tables(always, name, change, rows_per_unit):
    where, columns, public = FACTS[name]
    columns = tuple(
        replace(THREE, missing=one.missing, complete=one.complete) if one.name == "mood" else one
        for one in columns
    )
    size_public = public and change
    facts = dataset(
        400, public=size_public, change=change, per_person=rows_per_unit, columns=columns
    )
    sql = "MIN(mood), MEDIAN(mood), MAX(mood)" if "ends" in name else QUARTILES
    made = planned(f"SELECT {sql}{where}", facts)
    (joined,) = made.joined
    choice = joined.release.choice
    assert joined.places == (0, 1, 2)
    each = 2 * choice.score.parts
    epsilon = spendable(joined.epsilon) / choice.step
    assert epsilon.denominator == 1
    bound = Fraction(5, 4) ** int(epsilon)
    clinics = ["A", "B", "other"] if name in ("where", "groups") else ["A"]
    values = [0, 1, 2, "x"] if name == "gaps" else [0, 1, 2]
    most = 3 if len(clinics) * len(values) > 4 else 4
    tables = _people(list(itertools.product(values, clinics)), most, size_public)
    if len(tables) > 200:
        tables = _people(list(itertools.product(values, clinics)), 2, size_public)
    worst = Fraction(0)
    for one, other in itertools.combinations(tables, 2):
        if _apart(one, other, change, rows_per_unit):
            pairs = zip(_counted(one, name), _counted(other, name), strict=True)
            worst = max(worst, math.prod(_loss(a, b, choice.score, each) for a, b in pairs))
    assert 1 < worst <= bound


def test_draws_of_a_plan_follow_the_law_and_are_told_in_the_order_of_the_question(always):
    facts = dataset(8, columns=(THREE,))
    made = planned("SELECT QUANTILE(mood, 0.75), QUANTILE(mood, 0.25), MEDIAN(mood)", facts)
    choice, counts = made.joined[0].release.choice, (3, 1, 4)
    assert choice.score.shares == (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
    outputs = list(itertools.combinations_with_replacement(range(3), 3))
    scores = [score(counts, choice.score.shares, Relation.CHANGE, told) for told in outputs]
    weights = [math.exp(-choice.rate * one) for one in scores]
    counted = [[Tally(np.array(counts))]] * 3
    found = []
    for _ in range(400):
        (third,), (first,), (second,) = made.ready(counted).draw()
        found.append(outputs.index((first.value, second.value, third.value)))
    assert_follows(found, [weight / math.fsum(weights) for weight in weights])


def test_nothing_is_drawn_before_the_charge_and_everything_once(always, monkeypatch):
    facts = dataset(8, columns=(THREE,))
    made = planned(f"SELECT {QUARTILES}", facts)
    release = made.joined[0].release
    draws = []
    monkeypatch.setattr(type(release), "_sampler", lambda *_: lambda: draws.append(0) or (0, 1, 2))
    waiting = made.ready([[Tally(np.array([3, 1, 4]))]] * 3)
    assert draws == []
    assert [[one.value for one in by_group] for by_group in waiting.draw()] == [[0], [1], [2]]
    assert draws == [0]


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("sql", [AGE_QUARTILES, f"{AGE_QUARTILES}, MIN(age), MAX(age)"])
def test_sets_are_taken_for_ordinary_columns_and_keep_the_cap_on_every_shape(sql, change):
    facts = dataset(600, public=change, change=change, columns=(AGES,))
    made = planned(sql, facts, epsilon="0.5")
    (joined,) = made.joined
    assert joined.places == tuple(range(len(made.parts)))
    assert joined.saved > 1.1
    assert made.cost.total == 500_000_000
    logs = 0
    for part in made.parts:
        assert part.chosen.name == NAME
        apart = part.choice.candidates[1]
        judging = weighing.judging_of(part.subject)
        losses = [judging.losses(one.release, "absolute") for one in (part.chosen, apart)]
        logs = logs + np.log(judging.ratios(*losses, "absolute"))
    assert np.exp(logs / len(made.parts)).max() <= weighing.CAP


def test_a_set_that_errs_much_more_on_some_shape_is_not_taken(monkeypatch):
    facts = dataset(600, columns=(AGES,))
    assert planned(AGE_QUARTILES, facts, epsilon="0.5").joined
    monkeypatch.setattr(weighing, "CAP", 0.5)
    assert not planned(AGE_QUARTILES, facts, epsilon="0.5").joined


def test_a_shape_that_is_failed_on_one_table_by_chance_decides_nothing():
    """Rows of few heaps on a fine grid: one table of them may be unlucky, many are not."""
    grid = Grid.between(0, 11, Fraction(1, 100))
    weights = NumberColumn("weight", grid, Fraction(0), False, complete=True)
    facts = dataset(1_000, columns=(weights,))
    sql = "SELECT QUANTILE(weight, 0.25), MEDIAN(weight), QUANTILE(weight, 0.75)"
    made = planned(sql, facts)
    (joined,) = made.joined
    assert joined.saved > 1.4
    few, many = 0, 0
    for part in made.parts:
        apart, judging = part.choice.candidates[1], weighing.judging_of(part.subject)
        losses = [judging.losses(one.release, "absolute") for one in (part.chosen, apart)]
        few = few + np.log(judging.ratios(*losses, "absolute")) / 3
    (failed,) = np.flatnonzero(few > math.log(weighing.CAP))
    for part in made.parts:
        apart, closely = part.choice.candidates[1], judging.closely(failed)
        losses = [closely.losses(one.release, "absolute") for one in (part.chosen, apart)]
        many = many + np.log(closely.ratios(*losses, "absolute")) / 3
    assert len(closely.tables) > len(judging.tables) // len(judging.weights)
    assert many <= math.log(weighing.CAP)


def test_which_statistics_are_proposed():
    facts = dataset(600, columns=(*COLUMNS, AGES))

    def sets(sql, **wishes):
        seen = []
        wanted = Wishes.of(**wishes)
        question = asked(sql, facts)
        joiner = replace(QUANTILES, sets=lambda whole: seen.append(whole) or [])
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(weighing, "JOINERS", (joiner,))
            plan(question, facts, epsilon=1, wishes=wanted)
        (whole,) = seen
        assert isinstance(whole, Whole)
        return QUANTILES.sets(whole)

    ends = "SELECT MIN(mood), QUANTILE(mood, 0.2), COUNT(*), MEDIAN(mood), MAX(age), MEDIAN(age)"
    assert sets(ends) == [(0, 1, 3), (1, 3), (4, 5)]
    assert sets("SELECT MEDIAN(mood), MEDIAN(age)") == []
    assert sets(f"SELECT {QUARTILES}", interval="every-table") == []
    assert sets(f"SELECT {QUARTILES}", worst_case=True) == []


def test_how_far_off_is_told_for_every_table_and_holds_on_small_ones(always):
    facts = dataset(6, columns=(THREE,))
    made = planned(f"SELECT {QUARTILES}", facts, epsilon=6, confidence="80%")
    choice = made.joined[0].release.choice
    outputs = list(itertools.combinations_with_replacement(range(3), 3))
    offs = [part.chosen.figures.rows_off for part in made.parts]
    assert max(offs) < 6
    for table in itertools.product(range(7), repeat=3):
        if sum(table) != 6:
            continue
        scores = [score(table, choice.score.shares, Relation.CHANGE, told) for told in outputs]
        weights = [math.exp(-choice.rate * one) for one in scores]
        for place, (share, off) in enumerate(zip(choice.score.shares, offs, strict=True)):
            away = Rank(share).rows_to_change(np.array(table))
            far = [w for told, w in zip(outputs, weights, strict=True) if away[told[place]] > off]
            assert math.fsum(far) <= 0.2 * math.fsum(weights)
    low, high = percentiles_of(made.parts[1].subject, made.wishes, made.parts[1].chosen)
    assert low <= Fraction(1, 2) <= high


def test_people_beyond_the_table_are_told_of_in_wider_percentiles():
    facts = dataset(600, columns=(AGES,))
    told = []
    for about in ("table", "population"):
        made = planned(AGE_QUARTILES, facts, epsilon="0.5", wishes=Wishes.of(about=about))
        part = made.parts[0]
        assert part.joined
        told.append(percentiles_of(part.subject, made.wishes, part.chosen))
    assert told[1][0] < told[0][0] < told[0][1] < told[1][1]


def test_more_rows_than_were_declared_are_drawn_for_as_well(always):
    facts = dataset(4, public=False, change=False, columns=(THREE,))
    made = planned(f"SELECT {QUARTILES}", facts, epsilon=50)
    counted = [[Tally(np.array([40_000, 0, 90_000]))]] * 3
    values = [by_group[0].value for by_group in made.ready(counted).draw()]
    assert values == [0, 2, 2]


def test_values_that_no_table_has_rows_of_may_be_put_together_for_figures(monkeypatch):
    """Exact for a single rank, by either law; of several rather too large than too small."""
    facts = dataset(40, public=False, change=False, columns=(AGES,))
    counts = np.zeros(82, dtype=np.int64)
    counts[[3, 20, 21, 60]] = [9, 6, 20, 5]
    tables = (Tally(counts), Tally(np.roll(counts, 4)))
    made = planned(AGE_QUARTILES, facts, epsilon=1)
    alone = planned("SELECT QUANTILE(age, 0.25)", facts, epsilon=1)
    asked_alone = alone.parts[0].chosen.release
    together = [part.chosen.release for part in made.parts]
    one = replace(
        together[0],
        choice=QuantileChoice.of(
            QuantileScore((Fraction(1, 4),), Relation.EITHER),
            Epsilon.of(1),
            values=82,
            most_rows=40,
        ),
    )
    exact = [release.losses(tables, "absolute") for release in (asked_alone, one, *together)]
    monkeypatch.setattr(imagined_lines, "FINE", 3)
    imagined_lines._lines.cache_clear()
    monkeypatch.setattr(quantiles, "FINE", 3)
    thin = [release.losses(tables, "absolute") for release in (asked_alone, one, *together)]
    assert thin[0] == pytest.approx(exact[0], rel=1e-4)
    assert thin[1] == pytest.approx(exact[1], rel=1e-9)
    for ours, theirs in zip(thin[2:], exact[2:], strict=True):
        assert (0.99 * theirs <= ours).all()
        assert (ours <= 1.6 * theirs).all()


def test_deciles_of_ten_thousand_values_are_planned_and_drawn():
    column = NumberColumn("age", Grid.between(0, 9_999), Fraction(0), True, complete=True)
    facts = dataset(1_000_000, columns=(column,))
    made = planned("SELECT DECILES(age)", facts, epsilon="0.5")
    assert len(made.joined[0].places) == 9
    counts = np.random.default_rng().multinomial(1_000_000, np.full(10_000, 1e-4))
    told = [by_group[0].value for by_group in made.ready([[Tally(counts)]] * 9).draw()]
    assert told == sorted(told)
    truth = [int(Rank(Fraction(k, 10)).places(counts)) for k in range(1, 10)]
    assert max(abs(one - true) for one, true in zip(told, truth, strict=True)) < 50


def test_a_distance_costs_less_together():
    facts = dataset(600, columns=(AGES,))
    made = planned(AGE_QUARTILES, facts, epsilon=None, within=2)
    assert made.joined[0].cheaper
    assert made.joined[0].saved > 1.2
    assert all(part.chosen.figures.within <= 2 for part in made.parts)


@pytest.mark.parametrize(
    ("prior", "change"),
    [("databases", True), ("uniform", False), ("databases", False), ([0.5, 0.2, 0.3], False)],
)
def test_a_stated_prior_keeps_its_own_figures(always, prior, change):
    """Each statistic is judged on tables in which its own answer has the prior, as by itself."""
    wishes = Wishes.of(prior=prior)
    facts = dataset(8 if change else 90, change=change, public=change, columns=(THREE,))
    made = planned(f"SELECT {QUARTILES}", facts, epsilon="0.6", cache=None, wishes=wishes)
    (joined,) = made.joined
    assert joined.places == (0, 1, 2)
    for part in made.parts:
        figures, release = part.chosen.figures, part.chosen.release
        assert (figures.rests_on, figures.typical) == (IF_PRIOR, None)
        assert figures.standard_error > 0
        lines = RANKS.tables(part.subject, wishes.supposed, len(release.known.tables))
        laws = [release.law(Tally(line)) for line in lines]
        errors = [np.dot(one.chances, np.abs(np.array(one.answers) - one.truth)) for one in laws]
        assert figures.loss == figures.expected == pytest.approx(np.mean(errors), rel=1e-6)
        assert np.mean([one.reach(0.95) <= figures.within for one in laws]) > 0.5


def test_under_a_prior_the_set_that_errs_less_is_told():
    facts = dataset(600, columns=(AGES,))
    made = planned(
        AGE_QUARTILES, facts, epsilon="0.5", cache=None, wishes=Wishes.of(prior="uniform")
    )
    (joined,) = made.joined
    assert joined.saved > 1.5
    assert made.cost.total == 500_000_000
    worst = planned(AGE_QUARTILES, facts, epsilon="0.5", wishes=Wishes.of(worst_case=True))
    assert not worst.joined


def test_programs_of_several_quantiles_of_few_values_share_the_room_of_one():
    """Each would take its time: three of them took minutes."""
    facts = dataset(100, columns=(THREE,))
    wishes = Wishes.of(prior="uniform")
    question = asked(f"SELECT {QUARTILES}", facts)
    together = whole_of(question, facts, wishes).tasks[1]
    alone = whole_of(asked("SELECT MEDIAN(mood)", facts), facts, wishes).tasks[0]
    assert BY_DATABASE.unsuited(alone) is None
    assert BY_DATABASE.unsuited(together).kind is Misfit.TOO_MANY_HISTOGRAMS
