"""Dates are numbers on a grid: a total function of a cell, the same as in plain Python."""

import struct
from datetime import date, datetime

import apsw
import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from discreet.errors import DatasetError
from discreet.tables import TABLE, open_table, read_dataset
from discreet.tables.cleaning import ColumnForm, cells_of, clean, is_gap, is_outside
from discreet.tables.declared import column_of
from plain_cells import index_of
from small_survey import dataset_text

LOW, HIGH = datetime(2023, 1, 1), datetime(2024, 12, 31, 23, 59, 59)
FACTS = {"type": "timestamp", "low": "2023-01-01", "high": "2024-12-31"}

numbers = st.integers(0, 99).map(str)
years = st.one_of(st.integers(2022, 2025), st.integers(0, 9_999_999)).map(lambda one: f"{one:04}")
dates = st.builds(
    lambda parts, mark, rest: mark.join(parts) + rest,
    st.one_of(
        st.tuples(years, numbers, numbers),
        st.tuples(numbers, numbers, years),
        st.dates(date(2022, 6, 1), date(2025, 6, 1)).map(lambda day: tuple(str(day).split("-"))),
    ),
    st.sampled_from("-/. "),
    st.one_of(
        st.just(""),
        st.builds(
            lambda gap, h, i, s, zone: f"{gap}{h}:{i:02}{s}{zone}",
            st.sampled_from([" ", "T", "_"]),
            st.integers(0, 25),
            st.integers(0, 61),
            st.sampled_from(["", ":00", ":59", ":60", ":07.25", ":1"]),
            st.sampled_from(["", "Z", " UTC", "+05:30", "-0800", "-23", "+24:00", "-00:59"]),
        ),
        st.sampled_from([" (BC)", " x", "\n"]),
    ),
)
cells = st.one_of(
    dates, st.sampled_from(["", "infinity", "-Infinity", "nan", "20230501", "２０２３-01-01"]),
    st.text(max_size=9),
)  # fmt: skip


CALENDAR = [f"2023-{month:02}-{day}" for month in range(1, 13) for day in (28, 29, 30, 31, 32)]
CALENDAR += ["2024-02-29", "2000-02-29", "2400-02-29", "1900-02-29", "2100-02-29"]
"""The days on which months and leap years end, and the days after."""


@example(CALENDAR, "day", 1, None)
@given(
    st.lists(cells, min_size=1, max_size=60),
    st.sampled_from(["day", "hour", "minute"]),
    st.integers(1, 40),
    st.sampled_from([None, "dmy", "mdy"]),
)
@settings(max_examples=60, deadline=None)
def test_the_engine_reads_a_cell_as_plain_python_does(told, resolution, step, order):
    facts = {**FACTS, "resolution": resolution, "step": step}
    column = column_of("seen", facts | ({"order": order} if order else {}))
    with duckdb.connect() as held:
        held.execute("CREATE TABLE raw (seen VARCHAR)")
        held.executemany("INSERT INTO raw VALUES (?)", [[cell] for cell in told])
        form = ColumnForm(column)
        cells = cells_of(f"(SELECT trim(seen) AS {form.cell} FROM raw)", [form])
        parts = f"{clean(form)}, {is_gap(form)}, {is_outside(form)}"
        found = held.execute(f"SELECT {parts} FROM {cells}").fetchall()
    expected = [
        index_of(cell, low=LOW, high=HIGH, resolution=resolution, step=step, order=order)
        for cell in told
    ]
    assert [row[0] for row in found] == expected
    assert [row[1] for row in found] == [place == -1 for place in expected]
    assert all(place in (0, column.size - 1) for place, _, outside in found if outside)


COLUMNS = """
[columns.visit]
type = "date"
low = 2023-01-01
high = 2023-12-31
[columns.seen]
type = "timestamp"
low = 2023-01-01T00:00:00
high = 2023-12-31
resolution = "hour"
"""
ROWS = [
    ("2023-01-02", "2023-01-01 05:59:59", (1, 5)),
    ("1999-05-06", "2024-01-01 00:00:00", (0, 8759)),
    (None, None, (-1, -1)),
    ("2023-12-31", "0001-01-01 00:00:00", (364, 0)),
]


