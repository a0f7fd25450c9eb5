"""A column that becomes another thing is noticed, whoever opens the rows and whenever."""

import json
import uuid

import duckdb
import numpy as np
import pandas
import pytest
from typer.testing import CliRunner

from discreet.cli import app
from discreet.curator import Curator, open_dataset
from discreet.errors import DatasetError, FactsChanged, LedgerError
from discreet.tables import open_table, read_dataset, same_type

COLUMNS = """
[columns.age]
type = "integer"
low = 0
high = 120
[columns.sex]
type = "category"
values = ["f", "m"]
"""
SERVED = 'kind = "{0}"\nurl_env = "ROWS_URL"\ntable = "{1}"\n'
SOURCES = {
    "parquet": 'path = "stays.parquet"\n',
    "duckdb": 'path = "stays.duckdb"\ntable = "stays"\n',
    "copied": SERVED.format("postgresql", "public.stays"),
    "asked": SERVED.format("postgresql", "public.stays") + 'rows = "asked"\n',
    "spark": SERVED.format("spark", "stays"),
}
ROWS = "SELECT CAST(i + 20 AS {0}) AS age, 'f' AS sex FROM range(30) made(i)"


class Stays:
    """Thirty rows somewhere, whose column `age` can be given another type."""

    def __init__(self, how, folder, request, patch):
        self.how, self.folder, self._asked = how, folder, 0
        if how in ("copied", "asked"):
            self._server = request.getfixturevalue("postgres")
            self._database = self._server.database()
            patch.setenv("ROWS_URL", self._server.url(self._database))
        if how == "spark":
            self._server = request.getfixturevalue("spark")
            patch.setenv("ROWS_URL", self._server.url)
        self._view = f"stays_{uuid.uuid4().hex}"  # test processes share one server of Spark
        self.written()
        self.typed("INTEGER")

    def written(self, more=""):
        source = SOURCES[self.how]
        if self.how == "spark":
            source = source.replace('"stays"', f'"{self._view}"')
        self.file = written(self.folder, source, more)

    def typed(self, kind):
        rows = ROWS.format(kind)
        if kind == '"NULL"':
            rows = ROWS.replace("CAST(i + 20 AS {0})", "NULL")
        if self.how == "parquet":
            duckdb.execute(f"COPY ({rows}) TO '{self.folder}/stays.parquet' (FORMAT parquet)")
        elif self.how == "duckdb":
            with duckdb.connect(self.folder / "stays.duckdb") as held:
                held.execute(f"CREATE OR REPLACE TABLE stays AS {rows}")
        elif self.how == "spark":
            kind = kind.replace("VARCHAR", "STRING")
            self._server.sql(
                f"CREATE OR REPLACE VIEW {self._view} AS SELECT CAST(id + 20 AS {kind}) AS age, "
                "'f' AS sex FROM range(30)"
            )
        else:
            made = ROWS.format(kind.replace("DOUBLE", "double precision"))
            made = made.replace("range(30)", "generate_series(0, 29)")
            told = f"DROP TABLE IF EXISTS stays; CREATE TABLE stays AS {made}"
            self._server.sql(told, self._database)

    def answered(self):
        """Whether a question that was not asked before is answered rightly."""
        self._asked += 1
        with open_dataset(self.file, analyst="ana") as opened:
            answer = opened.count("age > 30").ask(epsilon=f"12.{self._asked}")
        return abs(float(answer.value) - 19) < 3

    def refusal(self):
        """What is said instead of an answer, which costs nothing."""
        with Curator(self.file, "ana") as curator:
            before = curator.left()
        with pytest.raises(DatasetError) as refused:
            self.answered()
        with Curator(self.file, "ana") as curator:
            assert curator.left() == before
        return str(refused.value)


def written(folder, source, more=""):
    text = f'name = "stays"\nconfirmed = true\n[source]\n{source}{more}[privacy]\n'
    text += f'size_at_most = 100\n[budget]\ntotal = "100"\n{COLUMNS}'
    (folder / "stays.toml").write_text(text)
    return folder / "stays.toml"


@pytest.fixture(params=SOURCES)
def stays(request, tmp_path, monkeypatch):
    return Stays(request.param, tmp_path, request, monkeypatch)


on_servers = pytest.mark.parametrize("stays", ["copied", "asked", "spark"], indirect=True)
"""Where somebody declared the types; in a file one row may have decided over them."""
in_files = pytest.mark.parametrize("stays", ["parquet", "duckdb"], indirect=True)


