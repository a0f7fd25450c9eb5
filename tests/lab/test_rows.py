"""What happens to rows between a file and its counts, where a small change would open a hole."""

import math

import duckdb
import pyarrow
import pytest
from pyarrow import parquet

from discreet.tables import Key, open_table, read_dataset
from discreet.tables.dialect import LineEnding
from discreet.tables.readers.text_files import cut
from small_survey import CLINIC, MOOD, dataset_text

PEOPLE = 'unit = "pid"\nmost_rows_per_unit = 1\nsize_at_most = 100'


def opened(folder, rows, privacy=PEOPLE, header="pid,mood,clinic", **more):
    (folder / "rows.csv").write_text("\n".join([header, *rows]) + "\n")
    (folder / "survey.toml").write_text(dataset_text(privacy, columns=MOOD + CLINIC))
    return open_table(read_dataset(folder / "survey.toml"), **more)


def kept(table):
    with table:
        return sorted(zip(*(table.columns[name].tolist() for name in table.columns), strict=True))


def test_a_lottery_is_among_the_rows_of_one_person(tmp_path):
    """Others come and go, and each of two people keeps the row that won."""
    key, won = Key.random(), {}
    mine = {who: [f"{who},{mood},A" for mood in range(1, 6)] for who in ("p1", "p2")}
    for who, rows in mine.items():
        won[who] = kept(opened(tmp_path, rows, key=key))
        assert len(won[who]) == 1
    both = kept(opened(tmp_path, [*mine["p1"], *mine["p2"]], key=key))
    assert both == sorted([*won["p1"], *won["p2"]])
    seen = {tuple(kept(opened(tmp_path, mine["p1"], key=Key.random()))) for _ in range(10)}
    assert len(seen) > 1  # of five rows, not always the same: else the key has no say


def test_settings_of_the_engine_are_locked(tmp_path):
    with opened(tmp_path, ["p1,1,A"]) as table, pytest.raises(duckdb.Error, match="lock"):
        table._connection.execute("SET threads = 1")


def test_arrays_are_at_hand_by_the_declared_size_alone(tmp_path):
    for many in (0, 1, 50):
        rows = [f"p{place},1,A" for place in range(many)]
        with opened(tmp_path, rows) as table:
            assert table.columns is not None


def test_with_people_every_column_is_read_whatever_is_asked(tmp_path):
    """Else another row of a person would win for another question."""
    with opened(tmp_path, ["p1,1,A"], only=["mood"]) as table:
        assert table.holds(None)


def test_a_fingerprint_tells_nothing_of_the_lottery():
    key = Key.random()
    assert key.fingerprint != key.lottery


def test_bytes_that_are_no_text_are_characters_of_their_line():
    content = [b"a\xff\xfe\n\xe2\x82\nb\n"]
    (lines,) = cut(iter(content), LineEnding.LF)
    assert len(lines) == 3
    assert "\ufffd" in lines[0]
    assert "\ufffd" in lines[1]


@pytest.mark.parametrize("other", [-0.0, 3.0, 1e308])
def test_nan_is_a_gap_whatever_the_other_numbers_of_a_parquet_column_are(tmp_path, other):
    """The file's least and greatest number leave NaN out, and an optimizer believes them."""
    columns = {"pid": [1, 2], "mood": [other, math.nan], "clinic": ["A", "B"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "rows.parquet")
    text = dataset_text("size_at_most = 100", columns=MOOD + CLINIC, source='path = "rows.parquet"')
    (tmp_path / "survey.toml").write_text(text)
    rows = kept(open_table(read_dataset(tmp_path / "survey.toml")))
    assert (2, 1) in rows  # missing = 3, the third of five
