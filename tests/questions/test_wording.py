"""A question written out as SQL is read back as the same question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.questions import (
    AllOf,
    AnyOf,
    Bins,
    InRange,
    Item,
    Not,
    OneOf,
    Question,
    condition_text,
    parse_condition,
    parse_sql,
    question_text,
)
from discreet.questions.conditions import holds, one_of
from discreet.questions.words import question_words
from discreet.statistics import (
    MAXIMUM,
    MEDIAN,
    MINIMUM,
    Count,
    Mean,
    Mode,
    Rank,
    Share,
    Sum,
    Top,
)
from discreet.tables import read_dataset

FILE = """
name = "clinic"
[source]
path = "clinic.csv"
[privacy]
size_at_most = 1000
[budget]
total = "3"
[columns.mood]
type = "integer"
low = -1
high = 3
[columns."the weight"]
type = "number"
low = 1
high = "7/3"
step = "1/3"
[columns.'a "clinic"']
type = "category"
values = ["A", "it's", "'"]
"""
SIZES = {"mood": 5, "the weight": 5, 'a "clinic"': 4}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    path = tmp_path_factory.mktemp("wording") / "clinic.toml"
    path.write_text(FILE)
    return read_dataset(path)


def _ranges(name):
    ends = st.tuples(st.integers(0, SIZES[name] - 1), st.integers(0, SIZES[name] - 1))
    return ends.map(lambda pair: InRange(name, min(pair), max(pair)))


def _sets(name):
    return st.lists(st.integers(0, SIZES[name] - 1), max_size=3, unique=True).map(
        lambda indices: OneOf(name, tuple(indices))
    )


names = st.sampled_from(list(SIZES))
numbers = st.sampled_from(["mood", "the weight"])
conditions = st.recursive(
    st.one_of(numbers.flatmap(_ranges), names.flatmap(_sets)),
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, max_size=3).map(lambda parts: AllOf(tuple(parts))),
        st.lists(inner, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
    ),
    max_leaves=6,
)
rows = st.fixed_dictionaries({name: st.integers(0, size - 1) for name, size in SIZES.items()})


@given(conditions, st.lists(rows, min_size=1, max_size=20))
def test_a_condition_written_out_selects_the_same_rows(dataset, condition, some):
    again = parse_condition(condition_text(condition, dataset), dataset)
    assert [holds(condition, row) for row in some] == [holds(again, row) for row in some]


statistics = st.one_of(
    st.just(Item(statistic=Count())),
    conditions.map(lambda condition: Item(statistic=Count(), condition=condition)),
    conditions.map(lambda condition: Item(statistic=Share(), condition=condition)),
    st.tuples(st.sampled_from([Sum(), Mean(), MINIMUM, MAXIMUM, MEDIAN, Mode()]), numbers).map(
        lambda pair: Item(statistic=pair[0], column=pair[1])
    ),
    st.tuples(numbers, st.fractions(0, 1, max_denominator=20)).map(
        lambda pair: Item(statistic=Rank(pair[1]), column=pair[0])
    ),
    st.integers(1, 4).map(lambda most: Item(statistic=Top(most), column='a "clinic"')),
)
groups = st.lists(
    st.one_of(names.map(lambda name: Bins(name, 1)), st.just(Bins("the weight", 2))),
    max_size=3,
    unique_by=lambda bins: bins.column,
).map(tuple)


@given(st.lists(statistics, min_size=1, max_size=3), conditions, groups)
def test_a_question_written_out_is_the_same_question(dataset, asked, where, by):
    question = Question(tuple(asked), where, by)
    text = question_text(question, dataset)
    again = parse_sql(text, dataset)
    assert again.group_by == by
    shown = (
        range(len(asked))
        if again.view is None
        else [one.formula.place for one in again.view.outputs]
    )
    assert [(again.items[one].statistic, again.items[one].column) for one in shown] == [
        (item.statistic, item.column) for item in asked
    ]
    assert question_text(again, dataset) == question_text(
        parse_sql(question_text(again, dataset), dataset), dataset
    )


LISTED = """
name = "codes"
confirmed = true
[source]
path = "codes.csv"
[privacy]
size = 100
[budget]
total = "1"
[columns.code]
type = "category"
closed = true
values_from = "codes.txt"
"""
CODES = [f"{first}{one:02d}{last}" for first in "ABa" for one in range(20) for last in ("", ".x")]
CODES += ["it's 10_000", "100%", "_A1_"]


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    path = tmp_path_factory.mktemp("listed") / "codes.toml"
    path.write_text(LISTED)
    path.with_name("codes.txt").write_text("\n".join(CODES))
    return read_dataset(path)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("code LIKE 'A%'", "code LIKE 'A%'"),
        ("code LIKE 'A0%'", "code LIKE 'A0%'"),
        ("code LIKE '___.x'", "code LIKE '%.x'"),
        ("code LIKE '%1%'", "code LIKE '%1%'"),
        ("NOT code LIKE 'B%'", "NOT (code LIKE 'B%')"),
        ("code = 'A01' OR code = 'A02'", "code = 'A01' OR code = 'A02'"),
    ],
)
def test_many_words_are_written_as_the_pattern_that_they_are_of(listed, asked, told):
    """Hundreds of words in one sentence are read by nobody."""
    assert condition_text(parse_condition(asked, listed), listed) == told
    without = condition_text(parse_condition("code LIKE '%1_'", listed), listed)
    assert without.startswith("code IN ('A10', 'A11', "), "no pattern is easily found"


@given(st.one_of(
    st.lists(st.sampled_from(CODES), min_size=1, unique=True),
    st.text("ABa01x._%' ", max_size=4).map(
        lambda piece: [one for one in CODES if one.startswith(piece)]
    ),
    st.text("ABa01x._%' ", max_size=4).map(lambda piece: [one for one in CODES if piece in one]),
).filter(bool))  # fmt: skip
def test_a_list_of_words_is_read_back_as_the_same_list(listed, words):
    condition = one_of(listed.column("code"), words)
    assert parse_condition(condition_text(condition, listed), listed) == condition


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT SUM(mood) / COUNT(*)", "SUM(mood) / COUNT(*)"),
        ("SELECT COUNT(*), SUM(mood) - 1", "the number of rows, SUM(mood) - 1"),
        ("SELECT QUANTILE(mood, 0.75) - QUANTILE(mood, 0.25)",
         "QUANTILE(mood, 0.75) - QUANTILE(mood, 0.25)"),
        ("SELECT QUARTILES(mood)", "the 25 %, 50 % and 75 % quantiles of mood"),
        ("SELECT AVG(mood) GROUP BY mood HAVING COUNT(*) > 5",
         "the average of mood, for each mood; only where COUNT(*) > 5"),
        ("SELECT mood, COUNT(*) AS n GROUP BY mood ORDER BY n DESC, mood LIMIT 3",
         "the number of rows, for each mood; ordered by the number of rows (largest first), then "
         "mood, the first 3"),
        ("SELECT AVG(mood) GROUP BY mood ORDER BY mood DESC, SUM(mood) / COUNT(*)",
         "the average of mood, for each mood; ordered by mood in reverse, then SUM(mood) / "
         "COUNT(*)"),
    ],
)  # fmt: skip
def test_what_is_computed_of_answers_is_told_as_it_stands(dataset, sql, words):
    """A report headed shares of a total "the number of rows"."""
    assert question_words(parse_sql(sql, dataset), dataset) == words
