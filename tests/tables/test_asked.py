"""A table that is asked where it is: one snapshot a question, nothing kept, refusals in one line.

What is refused is refused before anything is charged, and quotes neither a cell nor a secret.
"""

import json
import threading
from dataclasses import replace

import psycopg
import pytest
from typer.testing import CliRunner

import discreet
from discreet.cli import app
from discreet.curator import Curator
from discreet.errors import DatasetError, MissingExtra
from discreet.tables import TABLE, open_table, read_dataset, readers
from discreet.tables.engines import spark_connect
from discreet.tables.key import Key
from postgres_server import GUARDED, PASSWORD

COLUMNS = """
[columns.age]
type = "integer"
low = 0
high = 120
[columns.sex]
type = "category"
values = ["f", "m"]
"""
EVERY = f"SELECT 0 AS the_group, COUNT(*) FROM {TABLE} GROUP BY 1"
BY_AGE = f'SELECT "age", COUNT(*) FROM {TABLE} GROUP BY 1'
BY_SEX = f'SELECT "sex", COUNT(*) FROM {TABLE} GROUP BY 1'


@pytest.fixture
def stays(postgres, monkeypatch):
    """A table of thirty rows, and the name of its database."""
    database = postgres.database()
    postgres.sql(
        "CREATE SCHEMA research; CREATE TABLE research.stays (pid int, age int, sex text); "
        "INSERT INTO research.stays SELECT i, i + 20, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END "
        "FROM generate_series(1, 30) AS i",
        database,
    )
    monkeypatch.setenv("STAYS_URL", postgres.url(database))
    return database


def dataset_file(folder, more="", privacy="size_at_most = 100", table="research.stays"):
    place = f'kind = "postgresql"\nurl_env = "STAYS_URL"\ntable = "{table}"\nrows = "asked"\n'
    text = f'name = "stays"\nconfirmed = true\n[source]\n{place}{more}[privacy]\n{privacy}\n'
    (folder / "stays.toml").write_text(f'{text}[budget]\ntotal = "100"\n{COLUMNS}')
    return folder / "stays.toml"


def refusal(file, doing=None):
    """What is said: in one line without secrets, addresses or cells."""
    with pytest.raises(DatasetError) as refused:
        (doing or (lambda: open_table(read_dataset(file)).close()))()
    told = str(refused.value)
    assert "\n" not in told
    assert not any(word in told for word in (PASSWORD, "://n", "://1", "wr0ng"))
    return told


def test_rows_that_change_are_counted_as_they_are_now(postgres, stays, tmp_path):
    with discreet.open_dataset(dataset_file(tmp_path), analyst="ana") as opened:
        assert abs(float(opened.count().ask(epsilon=20).value) - 30) < 2
        postgres.sql("DELETE FROM research.stays WHERE pid > 10", stays)
        assert abs(float(opened.count().ask(epsilon="20.1").value) - 10) < 2


def test_all_selects_of_a_question_see_one_moment(postgres, stays, tmp_path):
    """A row that moves between two of them is in one group, not in both."""
    with open_table(read_dataset(dataset_file(tmp_path))) as table, table.snapshot() as seen:
        before = sorted(seen.rows(BY_SEX))
        postgres.sql("UPDATE research.stays SET sex = 'f'", stays)
        assert sorted(seen.rows(BY_SEX)) == before == [(0, 10), (1, 20)]
        assert seen.rows(EVERY) == [(0, 30)]


def test_a_role_that_may_read_a_view_is_enough_and_nothing_is_written(
    postgres, stays, tmp_path, monkeypatch
):
    postgres.sql(
        "CREATE VIEW research.seen AS SELECT age, sex FROM research.stays; "
        f"GRANT USAGE ON SCHEMA research TO {GUARDED}; GRANT SELECT ON research.seen TO {GUARDED}",
        stays,
    )
    monkeypatch.setenv("STAYS_URL", postgres.url(stays, GUARDED, PASSWORD))
    with open_table(read_dataset(dataset_file(tmp_path, table="research.seen"))) as table:
        assert table.rows(EVERY) == [(0, 30)]
        with table.snapshot():
            names = postgres.sql(
                f"SELECT application_name, state FROM pg_stat_activity WHERE usename = '{GUARDED}'"
            )
            assert names == [("discreet questions", "idle in transaction")]
    assert "may not read it" in refusal(dataset_file(tmp_path))
    postgres.sql(
        "CREATE TABLE research.seen_by (at timestamp); CREATE FUNCTION research.noted(int) RETURNS "
        "int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO research.seen_by VALUES (now()); RETURN $1; "
        "END $$; CREATE VIEW research.watched AS SELECT research.noted(age) AS age, sex "
        "FROM research.stays",
        stays,
    )
    monkeypatch.setenv("STAYS_URL", postgres.url(stays))
    with open_table(read_dataset(dataset_file(tmp_path, table="research.watched"))) as table:
        told = refusal(None, lambda: table.rows(f'SELECT "age", COUNT(*) FROM {TABLE} GROUP BY 1'))
    assert told.endswith("the view writes to the database, and a question may only read")