@on_servers
def test_a_number_that_became_a_text_is_refused_until_the_custodian_pins_it(stays):
    assert stays.answered()
    stays.typed("VARCHAR")
    told = stays.refusal()
    assert "\n" not in told
    assert told.startswith("column 'age' of ")
    assert "when first opened, and now is " in told
    assert "if that is intended, the custodian pins it: types = { 'age' = " in told
    pin = told.partition("custodian pins it: ")[2].removesuffix(" in [source]")
    stays.written(f"{pin}\n")
    assert stays.answered()
    stays.written()  # what was pinned is known from now on
    assert stays.answered()
    stays.typed("INTEGER")
    assert "was " in stays.refusal()


@on_servers
def test_a_text_that_became_a_number_is_refused_as_well(stays):
    stays.typed("VARCHAR")
    assert stays.answered()
    stays.typed("INTEGER")
    assert "when first opened, and now is " in stays.refusal()


@on_servers
def test_it_is_noticed_even_if_nobody_has_asked_of_that_column_before(stays):
    """Not all columns are copied for one question, but the types of all are known."""
    with open_dataset(stays.file, analyst="ana") as opened:
        opened.count("sex = 'f'").ask(epsilon=12)
    stays.typed("VARCHAR")
    assert "when first opened, and now is " in stays.refusal()


@on_servers
def test_of_a_server_every_other_type_is_another(stays):
    assert stays.answered()
    stays.typed("DOUBLE")
    assert "when first opened, and now is " in stays.refusal()


@in_files
@pytest.mark.parametrize("kind", ["DOUBLE", "VARCHAR", '"NULL"'])
def test_no_row_of_a_file_decides_whether_a_question_is_answered(stays, kind):
    """One gap, one word or no filled cell makes a program write a column as another type."""
    assert stays.answered()
    stays.typed(kind)
    assert stays.answered() is (kind != '"NULL"')


@in_files
def test_of_a_file_the_custodian_alone_is_told_that_a_type_changed(stays):
    assert stays.answered()
    stays.typed("DOUBLE")
    assert _noted(stays.file) == []
    stays.typed("VARCHAR")
    assert stays.answered()
    [note] = _noted(stays.file)
    assert "was INTEGER when first opened, and now is VARCHAR; look whether its cells" in note


def _noted(file):
    """What `check` says of the types, of a table that may be asked."""
    done = CliRunner().invoke(app, ["check", str(file), "--json"])
    told = json.loads(done.stdout)
    assert told["usable"]
    return [note for note in told["notes"] if "when first opened" in note]


def test_check_and_doctor_tell_it_and_record_nothing(stays):
    record = stays.folder / "stays.ledger.types"

    def said(command):
        done = CliRunner().invoke(app, [command, str(stays.file), "--json"])
        return done.stdout

    said("check")
    assert not record.exists()
    assert stays.answered()
    before = record.read_bytes()
    stays.typed("VARCHAR")
    for command in ("check", "doctor"):
        assert "when first opened, and now is " in said(command), command
    assert record.read_bytes() == before


