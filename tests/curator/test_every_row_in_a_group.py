"""Counts by group share noise that cancels: private only if every row is in exactly one group."""

import pytest

from discreet import open_dataset
from small_survey import COLUMNS, HEADER, dataset_text, with_gaps

ROWS = [
    "3,11,A,yes", "nine,x,Z,maybe", ",,,", "NA,NaN,other,no", "-7,1e9,a,1", '"3","11",(missing),0',
    "5,10,B,", "1e999,-inf, A ,true", "2,11.26,null,false",
]  # fmt: skip


@pytest.mark.parametrize("columns", [COLUMNS, with_gaps(COLUMNS)])
@pytest.mark.parametrize(
    "by", ["clinic", "smokes", "BIN(mood, 2)", "weight", "clinic, BIN(mood, 2), smokes"]
)
def test_whatever_cells_hold_the_counts_of_all_groups_sum_to_the_size(tmp_path, columns, by):
    (tmp_path / "rows.csv").write_text("\n".join([HEADER, *ROWS]) + "\n", encoding="utf-8")
    file = tmp_path / "survey.toml"
    privacy = f"size = {len(ROWS)}"
    file.write_text(dataset_text(privacy, columns=columns), encoding="utf-8")
    with open_dataset(file) as survey:
        answer = survey.sql(f"SELECT COUNT(*) GROUP BY {by}").ask(epsilon=1, unbiased=True)
        assert {one.mechanism for one in answer.results} == {"noise on all groups together"}
        assert sum(one.value for one in answer.results) == len(ROWS)
