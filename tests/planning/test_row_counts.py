"""Small and empty groups: who is told, what it costs, and that all of it together keeps ε."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.exact.numbers import exp_lower
from discreet.model import Grid, Labels
from discreet.planning import Task, Wishes, choose, plan, subject_of
from discreet.planning.candidates.by_answer import COARSE
from discreet.planning.percentiles import percentiles_if
from discreet.planning.releases.by_database import DatabaseRelease
from discreet.planning.releases.choice import ChoiceRelease
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.releases.noise import NoiseRelease
from discreet.planning.releases.ranks import RankRelease
from discreet.planning.releases.ratio import RatioRelease
from discreet.planning.releases.release import EMPTY_TOLD
from discreet.planning.row_counts import ONE_IN, RowCount, told_from
from discreet.planning.spending import Spender
from discreet.planning.subjects.subject import Sharing
from discreet.statistics import Moments, Tally
from discreet.tables import CategoryColumn, NumberColumn
from discreet.text import EMPTY_TOLD_PERCENT, empty_groups_text, uncounted_text
from planning.facts import COLUMNS, GAPPY, asked, dataset

GROUPED = "SELECT {} GROUP BY clinic"


def above(rate, far):
    """Pr(noise > far) for two-sided geometric noise, to forty digits."""
    with localcontext() as context:
        context.prec = 40
        exact = Decimal(rate.numerator) / Decimal(rate.denominator)
        return (-exact * (far + 1)).exp() / (1 + (-exact).exp())


@given(st.integers(1, 10**7))
def test_of_noise_an_empty_group_is_told_in_five_percent_of_draws_and_hardly_fewer(millionths):
    facts = dataset(1000)
    question = asked(GROUPED.format("COUNT(*)"), facts)
    subject = subject_of(question.items[0], question, facts, 3)
    rate = Fraction(millionths, 10**6)
    counts = NoiseRelease(subject, rate, clamped=True)
    means = RatioRelease(subject, Fraction(1), rate, Fraction(1))
    for release in (counts, means):
        assert above(rate, int(release.silence)) <= EMPTY_TOLD
        assert release.silence == 0 or above(rate, int(release.silence) - 1) * 1000001 > 50000
        for count in (release.silence - 1, release.silence, release.silence + 1):
            rows = release.rows_from(int(count), Fraction(19, 20))
            assert rows.too_few == (count <= release.silence)


@pytest.mark.parametrize("epsilon", ["0.3", "2", "20"])
@pytest.mark.parametrize("where", ["", " WHERE mood > 0"])
def test_of_a_shared_noise_an_empty_group_is_told_in_five_percent_of_draws(where, epsilon):
    facts = dataset(10**5)
    question = asked(f"SELECT MEDIAN(mood){where} GROUP BY clinic", facts)
    (count,) = plan(question, facts, epsilon=epsilon, cache=None).row_counts
    release, chances = count.release, count.release.noise.chances
    silence = int(release.silence)
    assert chances[silence + 1 :].sum() <= float(EMPTY_TOLD) * (1 + 1e-9)
    assert silence == 0 or chances[silence:].sum() > float(EMPTY_TOLD) * (1 - 1e-6)
    assert release.rows_from(silence, Fraction(19, 20)).too_few
    assert not release.rows_from(silence + 1, Fraction(19, 20)).too_few


@pytest.mark.parametrize("epsilon", ["0.1", "0.7", "3"])
@pytest.mark.parametrize("make", ["best", "coarse"])
def test_of_an_asked_count_an_empty_group_is_told_in_five_percent_of_draws(make, epsilon):
    """By the integers of the matrix; and its lower bound holds for every number of rows."""
    facts = dataset(40)
    question = asked(GROUPED.format("COUNT(*)"), facts)
    subject = subject_of(question.items[0], question, facts, 3)
    task = Task(subject, Wishes(), Epsilon.of(epsilon), cache=None)
    release = (COARSE.make(task) if make == "coarse" else choose(task).best).release
    assert isinstance(release, MatrixRelease)
    mechanism, confidence = release.certified.mechanism, Fraction(9, 10)
    outputs = range(mechanism.shape[0])
    told = [release.told(output, confidence) for output in outputs]
    drawn = [release.rows_from(one.value, confidence, one.interval) for one in told]
    for rows in range(41):
        law = mechanism.column(release.column(Moments(rows, rows))).tolist()
        wrong = sum(many for many, one in zip(law, drawn, strict=True) if one.fewest > rows)
        assert wrong <= mechanism.total * (1 - confidence) / 2
        pairs = zip(law, (one.within for one in drawn), strict=True)
        outside = sum(many for many, (low, high) in pairs if not low <= rows <= high)
        assert outside <= mechanism.total * (1 - confidence)
        if rows == 0:
            told = sum(many for many, one in zip(law, drawn, strict=True) if not one.too_few)
            assert told <= mechanism.total * EMPTY_TOLD


@given(st.integers(1, 10**7), st.integers(0, 400), st.fractions("0.5", "0.999"))
def test_noise_seldom_tells_more_rows_than_there_are(millionths, rows, confidence):
    facts = dataset(1000)
    question = asked(GROUPED.format("COUNT(*)"), facts)
    subject = subject_of(question.items[0], question, facts, 3)
    release = NoiseRelease(subject, Fraction(millionths, 10**6), clamped=True)
    reach = int(release.at_least(rows, (1 - confidence) / 2)) - rows
    assert above(release.rate, -reach) <= (1 - confidence) / 2
    assert release.rows_from(rows - reach, confidence).fewest <= rows
    mean = RatioRelease(subject, Fraction(1), release.rate, Fraction(1))
    for noise in (-1 - reach, -reach, reach, reach + 1):
        low, high = mean.around(rows + noise, confidence)
        assert (low <= rows <= high) or abs(noise) > -reach


STATISTICS = ["MEDIAN(mood)", "MAX(weight)", "MODE(clinic)", "AVG(mood)", "COUNT(*)", "SUM(mood)",
              "COUNT(mood > 2)", "SHARE(mood > 2)", "SPREAD(mood)"]  # fmt: skip
NO_VALUE = ("MEDIAN", "MAX", "MODE", "SPREAD")


@given(
    st.lists(st.sampled_from(STATISTICS), min_size=1, max_size=4, unique=True),
    st.integers(10**9, 3 * 10**9),
    st.booleans(),
    st.sampled_from([1, 3]),
    st.sampled_from(["", " WHERE mood > 0", " GROUP BY clinic", " WHERE mood > 0 GROUP BY clinic"]),
)
@settings(max_examples=40, deadline=None)
def test_all_of_epsilon_is_spent_to_the_billionth(items, billionths, change, per_person, rest):
    """A count is bought where a group may be empty and nobody counts it: one twentieth of ε."""
    facts = dataset(10**5, change=change, per_person=per_person)
    question = asked(f"SELECT {', '.join(items)}{rest}", facts)
    groups = 3 if "GROUP" in rest else 1
    subjects = [subject_of(item, question, facts, groups) for item in question.items]
    sharings = [Sharing.of(subject, facts, groups) for subject in subjects]
    spender = Spender(
        question=question, dataset=facts, subjects=subjects, sharings=sharings, groups=groups
    )
    spending = spender.all_of(Epsilon(billionths))
    counts = sum(count.cost.total for count in spending.row_counts)
    parts = zip(sharings, spending.at, strict=True)
    total = counts + sum(sharing.cost(each).total for sharing, each in parts if each is not None)
    assert total <= billionths
    slack = sum(sharing.factor - 1 for sharing in sharings) + len(sharings)
    pays = any(subject.size > 1 for subject in subjects)
    assert total >= (billionths - slack if pays else 0)
    at_hand = any(item in ("COUNT(*)", "AVG(mood)", "SHARE(mood > 2)") for item in items)
    needed = any(item.startswith(NO_VALUE) for item in items)
    assert len(spending.row_counts) == (needed and not at_hand and groups > 1)
    for count in spending.row_counts:
        factor = 1 if change else count.sharing.factor
        assert factor == (1 if change else per_person)
        assert count.cost.total == billionths // 20 // factor * factor
        assert count.cells == (None if not change else 4 if "WHERE" in rest else 3)
        assert count.subject.steps == 1
    for item, source in zip(items, spending.rows_by, strict=True):
        has_none = item.startswith((*NO_VALUE, "AVG", "SHARE"))
        known = rest and (groups > 1 or at_hand)
        assert (source is not None) == bool(has_none and known)


def test_a_count_of_rows_is_one_twentieth_of_what_a_distance_costs():
    facts = dataset(10**6)
    made = plan(asked(GROUPED.format("MAX(mood)"), facts), facts, within=1, cache=None)
    (count,) = made.row_counts
    assert made.cost.total == made.parts[0].cost.total + count.cost.total
    assert abs(count.cost.total * 20 - made.cost.total) < 40


@pytest.mark.parametrize(
    ("rows", "epsilon", "part"),
    [(10**5, "1", 20), (300, "1", 20), (150, "1", 13), (90, "1", 8), (60, "1", 5), (36, "1", 3)],
)
def test_a_count_has_the_least_share_that_serves_likely_groups(rows, epsilon, part):
    facts = dataset(rows)
    question = asked(GROUPED.format("MEDIAN(mood)"), facts)
    made = plan(question, facts, epsilon=epsilon, cache=None)
    (count,) = made.row_counts
    assert count.cost.total == made.cost.total // part
    assert 6 / 5 * count.release.silence < rows / 3
    for larger in ONE_IN[: ONE_IN.index(part)]:
        less = RowCount.of(0, made.cost.total // larger, question, facts, 3)
        assert 6 / 5 * less.release.silence >= rows / 3


def test_likely_groups_that_no_share_tells_mostly_are_told_more_often_than_not():
    facts = dataset(30)
    made = plan(asked(GROUPED.format("MEDIAN(mood)"), facts), facts, epsilon="1", cache=None)
    (count,) = made.row_counts
    assert count.release.silence < 10 <= 6 / 5 * count.release.silence


def test_a_count_that_serves_none_but_larger_groups_has_the_least_share_that_serves_any():
    facts = dataset(30)
    made = plan(asked(GROUPED.format("MEDIAN(mood)"), facts), facts, epsilon="0.4", cache=None)
    (count,) = made.row_counts
    assert 10 <= count.release.silence < 30


def test_an_epsilon_that_could_never_tell_a_value_is_refused():
    facts = dataset(30)
    for epsilon in ("0.00001", "0.0097", "0.1", "0.3"):
        with pytest.raises(DesignError, match=r"every group .* too few rows; spend at least 0\.31"):
            plan(asked(GROUPED.format("MEDIAN(mood)"), facts), facts, epsilon=epsilon, cache=None)
    made = plan(asked(GROUPED.format("MEDIAN(mood)"), facts), facts, epsilon="0.31", cache=None)
    assert made.row_counts[0].release.silence < 30
    with pytest.raises(DesignError, match=r"these rows would always .* spend more"):
        plan(asked("SELECT AVG(mood) WHERE mood > 0", facts), facts, epsilon="0.01", cache=None)


def test_of_so_many_rows_a_value_is_told_in_95_percent_of_draws():
    facts = dataset(10**5)
    made = plan(asked(GROUPED.format("MEDIAN(mood)"), facts), facts, epsilon=1, cache=None)
    release, enough = made.row_counts[0].release, made.told_from
    assert enough == told_from(release)
    assert release.noise.chances[enough - int(release.silence) :].sum() <= EMPTY_TOLD
    assert f"about {enough} rows or more" in made.remarks[0]
    facts = dataset(10**5, change=False)
    made = plan(asked(GROUPED.format("MEDIAN(mood)"), facts), facts, epsilon=1, cache=None)
    release, enough = made.row_counts[0].release, made.told_from
    assert above(release.rate, enough - int(release.silence) - 1) <= EMPTY_TOLD
    assert "about 93 rows or more" in made.remarks[0]


@pytest.mark.parametrize(
    ("where", "column", "lacks"),
    [
        (" WHERE mood > 0", "mood", "COUNT(*)"),
        (" WHERE mood > 0", "gappy", "COUNT(gappy)"),
        ("", "gappy", "COUNT(gappy)"),
        ("", "mood", None),
    ],
)
def test_what_nobody_counts_is_named_until_it_is_asked_for(where, column, lacks):
    """Then the value has percentiles, and is told only where there are rows."""
    facts = replace(dataset(1000), columns=(*COLUMNS, replace(GAPPY[0], name="gappy")))
    alone = plan(asked(f"SELECT MEDIAN({column}){where}", facts), facts, epsilon=1, cache=None)
    assert [line for line in alone.remarks if "ask COUNT" in line] == list(alone.uncounted)
    assert len(alone.uncounted) == (lacks is not None)
    if where:
        assert alone.uncounted == (uncounted_text(lacks, conditional=True),)
    elif lacks:
        assert alone.uncounted[0].startswith("if at least 500 of 1,000 cells are filled, between")
        assert alone.uncounted[0].endswith("; ask COUNT(gappy) as well to know")
    for count in ("COUNT(*)", "COUNT(gappy)"):
        both = f"SELECT MEDIAN({column}), {count}{where}"
        made = plan(asked(both, facts), facts, epsilon=1, cache=None)
        counted = count == lacks
        assert made.parts[0].rows_by == (1 if counted else None)
        assert any("ask COUNT" in line for line in made.remarks) == (not counted and bool(lacks))


@given(st.integers(2, 40))
def test_how_often_some_empty_group_is_told_is_said(groups):
    """Each in at most 5 % of draws, so some one of them in at most so many times as many; that it
    is in at most all of them is not said."""
    told, any_of = empty_groups_text(groups), 5 * groups
    assert (f"of {groups} groups, any in up to {any_of} %" in told) == (any_of < 100)
    assert "100 %" not in told
    assert EMPTY_TOLD_PERCENT == 100 * EMPTY_TOLD


def test_only_groups_with_rows_are_told_a_value():
    facts = dataset(10**5)
    question = asked(GROUPED.format("MEDIAN(mood), MODE(mood), AVG(mood), SUM(mood)"), facts)
    made = plan(question, facts, epsilon=50, cache=None)
    full, empty = Tally.of({3: 5_000}, 5), Tally.of({}, 5)
    moments = [Moments(one.rows, one.total) for one in (full, empty, full)]
    drawn = made.ready([(full, empty, full), (full, empty, full), moments, moments]).draw()
    for by_group in drawn[:3]:
        first, second, third = by_group
        assert round(first.value) == round(third.value) == 3
        assert abs(first.rows.about - 5_000) < 500
        assert not first.rows.too_few
        assert (second.value is None) == second.rows.too_few
        assert (second.interval is None) or not second.rows.too_few
        assert second.rows.about < 500
    assert [one.rows for one in drawn[3]] == [None] * 3
    assert all(one.value is not None for one in drawn[3])


def test_the_count_that_would_do_is_named_and_taken_when_it_is_asked():
    facts = dataset(600, columns=GAPPY)
    alone = plan(asked(GROUPED.format("MEDIAN(mood), COUNT(*)"), facts), facts, epsilon=1)
    assert len(alone.row_counts) == 1
    assert any(one.endswith("ask COUNT(mood) as well") for one in alone.remarks)
    both = plan(asked(GROUPED.format("MEDIAN(mood), COUNT(mood)"), facts), facts, epsilon=1)
    assert both.row_counts == ()
    assert both.parts[0].rows_by == 1
    assert both.told_from < alone.told_from / 5


def test_columns_with_gaps_have_counts_of_their_own():
    """Rows without a gap in one column may have one in the other; the twentieth is shared."""
    columns = tuple(
        NumberColumn(name, Grid.between(0, 4), missing, True)
        for name, missing in (("mood", None), ("pay", None), ("age", Fraction(0)))
    )
    facts = dataset(10**5, columns=(*columns, COLUMNS[2]))
    question = "SELECT MEDIAN(mood), MAX(mood), MEDIAN(pay), MEDIAN(age), MIN(age) GROUP BY clinic"
    made = plan(asked(question, facts), facts, epsilon=2, cache=None)
    assert [part.rows_by for part in made.parts] == [5, 5, 6, 7, 7]
    assert [count.part for count in made.row_counts] == [0, 2, 3]
    assert sum(count.cost.total for count in made.row_counts) <= 10**8
    assert made.cost.total <= 2 * 10**9


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("", ("A", "B", "other")),
        (" WHERE clinic IN ('A', 'B')", ("A", "B")),
        (" WHERE clinic != 'other' AND mood > 1", ("A", "B")),
        (" WHERE clinic = 'A' OR mood > 1", ("A", "B", "other")),
        (" WHERE clinic = 'B'", ("B",)),
    ],
)
def test_groups_that_no_row_can_be_in_are_not_told(where, names):
    facts = dataset(1000)
    made = plan(asked(f"SELECT COUNT(*){where} GROUP BY clinic", facts), facts, epsilon=1)
    assert made.groups == names
    assert made.cost.total == 10**9


def test_bins_that_no_row_can_be_in_are_not_told():
    facts = dataset(1000)
    question = asked("SELECT COUNT(*) WHERE mood BETWEEN 2 AND 3 GROUP BY mood", facts)
    assert plan(question, facts, epsilon=1).groups == ("2", "3")


SMALL = (
    NumberColumn("mood", Grid.between(0, 2), Fraction(0), True),
    CategoryColumn("clinic", Labels.of(["A", "other"]), "other"),
)
ROWS = list(product(range(3), range(2)))
EPSILON = Epsilon.of("1.4")


def neighbours(change):
    """Pairs of tables of two rows one of which changes; or of up to two rows, one of which goes."""
    for rows in product(ROWS, repeat=2):
        if change:
            yield from ((rows, (rows[0], other)) for other in ROWS)
        else:
            yield rows, rows[:1]
            yield rows[:1], ()


def by_groups(rows):
    return [Counter(mood for mood, clinic in rows if clinic == group) for group in range(2)]


def worst_ratio(release, one, other):
    """The largest ratio of probabilities of a value between two tables of one group."""
    laws = []
    for table in (one, other):
        counted = Tally.of(table, 3)
        if isinstance(release, RankRelease):
            laws.append([Fraction(chance) for chance in release.law(counted).chances])
        elif isinstance(release, MatrixRelease | DatabaseRelease):
            laws.append(release.certified.mechanism.column(release.column(counted)).tolist())
        else:
            laws.append([Fraction(chance) for chance in release.chances(counted).tolist()])
    return max(Fraction(a) / Fraction(b) for a, b in zip(*laws, strict=True) if a or b)


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("ask", ["MEDIAN(mood)", "MAX(mood)", "MODE(mood)"])
def test_count_and_value_of_all_groups_together_keep_epsilon(ask, change):
    """Every neighbouring pair of small tables, every candidate; the count's ratios are e^(rate)."""
    facts = dataset(2, change=change, columns=SMALL)
    question = asked(GROUPED.format(ask), facts)
    subject = subject_of(question.items[0], question, facts, 2)
    sharing = Sharing.of(subject, facts, 2)
    spender = Spender(
        question=question, dataset=facts, subjects=[subject], sharings=[sharing], groups=2
    )
    spending = spender.all_of(EPSILON)
    count = spending.row_counts[0].release
    rate = count.noise.rate / 2 if change else count.rate  # a change moves two counts, and once
    tasks = [
        Task(subject, wishes, spending.at[0], cache=None)
        for wishes in (Wishes(), Wishes.of(prior="uniform"))
    ]
    found = [candidate for task in tasks for candidate in choose(task).candidates]
    kinds = {type(candidate.release) for candidate in found}
    assert MatrixRelease in kinds
    assert kinds & {ChoiceRelease, RankRelease}
    for candidate in found:
        known, sharpest = {}, Fraction(0)
        exact = not isinstance(candidate.release, ChoiceRelease | RankRelease)
        for one, other in neighbours(change):
            ratio, moved = Fraction(1), 0
            for first, second in zip(by_groups(one), by_groups(other), strict=True):
                key = tuple(sorted(first.items())), tuple(sorted(second.items()))
                for pair, ends in ((key, (first, second)), (key[::-1], (second, first))):
                    if pair not in known:
                        known[pair] = worst_ratio(candidate.release, *ends)
                ratio *= max(known[key], known[key[::-1]])
                moved += abs(first.total() - second.total())
            allowed = exp_lower(EPSILON.value - rate * moved)
            assert ratio <= allowed * (1 if exact else 1 + Fraction(1, 10**9))
            sharpest = max(sharpest, ratio / allowed)
        assert sharpest > Fraction(1, 20)


