"""Means clamped at a private threshold: their cost, their law, what their intervals hold."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import GoalError, QuestionError
from discreet.exact import Epsilon
from discreet.model import Grid, Labels
from discreet.planning import Task, Wishes, choose, plan, subject_of
from discreet.planning.candidates.clamping import parts_of, places_of, release_of
from discreet.planning.releases.clamping import Threshold, clamped
from discreet.planning.releases.ratio import RatioRelease
from discreet.statistics import Moments, Tally
from discreet.tables import CategoryColumn, NumberColumn
from planning.facts import asked, dataset

CLAMP = Wishes.of(clamp=True)
PAY = (
    NumberColumn("pay", Grid.between(0, 40), Fraction(0), True),
    CategoryColumn("clinic", Labels.of(["A", "B"]), "B"),
)
SMALL = (NumberColumn("pay", Grid.between(0, 4), Fraction(0), True),)


def release_for(facts, epsilon="1", sql="SELECT AVG(pay)", above=1):
    question = asked(sql, facts)
    subject = subject_of(question.items[0], question, facts)
    return release_of(Task(subject, CLAMP, Epsilon.of(epsilon), cache=None), above)


@given(st.integers(10, 10**12))
def test_threshold_and_mean_cost_epsilon_to_the_billionth(billionths):
    first, rest = parts_of(Epsilon(min(billionths, 10**11)))
    assert first.billionths + rest.billionths == min(billionths, 10**11)
    assert first.billionths == min(billionths, 10**11) // 10


@given(st.integers(2, 10**6))
def test_thresholds_are_few_and_reach_the_largest_value(values):
    places = places_of(values)
    assert places[-1] == values - 1
    assert places[0] == 1
    assert len(places) <= 2 * values.bit_length() + 1


@pytest.mark.parametrize("per_person", [1, 2])
@pytest.mark.parametrize("change", [True, False])
def test_neighbouring_tables_are_answered_alike(change, per_person):
    """Every pair of small tables: how likely a threshold is, times how far noise moves its mean."""
    facts = dataset(3, public=change, change=change, per_person=per_person, columns=SMALL)
    release = release_for(facts, "0.8")
    known = {}
    sizes = [3] if change else range(4)
    for rows in (rows for size in sizes for rows in product(range(5), repeat=size)):
        known[tuple(sorted(rows))] = Tally.of(Counter(rows), 5)
    worst = 0.0
    for one, first in known.items():
        for other, second in known.items():
            moved = (Counter(one) - Counter(other)).total(), (Counter(other) - Counter(one)).total()
            near = max(moved) <= per_person and (change or min(moved) == 0)
            if one == other or not near:
                continue
            chances = [
                release.threshold.chances(table.counts[None, :])[0] for table in (first, second)
            ]
            for which, place in enumerate(release.threshold.places):
                loss = math.log(chances[0][which] / chances[1][which])
                mean, tables = release.means[which], (clamped(first, place), clamped(second, place))
                if isinstance(mean, RatioRelease):
                    halves = [mean._halves(table) for table in tables]
                    loss += float(mean.sum_rate) * abs(halves[0] - halves[1])
                    loss += float(mean.count_rate) * abs(tables[0].rows - tables[1].rows)
                else:
                    loss += float(mean.rate) * abs(tables[0].total - tables[1].total)
                worst = max(worst, loss)
    assert 0.4 < worst <= 0.8 * (1 + 1e-9)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.sampled_from(["0.5", "3", "20"]))
@settings(max_examples=60, deadline=None)
def test_seldom_do_more_rows_lie_above_than_is_told(rows, epsilon):
    threshold = release_for(dataset(60, public=False, columns=PAY), epsilon).threshold
    table = Tally.of(Counter(rows), 41)
    most = threshold.most_above(Fraction(1, 20), 60)
    above = np.array([int(table.counts[place + 1 :].sum()) for place in threshold.places])
    chances = threshold.chances(table.counts[None, :])[0]
    assert chances[above > most].sum() <= 0.05 * (1 + 1e-9)


@pytest.mark.parametrize("skewed", [True, False])
@pytest.mark.parametrize("public", [True, False])
def test_the_interval_holds_the_mean_of_the_rows_as_they_are(public, skewed):
    """Exact but for the noise's far tails: every threshold, every value of the noise."""
    facts = dataset(60, public=public, columns=PAY)
    rows = [0] * 30 + [1] * 20 + [39] * 10 if skewed else list(range(41)) + [20] * 19
    table, truth = Tally.of(Counter(rows), 41), Fraction(sum(rows), 60)
    release = release_for(facts, "4")
    chances, missed, confidence = (
        release.threshold.chances(table.counts[None, :])[0],
        0.0,
        Fraction(9, 10),
    )
    for which, place in enumerate(release.threshold.places):
        mean, cut = release.means[which], clamped(table, place)
        for drawn, chance in draws(mean, cut):
            low, high = release.told((which, drawn), confidence).interval
            missed += chances[which] * chance * (not low <= truth <= high)
    assert missed <= 0.1


