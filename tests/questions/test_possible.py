"""What is offered instead of a question that was refused can be asked; so can every example."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DiscreetError
from discreet.questions import parse_sql
from discreet.questions.examples import example_questions
from discreet.questions.possible import possible_question
from discreet.tables import read_dataset
from small_survey import AGE, COLUMNS, VISIT, dataset_text


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    file = tmp_path_factory.mktemp("possible") / "survey.toml"
    file.write_text(dataset_text(columns=COLUMNS + AGE + VISIT))
    return read_dataset(file)


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("SELECT AVG(agee)", "SELECT AVG(age)"),
        ("SELECT MEDIAN(clinic)", "SELECT COUNT(*) GROUP BY clinic"),
        ("SELECT COUNT(*) WHERE moood >= 4 GROUP BY clinc",
         "SELECT COUNT(*) WHERE mood >= 4 GROUP BY clinic"),
        ("SELECT AVG(age) WHERE surname = 'Bo'", "SELECT AVG(age)"),
        ("SELECT AVG(age), LISTAGG(mood)", "SELECT AVG(age)"),
        ("SELECT RANK() OVER (ORDER BY age)", "SELECT QUARTILES(age)"),
        ("who is ill?", "SELECT COUNT(*)"),
        ("", "SELECT COUNT(*)"),
    ],
)  # fmt: skip
def test_the_nearest_possible_question(dataset, asked, near):
    with pytest.raises(DiscreetError) as refused:
        parse_sql(asked, dataset)
    assert possible_question(asked, dataset, refused.value) == near
    parse_sql(near, dataset)


@given(st.data())
def test_whatever_was_asked_what_is_offered_can_be_asked(dataset, data):
    words = st.sampled_from(
        ["SELECT", "AVG(", ")", "age", "agee", "*", ",", "WHERE", "GROUP BY", "clinic", "=", "'A'",
         "COUNT(*)", "ORDER BY", "LIMIT", "3", "JOIN", "FROM", "x", "OVER ()", ";", "--"]
    )  # fmt: skip
    asked = " ".join(data.draw(st.lists(words, max_size=12)))
    parse_sql(possible_question(asked, dataset), dataset)


def test_examples_cover_the_columns_and_each_can_be_asked(dataset):
    found = example_questions(dataset)
    assert set(found) == {
        *("How many", "Typical values", "Groups side by side", "Over time"),
        "Spread and relations",
    }
    for sql in (one for kind in found.values() for one in kind):
        parse_sql(sql, dataset)
    told = " ".join(one for kind in found.values() for one in kind)
    assert all(name in told for name in ("mood", "weight", "clinic", "smokes", "visit"))
