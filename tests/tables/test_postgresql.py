"""A table of PostgreSQL is the same table as in a file: every cell, every person, every count.

One row of it moves one row of what is counted, and whatever is wrong is one line, before anything
is charged, that quotes neither a cell nor a secret.
"""

import os
import random
from datetime import date, datetime, timedelta

import psycopg
import pytest

import discreet
from discreet.errors import DatasetError
from discreet.tables import TABLE, Key, examine_dataset, open_table, read_dataset, take_stock
from plain_cells import day_index, index_of, number_index, truth_index, word_index
from postgres_server import GUARDED

MANY = 50_000 if os.environ.get("DISCREET_SOAK") else 1_200
WORDS = ["A", "B", "7", "é"]
ODD = [
    "", " ", "-", ".", "1.", ".5", "1e5", "1e400", "-1e400", "1e-400", "1_000", "0x10", "0x1p3",
    "nan", "-nan", "inf", "-INFINITY", "1\n", "\u00a01", "1\u3000", " A ", "a", "Yes", "tRuE",
    "1d", "NULL", "\u212a", "É", "7", "7.0", "4.5", "9" * 101, "2024-02-29", "29.02.2024",
    "2024-02-30", "\ufffd",
]  # fmt: skip
COLUMNS = """
[columns.told]
type = "number"
low = -5
high = 20
step = 0.5
[columns.whole]
type = "integer"
low = -100
high = 100
[columns.real]
type = "number"
low = -5
high = 20
step = 0.5
[columns.exact]
type = "number"
low = -5
high = 20
step = 0.5
[columns.word]
type = "category"
values = ["A", "B", "7", "é"]
[columns.code]
type = "category"
values = ["A", "B", "7", "é"]
[columns.truth]
type = "boolean"
[columns.said]
type = "boolean"
[columns.day]
type = "date"
low = 2023-01-01
high = 2024-12-31
[columns.at]
type = "timestamp"
resolution = "hour"
low = 2023-01-01
high = 2024-12-31
"""
LOW, HIGH = datetime(2023, 1, 1), datetime(2024, 12, 31, 23, 59, 59)
NUMBER = {"low": -5, "step": 0.5, "size": 51}
MADE = (
    "CREATE SCHEMA research; CREATE TABLE research.stays (pid text, told text, whole smallint, "
    "real double precision, exact numeric, word text, code int, truth boolean, said varchar(200), "
    "day date, at timestamp)"
)


@pytest.fixture
def database(postgres, monkeypatch):
    """A database with an empty table, which the environment says where to find."""
    name = postgres.database()
    postgres.sql(MADE, name)
    monkeypatch.setenv("STAYS_URL", postgres.url(name))
    return name


def dataset_file(folder, source="", privacy="size_at_most = 100000", columns=COLUMNS):
    place = source or 'url_env = "STAYS_URL"\ntable = "research.stays"'
    text = f'name = "stays"\nconfirmed = true\n[source]\nkind = "postgresql"\n{place}\n'
    text += f'[privacy]\n{privacy}\n[budget]\ntotal = "10"\n{columns}'
    (folder / "stays.toml").write_text(text, encoding="utf-8")
    return folder / "stays.toml"


