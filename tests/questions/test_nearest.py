"""Refusals of what stays impossible name a question that can be asked, in the words of the first;
and whatever can be asked is read back from its own text as the same question."""

import re

import pytest
from hypothesis import assume, example, given, settings

from discreet.errors import DiscreetError, QuestionError
from discreet.questions import parse_columns, parse_sql, shown_text
from discreet.questions.conditions import holds
from discreet.questions.written import is_written
from discreet.tables import GAP, read_dataset
from question_grammar import EVERY_KIND, REGIONS
from question_grammar import QUESTIONS as ASKED
from small_survey import dataset_text


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facts")
    (folder / "regions.csv").write_text(REGIONS)
    (folder / "survey.toml").write_text(dataset_text(columns=EVERY_KIND))
    return read_dataset(folder / "survey.toml")


@pytest.mark.parametrize(
    ("sql", "near"),
    [
        ("SELECT AVG(mood) OVER (PARTITION BY clinic)", "SELECT AVG(mood) GROUP BY clinic"),
        ("SELECT RANK() OVER (PARTITION BY clinic ORDER BY mood)",
         "SELECT QUARTILES(mood) GROUP BY clinic"),
        ("SELECT NTILE(4) OVER (ORDER BY mood)", "SELECT QUARTILES(mood)"),
        ("SELECT SUM(fee) OVER (ORDER BY visit)",
         "SELECT SUM(fee) GROUP BY DATE_TRUNC('month', visit)"),
        ("SELECT COUNT(*) OVER (ORDER BY mood)", "SELECT COUNT(*) GROUP BY CUMULATIVE(mood)"),
        ("SELECT mood - LAG(mood) OVER (ORDER BY visit)",
         "SELECT AVG(mood) GROUP BY DATE_TRUNC('month', visit)"),
        ("SELECT clinic, RANK() OVER (ORDER BY COUNT(*) DESC) GROUP BY clinic",
         "SELECT COUNT(*) GROUP BY clinic ORDER BY COUNT(*) DESC"),
        ("SELECT COUNT(*) GROUP BY clinic QUALIFY mood = 1",
         "SELECT COUNT(*) GROUP BY clinic ORDER BY COUNT(*) DESC"),
        ("SELECT COUNT(*) WHERE mood > (SELECT AVG(mood) FROM data)", "SELECT AVG(mood)"),
        ("SELECT COUNT(*) WHERE clinic IN (SELECT clinic FROM data WHERE mood > 2)",
         "SELECT COUNT(*) WHERE mood > 2 GROUP BY clinic"),
        ("SELECT COUNT(*) WHERE EXISTS (SELECT 1 FROM data WHERE mood > 2)",
         "SELECT COUNT(*) WHERE mood > 2"),
        ("SELECT AVG(mood) FROM (SELECT * FROM data WHERE clinic = 'A') WHERE mood > 2",
         "SELECT AVG(mood) WHERE mood > 2 AND clinic = 'A'"),
        ("WITH x AS (SELECT * FROM data WHERE smokes) SELECT COUNT(*) FROM x",
         "SELECT COUNT(*) WHERE smokes"),
        ("SELECT AVG(m) FROM (SELECT AVG(mood) AS m FROM data GROUP BY clinic)",
         "SELECT AVG(mood) AS m GROUP BY clinic"),
        ("SELECT COUNT(*) FROM data a JOIN data b ON a.clinic = b.clinic",
         "SELECT COUNT(*) GROUP BY clinic"),
        ("SELECT COUNT(*) FROM data a, data b WHERE a.mood = b.mood",
         "SELECT COUNT(*) GROUP BY mood"),
        ("SELECT AVG(a.mood) FROM data a JOIN clinics c ON a.clinic = c.id", "SELECT AVG(mood)"),
        ("SELECT AVG(my_function(mood))", "SELECT AVG(mood)"),
        ("SELECT my_function(clinic)", "SELECT COUNT(*) GROUP BY clinic"),
        ("SELECT COUNT(*) WHERE my_function(mood) > 2", "SELECT COUNT(*) WHERE mood > 2"),
        ("SELECT COUNT(*) UNION SELECT AVG(mood)", "'SELECT COUNT(*)'"),
        ("SELECT * FROM data", "SELECT COUNT(*) GROUP BY mood"),
        ("SELECT clinic, SUM(fee)", "SELECT SUM(fee) GROUP BY clinic"),
        ("SELECT DISTINCT clinic WHERE mood > 2",
         "SELECT COUNT(*) WHERE mood > 2 GROUP BY clinic"),
        ("SELECT DISTINCT ON (clinic) clinic, mood", "SELECT COUNT(*) GROUP BY clinic, mood"),
        ("SELECT region, STRING_AGG(clinic, ', ') GROUP BY region",
         "SELECT COUNT(*) GROUP BY region, clinic"),
        ("SELECT ARRAY_AGG(mood) GROUP BY clinic", "SELECT QUARTILES(mood) GROUP BY clinic"),
        ("SELECT ARG_MAX(clinic, mood)", "SELECT QUARTILES(mood) GROUP BY clinic"),
        ("SELECT ANY_VALUE(clinic)", "SELECT COUNT(*) GROUP BY clinic"),
        ("SELECT SQRT(AVG(mood))", "SELECT AVG(mood)"),
        ("SELECT BOOL_OR(mood > 3)", "SELECT COUNT(mood > 3)"),
        ("SELECT SUM(mood > 3) GROUP BY clinic", "SELECT COUNT(mood > 3) GROUP BY clinic"),
        ("SELECT AVG(smokes AND mood > 3)", "SELECT SHARE(smokes AND mood > 3)"),
        ("SELECT RANK() OVER (ORDER BY AVG(mood)) GROUP BY clinic",
         "SELECT AVG(mood) GROUP BY clinic ORDER BY AVG(mood) DESC"),
        ("SELECT MONTH(visit) AS mood, COUNT(*) GROUP BY mood",
         "SELECT MONTH(visit) AS mood, COUNT(*) GROUP BY 1"),
        ("SELECT GROUPING(clinic), COUNT(*) GROUP BY ROLLUP (clinic)",
         "SELECT COUNT(*) GROUP BY ROLLUP (clinic)"),
    ],
)  # fmt: skip
def test_the_nearest_question_is_named_and_can_be_asked(facts, sql, near):
    with pytest.raises(QuestionError) as refused:
        parse_sql(sql, facts)
    proposed = re.search(r"'?SELECT (?!with|at ).*$", str(refused.value)).group()
    assert proposed == near
    parse_sql(proposed.strip("'") if proposed.startswith("'") else proposed, facts)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT AVG(mood * mood / (1 + 2)", "the parenthesis before 'mood * mood / (1 + 2' is"),
        ("SELECT COUNT(*) WHERE (", "the parenthesis at the end is not closed"),
        ("SELECT AVG(mood))", "the parenthesis after 'SELECT AVG(mood)' has no opening one"),
        ("SELECT COUNT(*) WHERE clinic = ')' AND (", "the parenthesis at the end is not closed"),
        ("SELECT COUNT(*) FORM data", "perhaps FROM is meant for 'FORM'"),
        ("SELEC COUNT(*) FROM data", "perhaps SELECT is meant for 'SELEC'"),
        ("SELECT AVG(POWER(mood, 2))", "write x * x for the square of x"),
        ("SELECT COUNT(*) WHERE visit > NOW() - INTERVAL 30 DAY", "such as DATE '2024-12-31'"),
        ("SELECT STRFTIME(visit, '%Y-%m'), COUNT(*) GROUP BY 1", "DATE_TRUNC('month', column)"),
        ("SELECT COUNT(*) GROUP BY UPPER(clinic)", "CASE WHEN column LIKE 'A%'"),
        ("SELECT clinic || region, COUNT(*) GROUP BY 1", "write both columns in GROUP BY"),
        ("SELECT AVG(LN(mood))", "MEDIAN or another quantile"),
    ],
)
def test_a_refusal_says_where_the_slip_is_and_what_to_write(facts, sql, told):
    with pytest.raises(QuestionError) as refused:
        parse_sql(sql, facts)
    assert told in str(refused.value)


