"""Every cell, in whatever type it comes, has the index that a plain reading in Python gives it.

Engines differ in a hundred ways over odd texts; what they are told leaves them no room to. In soak
many more rows are tried.
"""

import os
import random
from datetime import date, datetime, timedelta
from fractions import Fraction

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.tables.cleaning import (
    BLANKS,
    ColumnForm,
    cells_of,
    clean,
    is_gap,
    is_other,
    is_outside,
)
from discreet.tables.cleaning.forms import Kind, SqlCell
from discreet.tables.declared import column_of
from discreet.tables.readers.typed_cells import cell_of, micros_sql, moment_sql
from plain_cells import day_index, index_of, number_index, truth_index, word_index

MANY = 200_000 if os.environ.get("DISCREET_SOAK") else 4_000
WORDS = ["A", "B", "-3", "7", "07", "é", "it's", "true", "1e3"]
LONG = [str(place) for place in range(-40, 60)]
ODD = [
    "", " ", "-", "+", ".", "1.", ".5", "-.5", "1e", "1e5", "1E+05", "1e-5", "1e005", "1e400",
    "-1e400", "1e-400", "0e999", "0.0e-999", "1_000", "0x10", "0x1p3", "1d", "1f", "1e5d", "nan",
    "-nan", "NaN", "inf", "+inf", "-inf", "Infinity", "-INFINITY", "\u0130nf", "1\0", "\x001",
    "1\n", "\n1", "1\r\n", "\t 2", "2 \x0b", "\u00a01", "1\u3000", "1 2", "1,5", "1.234,5",
    "1.234", "-1.234.567,", "3", "9" * 100, "9" * 101, "0." + "3" * 60, "1e99", "1e-99",
    "9" * 90 + "e99", "- 1", "--1", "+-1", "1e+", "1e5.5", "TRUE", "tRuE", "Yes", "N", "\u212a",
    "\u0130", "NULL", "None", "n/A", "N\u212a", "0.0", "1.0", "00", "-0", "-0.0", " A ", "A\n",
    "a", "É", "it's", "07", "7", "7.0", "-3", "other", "\ufffd", "4.5", "4.4999999999999996",
    "2147483648", "9223372036854775807", "9223372036854775808", "1e15", "1e16",
    "123456789012345678901", "?", " ? ", "??",
]  # fmt: skip
PIECES = ["0", "1", "9", ".", "e", "E", "-", "+", "i", "n", "f", "a", " ", "_", ",", "\n", "\u00a0"]
NUMBERS = [
    {"type": "integer", "low": 0, "high": 120},
    {"type": "integer", "low": -100, "high": 5, "step": 7},
    {"type": "number", "low": -1, "high": 9, "step": 0.1},
    {"type": "number", "low": 1e-3, "high": 2e-3, "step": "0.000001"},
    {"type": "number", "low": -(10**15), "high": 10**15, "step": 10**10},
]
DAYS = {"type": "date", "low": "2023-01-01", "high": "2024-12-31"}
LOW, HIGH = datetime(2023, 1, 1), datetime(2024, 12, 31, 23, 59, 59)


@pytest.fixture(scope="module")
def engine():
    with duckdb.connect() as held:
        yield held


def indices(engine, facts, cells, kind=None):
    """The indices of cells as the engine finds them, from a column of a type."""
    column = column_of("x", facts)
    made = f"SELECT unnest(range(len(?))) AS place, unnest(CAST(? AS {kind or 'VARCHAR'}[])) AS x"
    engine.execute(f"CREATE OR REPLACE TABLE given AS {made}", [cells, cells])
    told = cell_of("x", kind or "VARCHAR")
    form = ColumnForm.of(column, told, 0)
    assert (form.kind is told.kind) or form.kind is Kind.TEXT
    origin = cells_of(f"(SELECT place, {form.selected(told)} FROM given) AS cells", [form])
    kinds = f"{is_gap(form)}, {is_other(form)}, {is_outside(form)}"
    found = engine.execute(f"SELECT {clean(form)}, {kinds} FROM {origin} ORDER BY place").fetchall()
    for index, gap, other, outside in found:
        assert gap == (index == -1)
        assert not (gap and (other or outside))
        assert not outside or index in (0, column.size - 1)
    return [row[0] for row in found]


