"""Rows are counted in two ways, by a SELECT and from the cells at hand: they agree always."""

import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.planning import Reading, group_names, grouping_of, subject_of
from discreet.questions import EVERY_ROW, Bins, Item, Question
from discreet.questions.conditions import AllOf, AnyOf, InRange, Not, OneOf
from discreet.statistics import Count, Mode, Share, Sum, Tally
from discreet.tables import GAP, open_table, read_dataset

FILE = """
name = "t"
[source]
path = "t.csv"
[privacy]
size_at_most = 500
[budget]
total = "1"
[columns.mood]
type = "integer"
low = 0
high = 9
[columns.pay]
type = "integer"
low = 0
high = 1000000
[columns.clinic]
type = "category"
values = ["A", "B"]
"""
SIZES = {"mood": 10, "pay": 1_000_001, "clinic": 3}


@pytest.fixture(scope="module", params=[0, 1, 300])
def tables(request, tmp_path_factory):
    """One table with its cells at hand and one without; the rows are new in every run."""
    folder = tmp_path_factory.mktemp("reading")
    cells = [
        f"{secrets.choice(['', secrets.randbelow(12)])},"
        f"{secrets.choice(['-', secrets.randbelow(1 << secrets.randbelow(21))])},"
        + secrets.choice(["A", "B", "C", ""])
        for _ in range(request.param)
    ]
    (folder / "t.csv").write_text("\n".join(["mood,pay,clinic", *cells, ""]))
    (folder / "t.toml").write_text(FILE)
    facts = read_dataset(folder / "t.toml")
    with open_table(facts) as arrays, open_table(facts) as engine:
        engine.columns = None
        yield facts, arrays, engine


def leaf(column):
    index = st.integers(0, SIZES[column] - 1)
    return st.one_of(
        st.just(OneOf(column, (GAP,))),
        st.tuples(index, index).map(lambda ends: InRange(column, min(ends), max(ends))),
        st.lists(index, max_size=3).map(lambda some: OneOf(column, tuple(some))),
    )


conditions = st.recursive(
    st.one_of(st.just(EVERY_ROW), st.just(AnyOf(())), st.sampled_from(list(SIZES)).flatmap(leaf)),
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, max_size=3).map(lambda parts: AllOf(tuple(parts))),
        st.lists(inner, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
    ),
    max_leaves=5,
)
statistics = st.one_of(
    conditions.map(lambda condition: Item(statistic=Count(), condition=condition)),
    conditions.map(lambda condition: Item(statistic=Share(), condition=condition)),
    st.sampled_from(list(SIZES)).map(lambda column: Item(statistic=Mode(), column=column)),
    st.sampled_from(["mood", "pay"]).map(lambda column: Item(statistic=Sum(), column=column)),
)
groups = st.sampled_from(
    [
        (),
        (Bins("clinic", 1),),
        (Bins("mood", 1),),
        (Bins("mood", 3),),
        (Bins("pay", 300_000),),
        (Bins("clinic", 1), Bins("mood", 1)),
        (Bins("mood", 2), Bins("pay", 300_000)),
        (Bins("pay", 250_000), Bins("clinic", 1), Bins("mood", 3)),
    ]
)


@given(statistics, conditions, groups)
def test_cells_and_select_count_the_same(tables, statistic, where, by):
    facts, arrays, engine = tables
    question = Question((statistic,), where, by)
    many = len(group_names(question, facts))
    subject = subject_of(statistic, question, facts, many)
    reading = Reading.of(question, subject, grouping_of(question, facts), facts=facts)
    assert told(reading.counted(arrays)) == told(reading.counted(engine))
    assert sum(one.size for one in reading.counted(arrays)) <= reading.key.weight


def told(counted):
    """Counts as plain values."""
    return [one.counts.tolist() if isinstance(one, Tally) else one for one in counted]


def test_whether_cells_are_at_hand_depends_on_the_declared_size_alone(tmp_path):
    for most, held in ((1000, True), (10**8, False)):
        (tmp_path / "t.csv").write_text("mood,pay,clinic\n1,2,A\n")
        (tmp_path / "t.toml").write_text(FILE.replace("500", str(most)))
        with open_table(read_dataset(tmp_path / "t.toml")) as table:
            assert (table.columns is not None) == held