def test_a_column_that_is_called_as_a_word_of_sql_wants_quotes(tmp_path):
    column = '[columns.{}]\ntype = "integer"\nlow = 1\nhigh = 5\n'
    columns = "".join(map(column.format, ("lambda", "case")))
    (tmp_path / "survey.toml").write_text(dataset_text(columns=columns))
    declared = read_dataset(tmp_path / "survey.toml")
    for asked, quoted in (
        ("SELECT AVG(lambda) WHERE lambda > 2", 'SELECT AVG("lambda") WHERE "lambda" > 2'),
        ("SELECT AVG(case)", 'SELECT AVG("case")'),
    ):
        with pytest.raises(
            QuestionError, match=r'as a column.* needs "double" quotes: ask'
        ) as refused:
            parse_sql(asked, declared)
        assert refused.value.nearest == quoted
        parse_sql(quoted, declared)
    told = [one.column for one in parse_columns("lambda, BIN(case, 2)", declared)]
    assert told == ["lambda", "case"]


@example("SELECT COUNT(*) WHERE clinic NOT IN ('A')")
@example("SELECT COUNT(*) WHERE NOT mood BETWEEN 9 AND 2")
@example("SELECT COUNT(clinic NOT LIKE '_x') GROUP BY smokes HAVING COUNT(*) IN (2.5)")
@example("SELECT 100 * COUNT(*) / SUM(COUNT(*)) OVER () GROUP BY smokes, ROLLUP(clinic)")
@example("SELECT CAST(COUNT(late) AS DOUBLE), AVG(half) AS told GROUP BY smokes")
@example(
    "SELECT MEDIAN(mood) AS a, QUANTILE(mood, 0.5) AS b GROUP BY clinic HAVING b > 2 ORDER BY a"
)
@example("SELECT TOP(clinic, 1) AS x GROUP BY smokes ORDER BY 1")
@example("SELECT MODE(smokes) AS told GROUP BY clinic HAVING told = 0")
@example(f"SELECT AVG({' + '.join(['mood'] * 40)}) FILTER (WHERE smokes), COUNT(*) / 2")
@given(ASKED)
@settings(deadline=None)
def test_what_is_written_is_read_back_as_the_same_question(facts, sql):
    try:
        question = parse_sql(sql, facts)
    except DiscreetError:
        assume(False)
    text = shown_text(question, facts)
    back = parse_sql(text, facts)
    assert back.digest == question.digest
    assert is_written(back, question.to_dict())
    assert shown_text(back, facts) == text
    assert back.view == question.view


