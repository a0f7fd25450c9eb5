"""`discreet reproduce` writes what it promises, the second time at once, and says what fails."""

import json

import pytest

from discreet.papers import ITEMS, Outcome, PaperItem
from discreet.papers.registry import Registry


@pytest.fixture
def kept(folder, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(folder / "kept"))
    return folder


def test_everything_is_written_and_a_second_run_says_the_same(run, kept):
    first = run("reproduce", "003/table-3", "--out", "out")
    assert first.exit_code == 0, first.stderr
    assert "3 of 4 checks hold" in first.stdout
    assert "✗ cell [2, 4] of Table 3" in first.stdout
    assert "      A slip of the paper" in first.stdout
    made = {path.relative_to(kept).as_posix(): path.read_bytes()
            for path in (kept / "out").rglob("*") if path.is_file()}  # fmt: skip
    assert "out/report.html" in made
    assert "out/figures/003-table-3-table-3.svg" in made
    assert "out/numbers/003-table-3-checks.csv" in made
    second = run("reproduce", "003/table-3", "--out", "out")
    assert "(computed earlier)" in " ".join(second.stdout.split())
    assert "3 of 4 checks hold; 1 item ─" in second.stdout
    assert made == {name: (kept / name).read_bytes() for name in made}


def test_the_list_names_every_item(run, run_json, kept):
    listed = run("reproduce", "--list").stdout
    assert all(name in listed for name in ITEMS)
    items = run_json("reproduce", "--list", "003/figure")["items"]
    assert next(item["id"] for item in items) == "003/figure-1"


def test_json_has_claims_numbers_and_verdicts(run_json, kept):
    (item,) = run_json("reproduce", "003/table-1", "--out", "out")["items"]
    assert item["holds"]
    assert item["checks"][0]["printed"] == "25 cells, 3 digits"
    assert item["tables"][0]["rows"][0][1] == pytest.approx(0.558752, abs=5e-7)


def test_without_a_name_it_asks_for_one(run, kept):
    done = run("reproduce")
    assert done.exit_code == 2
    assert "a NAME is required" in done.stderr


def test_a_folder_that_cannot_be_made_is_said_before_any_work(run, kept):
    (kept / "file").write_text("")
    done = run("reproduce", "003/table-1", "--out", "file")
    assert done.exit_code == 2
    assert "cannot write into" in done.stderr


def test_an_item_that_fails_is_reported_beside_the_others(run, kept, monkeypatch):
    def broken(step):
        raise ZeroDivisionError("oh [no]")

    def fine(step):
        return Outcome(notes=("well",))

    items = {
        item.id: item
        for item in (
            PaperItem(id="009/bad", title="bad", paper="009", claim="it fails", run=broken),
            PaperItem(id="009/good", title="good", paper="009", claim="it works", run=fine),
        )
    }
    monkeypatch.setattr(Registry, "_items", lambda self: items)
    done = run("reproduce", "all", "--out", "out", "--json")
    assert done.exit_code == 70
    assert "009/bad: ZeroDivisionError" in done.stderr
    told = json.loads(done.stdout)["items"]
    assert [item["problem"] is None for item in told] == [False, True]
    page = (kept / "out" / "report.html").read_text("utf-8")
    assert "oh [no]" in page
    assert "well" in page


def test_without_matplotlib_there_is_a_report_all_the_same(run, kept, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    done = run("reproduce", "003/table-1", "--out", "out")
    assert done.exit_code == 0
    assert "pip install 'discreet[plots]'" in " ".join(done.stdout.split())
    assert "<svg" not in (kept / "out" / "report.html").read_text("utf-8")
