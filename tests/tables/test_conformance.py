"""Every engine is the same engine: each cell, each person, each count, whatever the rows hold.

One suite for all of them, against what a plain reading in Python says, and against one another.
"""

import random
import secrets
from pathlib import Path

import duckdb
import psycopg
import pytest

from battery.test_battery import EVERY, SOAK, TABLES, _frame, _written, at_hand
from discreet.errors import QuestionError
from discreet.planning import Reading, group_names, grouping_of, subject_of
from discreet.planning.reading import counted_together
from discreet.questions.sql import parse_sql
from discreet.statistics import Tally
from discreet.tables import TABLE, Key, open_table, read_dataset
from hostile_rows import NAMES, Grids, hostile_rows, to_parquet, to_postgresql

MANY = 1_000_000 if SOAK else 20_000
ENGINES = ("duckdb", "postgresql", "spark")
SOURCES = {
    "duckdb": 'path = "{name}.parquet"\n',
    "postgresql": 'kind = "postgresql"\nurl_env = "ROWS_URL"\ntable = "public.{name}"\n'
    'rows = "asked"\n',
    "spark": 'kind = "spark"\nurl_env = "SPARK_URL"\ntable = "{name}"\n',
}
PARTS = (("dated",), ("timed",), tuple(set(NAMES) - {"rid", "dated", "timed"}))
"""Which columns are compared at once: expressions of dates are long."""
PEOPLE = 'unit = "pid"\nmost_rows_per_unit = 3\nsize_at_most = 4000000'
SINGLE = f'{PEOPLE}\none_row_per = "truth"'
ROWS = "size_at_most = 4000000"
KEY = Key(bytes(range(32)))


class Rows:
    """The same rows for every engine: each gets them when it is first asked."""

    def __init__(self, folder: Path) -> None:
        dice = random.Random(secrets.randbits(64))
        self.folder, self.grids = folder, Grids(dice)
        self.rows = hostile_rows(dice, MANY)
        self.expected = sorted(map(self.grids.expected, self.rows))
        to_parquet(self.rows, folder / "rows.parquet")
        self._there: set[str] = set()

    def dataset(self, engine, request, patch, privacy=ROWS):
        if engine == "postgresql":
            server = request.getfixturevalue("postgres")
            patch.setenv("ROWS_URL", server.url())
            if engine not in self._there:
                server.sql("DROP TABLE IF EXISTS public.rows")
                to_postgresql(self.rows, server.url(), "public.rows")
        if engine == "spark":
            server = request.getfixturevalue("spark")
            patch.setenv("SPARK_URL", server.url)
            if engine not in self._there:
                server.sql("DROP TABLE IF EXISTS rows")
                server.table("rows", self.folder / "rows.parquet")
        self._there.add(engine)
        return written(
            self.folder, SOURCES[engine].format(name="rows"), self.grids.columns, privacy
        )