def test_a_column_whose_type_changed_is_refused_until_somebody_looks(postgres, stays, tmp_path):
    with open_table(read_dataset(dataset_file(tmp_path))) as table:
        postgres.sql("ALTER TABLE research.stays ALTER age TYPE text", stays)
        told = refusal(None, lambda: table.rows(EVERY))
        assert told.startswith("column 'age' of table 'research.stays' was int4 when opened")
        assert "and now is text" in told
    with open_table(read_dataset(dataset_file(tmp_path))) as table:
        assert table.rows(EVERY) == [(0, 30)]
    pinned = dataset_file(tmp_path, 'types = { age = "int4", sex = "text" }\n')
    assert "is int4 by types in [source], and now is text" in refusal(pinned)
    copied = pinned.read_text().replace('"asked"', '"copied"')
    pinned.write_text(copied)
    assert "is int4 by types" in refusal(pinned)
    postgres.sql("ALTER TABLE research.stays DROP age", stays)
    assert "has no column 'age'" in refusal(dataset_file(tmp_path))


def test_what_takes_too_long_or_is_cancelled_is_ended_before_any_charge(postgres, stays, tmp_path):
    postgres.sql(
        "CREATE VIEW research.slow AS SELECT age + 0 * length(pg_sleep(0.2)::text) AS age, sex "
        "FROM research.stays",
        stays,
    )
    file = dataset_file(tmp_path, "time_limit = 1\n", table="research.slow")
    with discreet.open_dataset(file, analyst="ana") as opened:
        told = refusal(None, lambda: opened.mean("age").ask(epsilon=1))
        assert told.endswith("its time limit of 1 s; time_limit in [source] sets it")
    with Curator(file, "ana") as curator:
        assert curator.left() == 100 * 10**9
    file.write_text(file.read_text().replace('"asked"', '"copied"'))
    assert refusal(file).endswith("its time limit of 1 s; time_limit in [source] sets it")
    file = dataset_file(tmp_path, table="research.slow")
    with open_table(read_dataset(file)) as table:
        threading.Timer(0.5, table.cancel).start()
        told = refusal(None, lambda: table.rows(f'SELECT "age", COUNT(*) FROM {TABLE} GROUP BY 1'))
    assert "cannot ask table 'research.slow' of PostgreSQL" in told


def test_a_public_size_is_asked_of_every_snapshot(postgres, stays, tmp_path):
    with open_table(read_dataset(dataset_file(tmp_path, privacy="size = 30"))) as table:
        assert table.rows(EVERY) == [(0, 30)]
        postgres.sql("DELETE FROM research.stays WHERE pid = 7", stays)
        assert "the table has another number" in refusal(None, lambda: table.rows(EVERY))
    assert "the table has another number" in refusal(dataset_file(tmp_path, privacy="size = 30"))


@pytest.mark.parametrize("rows", ["asked", "copied"])
def test_of_each_value_one_row_of_a_person_counts(postgres, stays, tmp_path, rows):
    """Six people with five rows each: of two words one row each, however they are read."""
    postgres.sql(
        "UPDATE research.stays SET sex = CASE WHEN pid < 20 THEN 'f' ELSE 'm' END; "
        "UPDATE research.stays SET pid = pid % 6",
        stays,
    )
    privacy = 'unit = "pid"\nmost_rows_per_unit = 3\none_row_per = "sex"\nsize_at_most = 100'
    file = dataset_file(tmp_path, privacy=privacy)
    file.write_text(file.read_text().replace('rows = "asked"', f'rows = "{rows}"'))
    with open_table(read_dataset(file)) as table, table.snapshot() as seen:
        assert sorted(seen.rows(BY_SEX)) == [(0, 6), (1, 6)]


def test_the_same_rows_of_a_person_count_asked_and_copied_and_nobodys_never(
    postgres, stays, tmp_path
):
    """Which count is drawn from all columns and the dataset's secret, wherever the rows are."""
    postgres.sql(
        "ALTER TABLE research.stays ALTER pid TYPE text; "
        "UPDATE research.stays SET pid = CASE WHEN age < 30 THEN ' ' ELSE (age % 4)::text END",
        stays,
    )
    counted = []
    for key in (Key(b"1" * 32), Key(b"2" * 32)):
        for rows in ("asked", "copied"):
            file = dataset_file(
                tmp_path, privacy='unit = "pid"\nmost_rows_per_unit = 3\nsize_at_most = 100'
            )
            file.write_text(file.read_text().replace('rows = "asked"', f'rows = "{rows}"'))
            with (
                open_table(read_dataset(file), key) as table,
                table.snapshot() as seen,
            ):
                assert seen.rows(EVERY) == [(0, 12)]
                counted.append((sorted(seen.rows(BY_AGE)), sorted(seen.rows(BY_SEX))))
    assert counted[0] == counted[1]
    assert counted[2] == counted[3]
    assert counted[0] != counted[2]


