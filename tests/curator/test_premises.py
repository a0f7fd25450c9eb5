"""What the guarantee rests on cannot change between questions without an entry that says so."""

import os
import shutil
from datetime import date

import pytest
from typer.testing import CliRunner

from discreet.budget import AnchorFile
from discreet.cli import app
from discreet.cli.failures import NO_LEDGER
from discreet.curator import Curator, open_dataset
from discreet.errors import FactsChanged
from discreet.web.served import ServedDataset
from small_survey import CLINIC, COLUMNS, VISIT

CHANGES = {
    "privacy.size_at_most": ("size = 30", "size_at_most = 30"),
    "privacy.unit": ("size = 30", 'size_at_most = 30\nunit = "clinic"'),
    "privacy.most_rows_per_unit": ("size = 30", "size = 30\nmost_rows_per_unit = 2"),
    "privacy.one_row_per": (
        "size = 30",
        'size_at_most = 30\nunit = "clinic"\none_row_per = "mood"',
    ),
    "privacy.neighbours": ("size = 30", "size_at_most = 30\nneighbours = 'add-or-remove'"),
    "columns.mood.high": ("high = 5", "high = 6"),
    "columns.mood.low": ("low = 1\n", "low = 0\n"),
    "columns.mood.missing": ("missing = 3", "missing = 1"),
    "columns.weight.missing": ("gaps = false\nmissing = 11\n", ""),
    "columns.weight.step": ("step = 0.5", "step = 1"),
    "columns.clinic.values": ('["A", "B"]', '["A", "B", "C"]'),
    "columns.clinic.missing": ('missing = "other"', 'missing = "B"'),
    "columns.smokes.type": (
        'type = "boolean"\ngaps = false\nmissing = false',
        'type = "category"\nvalues = ["true", "false"]\nmissing = "false"',
    ),
    "columns.clinic.type": (CLINIC, ""),
    "columns.smokes.true": (
        'type = "boolean"\n',
        'type = "boolean"\ntrue = ["no", "n"]\nfalse = ["yes", "y"]\n',
    ),
    "columns.weight.decimal": ("step = 0.5", 'step = 0.5\ndecimal = ","'),
    "source.path": ("rows.csv", "others.csv"),
    "source.kind": ('path = "rows.csv"', 'path = "rows.csv"\nkind = "tsv"'),
    "source.quoting": ('path = "rows.csv"', 'path = "rows.csv"\nquoting = "none"'),
    "ledger.anchor": ("[privacy]", '[ledger]\nanchor = "elsewhere.head"\n[privacy]'),
}  # fmt: skip


def _change(file, key):
    before, after = CHANGES[key]
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))


@pytest.fixture
def file(make):
    file = make()
    shutil.copy(file.parent / "rows.csv", file.parent / "others.csv")
    with open_dataset(file) as survey:
        survey.count("smokes").ask(epsilon="0.5", id="first")
    return file


@pytest.mark.parametrize("key", CHANGES)
def test_a_changed_fact_is_refused_until_it_is_acknowledged(file, key):
    _change(file, key)
    with Curator(file) as curator:
        with pytest.raises(FactsChanged) as refused:
            curator.ledger.check_premises()
        assert key in refused.value.keys
        assert key in str(refused.value) or "more" in str(refused.value)
        before = curator.ledger.entries()
    with open_dataset(file) as survey:
        if key != "source.kind":  # rows that are not what was declared are refused first
            with pytest.raises(FactsChanged):
                survey.count("mood = 2").ask(epsilon="0.5")
        ledger = survey.curator.ledger
        assert ledger.entries() == before
        assert key in {change.key for change in ledger.acknowledge_premises("on purpose")}
        ledger.check_premises()
        assert ledger.audit().clean


def test_another_order_of_dates_is_refused_until_it_is_acknowledged(make):
    """Read in another order, stored answers would be of other days."""
    file = make()
    file.write_text(f'{file.read_text()}{VISIT}order = "dmy"\n')
    rows = [f"{line},{end}" for line, end in zip(
        (file.parent / "rows.csv").read_text().split(), ["visit", *["02/11/2023"] * 30], strict=True
    )]  # fmt: skip
    (file.parent / "rows.csv").write_text("\n".join(rows) + "\n")
    with open_dataset(file) as survey:
        told = survey.sql("SELECT MEDIAN(visit)").ask(epsilon=9).value
        assert told == date(2023, 11, 2)
    file.write_text(file.read_text().replace("dmy", "mdy"))
    with open_dataset(file) as survey, pytest.raises(FactsChanged, match="order was dmy, now mdy"):
        survey.sql("SELECT MEDIAN(visit)").ask(epsilon=9)


