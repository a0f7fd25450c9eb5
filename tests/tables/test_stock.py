"""What a custodian is told of cells that are not as declared."""

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.tables import GAP, open_table, read_dataset, take_stock
from small_survey import CLINIC, MOOD, SMOKES, dataset_text, with_gaps

FILE = dataset_text(
    "size_at_most = 100",
    columns=with_gaps(MOOD + CLINIC + SMOKES),
    source='path = "t.sqlite"\ntable = "r"',
)


def stock_of(folder, rows):
    held = apsw.Connection(str(folder / "t.sqlite"))
    held.execute("CREATE TABLE r (mood, clinic, smokes)")
    held.executemany("INSERT INTO r VALUES (?, ?, ?)", rows)
    held.close()
    (folder / "t.toml").write_text(FILE)
    dataset = read_dataset(folder / "t.toml")
    return dataset, {one.column: (one.gaps, one.others, one.clamped) for one in take_stock(dataset)}


def test_gaps_unknown_words_and_numbers_out_of_bounds_are_counted(tmp_path):
    rows = [("1", "A", "yes"), ("9", " B ", "maybe"), (None, "b", None), ("nan", "", "0"),
            ("-2", None, "TRUE"), ("x", "A", "n")]  # fmt: skip
    _, found = stock_of(tmp_path, rows)
    assert found == {"mood": (3, 0, 2), "clinic": (2, 1, 0), "smokes": (2, 0, 0)}


cells = st.one_of(
    st.none(), st.sampled_from(["", "A", "B", "b", "yes", "no", "3", "9", "-1", "nan", "inf"]),
    st.text(max_size=4), st.floats().map(repr),
)  # fmt: skip


@given(st.lists(st.tuples(cells, cells, cells), max_size=8))
@settings(max_examples=25)
def test_what_is_counted_is_what_becomes_of_cells(tmp_path_factory, rows):
    """Gaps are just the cells that are skipped; undeclared words are all of "other"."""
    dataset, found = stock_of(tmp_path_factory.mktemp("stock"), rows)
    with open_table(dataset) as table:
        for column in dataset.columns:
            assert found[column.name][0] == int((table.columns[column.name] == GAP).sum())
        clinic = dataset.column("clinic")
        there = int((table.columns["clinic"] == clinic.other_index).sum())
        said = sum(str(row[1]).strip(" ") == "other" for row in rows)
        assert found["clinic"][1] == there - said
