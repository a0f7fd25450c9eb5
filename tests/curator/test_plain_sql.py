"""Plain SQL is the oracle: at a large ε answers are what DuckDB says of the rows."""

import math
import re
from datetime import date, datetime
from fractions import Fraction

import duckdb
import pytest

from discreet.curator import open_dataset
from discreet.errors import QuestionError
from discreet.questions import parse_sql, question_text
from small_survey import dataset_text

COLUMNS = """
[columns.age]
type = "integer"
low = 0
high = 120
[columns.weight]
type = "number"
low = 30
high = 150
step = 0.5
[columns.height]
type = "number"
low = 1.2
high = 2.2
step = 0.01
gaps = false
missing = 1.7
[columns.visit]
type = "date"
low = 2022-06-01
high = 2024-05-31
[columns.seen]
type = "timestamp"
low = 2023-01-01
high = 2023-01-31
resolution = "hour"
[columns.born]
type = "date"
low = 1940-01-01
high = 2005-12-31
[columns.clinic]
type = "category"
values = ["North", "South", "Northeast"]
[columns.smokes]
type = "boolean"
[derived.bmi]
expression = "ROUND(weight / (height * height), 0.1)"
[derived.heavy]
expression = "bmi >= 30"
"""
EPSILON = 60
ROWS = 240


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A table with gaps everywhere, on the declared grid, as a dataset and in DuckDB."""
    folder = tmp_path_factory.mktemp("oracle")
    gap = "CASE WHEN hash(i, '{0}') % 9 = 0 THEN NULL ELSE {1} END AS {0}"
    cells = {
        "age": "i * 37 % 95",
        "weight": "40 + (i * 53 % 140) / 2.0",
        "visit": "DATE '2022-06-01' + (i * 211 % 730)::INT",
        "seen": "TIMESTAMP '2023-01-01' + INTERVAL (i * 97 % 744) HOUR",
        "born": "DATE '1940-01-01' + (i * 7919 % 24000)::INT",
        "clinic": "['North', 'South', 'Northeast', 'other'][1 + i % 4]",
        "smokes": "i % 3 = 0",
    }
    made = ", ".join(gap.format(name, told) for name, told in cells.items())
    held = duckdb.connect()
    held.execute(
        f"CREATE TABLE data AS SELECT {made}, (120 + i * 31 % 80) / 100.0 AS height "
        f"FROM range({ROWS}) AS t(i)"
    )
    held.execute(f"COPY data TO '{folder / 'rows.parquet'}' (FORMAT parquet)")
    held.execute(
        "CREATE MACRO clamp(x, a, b) AS CASE WHEN x < a THEN a WHEN x > b THEN b ELSE x END"
    )
    held.execute("CREATE MACRO age_at(one, other) AS date_sub('year', one, other)")
    held.execute("ALTER TABLE data ADD COLUMN bmi DOUBLE")
    held.execute("UPDATE data SET bmi = round(weight / (height * height), 1)")
    held.execute("ALTER TABLE data ADD COLUMN heavy BOOLEAN")
    held.execute("UPDATE data SET heavy = bmi >= 30")
    file = folder / "survey.toml"
    privacy = f'neighbours = "add-or-remove"\nsize_at_most = {ROWS + 10}'
    source = 'path = "rows.parquet"'
    file.write_text(dataset_text(privacy, "100", columns=COLUMNS, source=source))
    yield file, held
    held.close()


SCALARS = [
    # filters with dates
    "SELECT COUNT(*) FROM data WHERE visit >= DATE '2023-05-01'",
    "SELECT COUNT(*) FROM data WHERE visit BETWEEN DATE '2023-01-01' AND DATE '2023-12-31'",
    "SELECT COUNT(*) FROM data WHERE YEAR(visit) = 2023 AND MONTH(visit) IN (1, 2, 3)",
    "SELECT COUNT(*) FROM data WHERE DATE_TRUNC('month', visit) = DATE '2023-02-01'",
    "SELECT COUNT(*) FROM data WHERE visit + INTERVAL 30 DAY > DATE '2024-01-15'",
    "SELECT COUNT(*) FROM data WHERE DAYNAME(visit) = 'Monday'",
    "SELECT COUNT(*) FROM data WHERE QUARTER(visit) = 2 OR visit IS NULL",
    "SELECT COUNT(*) FROM data WHERE WEEK(visit) > 50",
    "SELECT COUNT(*) FROM data WHERE HOUR(seen) BETWEEN 9 AND 16",
    "SELECT COUNT(*) FROM data WHERE seen > visit",
    "SELECT COUNT(*) FROM data WHERE DATE_DIFF('year', born, visit) >= 40",
    "SELECT COUNT(*) FROM data WHERE EXTRACT(dow FROM visit) IN (0, 6)",
    "SELECT COUNT(*) FROM data WHERE NOT (visit < DATE '2023-01-01')",
    "SELECT MAX(visit) FROM data WHERE smokes",
    "SELECT MIN(DATE_TRUNC('week', visit)) FROM data",
    # expressions and CASE
    "SELECT COUNT(*) FROM data WHERE weight / (height * height) > 25",
    "SELECT COUNT(*) FROM data WHERE age * 2 < weight + 10",
    "SELECT COUNT(*) FROM data WHERE ABS(age - 50) <= 7.5",
    "SELECT COUNT(*) FROM data WHERE LEAST(age, weight) > 40",
    "SELECT COUNT(*) FROM data WHERE GREATEST(age, weight, 60) = 60",
    "SELECT COUNT(*) FROM data WHERE ROUND(weight / 7, 0) = 10",
    "SELECT COUNT(*) FROM data WHERE FLOOR(weight / 10) = 6",
    "SELECT COUNT(CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' END) FROM data",
    "SELECT COUNT(*) FROM data WHERE CASE WHEN smokes THEN age ELSE 0 END > 30",
    "SELECT COUNT(*) FROM data WHERE age / NULLIF(age - 37, 0) > 2",
    "SELECT MAX(age + 1) FROM data",
    "SELECT MIN(CLAMP(age, 18, 65)) FROM data",
    "SELECT MAX(2 * age - 3) FROM data WHERE clinic LIKE 'North%'",
    "SELECT MAX(AGE_AT(born, DATE '2024-06-30')) FROM data",
    "SELECT COUNT(bmi > 25) FROM data WHERE bmi > 25",
    "SELECT MAX(bmi) FROM data WHERE bmi < 40",
    "SELECT COUNT(*) FROM data WHERE heavy AND NOT smokes",
    # gaps
    "SELECT COUNT(age) FROM data",
    "SELECT COUNT(age + weight) FROM data",
    "SELECT COUNT(*) FROM data WHERE age + weight IS NULL",
    "SELECT COUNT(*) FROM data WHERE (age > 40 OR smokes) IS NULL",
    "SELECT COUNT(*) FROM data WHERE COALESCE(age, 99) = 99",
    "SELECT COUNT(*) FROM data WHERE COALESCE(clinic, 'other') = 'other'",
    "SELECT COUNT(*) FROM data WHERE NOT (age > 40 AND weight > 70)",
    "SELECT COUNT(*) FROM data WHERE NULLIF(age, 0) IS NULL",
    "SELECT COUNT(*) FROM data WHERE IFNULL(smokes, TRUE)",
    "SELECT COUNT(*) FROM data WHERE smokes IS TRUE",
    "SELECT COUNT(*) FROM data WHERE smokes IS NOT TRUE",
    "SELECT COUNT(*) FROM data WHERE NOT (smokes IS FALSE) AND age > 30",
    "SELECT COUNT(1) FROM data WHERE visit IN (DATE '2023-05-01', '2022-12-31') OR visit IS NULL",
    "SELECT COUNT(DISTINCT clinic) FROM data WHERE age > 90",
    "SELECT COUNT(bmi) FROM data",
    "SELECT COUNT(*) FROM data WHERE age <> weight",
    # words
    "SELECT COUNT(*) FROM data WHERE clinic LIKE 'North%'",
    "SELECT COUNT(*) FROM data WHERE clinic ILIKE '%TH%' AND clinic NOT LIKE 'S%'",
    "SELECT COUNT(*) FROM data WHERE clinic LIKE '_o_th'",
]  # fmt: skip
GROUPS = [
    "SELECT DATE_TRUNC('month', visit) AS g, COUNT(*) FROM data GROUP BY g",
    "SELECT YEAR(visit) AS g, COUNT(*) FROM data GROUP BY 1",
    "SELECT CASE WHEN age < 18 THEN 'child' WHEN age >= 65 THEN 'old' ELSE 'adult' END AS g, "
    "COUNT(*) FROM data GROUP BY g",
    "SELECT DAYNAME(visit) AS g, COUNT(*) FROM data WHERE visit IS NOT NULL GROUP BY g",
    "SELECT age >= 18 AS g, COUNT(*) FROM data GROUP BY age >= 18",
    "SELECT HOUR(seen) AS g, COUNT(*) FROM data GROUP BY HOUR(seen)",
    "SELECT FLOOR(age / 10) AS g, COUNT(*) FROM data GROUP BY g",
    "SELECT heavy AS g, COUNT(*) FROM data GROUP BY heavy",
]


def _shown(cell):
    match cell:
        case None:
            return "(missing)"
        case bool():
            return str(cell).lower()
        case datetime():
            return cell.isoformat(sep=" ")
        case date():
            return str(cell)
        case float():
            return str(int(cell)) if cell.is_integer() else f"{cell:g}"
    return str(cell)


def _plain(cell):
    if isinstance(cell, datetime) and cell.time() == datetime.min.time():
        return cell.date()
    return cell


@pytest.fixture
def ask(survey, tmp_path):
    """Ask by the engine, or by the arrays at hand: a fresh ledger for each question."""
    file, _ = survey

    def asking(sql):
        for ledger in file.parent.glob("*.ledger*"):
            ledger.unlink()
        with open_dataset(file, analyst="ana") as opened:
            told = opened.sql(sql).ask(epsilon=EPSILON)
            table = opened.curator.table
            columns, table.columns = table.columns, None
            by_engine = [one.counted(table) for one in _readings(opened, sql)]
            table.columns = columns
            by_arrays = [one.counted(table) for one in _readings(opened, sql)]
            assert _numbers(by_engine) == _numbers(by_arrays), "the engine and numpy differ"
        return told

    return asking


def _readings(opened, sql):
    from discreet.planning import Reading
    from discreet.planning.grouping import grouping_of
    from discreet.planning.subjects.subject import subject_of

    facts, question = opened.curator.dataset, opened.sql(sql).question
    grouping = grouping_of(question, facts)
    return [
        Reading.of(question, subject_of(item, question, facts), grouping, facts=facts)
        for item in question.items
    ]


def _numbers(counted):
    return [[(one.rows, one.total) for one in each] for each in counted]


@pytest.mark.parametrize("sql", SCALARS)
def test_a_number_is_what_plain_sql_says(survey, ask, sql):
    (expected,) = survey[1].execute(sql).fetchone()
    told = ask(sql).value
    assert (
        told == pytest.approx(float(expected))
        if isinstance(told, int | Fraction)
        else (told == _plain(expected))
    )


@pytest.mark.parametrize("sql", GROUPS)
def test_groups_are_what_plain_sql_says(survey, ask, sql):
    expected = {_shown(_plain(group)): many for group, many in survey[1].execute(sql).fetchall()}
    told = {one.group: int(one.value) for one in ask(sql).results}
    assert {group: many for group, many in told.items() if many} == expected


@pytest.mark.parametrize("sql", [*SCALARS, *GROUPS])
def test_a_question_reads_as_it_is_written(survey, sql):
    with open_dataset(survey[0], analyst="ana") as opened:
        facts = opened.curator.dataset
        question = opened.sql(sql).question
        assert parse_sql(question_text(question, facts), facts).digest == question.digest


def test_a_mean_of_an_expression(survey, ask):
    (expected,) = survey[1].execute("SELECT AVG(bmi) FROM data").fetchone()
    assert math.isclose(ask("SELECT AVG(bmi)").value, expected, rel_tol=0.02)


def test_expressions_in_python(survey):
    with open_dataset(survey[0], analyst="ana") as opened:
        one, other = opened.mean("age*2").question, opened.sql("SELECT AVG(age * 2)").question
        assert one.digest == other.digest
        month = "DATE_TRUNC('month', visit)"
        by = opened.sql(f"SELECT COUNT(*) GROUP BY {month}").question
        assert opened.count().group_by(month).question.group_by == by.group_by


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT AVG(weight / height)", r"ROUND(weight / height, 0.1)"),
        ("SELECT AVG(age) OVER (PARTITION BY clinic)", "ask SELECT AVG(age) GROUP BY clinic"),
        ("SELECT COUNT(*) FROM data JOIN other ON TRUE", "JOIN is not possible here; there"),
        ("SELECT COUNT(*) UNION SELECT COUNT(*)", "ask each on its own"),
        ("SELECT COUNT(*) WHERE age > (SELECT AVG(age) FROM data)", "ask it on its own first"),
        ("SELECT COUNT(*) WHERE age + 1 > (SELECT AVG(age) FROM data)", "ask it on its own first"),
        ("SELECT AVG(my_function(age))", "without it ask SELECT AVG(age)"),
        ("SELECT AVG(SQRT(age))", "is not supported here; it keeps the order"),
        ("SELECT COUNT(*) WHERE STARTS_WITH(clinic, 'N')", "write a pattern: column LIKE 'A%'"),
        ("SELECT COUNT(*) WHERE clinic SIMILAR TO 'N.*'", "write a pattern: column LIKE 'A%'"),
        ("SELECT AVG(CAST(weight AS INTEGER))", "write ROUND(x) for the nearest whole number"),
        ("SELECT SUM(DISTINCT age)", "ask COUNT(DISTINCT column), or leave DISTINCT out"),
    ],
)  # fmt: skip
def test_refusals_name_what_comes_nearest(survey, sql, told):
    with open_dataset(survey[0], analyst="ana") as opened, pytest.raises(QuestionError) as refused:
        opened.sql(sql)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "fine",
    ["weight * weight * age", "weight * weight * weight * weight * age", "age / (height - 1.705)"],
)
def test_what_a_refusal_says_to_write_can_be_asked(survey, fine):
    """Advice that is refused in turn is none."""
    with open_dataset(survey[0], analyst="ana") as opened:
        with pytest.raises(QuestionError) as refused:
            opened.sql(f"SELECT MEDIAN({fine} * 1.01)").plan(epsilon=1)
        told = str(refused.value)
        advised = re.findall(
            r"(?:write|round it:| or) ((?:ROUND|CLAMP)\(.*?\))(?= or|, and|$)", told
        )
        assert advised, told
        for one in advised:
            assert opened.sql(f"SELECT MEDIAN({one})").plan(epsilon=1).parts
