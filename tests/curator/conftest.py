"""A small survey to ask, in a folder of its own."""

import pytest

from discreet.curator import open_dataset

FILE = """\
name = "survey"
confirmed = true
[source]
path = "rows.csv"
[privacy]
{privacy}
[budget]
total = "{total}"
[budget.analysts]
ana = "1"
[columns.mood]
type = "integer"
low = 1
high = 5
[columns.weight]
type = "number"
low = 10
high = 12
step = 0.5
[columns.clinic]
type = "category"
values = ["A", "B"]
[columns.smokes]
type = "boolean"
"""
HEADER = "mood,weight,clinic,smokes"
ROWS = [
    f"{1 + place % 5},{10 + place % 3},{'AB'[place % 2]},{'yes' if place % 3 else 'no'}"
    for place in range(30)
]


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Make a survey.toml; the path of it."""
    monkeypatch.setenv("DISCREET_ANALYST", "tester")

    def making(privacy="size = 30", total="30", rows=ROWS, text=None):
        (tmp_path / "rows.csv").write_text("\n".join([HEADER, *rows]) + "\n")
        file = tmp_path / "survey.toml"
        file.write_text((text or FILE).format(privacy=privacy, total=total))
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