def test_numbers_that_would_run_out_of_range_are_clamped_and_never_fail(postgres, stays, tmp_path):
    """PostgreSQL raises where others have nought or infinity, and would say whose cell it was."""
    postgres.sql(
        "TRUNCATE research.stays; ALTER TABLE research.stays ALTER age TYPE double precision; "
        "INSERT INTO research.stays (age) VALUES (5e-324), (1e308), (-1e308), ('inf')",
        stays,
    )
    for step, last in ((7, 10), (0.5, 140)):
        file = dataset_file(tmp_path)
        number = f'type = "number"\nlow = 0\nhigh = 70\nstep = {step}'
        told = file.read_text().replace('type = "integer"\nlow = 0\nhigh = 120', number)
        file.write_text(told)
        with open_table(read_dataset(file)) as table:
            found = table.rows(f'SELECT "age", COUNT(*) FROM {TABLE} GROUP BY 1')
        assert sorted(found) == [(0, 2), (last, 2)]


def test_ids_that_can_be_written_in_two_ways_are_refused(postgres, stays, tmp_path):
    privacy = 'unit = "pid"\nmost_rows_per_unit = 2\nsize_at_most = 100'
    for kind in ("double precision", "real", "numeric"):
        postgres.sql(f"ALTER TABLE research.stays ALTER pid TYPE {kind}", stays)
        for rows in ("asked", "copied"):
            file = dataset_file(tmp_path, privacy=privacy)
            file.write_text(file.read_text().replace('"asked"', f'"{rows}"'))
            assert "one id to be written in several ways" in refusal(file)
    postgres.sql("ALTER TABLE research.stays ALTER age TYPE double precision", stays)
    file = dataset_file(tmp_path)
    file.write_text(
        file.read_text().replace('type = "integer"\nlow = 0\nhigh = 120', 'type = "boolean"')
    )
    assert "is declared as words but has another type" in refusal(file)


def test_what_cannot_be_reached_is_one_line(postgres, stays, tmp_path, monkeypatch):
    for table in ("research.nothing", "nowhere.stays"):
        assert "has no table or view" in refusal(dataset_file(tmp_path, table=table))
    monkeypatch.setenv("STAYS_URL", postgres.url(stays, GUARDED, "wr0ng"))
    assert refusal(dataset_file(tmp_path)).endswith(
        "the password was refused; correct it where the address is kept"
    )
    monkeypatch.setenv("STAYS_URL", "postgresql://nobody@127.0.0.1:1/x")
    assert refusal(dataset_file(tmp_path)).endswith(
        "nothing listens there; start the server, or correct its address"
    )
    monkeypatch.delenv("STAYS_URL")
    assert "STAYS_URL is not set" in refusal(dataset_file(tmp_path))


def test_a_server_that_is_lost_is_one_line_and_prints_nothing(postgres, stays, tmp_path, capfd):
    with open_table(read_dataset(dataset_file(tmp_path))) as table, table.snapshot() as seen:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}' AND "
        postgres.sql(ended.format(stays) + "application_name = 'discreet questions'")
        with pytest.raises(psycopg.Error):
            seen.rows(EVERY)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ('rows = "asked"\nurl_env = "X"\nurl = "postgresql://ana:pw@h/d"', "may hold a password"),
        ('rows = "borrowed"\nurl_env = "X"', 'rows of postgresql must be "copied" or "asked"'),
        (
            'rows = "asked"\nurl_env = "X"\ntime_limit = 0',
            "time_limit must be in seconds, from 1 to",
        ),
        ('rows = "asked"\nurl_env = "X"\ntypes = { age = 4 }', "types must be written as types ="),
        ('rows = "asked"\nurl_env = "X"\npath = "x.csv"', "path is only for files"),
        ("url_env = 'X'\nservice = 'Y'", "say where to connect with one key"),
    ],
)
def test_what_a_dataset_file_says_wrongly_is_explained(given, told, tmp_path):
    text = f'name = "t"\n[source]\nkind = "postgresql"\ntable = "a.b"\n{given}\n'
    (tmp_path / "t.toml").write_text(f'{text}[privacy]\nsize = 3\n[budget]\ntotal = "1"\n{COLUMNS}')
    said = refusal(tmp_path / "t.toml", lambda: read_dataset(tmp_path / "t.toml"))
    assert told in said
    assert "pw" not in said


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (None, "SPARK_URL is not set; set it to the address of Spark Connect"),
        ("http://x", "does not hold an address of Spark Connect, which starts with sc://"),
        ("sc://127.0.0.1:1/;token=s3cret-word", "nothing listens there"),
        ("sc://nowhere.invalid", "there is no host of that name"),
    ],
)
def test_a_spark_that_is_not_there_is_one_line(address, told, tmp_path, monkeypatch):
    if address is not None:
        monkeypatch.setenv("SPARK_URL", address)
    file = dataset_file(tmp_path)
    spark = file.read_text().replace('"postgresql"', '"spark"').replace("STAYS_URL", "SPARK_URL")
    file.write_text(spark)
    assert told in refusal(file)
    file.write_text(spark.replace('rows = "asked"', 'rows = "copied"'))
    assert 'rows of spark must be "asked"' in refusal(file)


