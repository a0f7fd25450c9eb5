"""Count, sum and mean from one draw: private as planned, told as drawn, held by their intervals."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from discreet.joint.moment_mechanism import MomentMechanism
from discreet.model import Grid, Labels
from discreet.planning import Wishes, plan
from discreet.planning.candidates.moments import NAME
from discreet.planning.joint.moments import MOMENTS_TOGETHER
from discreet.planning.releases.moments import BoxedMean
from discreet.statistics import Moments
from discreet.tables import CategoryColumn, NumberColumn
from planning.facts import asked, dataset
from statistics_bounds import assert_follows

FAR = 2
GAP = None
LEVEL = NumberColumn("x", Grid.between(10, 14, 2), Fraction(10), True, complete=True)
GAPPY = NumberColumn("x", Grid.between(10, 14, 2), None, True, complete=False)
WORDS = tuple(CategoryColumn(n, Labels.of(["a", "b"]), "b", complete=True) for n in ("w", "g"))


def planned(sql, *, change, gaps=False, per_person=1, rows=100, epsilon="0.5", **wishes):
    columns = (GAPPY if gaps else LEVEL, *WORDS)
    facts = dataset(rows, public=change, change=change, per_person=per_person, columns=columns)
    return plan(asked(sql, facts), facts, epsilon=epsilon, wishes=Wishes.of(**wishes))


def numbers(table, *, where, groups, rest):
    """Rows and half steps of each group, and how many rows are in none: from the rows as such."""
    found = [0] * (2 * groups + rest)
    for x, w, g in table:
        if x is GAP or (where and w == "b"):
            found[-1] += rest
            continue
        at = 2 * (g == "b") if groups > 1 else 0
        found[at] += 1
        found[at + 1] += 2 * x - FAR
    return tuple(found)


SITUATIONS = {
    "AVG(x), COUNT(*)": (False, False),
    "AVG(x), COUNT(*) WHERE w = 'a'": (False, True),
    "AVG(x), COUNT(x), SUM(x)": (True, False),
    "SUM(x), COUNT(*) WHERE w = 'a'": (False, True),
    "AVG(x), COUNT(*) GROUP BY g": (False, False),
    "AVG(x), COUNT(x) WHERE w = 'a' GROUP BY g": (True, True),
}


@pytest.mark.parametrize("per_person", [1, 2, 3])
@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("ask", SITUATIONS)
def test_what_is_drawn_for_neighbouring_tables_is_within_epsilon(ask, change, per_person):
    """All rows a person may have before and after: the gauge moves by no more than was paid."""
    gaps, where = SITUATIONS[ask]
    if change and not (gaps or where or "GROUP" in ask):
        pytest.skip("the number of rows is public: nothing to share")
    made = planned(f"SELECT {ask}", change=change, gaps=gaps, per_person=per_person)
    (joined,) = made.joined
    paid = joined.epsilon.value
    assert Fraction(49, 100) < paid == made.cost.total / Fraction(10**9) <= Fraction(1, 2)
    noise = joined.release.mechanism.noise.certified.mechanism
    groups = len(made.groups)
    by_groups = noise.dimension > 2
    told = {"where": where, "groups": groups if by_groups else 1, "rest": noise.dimension % 2}
    cells = list(itertools.product([0, 1, 2, *([GAP] if gaps else [])], "ab", "ab"))
    tables = [
        {numbers(rows, **told) for rows in itertools.combinations_with_replacement(cells, many)}
        for many in range(per_person + 1)
    ]
    if groups > 1 and not by_groups:  # each group has noise of its own: what is moved adds up
        tables = [{one for one in some if one[0] <= per_person} for some in tables]
    if change:
        moves = {tuple(np.subtract(a, b)) for a in tables[-1] for b in tables[-1]}
    else:
        moves = {one for some in tables for one in some}
    dice = np.random.default_rng()
    steps = 0
    for move in moves:
        for output in [np.zeros(noise.dimension, int), *dice.integers(-9, 10, (5, len(move)))]:
            before, after = noise.gauge(output.tolist()), noise.gauge((output + move).tolist())
            steps = max(steps, abs(before - after))
    assert steps * noise.rate == paid


@pytest.mark.parametrize("change", [True, False])
def test_without_noise_every_statistic_is_told_as_it_is(monkeypatch, change):
    sql = "SELECT SUM(x), COUNT(*), AVG(x) WHERE w = 'a' GROUP BY g"
    made = planned(sql, change=change)
    assert made.joined[0].places == (0, 1, 2)
    monkeypatch.setattr(MomentMechanism, "draw", lambda self, groups: [(0, 0)] * groups)
    rows = [[0] * 40 + [1] * 30 + [2] * 10, [2] * 50]
    values = [Moments(len(one), sum(one)) for one in rows]
    counts = [Moments(len(one), len(one)) for one in rows]
    told = made.ready([values, counts, values]).draw()
    for group, one in enumerate(rows):
        true = [10 + 2 * value for value in one]
        expected = [sum(true), len(true), Fraction(sum(true), len(true))]
        for by_group, right in zip(told, expected, strict=True):
            low, high = by_group[group].interval
            assert by_group[group].value == pytest.approx(right, abs=0.01)
            assert low <= right <= high


def weighed(mechanism, most=24):
    """Noises of rows and half steps near 0 with their chances, by the gauge as it is written."""
    noise = mechanism.noise.certified.mechanism
    every = list(itertools.product(range(-most // 2, most // 2 + 1), range(-most, most + 1)))
    weights = np.exp([-float(noise.rate) * noise.gauge(one) for one in every])
    chances = weights / weights.sum()
    assert chances[[0, most, -1]].max() < 1e-7, "all that matters is near"
    kept = [(one, chance) for one, chance in zip(every, chances, strict=True) if chance > 1e-7]
    return kept, 1 - sum(chance for _, chance in kept)


@pytest.mark.parametrize("moods", [[], [2], [0, 1, 0], [2] * 12, [1, 2] * 20])
@pytest.mark.parametrize("change", [True, False])
def test_intervals_hold_for_every_table_noise_by_noise(moods, change):
    """However few rows there are: what misses the truth weighs no more than was said."""
    sql = "SELECT AVG(x), COUNT(*), SUM(x) WHERE w = 'a'"
    made = planned(sql, change=change, epsilon="6", rows=40)
    (joined,) = made.joined
    every, left = weighed(joined.release.mechanism)
    halves, rows, sure = sum(2 * one - FAR for one in moods), len(moods), Fraction(4, 5)
    values = [10 + 2 * one for one in moods]
    truths = [Fraction(sum(values), rows) if rows else 12, rows, sum(values)]
    mean, count, total = joined.release.tellings
    missed = np.zeros(3)
    for (off, away), chance in every:
        both = halves + away, rows + off
        told = mean.told(both, sure), count.told(both[1], sure), total.told(both, sure)
        for place, (one, true) in enumerate(zip(told, truths, strict=True)):
            missed[place] += chance * (not one.interval[0] <= true <= one.interval[1])
    assert max(missed) + left <= 0.2
    assert max(missed) > 0.005, "not far wider than needed"


@pytest.mark.parametrize("change", [True, False])
def test_parts_of_one_draw_follow_its_law(change):
    """The count that is told with a mean has the noise of the plan's own law."""
    made = planned("SELECT AVG(x), COUNT(*) WHERE w = 'a'", change=change, epsilon="1")
    (joined,) = made.joined
    law = joined.release.mechanism.law.counts
    table = [[Moments(50, 60)], [Moments(50, 50)]]
    drawn = [made.ready(table).draw()[1][0].value - 50 for _ in range(2_000)]
    chances = [law[abs(m)] for m in range(-3, 4)]
    tail = (1 - sum(chances)) / 2
    assert_follows([max(-4, min(4, one)) + 4 for one in drawn], [tail, *chances, tail])