@pytest.mark.parametrize("public", [True, False])
def test_noise_and_clamping_fail_no_more_often_together_than_is_said(monkeypatch, public):
    """Half each; and what is above weighs by the fewest rows, where their number is private."""
    facts = dataset(400, public=public, columns=PAY)
    release = release_for(facts, "4", sql="SELECT AVG(pay)", above=5)
    failures, most_above, mean = [], Threshold.most_above, release.means[3]
    told = type(mean).told

    def above(self, failure, most_rows):
        failures.append(failure)
        return most_above(self, failure, most_rows)

    def telling(self, output, confidence):
        failures.append(1 - confidence)
        return told(self, output, confidence)

    monkeypatch.setattr(Threshold, "most_above", above)
    monkeypatch.setattr(type(mean), "told", telling)
    drawn = mean.sampler(Moments(300, 600))()
    found = release.told((3, drawn), Fraction(19, 20))
    assert failures == [Fraction(1, 40)] * 2
    if not public:
        fewest = mean.fewest_rows(drawn, Fraction(39, 40))
        far = 40 - release.threshold.places[3]
        added = found.interval[1] - max(mean.box(drawn, Fraction(39, 40))[1], found.value)
        most = most_above(release.threshold, Fraction(1, 40), 400)
        assert added == Fraction(most, fewest) * far


def draws(mean, cut):
    """Outputs of a mean with their chances, but for a part in ten thousand."""
    if not isinstance(mean, RatioRelease):
        for far, chance in noise(mean.rate):
            yield cut.total + far, chance
        return
    for far, one in noise(mean.sum_rate, 40):
        for off, two in noise(mean.count_rate):
            yield (mean._halves(cut) + far, cut.rows + off), one * two


def noise(rate, most=400):
    """Two-sided geometric noise; where it is wide, at evenly spaced places for all near them."""
    alpha = math.exp(-float(rate))
    reach = math.ceil(10 / float(rate))
    step = max(1, 2 * reach // most)
    steps = np.arange(-reach, reach + 1)
    chances = (1 - alpha) / (1 + alpha) * alpha ** np.abs(steps)
    for first in range(0, len(steps), step):
        middle = min(first + step // 2, len(steps) - 1)
        yield int(steps[middle]), float(chances[first : first + step].sum())


def test_what_counts_as_what_is_told():
    facts = dataset(500, columns=PAY)
    made = plan(asked("SELECT AVG(pay)", facts), facts, epsilon=3, wishes=CLAMP, cache=None)
    assert made.cost.total == 3 * 10**9
    low = Tally.of({0: 300, 1: 200}, 41)
    high = Tally.of({40: 500}, 41)
    often = [told for _ in range(12) for (told,) in made.ready([(low,)]).draw()[:1]]
    assert all(told.interval[0] <= told.value <= told.interval[1] for told in often)
    cut = [told.clamped_at for told in often if told.clamped_at is not None]
    assert cut, "one draw in eleven is not clamped: twelve in a row are one in 10^12"
    assert max(cut) < 40
    (told,) = made.ready([(high,)]).draw()[0]
    assert told.clamped_at is None


def test_loose_bounds_cost_less_when_clamped():
    """On the public shapes that a column from zero has, the typical error is smaller."""
    columns = (NumberColumn("pay", Grid.between(0, 1000), Fraction(0), True),)
    facts = dataset(3_000, columns=columns)
    question = asked("SELECT AVG(pay)", facts)
    subject = subject_of(question.items[0], question, facts)
    plain, cut = (
        choose(Task(subject, wishes, Epsilon.of("0.3"), cache=None)).best
        for wishes in (Wishes(), CLAMP)
    )
    assert cut.figures.typical[0] < plain.figures.typical[0]


@pytest.mark.parametrize(
    ("sql", "wishes", "reason"),
    [
        ("SELECT MEDIAN(pay)", {}, "is for AVG, not for MEDIAN"),
        ("SELECT AVG(pay), COUNT(*)", {}, "is for AVG, not for COUNT"),
        ("SELECT AVG(pay)", {"unbiased": True}, "is not available with unbiased"),
        ("SELECT AVG(pay)", {"about": "population"}, "is not available with about"),
        ("SELECT AVG(pay)", {"mechanism": "by answer"}, "is not available with mechanism"),
    ],
)
def test_what_cannot_be_clamped_says_so(sql, wishes, reason):
    facts = dataset(500, columns=PAY)
    with pytest.raises(QuestionError, match=reason):
        plan(asked(sql, facts), facts, epsilon=1, wishes=Wishes.of(clamp=True, **wishes))
    with pytest.raises(QuestionError, match="within"):
        plan(asked("SELECT AVG(pay)", facts), facts, within=3, wishes=CLAMP)
    with pytest.raises(GoalError, match="True or False"):
        Wishes.of(clamp="yes")


def test_questions_without_it_are_the_questions_of_before():
    assert "clamp" not in Wishes().to_dict()
    assert CLAMP.to_dict()["clamp"] is True


def test_a_threshold_sees_rows_by_rank():
    threshold = Threshold(places=(1, 2, 4), above=1, rate=Fraction(1))
    lines = np.array([[5, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 0, 0, 6, 0]])
    assert threshold.away(lines).tolist() == [[0, 1, 1], [1, 1, 1], [5, 5, 0]]
