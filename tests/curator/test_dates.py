"""Questions about dates: answered as plain SQL answers them, and told as dates everywhere."""

import csv
import io
import json
from datetime import date, datetime
from fractions import Fraction

import duckdb
import pytest

from discreet.curator import open_dataset
from discreet.errors import QuestionError
from discreet.questions import parse_sql, question_text
from small_survey import dataset_text

COLUMNS = """
[columns.visit]
type = "date"
low = 2023-01-01
high = 2024-12-31
[columns.seen]
type = "timestamp"
low = 2023-01-01
high = 2023-03-31
resolution = "hour"
[columns.born]
type = "date"
low = 1990-01-01
high = 2000-12-31
step = 7
gaps = false
missing = 1990-01-01
"""
LARGE = 90


@pytest.fixture
def survey(tmp_path):
    """Dates with gaps, as a table and as a dataset with a large budget."""
    with duckdb.connect() as held:
        held.execute(
            "CREATE TABLE r AS SELECT "
            "CASE WHEN i % 7 > 0 THEN DATE '2023-01-01' + (i * i % 700)::INT END AS visit, "
            "TIMESTAMP '2023-01-01' + INTERVAL (i * 131 % 2000) HOUR AS seen, "
            "DATE '1990-01-01' + (7 * (i % 500))::INT AS born FROM range(300) AS t(i)"
        )
        held.execute(f"COPY r TO '{tmp_path / 'rows.csv'}'")
    (tmp_path / "survey.toml").write_text(dataset_text("size = 300", "100", columns=COLUMNS))
    with open_dataset(tmp_path / "survey.toml", analyst="ana") as opened:
        yield opened


@pytest.fixture
def plain(survey):
    """The same rows in DuckDB."""
    folder = survey.curator.dataset.source.path.parent
    with duckdb.connect() as held:
        held.execute(f"CREATE TABLE data AS SELECT * FROM read_csv('{folder / 'rows.csv'}')")
        yield held


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT MIN(visit) FROM data",
        "SELECT MAX(visit) FROM data",
        "SELECT MAX(seen) FROM data WHERE seen < TIMESTAMP '2023-02-10 17:00'",
        "SELECT COUNT(visit) FROM data",
        "SELECT COUNT(*) FROM data WHERE visit IS NULL",
        "SELECT COUNT(*) FROM data WHERE visit >= DATE '2023-05-01'",
        "SELECT COUNT(*) FROM data WHERE NOT visit >= DATE '2023-05-01'",
        "SELECT COUNT(*) FROM data WHERE visit BETWEEN DATE '2023-05-01' AND DATE '2023-08-31'",
        "SELECT COUNT(*) FROM data WHERE visit > DATE '2023-05-31' + INTERVAL 1 MONTH",
        "SELECT COUNT(*) FROM data WHERE visit < DATE '2024-01-31' - INTERVAL 2 MONTH",
        "SELECT COUNT(*) FROM data WHERE visit <= DATE '2023-05-01' + INTERVAL '6 weeks'",
        "SELECT COUNT(*) FROM data WHERE DATE '2023-05-01' < visit AND seen <> '2023-01-01 05:00'",
        "SELECT COUNT(*) FROM data WHERE seen >= TIMESTAMP '2023-02-01 11:30:00'",
        "SELECT COUNT(*) FROM data WHERE visit IN (DATE '2023-01-02', '2023-01-05')",
    ],
)
def test_plain_sql_is_the_oracle(survey, plain, sql):
    (expected,) = plain.execute(sql).fetchone()
    assert survey.sql(sql).ask(epsilon=LARGE).value == expected


def test_ranks_of_dates_are_dates(survey, plain):
    assert isinstance(survey.median("visit").ask(epsilon=30).value, date)
    told = survey.quantile("visit", "0.25").ask(epsilon=60).value
    (lower,) = plain.execute("SELECT quantile_disc(visit, 0.25) FROM data").fetchone()
    assert told == lower


