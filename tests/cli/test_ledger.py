"""discreet ledger: the books, for people, programs and auditors."""

import json
import os
import shutil

import pytest

from discreet.budget import Ledger, Single, store
from discreet.budget.entries import Event
from discreet.cli.failures import NO_LEDGER, UNUSABLE


@pytest.fixture
def books(survey):
    with Ledger("survey.ledger") as ledger:
        ledger.charge("a", Single(500_000_000), analyst="ana", facts={"asked": "SELECT COUNT(*)"})
        ledger.store_answer("a", {"results": []})
        ledger.charge("b", Single(250_000_000), analyst="bob")
    return survey


def test_what_is_spent_is_shown(run, run_json, books):
    done = run("ledger", "show", "survey.toml")
    assert done.exit_code == 0
    for needed in ("0.75 of 3 spent, 2.25 left", "0.5 of 1 spent", "SELECT COUNT(*)", "no answer"):
        assert needed in done.stdout
    told = run_json("ledger", "show", "survey.ledger")
    assert told["accounts"]["total"] == {"allowed": "3", "spent": "0.75", "left": "2.25"}
    assert [question["answered"] for question in told["questions"]] == [True, False]
    assert 0 < told["advanced"]["epsilon"] <= 0.75


def test_at_eighty_columns_everything_stands_in_its_column(run, survey):
    asked = "SELECT COUNT(*), AVG(mood) WHERE clinic = 'A' AND smokes = 'true' GROUP BY mood"
    with Ledger("survey.ledger") as ledger:
        for name, analyst in [("q-0123456789ab", "ana"), ("mood", "ana.lytica@clinic.example"),
                              ("x" * 60, "bob")]:  # fmt: skip
            ledger.charge(name, Single(333_333_333), analyst=analyst, facts={"asked": asked})
            ledger.store_answer(name, {"results": []})
    done = run("ledger", "show", "survey.toml")
    assert done.exit_code == 0
    lines = done.stdout.split("for information")[0].splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert all(line.startswith(("──", "  ")) for line in lines if line)
    assert " ".join(done.stdout.split()).count(asked) == 3
    assert [line.index("SELECT") for line in lines if "SELECT" in line] == [6, 6, 6]
    assert "  q-0123456789ab        ana                   ε = 0.333333333" in done.stdout


def test_short_questions_stand_on_one_line_each(run, survey):
    with Ledger("survey.ledger") as ledger:
        for name in ("q-0123456789ab", "mood"):
            ledger.charge(name, Single(500_000_000), analyst="bob", facts={"asked": "SELECT x"})
            ledger.store_answer(name, {"results": []})
    lines = run("ledger", "show", "survey.toml").stdout.splitlines()
    listed = [line for line in lines if "SELECT x" in line]
    assert [line[18:] for line in listed] == [
        "  q-0123456789ab  bob  ε = 0.5  SELECT x",
        "  mood            bob  ε = 0.5  SELECT x",
    ]


def test_one_loss_is_told_as_one(run, survey):
    acknowledge = ["ledger", "acknowledge", "older.ledger", "--lost", "0.5", "--yes"]
    assert run(*acknowledge).exit_code == 0
    assert "acknowledged once\n" in run("ledger", "show", "older.ledger").stdout


def test_an_old_account_called_total_is_not_taken_for_the_whole_budget(run, run_json, survey):
    with Ledger("survey.ledger") as ledger:
        event = Event("budget", "total", billionths=500_000_000)
        ledger._writer.run(lambda page: page.append(event))
    told = run_json("ledger", "show", "survey.toml")["accounts"]
    assert (told["total"]["allowed"], told["total (analyst)"]["allowed"]) == ("3", "0.5")


def test_what_is_protected_is_shown(run, run_json, survey):
    for path in survey.glob("survey.ledger*"):
        path.unlink()
    assert (
        run("ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1", "--yes").exit_code == 0
    )
    told = run_json("ledger", "show", "survey.toml")["facts"]
    assert (told["declared"]["privacy.size"], told["changes"]) == (40, 0)
    assert "guarantee rests on" not in run("ledger", "show", "survey.toml").stdout
    file = survey / "survey.toml"
    file.write_text(file.read_text().replace("high = 5", "high = 6"))
    assert run("ledger", "acknowledge", "survey.toml", "--facts", "--yes").exit_code == 0
    shown = run("ledger", "show", "survey.toml").stdout
    assert "1 acknowledged change of what the guarantee rests on" in shown


def test_one_entry_is_told_as_one(run, survey):
    Ledger.create("one.ledger", "1").close()
    assert run("ledger", "verify", "one.ledger").stdout.startswith("1 entry, every hash")