def hostile(dice, many):
    """Texts that engines disagree about, and whatever can be put together of their parts."""
    made = ["".join(dice.choices(PIECES, k=dice.randint(0, 9))) for _ in range(many // 2)]
    plain = [repr(dice.uniform(-200, 200)) for _ in range(many // 4)]
    return [*ODD, *made, *plain, *(f"{one}" for one in dice.choices(range(-300, 300), k=many // 4))]


@pytest.mark.parametrize("facts", NUMBERS, ids=lambda one: str(one["high"]))
def test_texts_are_numbers_by_one_grammar(engine, facts):
    cells = hostile(random.SystemRandom(), MANY)
    low, step, size = grid_of(facts)
    expected = [number_index(cell, low=low, step=step, size=size) for cell in cells]
    wrong = differing(indices(engine, facts, cells), expected, cells)
    assert not wrong


def grid_of(facts):
    column = column_of("x", facts)
    return column.grid.start, column.grid.step, column.size


def differing(found, expected, cells):
    """The cells that are read otherwise, with both readings."""
    told = zip(cells, found, expected, strict=True)
    return [(cell, one, other) for cell, one, other in told if one != other][:5]


@pytest.mark.parametrize("facts", NUMBERS, ids=lambda one: str(one["high"]))
@pytest.mark.parametrize(
    "kind", ["TINYINT", "INTEGER", "BIGINT", "UBIGINT", "DOUBLE", "DECIMAL(9,2)"]
)
def test_numbers_keep_their_type(engine, facts, kind):
    dice = random.SystemRandom()
    low, step, size = grid_of(facts)
    cells = typed(dice, kind, MANY // 20)
    expected = [number_index(cell, low=low, step=step, size=size) for cell in cells]
    assert not differing(indices(engine, facts, cells, kind), expected, cells)


def typed(dice, kind, many):
    """Cells of a type, its ends among them."""
    ends = {"TINYINT": 7, "INTEGER": 31, "BIGINT": 63}
    if kind == "DOUBLE":
        odd = [
            None,
            float("nan"),
            float("inf"),
            float("-inf"),
            0.0,
            -0.0,
            5e-324,
            1.8e308,
            -1e308,
            4.5,
        ]
        return [*odd, *(dice.uniform(-200, 200) for _ in range(many))]
    if kind.startswith("DECIMAL"):
        return [None, *(round(dice.uniform(-200, 200), 2) for _ in range(many))]
    first, last = (0, 2**64 - 1) if kind == "UBIGINT" else (-(2 ** ends[kind]), 2 ** ends[kind] - 1)
    near = [dice.randint(max(first, -200), min(last, 200)) for _ in range(many)]
    return [None, first, last, *near]


@pytest.mark.parametrize("words", [WORDS, LONG], ids=["few", "many"])
@pytest.mark.parametrize("kind", ["VARCHAR", "INTEGER", "BOOLEAN", "DATE"])
def test_words_are_compared_as_they_are_written(engine, words, kind):
    dice = random.SystemRandom()
    cells = {
        "VARCHAR": hostile(dice, MANY // 4),
        "INTEGER": [None, *range(-90, 90)],
        "BOOLEAN": [None, True, False],
        "DATE": [None, date(2024, 2, 29)],
    }[kind]
    facts = {"type": "category", "values": words}
    shown = [str(cell).lower() if isinstance(cell, bool) else cell for cell in cells]
    expected = [word_index(cell, words) for cell in shown]
    assert not differing(indices(engine, facts, cells, kind), expected, cells)


@pytest.mark.parametrize("kind", ["VARCHAR", "INTEGER", "BOOLEAN"])
def test_truth_values_are_known_in_every_type(engine, kind):
    dice = random.SystemRandom()
    cells = {"VARCHAR": hostile(dice, MANY // 4), "INTEGER": [None, *range(-3, 4)],
             "BOOLEAN": [None, True, False]}[kind]  # fmt: skip
    expected = [truth_index(cell) for cell in cells]
    assert not differing(indices(engine, {"type": "boolean"}, cells, kind), expected, cells)


def test_declared_truth_values_have_letters_in_either_case(engine):
    facts = {"type": "boolean", "true": ["sí"], "false": ["no", "ñ"]}
    cells = ["SÍ", "Sí", "sí", "sÍ", "NO", "Ñ", "true", "1", ""]
    assert indices(engine, facts, cells) == [1, 1, 1, 1, 0, 0, -1, -1, -1]
    assert indices(engine, facts, [True, False, None], "BOOLEAN") == [-1, -1, -1]


def test_dates_keep_their_type(engine):
    dice = random.SystemRandom()
    cells = [None, date(1, 1, 1), date(9999, 12, 31), date(2022, 12, 31), date(2025, 1, 1)]
    cells += [date(2022, 1, 1) + timedelta(days=dice.randrange(1500)) for _ in range(MANY // 20)]
    expected = [day_index(cell, low=date(2023, 1, 1), size=731) for cell in cells]
    assert not differing(indices(engine, DAYS, cells, "DATE"), expected, cells)


@pytest.mark.parametrize("resolution", ["day", "hour"])
def test_dates_beyond_all_time_are_clamped(engine, resolution):
    facts = {**DAYS, "type": "timestamp", "resolution": resolution}
    cells = ["infinity", "-infinity", "5877641-06-20", "5877642-06-25 (BC)", None]
    size = column_of("x", facts).size
    assert indices(engine, facts, cells, "DATE") == [size - 1, 0, size - 1, 0, -1]


@pytest.mark.parametrize("resolution", ["day", "hour", "second"])
@pytest.mark.parametrize("step", [1, 5])
def test_moments_keep_their_type(engine, resolution, step):
    dice, facts = random.SystemRandom(), {**DAYS, "type": "timestamp"}
    span = timedelta(days=800) // timedelta(microseconds=1)
    cells = [
        datetime(1, 1, 1),
        datetime(9999, 12, 31, 23, 59),
        LOW,
        HIGH,
        LOW - timedelta(microseconds=1),
    ]
    cells += [
        LOW + timedelta(microseconds=dice.randrange(-span // 9, span)) for _ in range(MANY // 20)
    ]
    if resolution == "second":
        facts["high"] = "2023-01-01"
    end = HIGH if resolution != "second" else datetime(2023, 1, 1, 23, 59, 59)
    facts |= {"resolution": resolution, "step": step}
    expected = [
        index_of(str(cell), low=LOW, high=end, resolution=resolution, step=step) for cell in cells
    ]
    assert not differing(indices(engine, facts, cells, "TIMESTAMP"), expected, cells)


@given(
    st.lists(
        st.one_of(st.text(max_size=12), st.floats().map(repr), st.sampled_from(ODD)),
        min_size=1,
        max_size=20,
    )
)
@settings(max_examples=40, deadline=None)
def test_any_text_has_its_place(cells):
    cells = [one.encode("utf-8", "replace").decode() for one in cells]
    low, step, size = grid_of(NUMBERS[2])
    with duckdb.connect() as held:
        found = indices(held, NUMBERS[2], cells)
        assert found == [number_index(cell, low=low, step=step, size=size) for cell in cells]
        words = indices(held, {"type": "category", "values": WORDS}, cells)
        assert words == [word_index(cell, WORDS) for cell in cells]


def test_blanks_are_what_the_engine_trims(engine):
    """Its TRIM is used because it is fast, so it must take away these and nothing else."""
    codes = (
        "SELECT CAST(i AS INTEGER) AS i FROM range(1, 1114112) t(i) "
        "WHERE i NOT BETWEEN 55296 AND 57343"
    )
    found = engine.execute(f"SELECT i FROM ({codes}) WHERE trim(chr(i)) = ''").fetchall()
    assert "".join(chr(one) for (one,) in found) == BLANKS


def test_an_index_takes_as_few_bytes_as_it_can(engine):
    for size, kind in ((2, "TINYINT"), (128, "TINYINT"), (129, "SMALLINT"), (32_769, "INTEGER")):
        form = ColumnForm(column_of("x", {"type": "integer", "low": 0, "high": size - 1}))
        origin = cells_of(f"(SELECT '{size}' AS {form.cell}) AS cells", [form])
        found = engine.execute(f"SELECT typeof({clean(form)}), {clean(form)} FROM {origin}")
        assert found.fetchall() == [(kind, size - 1)]


def test_a_cell_in_its_own_type_is_not_read_as_text():
    told, column = SqlCell("text", Kind.WHOLE, "native"), column_of("x", NUMBERS[0])
    assert ColumnForm.of(column, told, 3).selected(told) == "native AS c3"
    dates = column_of("x", DAYS)
    assert ColumnForm.of(dates, told, 3).selected(told) == "trim(text) AS c3"
    assert Fraction(column.size) == 121


@pytest.mark.parametrize("nanos", [-(10**18) - 1, -1001, -1000, -999, -1, 0, 1, 999, 1000, 10**18])
def test_a_nanosecond_lies_in_the_microsecond_that_began_before_it(nanos):
    """Before 1970 as after: the last of 1969 is no moment of 1970."""
    with duckdb.connect() as held:
        micros, text = held.execute(
            f"SELECT {micros_sql('n', 'ns')}, {moment_sql('n', 'ns')} FROM (SELECT ?::BIGINT AS n)",
            [nanos],
        ).fetchall()[0]
        (of_type,) = held.execute(
            f"SELECT {cell_of('t', 'TIMESTAMP_NS').native} "
            "FROM (SELECT make_timestamp_ns(?::BIGINT) AS t)",
            [nanos],
        ).fetchall()[0]
    assert micros == of_type == nanos // 1000
    assert (text < "1970") == (nanos < 0)