def test_a_mean_of_dates_is_the_nearest_date(survey, plain):
    (days,) = plain.execute("SELECT avg(visit - DATE '1970-01-01') FROM data").fetchone()
    told = survey.mean("visit").ask(epsilon=LARGE).value
    assert abs((told - date(1970, 1, 1)).days - days) <= 1


def test_dates_are_told_as_dates_everywhere(survey):
    answer = survey.sql("SELECT MAX(visit), AVG(seen)").ask(epsilon=LARGE, id="one")
    told = answer.to_dict()["results"]
    assert told[0]["value"] == told[0]["exact"] == str(answer.results[0].value)
    assert told[0]["value"].startswith("2024-")
    assert json.loads(json.dumps(told)) == told
    low, high = told[1]["interval"]
    assert low <= told[1]["value"] <= high
    assert datetime.fromisoformat(low) <= answer.results[1].value <= datetime.fromisoformat(high)
    rows = list(csv.DictReader(io.StringIO(answer.to_csv())))
    assert rows[0]["value"] == told[0]["value"]
    assert (rows[1]["low"], rows[1]["high"]) == (low, high)
    for text in (str(answer), answer._repr_html_()):
        assert told[0]["value"] in text
    again = survey.sql("SELECT MAX(visit), AVG(seen)").ask(epsilon=LARGE, id="one")
    assert again.results == answer.results, "what is stored is read back as dates"
    assert again.free


def test_a_span_of_dates_is_a_number(survey):
    assert isinstance(survey.range("visit").ask(epsilon=LARGE).value, int | Fraction)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT SUM(visit)", "SUM has no meaning for dates"),
        ("SELECT COUNT(*) WHERE visit > 5", "must be a date such as DATE '2023-01-01', got '5'"),
        ("SELECT COUNT(*) WHERE visit > DATE '2023-02-30'", "there is no such day: '2023-02-30'"),
        ("SELECT COUNT(*) WHERE visit > '2023-13-45'", "there is no such day: '2023-13-45'"),
        ("SELECT COUNT(*) WHERE visit > DATE 'May'", "a date is written DATE '2023-05-01'"),
        ("SELECT COUNT(*) WHERE visit > INTERVAL 3 DAY", "a constant is expected here"),
        ("SELECT COUNT(*) WHERE visit > 3 + INTERVAL 3 DAY", "an interval is added to a date"),
        ("SELECT COUNT(*) WHERE visit > DATE '2023-01-01' + INTERVAL 3 MOONS", "INTERVAL 3 MONTH"),
        ("SELECT COUNT(*) WHERE visit > DATE '2023-01-01' + INTERVAL 9999 YEAR", "the calendar"),
        ("SELECT COUNT(*) WHERE visit > CURRENT_DATE", "changes from day to day"),
    ],
)
def test_what_cannot_be_asked_of_dates_is_refused_in_words(survey, sql, told):
    with pytest.raises(QuestionError, match=told.replace("(", r"\(")):
        survey.sql(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) WHERE visit >= DATE '2023-05-01' GROUP BY BIN(visit, 100)",
        "SELECT COUNT(*) WHERE seen BETWEEN '2023-01-05 07:00' AND '2023-01-06' OR visit IS NULL",
        "SELECT MEDIAN(born) WHERE visit IN (DATE '2023-01-02', '2023-01-05')",
    ],
)
def test_a_question_about_dates_reads_as_it_is_written(survey, sql):
    facts = survey.curator.dataset
    question = parse_sql(sql, facts)
    assert parse_sql(question_text(question, facts), facts) == parse_sql(
        question_text(parse_sql(question_text(question, facts), facts), facts), facts
    )
    assert parse_sql(question_text(question, facts), facts).digest == question.digest


def test_groups_of_dates_are_called_by_dates(survey):
    told = survey.count().group_by(("visit", 366)).ask(epsilon=1)
    assert [one.group for one in told.results] == [
        "2023-01-01 to 2024-01-01", "2024-01-02 to 2024-12-31", "(missing)",
    ]  # fmt: skip
