"""Running totals, histograms and edges: read, written, told in order, with intervals that hold."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import QuestionError
from discreet.model import Grid
from discreet.planning import grouping_of, plan
from discreet.planning.consistency import rising_counts
from discreet.questions import parse_sql, question_text
from discreet.statistics import Moments
from discreet.tables import NumberColumn
from planning.facts import COLUMNS, GAPPY, asked, dataset
from statistics_bounds import tail_bound

AGE = NumberColumn("age", Grid.between(0, 99), Fraction(0), True, complete=True)


def planned(sql, facts, **given):
    return plan(asked(sql, facts), facts, cache=None, **{"epsilon": "1", **given})


@pytest.mark.parametrize(
    ("written", "told", "names"),
    [
        ("CUMULATIVE(mood, 2)", "CUMULATIVE(mood, 2)", ["up to 1", "up to 3", "up to 4"]),
        ("CUMULATIVE(mood, [1, 2.5])", "CUMULATIVE(mood, [1, 2])",
         ["up to 1", "up to 2", "up to 4"]),
        ("CUMULATIVE(mood, [1, 4])", "CUMULATIVE(mood, [1])", ["up to 1", "up to 4"]),
        ("CUMULATIVE(weight)", "CUMULATIVE(weight)",
         ["up to -1", "up to -0.5", "up to 0", "up to 0.5", "up to 1", "up to 1.5", "up to 2"]),
        ("BIN(mood, [2, 4])", "BIN(mood, [2, 4])", ["0 to 1", "2 to 3", "4"]),
        ("BIN(mood, [0, 0.5])", "BIN(mood, [1])", ["0", "1 to 4"]),
    ],
)  # fmt: skip
def test_groups_are_written_read_back_and_named(written, told, names):
    facts = dataset()
    question = parse_sql(f"SELECT COUNT(*) GROUP BY {written}", facts)
    text = question_text(question, facts)
    assert text == f"SELECT COUNT(*) GROUP BY {told}"
    assert parse_sql(text, facts) == question
    assert list(grouping_of(question, facts).names) == names


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("HISTOGRAM(mood)", "GROUP BY mood"),
        ("HISTOGRAM(mood, 2)", "GROUP BY BIN(mood, 2)"),
        ("HISTOGRAM(mood, [2, 4])", "GROUP BY BIN(mood, [2, 4])"),
        ("CUMULATIVE(mood, 2)", "GROUP BY CUMULATIVE(mood, 2)"),
    ],
)
def test_histograms_are_counts_by_group(short, long):
    facts = dataset()
    written = parse_sql(f"SELECT {short} WHERE weight > 0", facts)
    assert question_text(written, facts) == f"SELECT COUNT(*) WHERE weight >= 0.5 {long}"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT HISTOGRAM(mood, 2), COUNT(*)", "HISTOGRAM must stand alone after SELECT"),
        ("SELECT CUMULATIVE(mood, 2) GROUP BY clinic", "CUMULATIVE must stand alone"),
        ("SELECT HISTOGRAM(clinic, 2)", "BIN needs numbers"),
        ("SELECT CUMULATIVE(clinic)", "CUMULATIVE needs numbers"),
        ("SELECT HISTOGRAM()", "takes a column and a width"),
        ("SELECT COUNT(*) GROUP BY CUMULATIVE(mood, 2), clinic", "must stand alone after"),
        ("SELECT COUNT(*) GROUP BY ROLLUP(CUMULATIVE(mood, 2))", "must stand alone after"),
        ("SELECT AVG(weight) GROUP BY CUMULATIVE(mood, 2)", "running totals of COUNT"),
        ("SELECT COUNT(*) GROUP BY BIN(mood, [])", "give 1 to 1,000 edges, got 0"),
        ("SELECT COUNT(*) GROUP BY BIN(mood, [3, 2])", "edges must rise"),
        ("SELECT COUNT(*) GROUP BY BIN(mood, [3, 9])", "lie between 0 and 4, got 9"),
        ("SELECT COUNT(*) GROUP BY BIN(mood, ['x'])", "an edge"),
    ],
)
def test_what_is_no_histogram_is_refused(sql, message):
    with pytest.raises(QuestionError, match=message):
        parse_sql(sql, dataset())


def test_rows_with_gaps_are_in_no_running_total():
    facts = dataset(60, columns=(GAPPY[0], *COLUMNS[1:]))
    grouping = grouping_of(asked("SELECT CUMULATIVE(mood, 3)", facts), facts)
    assert grouping.names == ("up to 2", "up to 4")
    assert grouping.counted == 3
    assert grouping.totals.members == ((0,), (0, 1))


@given(st.lists(st.integers(-20, 40), max_size=9), st.integers(0, 30))
def test_rising_counts_rise_in_range_and_keep_what_rises(counts, most):
    found = rising_counts(counts, most)
    assert found == sorted(found)
    assert all(0 <= one <= most for one in found)
    if counts == sorted(set(counts)):
        assert found == [min(max(one, 0), most) for one in counts]


@pytest.mark.parametrize(
    ("cells", "change", "strategy"),
    [(20, True, "one table"), (100, True, "two levels"), (20, False, "p-identity"),
     (100, False, "tree")],
)  # fmt: skip
def test_the_strategy_is_that_of_the_least_figures(cells, change, strategy):
    column = NumberColumn("age", Grid.between(0, cells - 1), Fraction(0), True, complete=True)
    facts = dataset(1000, columns=(column,), change=change, public=change)
    (part,) = planned("SELECT CUMULATIVE(age)", facts).parts
    assert part.chosen.title == f"running totals, from {strategy}"


@pytest.mark.parametrize("change", [True, False])
@pytest.mark.parametrize("width", [2, 10])
def test_running_totals_rise_within_their_intervals_which_hold(change, width):
    """False alarms are rarer than once in 10^6 runs."""
    facts = dataset(300, columns=(AGE,), change=change, public=change)
    made = planned(f"SELECT CUMULATIVE(age, {width})", facts)
    many, draws = len(made.groups), 60
    counts = [300 - 10 * (many - 1), *[10] * (many - 1)] if many <= 30 else [
        300 - (many - 1), *[1] * (many - 1)
    ]  # fmt: skip
    truths = [sum(counts[: place + 1]) for place in range(many)]
    missed = [0] * many
    for _ in range(draws):
        (told,) = made.ready([[Moments(one, one) for one in counts]]).draw()
        values = [one.value for one in told]
        assert values == sorted(values)
        if change:
            assert values[-1] == 300
        for place, (one, true) in enumerate(zip(told, truths, strict=True)):
            low, high = one.interval
            assert 0 <= low <= one.value <= high <= 300
            missed[place] += not low <= true <= high
    for one in missed:
        assert one <= draws / 20 or tail_bound(one, draws, Fraction(1, 20)) > 1e-9
