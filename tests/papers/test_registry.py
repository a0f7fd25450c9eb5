"""Items are found by their names, in the papers' order, and read only when wanted."""

import re
import subprocess
import sys

import pytest

from discreet.errors import InvalidInput
from discreet.papers import ITEMS, chosen


def test_every_item_says_what_it_is():
    for name, item in ITEMS.items():
        assert re.fullmatch(r"\d{3}/[a-z0-9-]+", name)
        assert item.id == name
        assert name.startswith(item.paper)
        assert item.title
        assert item.claim
        assert item.seconds > 0


def test_papers_come_in_order():
    papers = [item.paper for item in ITEMS.values()]
    assert papers == sorted(papers)


def test_every_table_and_figure_of_003_is_there():
    wanted = [f"003/table-{n}" for n in range(1, 5)] + [f"003/figure-{n}" for n in range(1, 10)]
    assert set(wanted) <= set(ITEMS)


def test_names_beginnings_and_all():
    assert [item.id for item in chosen(["003/table-2"])] == ["003/table-2"]
    assert chosen(["all"]) == chosen([]) == tuple(ITEMS.values())
    assert all(item.paper == "003" for item in chosen(["003"]))
    both = chosen(["003/figure-1", "003/table-4", "003/table-4"])
    assert [item.id for item in both] == ["003/table-4", "003/figure-1"]


@pytest.mark.parametrize(
    ("name", "advice"), [("003/tabel-2", "did you mean 003/table-2?"), ("007", "--list"), ("", "")]
)
def test_an_unknown_name_is_refused_with_advice(name, advice):
    with pytest.raises(InvalidInput, match="no table, figure or example is called") as refused:
        chosen([name])
    assert advice in str(refused.value)


def test_papers_are_imported_when_asked_for():
    code = "import sys, discreet.papers; print([m for m in sys.modules if '.papers.p0' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
