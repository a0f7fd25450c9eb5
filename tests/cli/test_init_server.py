"""A draft of a table of PostgreSQL: from a sample, with types pinned, and no secret in it."""

import duckdb
import pytest

from discreet.tables import examine_dataset, open_table
from postgres_server import GUARDED, PASSWORD


@pytest.fixture
def database(postgres, tmp_path, monkeypatch):
    name = postgres.database()
    postgres.sql(
        "CREATE SCHEMA research; CREATE TABLE research.stays (age int, sex text, at timestamp); "
        "INSERT INTO research.stays SELECT i % 90, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, "
        "timestamp '2024-01-01' + i * interval '1 hour' FROM generate_series(1, 3000) AS i; "
        f"GRANT USAGE ON SCHEMA research TO {GUARDED}; GRANT SELECT ON research.stays TO {GUARDED}",
        name,
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STAYS_URL", "")  # what a command sets, the next test does not see
    return name


def test_a_draft_of_a_server_says_where_it_is_and_never_the_address(
    run, postgres, database, tmp_path, monkeypatch
):
    address = postgres.url(database, GUARDED, PASSWORD)
    done = run("init", address, "--table", "research.stays")
    assert done.exit_code == 0, done.output
    text = (tmp_path / "stays.toml").read_text()
    assert 'kind = "postgresql"\nurl_env = "STAYS_URL"\ntable = "research.stays"\n' in text
    assert 'types = { age = "int4", sex = "text", at = "timestamp" }' in text
    assert "Set STAYS_URL to the address you gave" in done.output
    for told in (text, done.output):
        assert PASSWORD not in told
        assert str(postgres.folder) not in told
    dataset, problems = examine_dataset(tmp_path / "stays.toml")
    assert not problems
    assert [one.name for one in dataset.columns] == ["age", "sex", "at"]


def test_a_large_table_is_judged_by_a_part(run, postgres, database, tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.tables.drafts.draft.MOST_LOOKED_AT", 500)
    monkeypatch.setenv("PLACE", postgres.url(database))
    done = run("init", "url_env=PLACE", "--table", "research.stays", "--save", "part.toml")
    assert done.exit_code == 0, done.output
    text = (tmp_path / "part.toml").read_text()
    assert "of 3,000 rows, taken by lot" in text
    assert 'url_env = "PLACE"' in text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["url_env=NOWHERE_URL"], "name the table or view, with its schema: --table"),
        (["url_env=NOWHERE_URL", "--table", "a.b"], "NOWHERE_URL is not set"),
        (["postgresql://a:s3cret@127.0.0.1:1/d", "--table", "a.b"], "nothing listens there"),
        (["service=x://y", "--table", "a.b"], "not the address itself"),
        (["sc://127.0.0.1:1/;token=s3cret", "--table", "a.b"], "nothing listens there"),
        (["mysql://a:s3cret@h", "--table", "a.b"], "from postgresql://… or from sc://… (Spark)"),
    ],
)
def test_what_cannot_be_drafted_is_one_line(run, given, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("B_URL", "")
    done = run("init", *given)
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())
    assert "s3cret" not in done.output
    assert not list(tmp_path.iterdir())


def test_a_table_of_spark_is_drafted_and_opened(run, spark, tmp_path, monkeypatch):

    rows = tmp_path / "stays.parquet"
    duckdb.execute(
        f"COPY (SELECT i % 90 AS age, ['f', 'm'][i % 2 + 1] AS sex, DATE '2024-01-01' "
        f"+ CAST(i % 300 AS INTEGER) AS day FROM range(3000) rows(i)) TO '{rows}' (FORMAT parquet)"
    )
    spark.table("drafted", rows)
    monkeypatch.chdir(tmp_path)
    done = run("init", spark.url, "--table", "drafted")
    assert done.exit_code == 0, done.output
    text = (tmp_path / "drafted.toml").read_text()
    assert spark.url not in text
    assert 'kind = "spark"' in text
    dataset, problems = examine_dataset(tmp_path / "drafted.toml")
    assert not problems
    assert [one.name for one in dataset.columns] == ["age", "sex", "day"]
    assert dict(dataset.source.types) == {"age": "bigint", "sex": "string", "day": "date"}
    with open_table(dataset) as table:
        assert table.rows("SELECT COUNT(*) FROM clean WHERE sex = 0") == [(1500,)]
