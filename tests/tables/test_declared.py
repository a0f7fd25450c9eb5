"""Public lists, lookups, own words, decimal commas, units: declared, cleaned and told."""

import duckdb
import pytest
from sqlglot import exp

from discreet.curator import open_dataset
from discreet.errors import DatasetError
from discreet.tables import TABLE, open_table, read_dataset
from discreet.tables.declared import column_of
from small_survey import dataset_text

COLUMNS = """
[columns.code]
type = "category"
values_from = "codes.csv"
[columns.smokes]
type = "boolean"
true = ["oui", "Si"]
false = ["non"]
[columns.weight]
type = "number"
low = 0
high = 2000
step = 0.5
decimal = ","
unit = "kg"
description = "on the day of the visit"
[lookups.chapter]
from = "code"
file = "chapters.csv"
[lookups.price]
from = "code"
file = "prices.csv"
"""
WORDS = [f"{letter}{number:02}" for letter in "ABCDE" for number in range(100)]
CELLS = [
    ("A00", "oui", "70,5", (0, 1, 141)),
    ("E99", "SI", "1.234,5", (499, 1, 2469)),
    ("C50", "non", "12.5", (250, 0, -1)),
    ("a00", "yes", "", (500, -1, -1)),
    ("", "", "-3", (-1, -1, 0)),
    ("zzz", "no", "3", (500, -1, 6)),
]


@pytest.fixture
def file(tmp_path):
    (tmp_path / "codes.csv").write_text("code,text\n" + "".join(f"{one},x\n" for one in WORDS))
    lines = "".join(f"{one},{'Infections' if one < 'C' else 'Tumours'}\n" for one in WORDS[:300])
    (tmp_path / "chapters.csv").write_text(f"code,chapter\n{lines}")
    prices = "".join(f"{one},{2 + 2 * (one > 'B')}\n" for one in WORDS)
    (tmp_path / "prices.csv").write_text(f"code,price\n{prices}")
    rows = "".join(f"{a};{b};{c}\n" for a, b, c, _ in CELLS)
    (tmp_path / "rows.csv").write_text(f"code;smokes;weight\n{rows}")
    (tmp_path / "survey.toml").write_text(dataset_text("size = 6", "100", columns=COLUMNS))
    return tmp_path / "survey.toml"


def test_cells_are_found_in_long_lists_and_own_words(file):
    with open_table(read_dataset(file)) as table:
        assert table.rows(exp.select("code", "smokes", "weight").from_(TABLE)) == [
            told for *_, told in CELLS
        ]


def test_lookups_are_columns_like_others(file):
    with open_dataset(file, analyst="ana") as survey:
        told = survey.sql("SELECT COUNT(*) GROUP BY chapter").ask(epsilon=50)
        assert {one.group: int(one.value) for one in told.results} == {
            "Infections": 1, "Tumours": 1, "(missing)": 4,
        }  # fmt: skip
        assert survey.sql("SELECT MAX(price) WHERE chapter = 'Infections'").plan(epsilon=1)
        assert survey.curator.dataset.column("price").grid.size == 2


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"codes.csv"', '"other.csv"', "there is no file 'other.csv' beside this one"),
        ('from = "code"', 'from = "weight"', "from must name a declared category, got 'weight'"),
        ('true = ["oui", "Si"]', 'true = ["non"]', "the same word cannot mean both"),
        ('false = ["non"]', "", "list how cells say false"),
        ('decimal = ","', 'decimal = ";"', "decimal must be"),
        ('unit = "kg"', "unit = 3", "unit must be one line"),
        ("[lookups.price]", "[lookups.weight]", "two columns have the name 'weight'"),
        (
            "[lookups.price]",
            '[derived.x]\nexpression = "weight / 0"\n[lookups.price]',
            "divides by 0",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(file, old, new, told):
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(DatasetError, match=rf"line \d+: .*{told}"):
        read_dataset(file)


def test_units_and_descriptions_are_kept():
    facts = {"type": "integer", "low": 0, "high": 9, "unit": " kg ", "description": "at birth"}
    column = column_of("weight", facts)
    assert (column.unit, column.description) == ("kg", "at birth")


def test_a_decimal_comma_is_for_texts_that_people_wrote(tmp_path):
    """Numbers that have types are what they are, also those that go by their texts."""
    types = {"told": "VARCHAR", "wide": "DECIMAL(18, 3)", "short": "FLOAT", "double": "DOUBLE"}
    said = {"told": "1,5"}
    cells = ", ".join(
        f"CAST('{said.get(name, '1.5')}' AS {shown}) AS {name}" for name, shown in types.items()
    )
    duckdb.sql(f"COPY (SELECT {cells}) TO '{tmp_path / 'rows.parquet'}'")
    columns = "".join(
        f'[columns.{name}]\ntype = "number"\nlow = 0\nhigh = 2000\nstep = 0.5\ndecimal = ","\n'
        for name in types
    )
    file = tmp_path / "survey.toml"
    file.write_text(dataset_text("size = 1", columns=columns, source='path = "rows.parquet"'))
    with open_table(read_dataset(file)) as table:
        assert table.rows(f"SELECT {', '.join(types)} FROM {TABLE}") == [(3, 3, 3, 3)]


def test_with_a_decimal_comma_points_part_thousands_or_there_is_no_number(tmp_path):
    """Whoever writes 1.5 there means one and a half, or fifteen hundred: it is not fifteen."""
    cells = {"1,5": 3, "1.234,5": 2469, "1.234": 2468, "1.5": None, "12.34": None, "1.2345": None}
    (tmp_path / "rows.csv").write_text("told\n" + "".join(f'"{one}"\n' for one in cells))
    columns = '[columns.told]\ntype = "number"\nlow = 0\nhigh = 2000\nstep = 0.5\ndecimal = ","\n'
    file = tmp_path / "survey.toml"
    file.write_text(dataset_text("size = 6", columns=columns))
    dataset = read_dataset(file)
    gap = dataset.column("told").gap_index
    with open_table(dataset) as table:
        told = [one for (one,) in table.rows(f"SELECT told FROM {TABLE}")]
    assert told == [gap if one is None else one for one in cells.values()]
