"""A small survey to ask, in a folder of its own."""

import pytest

from discreet.curator import open_dataset
from small_survey import HEADER, dataset_text

ROWS = [
    f"{1 + place % 5},{10 + place % 3},{'AB'[place % 2]},{'yes' if place % 3 else 'no'}"
    for place in range(30)
]


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Make a survey.toml; the path of it."""
    monkeypatch.setenv("DISCREET_ANALYST", "tester")

    def making(privacy="size = 30", total="30", rows=ROWS):
        (tmp_path / "rows.csv").write_text("\n".join([HEADER, *rows]) + "\n")
        file = tmp_path / "survey.toml"
        file.write_text(dataset_text(privacy, total, 'ana = "1"'))
        return file

    return making


@pytest.fixture
def survey(make):
    """The survey, open."""
    with open_dataset(make()) as opened:
        yield opened


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    """Designs of these tests are kept apart from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISCREET_CACHE", str(tmp_path_factory.mktemp("designs")))
        yield
