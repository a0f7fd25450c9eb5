"""Groups with subtotals and totals: told from one charge, adding up, each with an interval."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.budget import Single
from discreet.errors import GoalError, QuestionError
from discreet.planning import Accuracy, Wishes, grouping_of, plan, price_of
from discreet.planning.releases.release import DrawnValue
from discreet.questions import parse_sql, question_text
from discreet.statistics import Moments
from planning.facts import COLUMNS, GAPPY, asked, dataset
from statistics_bounds import tail_bound

ROLLUP = "SELECT COUNT(*) GROUP BY ROLLUP(clinic, BIN(mood, 3))"
CUBE = "SELECT COUNT(*) GROUP BY CUBE(clinic, BIN(mood, 3))"
MARGINS = "SELECT COUNT(*) GROUP BY GROUPING SETS ((clinic), (BIN(mood, 3)))"


def planned(sql, facts, **given):
    return plan(asked(sql, facts), facts, cache=None, **{"epsilon": "0.5", **given})


def _counted(counts):
    return [[Moments(many, many) for many in counts]]


def test_totals_stand_after_what_they_add_up_and_say_which_columns_are_all():
    grouping = grouping_of(asked(ROLLUP, dataset()), dataset())
    assert grouping.names == (
        "A, 0 to 2", "A, 3 to 4", "A, (all)", "B, 0 to 2", "B, 3 to 4", "B, (all)",
        "other, 0 to 2", "other, 3 to 4", "other, (all)", "(all), (all)",
    )  # fmt: skip
    assert grouping.values[2] == (("clinic", "A"), ("mood", "(all)"))
    assert grouping.totals.members[2] == (0, 1)
    assert grouping.totals.members[-1] == tuple(range(6))
    assert grouping.counted == 6


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("ROLLUP(clinic, mood)", "ROLLUP(clinic, mood)"),
        ("clinic, mood WITH ROLLUP", "ROLLUP(clinic, mood)"),
        ("CUBE(clinic, BIN(mood, 2))", "CUBE(clinic, BIN(mood, 2))"),
        ("GROUPING SETS ((), (clinic))", "ROLLUP(clinic)"),
        ("GROUPING SETS (clinic, (mood))", "GROUPING SETS ((clinic), (mood))"),
        ("clinic, ROLLUP(mood)", "GROUPING SETS ((clinic, mood), (clinic))"),
        ("ROLLUP((clinic, mood), weight)",
         "GROUPING SETS ((clinic, mood, weight), (clinic, mood), ())"),
        ("GROUPING SETS ((clinic, mood), ROLLUP(clinic))",
         "ROLLUP(clinic, mood)"),
        ("GROUPING SETS ((clinic, mood))", "clinic, mood"),
    ],
)  # fmt: skip
def test_totals_are_written_in_the_shortest_words_and_read_back(written, told):
    facts = dataset()
    question = parse_sql(f"SELECT COUNT(*) GROUP BY {written}", facts)
    text = question_text(question, facts)
    assert text == f"SELECT COUNT(*) GROUP BY {told}"
    assert parse_sql(text, facts) == question


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ("ROLLUP()", "take columns"),
        ("CUBE(mood, clinic, weight, a, b, c, d)", "more than 64 sets"),
        ("ROLLUP(clinic, nothing)", "there is no column"),
        ("ROLLUP(mood, BIN(mood, 2))", "names mood twice"),
    ],
)
def test_other_totals_are_refused(group, message):
    with pytest.raises(QuestionError, match=message):
        parse_sql(f"SELECT COUNT(*) GROUP BY {group}", dataset())


@pytest.mark.parametrize("statistic", ["SUM(mood)", "AVG(mood)", "MEDIAN(mood)", "SHARE(mood > 2)"])
def test_totals_of_other_statistics_are_refused_with_the_nearest_question(statistic):
    with pytest.raises(
        QuestionError, match=r"are only for counts, and .* is not one; ask with GROUP BY"
    ):
        parse_sql(f"SELECT {statistic} GROUP BY ROLLUP(clinic)", dataset())


def test_one_group_has_no_totals():
    with pytest.raises(QuestionError, match=r"only one group .* ask for COUNT\(\*\) alone"):
        planned("SELECT COUNT(*) WHERE clinic = 'A' GROUP BY ROLLUP(clinic)", dataset(60))


@pytest.mark.parametrize(
    "wished", [{"require": "fair"}, {"remap": "uniform"}, {"about": "population"},
               {"mechanism": "geometric"}]
)  # fmt: skip
def test_wishes_that_totals_do_not_know_are_refused(wished):
    with pytest.raises(GoalError, match="counts with totals"):
        planned(ROLLUP, dataset(60), wishes=Wishes.of(**wished))


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("per_person", [1, 3])
def test_all_totals_cost_one_charge(change, per_person):
    made = planned(CUBE, dataset(60, change=change, per_person=per_person))
    assert isinstance(made.cost, Single)
    assert 500_000_000 - 6 < made.cost.total <= 500_000_000
    (part,) = made.parts
    for _, noise in part.chosen.release.levels.levels:
        assert noise.certified.mechanism.rows_per_unit == per_person
    assert len(made.groups) == 12


def _by_values(made, drawn):
    return {
        tuple(word for _, word in values): one.value
        for values, one in zip(made.grouping.values, drawn, strict=True)
    }


tables = st.lists(st.integers(0, 9), min_size=6, max_size=6)


@pytest.mark.parametrize("sql", [ROLLUP, CUBE, MARGINS])
@pytest.mark.parametrize("change", [True, False])
@given(counts=tables)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_told_counts_add_up_in_range_and_within_their_intervals(sql, change, counts):
    facts = dataset(max(1, sum(counts)), change=change, public=change)
    made = planned(sql, facts)
    (drawn,) = made.ready(_counted(counts)).draw()
    told = _by_values(made, drawn)
    words = ["A", "B", "other"], ["0 to 2", "3 to 4"]
    for one in drawn:
        low, high = one.interval
        assert 0 <= low <= one.value <= high <= max(1, sum(counts))
        assert isinstance(one.value, int)
    if sql == MARGINS:
        total = sum(told[word, "(all)"] for word in words[0])
        assert sum(told["(all)", word] for word in words[1]) == total
    else:
        for word in words[0]:
            assert told[word, "(all)"] == sum(told[word, other] for other in words[1])
        total = told["(all)", "(all)"]
        assert total == sum(told[word, "(all)"] for word in words[0])
    if sql == CUBE:
        for word in words[1]:
            assert told["(all)", word] == sum(told[other, word] for other in words[0])
    if change:
        assert total == max(1, sum(counts)) or not sum(counts)


@pytest.mark.parametrize("sql", [ROLLUP, MARGINS])
@pytest.mark.parametrize("change", [True, False])
def test_intervals_hold_as_often_as_they_say(sql, change):
    """Of every told count by itself; false alarms are rarer than once in 10^6 runs."""
    counts, draws = (0, 1, 5, 40, 2, 0), 600
    made = planned(sql, dataset(sum(counts), change=change, public=change))
    truths = [sum(counts[cell] for cell in one) for one in made.grouping.totals.members]
    missed = [0] * len(truths)
    for _ in range(draws):
        (drawn,) = made.ready(_counted(counts)).draw()
        for place, (one, true) in enumerate(zip(drawn, truths, strict=True)):
            missed[place] += not one.interval[0] <= true <= one.interval[1]
    for many in missed:
        assert many <= draws / 20 or tail_bound(many, draws, Fraction(1, 20)) > 1e-8


def test_as_they_come_totals_are_right_on_average_and_told_errors_are_theirs():
    made = planned(ROLLUP, dataset(48), wishes=Wishes.of(unbiased=True))
    (drawn,) = made.ready(_counted((0, 1, 5, 40, 2, 0))).draw()
    assert drawn[-1].value == 48
    assert drawn[-1].expected_error == 0
    assert drawn[0].value + drawn[1].value == drawn[2].value
    assert drawn[2].expected_error > drawn[0].expected_error > 1


def test_a_condition_or_a_private_size_has_the_rest_as_one_more_cell():
    for sql, public, cells in itertools.chain(
        [(ROLLUP, True, 6), (ROLLUP, False, 7)],
        [(ROLLUP.replace("GROUP", "WHERE weight > 0 GROUP"), True, 7)],
        [(ROLLUP.replace("*", "weight > 0"), True, 7)],
    ):
        (part,) = planned(sql, dataset(60, public=public)).parts
        ((_, noise),) = part.chosen.release.levels.levels
        assert noise.cancelling == cells


def test_an_accuracy_is_that_of_the_total_that_errs_most():
    facts, as_drawn = dataset(60, change=False, public=False), Wishes.of(unbiased=True)
    made = planned(CUBE, facts, epsilon=None, within=5, wishes=as_drawn)
    (part,) = made.parts
    assert part.chosen.figures.within <= 5
    (drawn,) = made.ready(_counted([3] * 6)).draw()
    assert all((one.interval[1] - one.interval[0]) / 2 <= 5 for one in drawn)


@pytest.mark.parametrize("sql", [CUBE, ROLLUP, "SELECT COUNT(*) GROUP BY CUMULATIVE(mood)"])
def test_no_distance_is_promised_for_counts_that_are_made_to_fit(sql):
    """As drawn they keep it; how far fitting moves one of them depends on the rows."""
    facts = dataset(60)
    for price in (
        lambda: planned(sql, facts, epsilon=None, within=8),
        lambda: price_of(asked(sql, facts), facts, Accuracy.of("8"), Wishes()),
    ):
        with pytest.raises(GoalError, match="depends on the rows; use unbiased"):
            price()
    assert planned(sql, facts, epsilon=None, within=8, wishes=Wishes.of(unbiased=True))


def test_counts_that_are_made_to_add_up_to_the_size_keep_no_distance():
    consistent = Wishes.of(consistent=True)
    sql = "SELECT COUNT(*) GROUP BY mood"
    with pytest.raises(GoalError, match="add up to the size"):
        planned(sql, dataset(60), epsilon=None, within=8, wishes=consistent)
    for free, facts in (
        (sql, dataset(60, public=False, change=False)),
        (sql.replace("GROUP", "WHERE weight > 0 GROUP"), dataset(60)),
        (sql.replace("*", "weight > 0"), dataset(60)),
    ):
        made = planned(free, facts, epsilon=None, within=8, wishes=consistent)
        far = made.parts[0].chosen.figures.within
        assert far <= 8
        for one in made.consistent([[DrawnValue(count, (0, 60)) for count in (-9, 0, 9, 3, 2)]])[0]:
            assert one.value in (0, 9, 3, 2)  # brought into range, and no more


def test_gaps_are_a_group_beside_the_total():
    facts = dataset(60, columns=(GAPPY[0], *COLUMNS[1:]))
    names = grouping_of(asked("SELECT COUNT(*) GROUP BY ROLLUP(BIN(mood, 3))", facts), facts).names
    assert names == ("0 to 2", "3 to 4", "(missing)", "(all)")
