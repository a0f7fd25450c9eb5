"""A condition that is asked of the cells leaves the same rows as one that is asked of indices."""

import random

import duckdb
import pytest

from discreet.tables import TABLE, read_dataset
from discreet.tables.cleaning import DUCKDB
from discreet.tables.engines.asked import Asking, translated
from discreet.tables.engines.sifting import sieves_of
from discreet.tables.readers.typed_cells import cell_of

TYPES = {
    "whole": "BIGINT", "wide": "INTEGER", "half": "BIGINT", "filled": "BIGINT", "real": "DOUBLE",
    "told": "VARCHAR", "day": "DATE", "word": "VARCHAR",
}  # fmt: skip
COLUMNS = """
[columns.whole]
type = "integer"
low = {low}
high = {high}
step = {step}
[columns.wide]
type = "integer"
low = -3
high = 3
[columns.half]
type = "number"
low = -2
high = 4
step = 0.5
[columns.filled]
type = "integer"
low = 0
high = 9
missing = 4
[columns.real]
type = "number"
low = -1
high = 1
step = 0.1
[columns.told]
type = "integer"
low = 0
high = 9
[columns.day]
type = "date"
low = 2020-01-01
high = 2020-01-31
[columns.word]
type = "category"
values = ["a", "b"]
"""
CELLS = {
    "whole": [None, *range(-40, 90), 2**62, -(2**62)],
    "wide": [None, *range(-9, 9), 2**31 - 1, -(2**31)],
    "half": [None, *range(-5, 9)],
    "filled": [None, *range(-2, 12)],
    "real": [None, float("nan"), float("inf"), float("-inf"), *(x / 20 for x in range(-30, 30))],
    "told": [None, "", "nan", "x", "3", " 4.5", "-1", "1e400"],
    "day": [None, "2019-12-31", "2020-01-01", "2020-01-17", "2021-01-01", "infinity"],
    "word": [None, "a", "b", "c", ""],
}  # fmt: skip


def asking(folder, held, dice):
    """A table of odd cells, and how it is asked."""
    step = dice.choice([1, 1, 2, 3, 4, 7])
    low = dice.randrange(-20, 20)
    high = low + step * dice.randrange(1, 12)
    (folder / "t.toml").write_text(
        'name = "t"\n[source]\npath = "t.duckdb"\ntable = "t"\n[privacy]\nsize_at_most = 999\n'
        f'[budget]\ntotal = "1"\n{COLUMNS.format(low=low, high=high, step=step)}'
    )
    dataset = read_dataset(folder / "t.toml")
    told = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    held.execute(f"CREATE OR REPLACE TABLE t ({told})")
    rows = [[dice.choice(CELLS[name]) for name in TYPES] for _ in range(400)]
    held.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(TYPES))})", rows)
    cells = {name: cell_of(name, kind) for name, kind in TYPES.items()}
    return Asking(
        dataset=dataset, cells=cells, origin="t", leaves=DUCKDB, dialect="duckdb", lottery="''"
    )


def condition(dataset, dice):
    column = dice.choice(dataset.columns)
    first = dice.randrange(column.size)
    last = dice.choice([first, column.size - 1, dice.randrange(first, column.size)])
    if dice.random() < 0.2:
        first = 0
    told = f'"{column.name}" BETWEEN {first} AND {last}'
    return dice.choice([told, told, f'"{column.name}" > -1', f"NOT {told}", f"({told})"])


def test_the_same_rows_are_left(tmp_path):
    dice, sifted = random.SystemRandom(), 0
    with duckdb.connect() as held:
        for _ in range(12):
            made = asking(tmp_path, held, dice)
            every = made.cleaned({one.name for one in made.dataset.columns})
            for _ in range(25):
                joined = dice.choice([" AND ", " AND ", " AND ", " OR "])
                some = [condition(made.dataset, dice) for _ in range(dice.randrange(1, 4))]
                name = dice.choice(made.dataset.columns).name
                what = dice.choice(["0", f'"{name}"'])
                select = f"SELECT {what} AS g, COUNT(*) FROM {TABLE} WHERE {joined.join(some)}"
                select += " GROUP BY 1" if what != "0" else ""
                plain = f"WITH {TABLE} AS ({every}) {select}"
                told = made.said(select)
                sifted += "WHERE TRUE" in told
                found = sorted(held.execute(told).fetchall())
                assert found == sorted(held.execute(plain).fetchall()), (select, told)
    assert sifted > 50


def test_what_is_asked_of_cells_is_not_cleaned(tmp_path):
    with duckdb.connect() as held:
        made = asking(tmp_path, held, random.SystemRandom())
        told = made.said(f'SELECT 0, COUNT(*) FROM {TABLE} WHERE "wide" BETWEEN 0 AND 2')
        assert "CASE" not in told
        assert "CAST(c0 AS BIGINT) <= -1" in told


@pytest.mark.parametrize(
    "select",
    [
        f'SELECT COUNT(*) FROM {TABLE} WHERE "wide" BETWEEN 0 AND 2 OR "wide" > -1',
        f'SELECT COUNT(*) FROM {TABLE} WHERE NOT "wide" BETWEEN 0 AND 2',
        f'SELECT COUNT(*) FROM {TABLE} JOIN {TABLE} AS other ON TRUE WHERE "wide" > -1',
        f'SELECT COUNT(*) FROM (SELECT * FROM {TABLE}) AS one WHERE "wide" > -1',
        'SELECT COUNT(*) FROM other WHERE "wide" > -1',
    ],
)  # fmt: skip
def test_a_condition_of_which_a_row_may_fail_and_be_counted_stays(select):
    assert sieves_of(translated(select, "duckdb")) == []