def test_a_comparison_that_no_value_meets_leaves_gaps_open(facts):
    """As in SQL: neither x LIKE 'nothing' nor its opposite holds for NULL."""
    for condition in ("clinic NOT LIKE '_x'", "NOT mood > 9", "NOT mood BETWEEN 9 AND 2"):
        where = parse_sql(f"SELECT COUNT(*) WHERE {condition}", facts).where
        assert holds(where, {"clinic": 0, "mood": 0}) is True
        assert holds(where, {"clinic": GAP, "mood": GAP}) is None


def test_questions_that_older_versions_kept_are_the_same(facts):
    question = parse_sql("SELECT COUNT(*) WHERE clinic IN ('A')", facts)
    assert is_written(
        question, question.to_dict() | {"where": {"any": [{"one_of": ["clinic", 0]}]}}
    )
    assert not is_written(question, question.to_dict() | {"where": {"all": []}})


@pytest.mark.parametrize("inner", ["HOUR(visit)", "MINUTE(DATE_TRUNC('day', seen))"])
def test_dates_without_times_have_no_hours(facts, inner):
    """All rows would be one group, at 0 o'clock, those without a date among them."""
    with pytest.raises(QuestionError, match=r"is for times of day, .* recorded by day"):
        parse_sql(f"SELECT COUNT(*) GROUP BY {inner}", facts)