def test_an_audit_agrees_or_says_where(run, run_json, books, monkeypatch):
    assert run_json("ledger", "verify", "survey.toml")["clean"]
    assert "✓ no problems" in run("ledger", "verify", "survey.toml").stdout
    every = store.SqliteBook.all_entries
    monkeypatch.setattr(store.SqliteBook, "all_entries", lambda *given: every(*given)[:-1])
    done = run("ledger", "verify", "survey.toml", "--json")
    assert done.exit_code == NO_LEDGER
    assert any("the book says" in problem for problem in json.loads(done.stdout)["problems"])


def test_an_export_holds_every_entry(run, run_json, books):
    lines = [
        json.loads(line) for line in run("ledger", "export", "survey.toml").stdout.splitlines()
    ]
    assert [line["kind"] for line in lines] == ["budget", "budget", "charge", "answer", "charge"]
    assert run_json("ledger", "export", "survey.toml")["entries"] == lines


def test_a_budget_is_set_by_an_explicit_act(run, run_json, books):
    refused = run("ledger", "budget", "survey.toml", "--epsilon", "4")
    assert refused.exit_code == UNUSABLE
    told = run_json("ledger", "budget", "survey.toml", "--epsilon", "4", "--yes")
    assert (told["before"]["allowed"], told["after"]["left"]) == ("3", "3.25")
    told = run_json(
        "ledger", "budget", "survey.toml", "--analyst", "bob", "--epsilon", "1", "--yes"
    )
    assert told["after"] == {"allowed": "1", "spent": "0.25", "left": "0.75"}
    low = run("ledger", "budget", "survey.toml", "--epsilon", "0.5", "--yes")
    assert low.exit_code == UNUSABLE
    assert "is already spent" in low.stderr
    assert run("ledger", "budget", "survey.toml", "--yes").exit_code == UNUSABLE


def test_an_older_copy_is_refused_until_it_is_acknowledged(run, run_json, survey):
    shutil.copy("survey.ledger", "older")
    with Ledger("survey.ledger") as ledger:
        ledger.charge("a", Single(500_000_000), analyst="ana")
    for leftover in survey.glob("survey.ledger-*"):
        leftover.unlink()
    shutil.copy("older", "survey.ledger")
    ask = ["ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "1", "--yes"]
    assert run(*ask).exit_code == NO_LEDGER
    acknowledge = ["ledger", "acknowledge", "survey.toml", "--reason", "the disk died"]
    assert run(*acknowledge, "--lost", "0.4", "--yes").exit_code == UNUSABLE
    assert run(*acknowledge, "--lost", "0.5", "--facts", "--yes").exit_code == UNUSABLE
    assert run(*acknowledge).exit_code == UNUSABLE
    assert run(*ask).exit_code == NO_LEDGER
    told = run_json(*acknowledge, "--yes")
    assert told == {"kept": 2, "anchored": 3, "charged": "0.5"}
    assert run(*ask).exit_code == 0
    shown = run_json("ledger", "show", "survey.toml")
    assert (shown["losses"], shown["accounts"]["total"]["spent"]) == (1, "1.5")
    assert run_json("ledger", "verify", "survey.toml")["clean"]
    assert run(*acknowledge, "--lost", "all", "--yes").exit_code == NO_LEDGER


@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_no_ledger_is_one_line(run, survey, command):
    done = run("ledger", command, "nothing.toml")
    assert done.exit_code == UNUSABLE
    assert done.stderr.startswith("error: there is no dataset file 'nothing.toml'")
    shutil.copy("survey.toml", "fresh.toml")
    done = run("ledger", command, "fresh.toml")
    assert done.exit_code == NO_LEDGER
    assert done.stderr.startswith("error: there is no ledger at")
    (survey / "odd.ledger").write_bytes(b"this is no database, whatever its name may say" * 99)
    done = run("ledger", command, "odd.ledger")
    assert done.exit_code == NO_LEDGER
    assert done.stderr.count("\n") == 1
    assert run("ledger", "show", "survey.toml", "--delta", "2").exit_code == UNUSABLE


def test_an_auditor_reads_what_cannot_be_written(run, run_json, books, monkeypatch):
    told = run("ledger", "verify", "survey.toml").stdout
    exported = run("ledger", "export", "survey.toml").stdout
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and allowed(path, mode))
    before = (books / "survey.ledger").read_bytes()
    done = run("ledger", "verify", "survey.toml")
    assert (done.exit_code, done.stdout) == (0, told)
    assert done.stderr == (
        "survey.ledger is read-only here; reading a copy of it and of its anchor\n"
    )
    assert run("ledger", "export", "survey.ledger").stdout == exported
    assert run_json("ledger", "show", "survey.toml")["ledger"] == "survey.ledger"
    assert (books / "survey.ledger").read_bytes() == before