def filled(postgres, database, rows):
    with (
        psycopg.connect(postgres.url(database)) as held,
        held.cursor() as cursor,
        cursor.copy("COPY research.stays FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def hostile_row(dice, place):
    """Cells that engines disagree about."""
    text = dice.choice(ODD) if dice.random() < 0.7 else repr(dice.uniform(-9, 30))
    day = date(2022, 6, 1) + timedelta(days=dice.randrange(1200))
    at = LOW + timedelta(microseconds=dice.randrange(-(10**12), 10**14))
    row = (
        f"p{place % 300}", text, dice.randint(-(2**15), 2**15 - 1), dice.uniform(-9, 30),
        f"{dice.uniform(-9, 30):.9f}", dice.choice(ODD + WORDS), dice.randint(-9, 9),
        dice.random() < 0.5, dice.choice(ODD), day, at,
    )  # fmt: skip
    return [row[0], *(None if dice.random() < 0.1 else cell for cell in row[1:])]


def expected_of(row):
    _, told, whole, real, exact, word, code, truth, said, day, at = row
    return (
        number_index(told, **NUMBER),
        number_index(whole, low=-100, step=1, size=201),
        number_index(real, **NUMBER),
        number_index(None if exact is None else float(exact), **NUMBER),
        word_index(word, WORDS),
        word_index(code, WORDS),
        -1 if truth is None else int(truth),
        truth_index(said),
        day_index(day, low=date(2023, 1, 1), size=731),
        -1 if at is None else index_of(str(at), low=LOW, high=HIGH, resolution="hour"),
    )


def rows_of(dataset, key=None):
    names = ", ".join(f'"{column.name}"' for column in dataset.columns)
    with open_table(dataset, key) as table:
        return table.rows(f"SELECT {names} FROM {TABLE}")


def test_every_cell_is_what_a_plain_reading_says(postgres, database, tmp_path):
    dice = random.SystemRandom()
    rows = [hostile_row(dice, place) for place in range(MANY)]
    filled(postgres, database, rows)
    found = rows_of(read_dataset(dataset_file(tmp_path)))
    assert sorted(found) == sorted(map(expected_of, rows))


def test_ends_of_types_are_clamped_and_never_fail(postgres, database, tmp_path):
    postgres.sql(
        "INSERT INTO research.stays (real, exact, day, at) VALUES "
        "('inf', 'Infinity', 'infinity', 'infinity'), "
        "('-inf', '-Infinity', '-infinity', '-infinity'), "
        "('nan', 'NaN', '4713-01-01 BC', '4713-01-01 BC'), "
        "(1e308, 1e1000, '5874897-12-31', '294276-12-31 23:59:59.999999')",
        database,
    )
    found = rows_of(read_dataset(dataset_file(tmp_path)))
    assert sorted((row[2], row[3], row[8], row[9]) for row in found) == sorted(
        [(50, 50, 730, 17543), (0, 0, 0, 0), (-1, -1, 0, 0), (50, -1, 730, 17543)]
    )


def test_changing_one_row_changes_one_row(postgres, database, tmp_path):
    dice = random.SystemRandom()
    rows = [hostile_row(dice, place) for place in range(40)]
    filled(postgres, database, rows)
    before = sorted(rows_of(read_dataset(dataset_file(tmp_path))))
    postgres.sql("TRUNCATE research.stays", database)
    filled(postgres, database, [*rows[:17], hostile_row(dice, 17), *rows[18:]])
    after = sorted(rows_of(read_dataset(dataset_file(tmp_path))))
    left = list(after)
    for row in before:
        if row in left:
            left.remove(row)
    assert len(left) <= 1


def test_the_same_rows_of_each_person_are_kept_as_from_a_file(postgres, database, tmp_path):
    """Also where a case-insensitive collation would make one person of two."""
    rows = [[f"{'Pp'[place % 2]}{place % 9}", *["3"] * 2, *[None] * 8] for place in range(90)]
    for place, row in enumerate(rows):
        row[2] = place
    filled(postgres, database, rows)
    key, privacy = Key.random(), 'unit = "pid"\nmost_rows_per_unit = 2\nsize_at_most = 100'
    found = rows_of(read_dataset(dataset_file(tmp_path, privacy=privacy)), key)
    lines = "\n".join(",".join("" if one is None else str(one) for one in row) for row in rows)
    header = "pid,told,whole,real,exact,word,code,truth,said,day,at\n"
    (tmp_path / "stays.csv").write_text(header + lines + "\n")
    other = dataset_file(tmp_path, 'path = "stays.csv"', privacy)
    other.write_text(other.read_text().replace('kind = "postgresql"\n', ""))
    assert len(found) == 36
    assert sorted(found) == sorted(rows_of(read_dataset(other), key))


def test_a_view_is_asked_by_a_role_that_may_only_read_it(postgres, database, tmp_path, monkeypatch):
    filled(postgres, database, [["p", "3", *[None] * 9]] * 30)
    postgres.sql(
        'CREATE VIEW research."Seen" AS SELECT told FROM research.stays; '
        f"GRANT USAGE ON SCHEMA research TO {GUARDED}; "
        f'GRANT SELECT ON research."Seen" TO {GUARDED}',
        database,
    )
    monkeypatch.setenv("STAYS_URL", postgres.url(database, GUARDED, "s3cret-word"))
    columns = '[columns.told]\ntype = "integer"\nlow = 0\nhigh = 9\n'
    file = dataset_file(tmp_path, 'url_env = "STAYS_URL"\ntable = "research.Seen"', columns=columns)
    with discreet.open_dataset(file, analyst="ana") as stays:
        answer = stays.count().ask(epsilon=5)
    assert abs(float(answer.value) - 30) < 20
    assert not take_stock(read_dataset(file))[0].gaps
    refused = dataset_file(tmp_path, columns=columns)
    assert refusal(refused) == (
        "cannot copy table 'research.stays' from PostgreSQL at url_env = \"STAYS_URL\": the role "
        "may not read it, or a policy hides rows from it; GRANT SELECT on a view"
    )


def test_a_policy_that_hides_rows_is_refused(postgres, database, tmp_path, monkeypatch):
    """A table that is cut by who asks is another table for another role."""
    postgres.sql(
        f"GRANT USAGE ON SCHEMA research TO {GUARDED}; "
        f"GRANT SELECT ON research.stays TO {GUARDED}; "
        "ALTER TABLE research.stays ENABLE ROW LEVEL SECURITY; "
        "CREATE POLICY few ON research.stays USING (whole > 3)",
        database,
    )
    monkeypatch.setenv("STAYS_URL", postgres.url(database, GUARDED, "s3cret-word"))
    assert "a policy hides rows from it" in refusal(dataset_file(tmp_path))


def refusal(file):
    """What is said instead of opening a table: one line, in which neither cells nor secrets are."""
    with pytest.raises(DatasetError) as refused:
        open_table(read_dataset(file))
    told = str(refused.value)
    assert "\n" not in told
    assert "s3cret" not in told
    assert "postgresql://" not in told
    return told


def test_what_is_not_there_is_one_line(postgres, database, tmp_path, monkeypatch):
    for table in ("research.nothing", "nowhere.stays", "research.stays;DROP"):
        told = refusal(dataset_file(tmp_path, f'url_env = "STAYS_URL"\ntable = "{table}"'))
        assert "has no table or view" in told
    monkeypatch.setenv("STAYS_URL", postgres.url(database, GUARDED, "s3cret-word"))
    assert 'needs GRANT USAGE ON SCHEMA "research"' in refusal(dataset_file(tmp_path))
    monkeypatch.setenv("STAYS_URL", postgres.url(database))
    columns = '[columns.nothing]\ntype = "boolean"\n'
    assert "has no column 'nothing'" in refusal(dataset_file(tmp_path, columns=columns))
    monkeypatch.setenv("STAYS_URL", postgres.url(database, GUARDED, "wr0ng-s3cret"))
    assert refusal(dataset_file(tmp_path)).endswith(
        "the password was refused; correct it where the address is kept"
    )
    monkeypatch.setenv("STAYS_URL", "postgresql://ana:s3cret@/x?host=/nowhere")
    assert refusal(dataset_file(tmp_path)).endswith(
        "nothing listens there; start the server, or correct its address"
    )
    for garbled in ("ana:s3cret%ZZ@h/x", "ana:s3cret@[h/x", "ana@h/x?s3cret=1", "ana@h/x?s3cret"):
        monkeypatch.setenv("STAYS_URL", f"postgresql://{garbled}")
        assert refusal(dataset_file(tmp_path)).endswith(
            "the address is not well formed; correct it where it is kept"
        )
    monkeypatch.delenv("STAYS_URL")
    assert "STAYS_URL is not set" in refusal(dataset_file(tmp_path))


@pytest.mark.parametrize("kind", ["json", "bytea", "interval", "int[]", "time"])
def test_a_type_is_refused_for_being_it(postgres, database, tmp_path, kind):
    postgres.sql(f"ALTER TABLE research.stays ALTER said TYPE {kind} USING NULL", database)
    assert "column 'said' of table 'research.stays' is of type" in refusal(dataset_file(tmp_path))


def test_a_failure_in_the_middle_quotes_no_cell(postgres, database, tmp_path):
    """A view may fail at a cell, and PostgreSQL's message quotes that."""
    filled(postgres, database, [["p", "4711-private", *[None] * 9]])
    postgres.sql(
        "CREATE VIEW research.odd AS SELECT told::int AS told FROM research.stays", database
    )
    columns = '[columns.told]\ntype = "integer"\nlow = 0\nhigh = 9\n'
    place = 'url_env = "STAYS_URL"\ntable = "research.odd"'
    told = refusal(dataset_file(tmp_path, place, columns=columns))
    assert "4711" not in told
    assert "cannot copy table 'research.odd'" in told


def test_the_custodian_is_told_what_is_odd(postgres, database, tmp_path):
    filled(
        postgres, database, [["p", "999", *[None] * 3, "Z", 12, None, "perhaps", None, None]] * 3
    )
    stock = {one.column: one for one in take_stock(read_dataset(dataset_file(tmp_path)))}
    assert (stock["told"].clamped, stock["word"].others, stock["said"].gaps) == (3, 3, 3)
    assert (stock["word"].words, stock["code"].words) == (("Z",), ("12",))


def test_a_text_that_is_too_long_is_one_that_cannot_be_read(postgres, database, tmp_path):
    postgres.sql("INSERT INTO research.stays (word) VALUES (repeat('A', 2000000)), ('A')", database)
    found = rows_of(read_dataset(dataset_file(tmp_path)))
    assert sorted(row[4] for row in found) == [0, 4]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ('table = "a.b"', "say where to connect with one key"),
        ('url_env = "X"', "name the table or the view with its schema"),
        ('url_env = "X"\ntable = "a.b.c"', "name the table or the view with its schema"),
        ('url_env = "X"\ntable = "a.b"\npath = "t.csv"', "path is only for files"),
        ('url_env = "postgresql://ana:s3cret@h/d"\ntable = "a.b"', "not the address itself"),
    ],
)
def test_what_a_dataset_file_says_wrongly_is_told_with_its_key(tmp_path, source, told):
    problems = examine_dataset(dataset_file(tmp_path, source))[1]
    said = " ".join(map(str, problems))
    assert told in said
    assert "s3cret" not in said