def written(folder, source, columns, privacy):
    text = f'name = "rows"\nconfirmed = true\n[source]\n{source}[privacy]\n{privacy}\n'
    (folder / "rows.toml").write_text(f'{text}[budget]\ntotal = "1"\n{columns}', encoding="utf-8")
    return read_dataset(folder / "rows.toml")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return Rows(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("engine", ENGINES)
def test_every_cell_is_what_a_plain_reading_says(engine, rows, request, monkeypatch):
    dataset = rows.dataset(engine, request, monkeypatch)
    with open_table(dataset, KEY) as table:
        for some in PARTS:
            names = ", ".join(f'"{name}"' for name in ("rid", *some))
            found = table.rows(f"SELECT {names}, COUNT(*) FROM {TABLE} GROUP BY {names}")
            places = [0, *(NAMES.index(name) for name in some)]
            wanted = [(*(row[place] for place in places), 1) for row in rows.expected]
            assert sorted(found) == wanted


@pytest.fixture(scope="module")
def kept(rows, request):
    """Which rows of people are kept, as the copied table has it."""
    with pytest.MonkeyPatch.context() as patch:
        ways = (PEOPLE, SINGLE)
        return {way: _kept(rows.dataset("duckdb", request, patch, way)) for way in ways}


def _kept(dataset):
    asked = [
        f'SELECT "rid", COUNT(*) FROM {TABLE} GROUP BY 1',
        f'SELECT 0 AS the_group, COUNT(DISTINCT "person") FROM {TABLE} GROUP BY 1',
    ]
    with open_table(dataset, KEY) as table, table.snapshot(*asked) as seen:
        return [sorted(seen.rows(one)) for one in asked]


@pytest.mark.parametrize("way", [PEOPLE, SINGLE], ids=["people", "one for each"])
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_the_same_rows_of_every_person_are_kept(engine, way, rows, kept, request, monkeypatch):
    assert _kept(rows.dataset(engine, request, monkeypatch, way)) == kept[way]
    people = {(one["pid"] or "").strip(" \u00a0") for one in rows.rows} - {""}
    found, counted = kept[way]
    assert counted == [(0, len(people))]
    assert len(found) <= 3 * len(people)


class Battery:
    """The tables of everyday questions, in every engine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._held = folder, duckdb.connect()
        self._there: set[tuple[str, str]] = set()

    def dataset(self, engine, name, request, patch):
        place = self.folder / f"{name}.parquet"
        if not place.exists():
            self._held.register("frame", _frame(TABLES[name]))
            self._held.execute(f"COPY (SELECT * FROM frame) TO '{place}' (FORMAT parquet)")
        if engine == "postgresql":
            server = request.getfixturevalue("postgres")
            patch.setenv("ROWS_URL", server.url())
            if (engine, name) not in self._there:
                self._copy(name, place, server.url())
        if engine == "spark":
            server = request.getfixturevalue("spark")
            patch.setenv("SPARK_URL", server.url)
            if (engine, name) not in self._there:
                server.sql(f"DROP TABLE IF EXISTS {name}")
                server.table(name, place)
        self._there.add((engine, name))
        columns = "".join(_written(*one) for one in TABLES[name]["columns"].items())
        return written(self.folder, SOURCES[engine].format(name=name), columns, ROWS)

    def _copy(self, name, place, url):
        kinds = {"VARCHAR": "text", "DOUBLE": "double precision", "TINYINT": "smallint"}
        kinds |= dict.fromkeys(("TIMESTAMP_NS", "TIMESTAMP_S", "TIMESTAMP_MS"), "timestamp")
        found = self._held.execute(f"DESCRIBE SELECT * FROM '{place}'").fetchall()
        told = ", ".join(f'"{name}" {kinds.get(kind, kind)}' for name, kind, *_ in found)
        with psycopg.connect(url) as held, held.cursor() as cursor:
            cursor.execute(f'DROP TABLE IF EXISTS public."{name}"')
            cursor.execute(f'CREATE TABLE public."{name}" ({told})')
            with cursor.copy(f'COPY public."{name}" FROM STDIN') as copy:
                for row in self._held.execute(f"SELECT * FROM '{place}'").fetchall():
                    copy.write_row(row)


@pytest.fixture(scope="module")
def battery(tmp_path_factory):
    return Battery(tmp_path_factory.mktemp("battery"))


def _readings(questions, dataset):
    made = []
    for sql in questions:
        try:
            question = parse_sql(sql, dataset)
        except QuestionError:
            continue
        grouping, many = grouping_of(question, dataset), len(group_names(question, dataset))
        made += [
            Reading.of(question, subject_of(one, question, dataset, many), grouping, facts=dataset)
            for one in question.items
        ]
    return made


def _plain(counted):
    return [one.counts.tolist() if isinstance(one, Tally) else one for one in counted]


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_every_question_counts_the_same(engine, battery, request, monkeypatch):
    every = 1 if SOAK else {"postgresql": 2, "spark": 24}[engine]
    asked: dict[str, list[str]] = {}
    for one in EVERY[::every]:
        if not at_hand(one.values[0]):
            continue
        asked.setdefault(one.values[0]["table"], []).append(one.values[0]["sql"])
    compared = 0
    for name, questions in asked.items():
        found = []
        for which in ("duckdb", engine):
            dataset = battery.dataset(which, name, request, monkeypatch)
            readings = _readings(questions, dataset)
            with open_table(dataset, KEY) as table:
                table.columns = None
                found.append([_plain(one) for one in counted_together(readings, table)])
        assert found[0] == found[1], name
        compared += len(found[0])
    assert compared > len(EVERY) // every // 2


LOOSE = '[columns.word]\ntype = "category"\nvalues = ["A", "a"]\n'
FEW = 'unit = "pid"\nmost_rows_per_unit = 2\nsize_at_most = 10'


def test_postgresql_compares_what_is_written_whatever_a_column_is_collated_by(
    postgres, tmp_path, monkeypatch
):
    database = postgres.database()
    postgres.sql(
        'CREATE TABLE seen (pid text COLLATE "POSIX", word varchar COLLATE "POSIX"); '
        "INSERT INTO seen VALUES ('Ann', 'A'), ('ann', 'a')",
        database,
    )
    monkeypatch.setenv("ROWS_URL", postgres.url(database))
    source = SOURCES["postgresql"].format(name="seen")
    with open_table(written(tmp_path, source, LOOSE, FEW), KEY) as table:
        for cell in table._asking.cells.values():
            told = f"SELECT pg_collation_for({cell.text}) FROM seen LIMIT 1"
            assert postgres.sql(told, database) == [('"C"',)]


def test_people_whom_a_collation_would_take_for_one_are_two(spark, tmp_path, monkeypatch):
    """So are words: what is compared is what is written."""
    spark.sql("DROP TABLE IF EXISTS seen")
    kind = "STRING COLLATE UTF8_LCASE"
    spark.sql(f"CREATE TABLE seen (pid {kind}, word {kind}) USING parquet")
    spark.sql("INSERT INTO seen VALUES ('Ann', 'A'), ('ann', 'a'), ('ANN', 'A')")
    monkeypatch.setenv("SPARK_URL", spark.url)
    asked = [
        f'SELECT 0 AS g, COUNT(DISTINCT "person") FROM {TABLE} GROUP BY 1',
        f'SELECT "word", COUNT(*) FROM {TABLE} GROUP BY 1',
    ]
    dataset = written(tmp_path, SOURCES["spark"].format(name="seen"), LOOSE, FEW)
    with open_table(dataset, KEY) as table, table.snapshot(*asked) as seen:
        assert [sorted(seen.rows(one)) for one in asked] == [[(0, 3)], [(0, 2), (1, 1)]]
