"""What a custodian is told of a range that is far too wide and of a step that is far too coarse."""

import pytest

from discreet.tables import loose_columns, read_dataset
from small_survey import dataset_text


def loose(folder, cells, low, high, step):
    column = f'[columns.x]\ntype = "number"\nlow = {low}\nhigh = {high}\nstep = {step}\n'
    (folder / "rows.csv").write_text("x\n" + "".join(f"{cell}\n" for cell in cells))
    (folder / "t.toml").write_text(dataset_text("size_at_most = 900", columns=column))
    return loose_columns(read_dataset(folder / "t.toml"))


WAITED = [f"{1 + place % 30 / 10:.1f}" for place in range(200)]


def test_a_range_that_fits_is_not_loose(tmp_path):
    assert not loose(tmp_path, WAITED, 0, 10, 0.1)
    assert not loose(tmp_path, [], 0, 10, 0.1)
    assert not loose(tmp_path, ["", "x", "nan"], 0, 10, 0.1)


def test_one_far_cell_makes_a_wide_range_loose_all_the_same(tmp_path):
    (one,) = loose(tmp_path, [*WAITED, 61400], 0, 61400, 100)
    assert (one.is_wide, one.is_coarse) == (True, True)
    assert one.used < 0.001
    assert one.rounded_away == pytest.approx(200 / 201)
    (one,) = loose(tmp_path, [*WAITED, 61400], 0, 61400, 0.1)
    assert (one.is_wide, one.is_coarse) == (True, False)


def test_what_is_clamped_is_not_called_rounded(tmp_path):
    assert not loose(tmp_path, [500] * 50 + [3, 7], 0, 10, 1)


def test_nought_is_never_rounded_away(tmp_path):
    assert not loose(tmp_path, [0] * 50 + [100, 200, 300] * 10, 0, 300, 100)
    (one,) = loose(tmp_path, [0] * 50 + [40] * 50 + [300], 0, 300, 100)
    assert one.rounded_away == pytest.approx(50 / 101)


@pytest.mark.parametrize(
    ("cells", "step", "rounded"),
    [
        (range(100), 2, 0.5),
        (range(100), 1, None),
        (range(0, 200, 2), 2, None),
        ([place + 0.37 for place in range(100)], 1, None),
        ([place + 0.37 for place in range(100)], 5, 1.0),
    ],
)
def test_cells_between_the_steps_are_told_where_that_shows(tmp_path, cells, step, rounded):
    """Of whole numbers always: 4,301 would count as 4,302. Of measured ones if the step is wide."""
    found = loose(tmp_path, cells, 0, 200, step)
    rough = [one.rounded for one in found if one.is_rough]
    assert rough == ([] if rounded is None else [pytest.approx(rounded, abs=0.02)])


def test_few_cells_do_not_make_a_range_too_wide(tmp_path):
    assert not loose(tmp_path, [3, 4], 0, 100, 1)