@pytest.mark.parametrize("stays", ["parquet"], indirect=True)
def test_another_version_of_the_rows_begins_anew_once_it_is_acknowledged(stays):
    assert stays.answered()
    stays.typed("VARCHAR")
    stays.written('version = "March"\n')
    with pytest.raises(FactsChanged):
        stays.answered()
    words = ["ledger", "acknowledge", str(stays.file), "--facts", "--reason", "March", "--yes"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert stays.answered()


@pytest.mark.parametrize("stays", ["parquet"], indirect=True)
@pytest.mark.parametrize("told", ["", "{", "[]", "7", '{"types": {}}', '{"source": 1, "types": 1}'])
def test_a_record_that_is_damaged_is_one_line(stays, told):
    assert stays.answered()
    record = stays.folder / "stays.ledger.types"
    facts = json.loads(record.read_text())["source"]
    record.write_text(told)
    with pytest.raises(LedgerError, match="removes it: types are then recorded anew"):
        stays.answered()
    record.unlink()
    assert stays.answered()
    assert json.loads(record.read_text())["source"] == facts


def test_files_of_several_types_may_stay_so_and_no_more(tmp_path):
    file = written(tmp_path, 'files = "part*.parquet"\n')

    def part(name, kind):
        told = ROWS.format(kind)
        duckdb.execute(f"COPY ({told}) TO '{tmp_path}/part{name}.parquet' (FORMAT parquet)")

    def answered(epsilon):
        with open_dataset(file, analyst="ana") as opened:
            opened.count("age > 30").ask(epsilon=epsilon)

    part(1, "INTEGER")
    part(2, "VARCHAR")
    answered(1)
    part(1, "VARCHAR")
    part(3, "BIGINT")
    answered(2)
    assert _noted(file) == []
    part(2, "BOOLEAN")
    answered(3)
    [note] = _noted(file)
    assert "when first opened, and now is BOOLEAN" in note


def test_where_rows_decide_over_types_nothing_is_recorded(tmp_path):
    frame = pandas.DataFrame({"age": np.arange(30) + 20, "sex": ["f"] * 30})
    frame.to_csv(tmp_path / "stays.csv", index=False)
    file = written(tmp_path, 'path = "stays.csv"\n')
    with open_dataset(file, analyst="ana") as opened:
        opened.count("age > 30").ask(epsilon=1)
    framed = written(tmp_path, 'kind = "frame"\n', 'version = "2"\n')
    (tmp_path / "stays.ledger").unlink()
    (tmp_path / "stays.ledger.head").unlink()
    for epsilon, rows in enumerate([frame, frame.astype({"age": str})], start=1):
        with open_dataset(rows, framed, analyst="ana") as opened:
            opened.count("age > 30").ask(epsilon=epsilon)
    assert not (tmp_path / "stays.ledger.types").exists()


NAMES = {
    "smallint": ("int2",),
    "integer": ("int", "int4", "INTEGER"),
    "bigint": ("int8",),
    "real": ("float4",),
    "double precision": ("float8", "float", "double"),
    "numeric(9,2)": ("decimal", "numeric", "decimal(9, 2)"),
    "boolean": ("bool",),
    "text": ("varchar", "character varying", "string"),
    "varchar(9)": ("text", "character varying(9)"),
    "char(3)": ("character", "bpchar"),
    "timestamp": ("timestamp without time zone", "timestamp(6) without time zone"),
    "timestamptz": ("timestamp with time zone",),
}


def test_a_type_may_be_pinned_by_any_of_its_names(postgres, tmp_path, monkeypatch):
    """By those that a server itself takes for one, and by those of other engines."""
    database = postgres.database()
    monkeypatch.setenv("ROWS_URL", postgres.url(database))
    for kind, names in NAMES.items():
        told = f"DROP TABLE IF EXISTS stays; CREATE TABLE stays (age {kind}, sex text)"
        postgres.sql(told, database)
        for rows in ("copied", "asked"):
            for name in (kind, *names):
                file = _pinned(tmp_path, rows, kind, name)
                assert _opened(file) == "", (kind, name)
            told = _opened(_pinned(tmp_path, rows, kind, "uuid"))
            assert "is uuid by types in [source], and now is " in told


MOMENT = 'type = "timestamp"\nresolution = "hour"\nlow = 2020-01-01\nhigh = 2020-12-31'


def _pinned(folder, rows, kind, name):
    """A dataset file whose column `age` is declared as its type wants it."""
    file = written(folder, SOURCES[rows], f'types = {{ age = "{name}" }}\n')
    declared = {"bool": 'type = "boolean"', "time": MOMENT}.get(kind[:4])
    if declared is not None:
        text = file.read_text()
        file.write_text(text.replace('type = "integer"\nlow = 0\nhigh = 120', declared))
    return file


def _opened(file):
    try:
        open_table(read_dataset(file)).close()
    except DatasetError as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("stays", ["spark", "parquet", "duckdb"], indirect=True)
@pytest.mark.parametrize("name", ["int", "integer", "INT4"])
def test_so_it_may_in_spark_and_in_files(stays, name):
    stays.written(f'types = {{ age = "{name}" }}\n')
    assert stays.answered()
    stays.written('types = { age = "bigint" }\n')
    assert "is bigint by types in [source], and now is " in stays.refusal()


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("postgresql", "integer", "bigint"),
        ("postgresql", "float", "real"),
        ("spark", "float", "double"),
        ("spark", "timestamp", "timestamp_ntz"),
        ("postgresql", "numeric(9,2)", "numeric(9,3)"),
        ("postgresql", "text", "char"),
        ("postgresql", "enum mood", "text"),
    ],
)
def test_names_of_two_types_are_two(kind, one, other):
    assert not same_type(kind, one, other)