def test_a_mean_alone_is_told_by_whichever_noise_errs_less():
    """Plain noise stays where it is better, one noise for both where that is."""
    kept = planned("SELECT AVG(x) WHERE w = 'a'", change=True).parts[0]
    both = {one.name: one.figures.loss for one in kept.choice.candidates}
    assert {"sum over count", NAME} <= set(both)
    assert kept.chosen.figures.loss == min(both.values())
    coming = planned("SELECT AVG(x)", change=False).parts[0]
    assert coming.chosen.name == NAME
    assert isinstance(coming.chosen.release, BoxedMean)


def test_counts_of_other_rows_are_not_told_by_a_mean():
    """A column with gaps has fewer rows than the table, and another condition others."""
    for ask in ("AVG(x), COUNT(*)", "AVG(x), COUNT(g = 'a')"):
        made = planned(f"SELECT {ask}", change=False, gaps=True)
        assert not made.joined or made.joined[0].name != MOMENTS_TOGETHER.name
    assert planned("SELECT AVG(x), COUNT(x)", change=False, gaps=True).joined


@pytest.mark.parametrize("wish", ["unbiased", "worst_case"])
def test_who_wishes_otherwise_is_answered_one_by_one(wish):
    made = planned("SELECT SUM(x), COUNT(*)", change=False, **{wish: True})
    assert NAME not in [one.name for one in made.joined]