def test_without_the_client_of_spark_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql.connect.session", None)
    monkeypatch.setenv("SPARK_URL", "sc://127.0.0.1:1")
    file = spark_file(tmp_path, "research.stays")
    with pytest.raises(MissingExtra, match=r"discreet\[spark\]"):
        open_table(read_dataset(file))


def spark_file(folder, table):
    """The dataset file of a table that Spark knows."""
    file = dataset_file(folder, table=table)
    spark = file.read_text().replace('"postgresql"', '"spark"').replace("STAYS_URL", "SPARK_URL")
    file.write_text(spark)
    return file


def test_what_takes_spark_too_long_is_ended(spark, tmp_path, monkeypatch):
    """Not endless, for what Spark is told to end before it has begun, it begins all the same."""
    monkeypatch.setenv("SPARK_URL", spark.url)
    spark.sql(
        "CREATE OR REPLACE VIEW slow AS SELECT CAST(a.id % 90 AS INT) AS age, 'f' AS sex "
        "FROM range(100000) a CROSS JOIN range(100000) b WHERE hash(a.id, b.id) = 1"
    )
    with open_table(read_dataset(spark_file(tmp_path, "slow"))) as table:
        hasty = replace(table.dataset.source, time_limit=3)
        table.dataset = replace(table.dataset, source=hasty)
        told = refusal(None, lambda: table.rows(EVERY))
        assert told.endswith("its time limit of 3 s; time_limit in [source] sets it")


def test_no_cell_of_spark_is_quoted_when_its_view_fails(spark, tmp_path, monkeypatch, capfd):
    """Not in the error, and not in what its client writes beside."""
    monkeypatch.setenv("SPARK_URL", spark.url)
    spark.sql(
        "CREATE OR REPLACE VIEW torn AS SELECT CAST(concat('s3cret', CAST(id AS STRING)) AS INT) "
        "AS age, 'f' AS sex FROM range(9)"
    )
    with open_table(read_dataset(spark_file(tmp_path, "torn"))) as table:
        told = refusal(None, lambda: table.rows(f'SELECT "age", COUNT(*) FROM {TABLE} GROUP BY 1'))
    assert told.endswith("the connection or the SELECT failed; see the server's own log")
    said = capfd.readouterr()
    assert "s3cret" not in said.out + said.err


def test_a_spark_that_is_too_old_is_refused(spark, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_URL", spark.url)
    monkeypatch.setattr(spark_connect, "OLDEST", 99)
    told = refusal(spark_file(tmp_path, "slow"))
    assert told.endswith("version 99.0 or newer is required")


def test_check_counts_at_the_server_and_copies_nothing(postgres, stays, tmp_path, monkeypatch):
    """One that is copied is copied to open it, to look at its cells, and at its bounds."""
    privacy = 'unit = "pid"\nmost_rows_per_unit = 1\nsize_at_most = 100'
    postgres.sql("INSERT INTO research.stays VALUES (1, 50, 'f')", stays)
    copies = []
    stream = readers.postgresql._stream
    monkeypatch.setattr(readers.postgresql, "_stream", lambda *a: copies.append(a) or stream(*a))
    for rows, many in (("asked", 0), ("copied", 3)):
        file = dataset_file(tmp_path, privacy=privacy)
        file.write_text(file.read_text().replace('"asked"', f'"{rows}"'))
        copies.clear()
        done = CliRunner().invoke(app, ["check", str(file), "--json"])
        assert done.exit_code == 0, done.output
        told = json.loads(done.stdout)
        assert told["rows"] == 30
        assert any("leaves out 1 of 31 rows" in note for note in told["notes"])
        assert len(copies) == many
