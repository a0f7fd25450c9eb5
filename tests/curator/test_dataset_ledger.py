"""One dataset file has one ledger, however it is spelled; side by side budgets are noticed."""

import os
import shutil

import pytest

from discreet.budget import Ledger, Single
from discreet.curator import Curator, ledger_path, open_dataset
from discreet.errors import DatasetError, LedgerError


def _spellings(file):
    """The same dataset file by other names."""
    folder = file.parent
    (folder / "inside").mkdir()
    (folder / "inside" / "linked.toml").symlink_to(file)
    (folder / "inside" / "again.toml").symlink_to(folder / "inside" / "linked.toml")
    (folder / "inside" / "whole").symlink_to(folder, target_is_directory=True)
    (folder / "other.toml").symlink_to("survey.toml")
    return [
        file,
        folder / "inside" / "linked.toml",
        folder / "inside" / "again.toml",
        folder / "inside" / "whole" / "survey.toml",
        folder / "inside" / ".." / "survey.toml",
        folder / "other.toml",
        os.path.relpath(file),
    ]


def test_however_a_file_is_spelled_it_has_one_ledger(make):
    file = make()
    spellings = _spellings(file)
    for place, spelling in enumerate(spellings):
        with open_dataset(spelling) as survey:
            survey.count("smokes").ask(epsilon="0.5", id=f"q{place}", fresh=True)
            assert survey.count("smokes").ask(epsilon="0.5", id="q0").free
    with Ledger(file.with_suffix(".ledger")) as ledger:
        assert ledger.balance().spent == len(spellings) * 5 * 10**8
    assert list(file.parent.rglob("*.ledger")) == [file.with_suffix(".ledger")]


def test_a_link_to_a_ledger_is_that_ledger_with_its_lock_and_anchor(tmp_path):
    with Ledger.create(tmp_path / "survey.ledger", "1") as ledger:
        (tmp_path / "linked.ledger").symlink_to("survey.ledger")
        with Ledger(tmp_path / "linked.ledger") as linked:
            linked.charge("a", Single(1), analyst="ana")
        assert ledger.balance().spent == 1
    assert not list(tmp_path.glob("linked.ledger.*"))


def test_a_link_reads_the_rows_of_the_file_it_leads_to(make):
    file = make()
    (file.parent / "inside").mkdir()
    link = file.parent / "inside" / "survey.toml"
    link.symlink_to(file)
    with Curator(link) as curator:
        assert curator.dataset.source.path.samefile(file.parent / "rows.csv")
    shutil.copy(file.parent / "rows.csv", link.parent)
    with pytest.raises(DatasetError, match="beside the link; replace the link by a file"):
        Curator(link)


@pytest.mark.parametrize("both", [False, True])
def test_what_a_link_spent_under_an_earlier_version_is_not_forgotten(make, both):
    file = make()
    link = file.parent / "linked.toml"
    link.symlink_to(file)
    with Ledger.create(link.with_suffix(".ledger"), "30") as ledger:
        ledger.charge("a", Single(10**9), analyst="ana")
    if both:
        Ledger.create(file.with_suffix(".ledger"), "30").close()
    with Curator(link) as curator, pytest.raises(LedgerError, match=r"linked\.ledger") as told:
        curator.check_ready()
    assert ("lower the total budget" if both else "rename it") in str(told.value)
    assert ledger_path(file).is_file() == both
    with Curator(file) as curator:
        assert curator.notices()[0].startswith("linked.toml has a budget of its own")


def _twin(file, place):
    """Another dataset file over the rows of this one."""
    place.parent.mkdir(exist_ok=True)
    rows = file.parent / "rows.csv"
    place.write_text(file.read_text().replace('"rows.csv"', f'"{rows}"'))
    return place


@pytest.mark.parametrize("rows", ["same", "symbolic", "hard"])
def test_a_second_file_over_the_same_rows_is_noticed(make, rows):
    file = make()
    twin = _twin(file, file.parent / "twin.toml")
    if rows != "same":
        named = file.parent / "named.csv"
        linking = os.symlink if rows == "symbolic" else os.link
        linking(file.parent / "rows.csv", named)
        twin.write_text(file.read_text().replace("rows.csv", named.name))
    for here, other in ((file, "twin.toml"), (twin, "survey.toml")):
        with Curator(here) as curator:
            (notice,) = curator.notices()
        assert notice.startswith(f"{other} has a budget of its own for the same rows")
        with pytest.warns(UserWarning, match=other):
            open_dataset(here).close()


def test_a_file_beside_the_rows_is_noticed_from_another_folder(make):
    file = make()
    with Curator(_twin(file, file.parent / "elsewhere" / "twin.toml")) as curator:
        assert curator.notices()[0].startswith("survey.toml has a budget of its own")


def test_neither_other_rows_nor_a_draft_nor_a_link_are_noticed(make):
    file = make()
    shutil.copy(file.parent / "rows.csv", file.parent / "others.csv")
    (file.parent / "others.toml").write_text(file.read_text().replace("rows.csv", "others.csv"))
    draft = file.read_text().replace("confirmed = true", "confirmed = false")
    (file.parent / "draft.toml").write_text(draft)
    (file.parent / "pyproject.toml").write_text("[project]\nname = 1\n")
    (file.parent / "linked.toml").symlink_to(file)
    with Curator(file) as curator:
        assert curator.notices() == []


def test_a_hard_link_is_noticed_under_either_name(make):
    file = make()
    (file.parent / "inside").mkdir()
    os.link(file, file.parent / "inside" / "survey.toml")
    for name in (file, file.parent / "inside" / "survey.toml"):
        with Curator(name) as curator:
            assert "one of 2 hard links" in curator.notices()[-1]
