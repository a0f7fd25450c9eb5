"""What is kept of the rows, found again and forgotten: public facts decide, not the rows."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.curator import Curator, Order
from discreet.curator.prepared import KeptCounts
from discreet.planning import Reading
from small_survey import HEADER, dataset_text

QUESTIONS = (
    "SELECT COUNT(*)",
    "SELECT SUM(weight) GROUP BY clinic",
    "SELECT MEDIAN(mood)",
    "SELECT MODE(mood) GROUP BY BIN(weight, 1)",
    "SELECT COUNT(smokes) GROUP BY mood",
    "SELECT AVG(weight) WHERE smokes",
)
SIZES = {"mood": 5, "weight": 5, "clinic": 3, "smokes": 2}
row = st.fixed_dictionaries({name: st.integers(0, size - 1) for name, size in SIZES.items()})


class Cells:
    """A table that is nothing but its cells."""

    def holds(self, used):
        return True

    complete = frozenset()
    fixed = True

    def __init__(self, rows):
        self.columns = {
            name: np.array([one[name] for one in rows], dtype=np.intp) for name in SIZES
        }

    def close(self):
        """Nothing to let go of."""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    privacy = 'neighbours = "add-or-remove"\nsize_at_most = 20'
    path = tmp_path_factory.mktemp("kept") / "survey.toml"
    path.write_text(dataset_text(privacy, "30"))
    return path


@pytest.fixture(scope="module")
def prepared(file):
    with Curator(file) as curator:
        orders = [Order.of(curator.question(sql), epsilon=9) for sql in QUESTIONS]
        return [curator._ready.of(order) for order in orders]


def decisions(file, rows, asked, prepared):
    """For each question in turn, which readings are counted, and all that is kept afterwards."""
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        counting = Reading.counted

        def counted(self, table):
            seen.append(("counted", self.key))
            return counting(self, table)

        patch.setattr(Reading, "counted", counted)
        with Curator(file) as curator:
            curator._counts = KeptCounts(300)
            curator._table = Cells(rows)
            for place in asked:
                curator._counts.waiting(prepared[place], lambda: curator.table)
                seen.append([one.readings[0].key in curator._counts for one in prepared])
    return seen


@given(
    st.lists(row, max_size=8),
    row,
    st.lists(st.integers(0, len(QUESTIONS) - 1), min_size=1, max_size=12),
)
def test_adjacent_tables_are_counted_kept_and_forgotten_alike(file, prepared, rows, other, asked):
    assert decisions(file, rows, asked, prepared) == decisions(
        file, [*rows, other], asked, prepared
    )


def test_some_counts_are_kept_and_some_forgotten(file, prepared):
    """The law above would be empty if the room were never short, or never enough."""
    asked = [0, 0, 1, 2, 3, 4, 5, 0]
    seen = decisions(file, [], asked, prepared)
    counted = [one for one in seen if isinstance(one, tuple)]
    assert len(asked) - 1 == len(counted)


def test_questions_of_the_same_rows_that_tell_other_groups_do_not_share_counts(tmp_path):
    """What is selected is the same SELECT; which groups can be told is each question's own."""
    rows = ["3,11,A,yes"] * 15 + ["3,11,B,yes"] * 20
    (tmp_path / "rows.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    (tmp_path / "survey.toml").write_text(dataset_text("size = 35", "95"), encoding="utf-8")
    asked = (
        "SELECT COUNT(*) WHERE mood = 3 AND clinic = 'B' GROUP BY clinic",
        "SELECT COUNT(*) WHERE NOT (NOT mood = 3 OR clinic <> 'B') GROUP BY clinic",
        "SELECT COUNT(*) WHERE mood = 3 AND (clinic = 'B' OR mood = 5) GROUP BY clinic",
    )
    for order in permutations(asked):
        with Curator(tmp_path / "survey.toml") as curator:
            for sql in order:
                answer = curator.ask(Order.of(curator.question(sql), epsilon=5))
                told = {one.group: one.value for one in answer.results}
                assert abs(told["B"] - 20) < 10
                assert all(value < 10 for name, value in told.items() if name != "B")