def test_nothing_but_the_number_of_rows_decides_whether_a_value_is_told():
    """The value is drawn all the same: what is drawn, and how often, depends on no count."""
    facts = dataset(10**4)
    made = plan(asked(GROUPED.format("MEDIAN(mood)"), facts), facts, epsilon=2, cache=None)
    drawn = []

    def noted(one, name):
        return one._replace(sampler=lambda: (drawn.append(name), one.sampler())[1])

    for table in (Tally.of({}, 5), Tally.of({1: 10**4}, 5)):
        waiting = made.ready([(table,) * 3])
        noting = tuple(
            tuple(noted(one, (which, place)) for place, one in enumerate(by_group))
            for which, by_group in enumerate(waiting.waiting)
        )
        replace(waiting, waiting=noting).draw()
    assert drawn == [(which, place) for which in range(2) for place in range(3)] * 2


@pytest.mark.parametrize("share", ["0.1", "0.5", "0.9"])
def test_percentiles_hold_of_every_table_with_as_many_filled_cells_as_they_suppose(share):
    """By exact law, with half of the cells filled, where they are nearest to being broken."""
    facts = replace(dataset(200), columns=(*COLUMNS, replace(GAPPY[0], name="gappy")))
    question = asked(f"SELECT QUANTILE(gappy, {share})", facts)
    made = plan(question, facts, epsilon=1, cache=None)
    part, release = made.parts[0], made.parts[0].chosen.release
    low, high = percentiles_if(part.subject, made.wishes, part.chosen, 100)
    for first in range(0, 101, 10):
        for second in range(0, 101 - first, 10):
            rows = [first, second, *[0] * (part.subject.values - 3), 100 - first - second]
            counts, up_to = np.array(rows), np.cumsum(rows)
            law = release.rule.law(counts[None, :])[0]
            held = (up_to >= low * 100) & (up_to - counts <= high * 100)
            assert law[held].sum() >= 0.95