def cleaned(folder, source):
    file = folder / "t.toml"
    file.write_text(dataset_text("size_at_most = 100", columns=COLUMNS, source=source))
    with open_table(read_dataset(file)) as table:
        return table.rows(exp.select("visit", "seen").from_(TABLE))


def test_text_and_typed_cells_say_the_same(tmp_path):
    expected = [told for *_, told in ROWS]
    lines = "\n".join(f"{visit or ''},{seen or ''}" for visit, seen, _ in ROWS)
    (tmp_path / "t.csv").write_text(f"visit,seen\n{lines}\n")
    held = apsw.Connection(str(tmp_path / "t.sqlite"))
    held.execute("CREATE TABLE r (visit, seen)")
    held.executemany("INSERT INTO r VALUES (?, ?)", [row[:2] for row in ROWS])
    held.close()
    assert cleaned(tmp_path, 'path = "t.csv"') == expected
    assert cleaned(tmp_path, 'path = "t.sqlite"\ntable = "r"') == expected
    for kind in ("TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMPTZ"):
        with duckdb.connect(str(tmp_path / f"{kind}.duckdb")) as other:
            other.execute("SET TimeZone = 'Asia/Tokyo'")
            other.execute(f"CREATE TABLE r (visit DATE, seen {kind})")
            zone = "+00" if kind == "TIMESTAMPTZ" else ""
            early = "1700-01-01 00:00:00"  # nanoseconds reach no further back
            for visit, seen, _ in ROWS:
                told = early if seen and seen < "1" and kind == "TIMESTAMP_NS" else seen
                other.execute("INSERT INTO r VALUES (?, ?)", [visit, told and told + zone])
            other.execute(f"COPY r TO '{tmp_path / kind}.parquet' (FORMAT parquet)")
        assert cleaned(tmp_path, f'path = "{kind}.duckdb"\ntable = "r"') == expected
        assert cleaned(tmp_path, f'path = "{kind}.parquet"') == expected


@pytest.mark.parametrize("bits", [2**63 - 1, -(2**63), -(2**63) + 1, 2**62, -1])
def test_no_time_of_a_parquet_file_makes_others_unreadable(tmp_path, bits):
    with duckdb.connect() as held:
        held.execute(
            "COPY (SELECT DATE '2023-01-02' AS visit, unnest([TIMESTAMP '2001-02-03 04:05:06', "
            "TIMESTAMP '2023-01-01 07:00:00']) AS seen) "
            f"TO '{tmp_path / 't.parquet'}' (FORMAT parquet, COMPRESSION uncompressed)"
        )
    content = (tmp_path / "t.parquet").read_bytes()
    known = struct.pack("<q", 981_173_106_000_000)
    assert known in content
    (tmp_path / "t.parquet").write_bytes(content.replace(known, struct.pack("<q", bits)))
    (_, first), second = cleaned(tmp_path, 'path = "t.parquet"')
    assert first in (-1, 0, 8759)
    assert second == (1, 7)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"type": "date", "low": "2023-01-01"}, "high is required"),
        ({"type": "date", "low": "May", "high": "2023-01-01"}, "low must be a date such as"),
        ({"type": "date", "low": "2024-01-01", "high": "2023-01-01"}, "high is before low"),
        ({**FACTS}, 'resolution is required, for example resolution = "hour"'),
        ({**FACTS, "resolution": "month"}, "resolution must be day, hour, minute, second"),
        (
            {**FACTS, "resolution": "second"},
            "63,158,400 values are too many",
        ),
        ({**FACTS, "resolution": "day", "step": 0.5}, "step must be a whole number of days"),
        ({**FACTS, "resolution": "day", "order": "ydm"}, "order must be dmy, mdy"),
        ({**FACTS, "resolution": "day", "missing": "2025-01-01"}, "missing must be one of"),
        (
            {**FACTS, "low": "2023-01-01 05:30", "resolution": "hour"},
            "is not the start of its hour",
        ),
    ],
)
def test_what_is_wrong_with_a_declared_date_is_said(facts, told):
    with pytest.raises(DatasetError, match=told):
        column_of("seen", facts)