def test_title_budget_and_order_are_no_change(file):
    text = file.read_text()
    *_, smokes = COLUMNS.partition("[columns.smokes]")
    moved = text.replace(f"[columns.smokes]{smokes}", "")
    moved = moved.replace("[columns.mood]", f"[columns.smokes]{smokes}[columns.mood]")
    for other in (
        text.replace('name = "survey"', 'name = "our survey"'),
        text.replace('total = "30"', 'total = "20"'),
        text.replace('ana = "1"', 'ana = "2"\nben = "1"'),
        text.replace('["A", "B"]', '["B", "A"]'),
        "# a note\n" + text.replace("gaps = false\n", ""),
        moved,
    ):
        assert other != text
        file.write_text(other)
        with open_dataset(file) as survey:
            survey.curator.check_ready()
            assert survey.count("smokes").ask(epsilon="0.5", fresh=True).epsilon == "0.5"


def test_a_folder_may_move_with_all_that_is_in_it(file):
    moved = file.parent.with_name("moved")
    file.parent.rename(moved)
    (moved.parent / "linked").symlink_to(moved)
    for place in (moved, moved.parent / "linked"):
        with open_dataset(place / "survey.toml") as survey:
            survey.curator.check_ready()


def test_rows_that_are_a_link_may_not_be_exchanged(file):
    rows, folder = file.parent / "rows.csv", file.parent
    rows.rename(folder / "first.csv")
    rows.symlink_to("first.csv")
    with Curator(file) as curator:
        curator.ledger.acknowledge_premises()
    rows.unlink()
    rows.symlink_to("others.csv")
    with Curator(file) as curator, pytest.raises(FactsChanged, match=r"source\.path changed"):
        curator.check_ready()


def test_a_stored_answer_is_told_under_whatever_facts(file):
    _change(file, "columns.mood.high")
    with open_dataset(file) as survey:
        assert survey.count("smokes").ask(epsilon="0.5", id="first").free
        assert survey.curator.stored("first").receipt == "first"


def test_on_the_command_line_it_is_one_line_with_what_to_do(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    _change(file, "columns.mood.high")
    run = CliRunner().invoke
    ask = ["ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "0.5", "--yes"]
    for command in (ask, [*ask, "--dry-run"]):
        done = run(app, command)
        assert done.exit_code == NO_LEDGER
        assert done.stderr.startswith("error: the guarantee of this ledger rests on other facts: ")
        assert "columns.mood.high was 5, now 6" in done.stderr
        assert done.stderr.endswith("(discreet ledger acknowledge FILE --facts)\n")
        assert done.stderr.count("\n") == 1
    assert "columns.mood.high was 5, now 6" in " ".join(
        run(app, ["check", "survey.toml"]).stdout.split()
    )
    acknowledge = ["ledger", "acknowledge", "survey.toml", "--facts"]
    assert run(app, acknowledge).exit_code == 2
    assert run(app, ask).exit_code == NO_LEDGER
    done = run(app, [*acknowledge, "--yes", "--reason", "a sixth mood"])
    assert (done.exit_code, done.stdout.count("columns.mood.high was 5, now 6")) == (0, 1)
    assert run(app, ask).exit_code == 0
    assert run(app, [*acknowledge, "--yes"]).exit_code == 2
    assert run(app, [*acknowledge[:2], "survey.ledger", "--facts", "--yes"]).exit_code == NO_LEDGER
    assert run(app, ["ledger", "verify", "survey.toml"]).exit_code == 0


def test_changed_facts_are_not_served(file):
    _change(file, "columns.mood.high")
    with pytest.raises(FactsChanged):
        ServedDataset.open("survey", file)


def test_a_second_anchor_is_read_from_the_dataset_file(file):
    _change(file, "ledger.anchor")
    with Curator(file) as curator:
        assert curator.dataset.second_anchor == AnchorFile(file.parent.resolve() / "elsewhere.head")
        curator.ledger.acknowledge_premises()
    with open_dataset(file) as survey:
        survey.count("smokes").ask(epsilon="0.5")
        newest = survey.curator.ledger.entries()[-1]
    assert (file.parent / "elsewhere.head").read_text().startswith(f"{newest.seq} {newest.hash} ")
    for path in file.parent.glob("survey.ledger*"):
        os.unlink(path)
    with open_dataset(file) as survey, pytest.raises(Exception, match="older or another copy"):
        survey.count("smokes").ask(epsilon="0.5")
