"""`discreet token`: a token is shown once, its ε stands in the ledger, and it can be ended."""

import json

import pytest
from typer.testing import CliRunner

from discreet.accounts import Accounts
from discreet.budget import Ledger
from discreet.cli import app
from served_api import make_dataset


@pytest.fixture
def run(tmp_path, monkeypatch):
    make_dataset(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCREET_ACCOUNTS", raising=False)

    def running(*words):
        return CliRunner().invoke(app, ["token", *words])

    return running


def test_a_token_is_shown_once_and_its_budget_is_in_the_ledger(run, tmp_path):
    done = run("create", "ana", "--dataset", "survey.toml", "--epsilon", "1.5", "--expires", "30d")
    assert done.exit_code == 0, done.output
    token = done.output.split()[0]
    with Accounts(tmp_path / "discreet.accounts") as accounts:
        found = accounts.authenticate(token)
    assert (found.name, found.datasets) == ("ana", ("survey",))
    assert found.expires is not None
    with Ledger(tmp_path / "survey.ledger") as ledger:
        assert ledger.balance("ana").allowed == 1_500_000_000
    listed = run("list")
    assert "ana: analyst, active, may ask survey" in listed.output
    assert token not in listed.output


def test_a_revoked_token_is_listed_as_such(run):
    made = json.loads(run("create", "otto", "--role", "custodian", "--json").output)
    assert made["account"]["role"] == "custodian"
    assert json.loads(run("revoke", "otto", "--json").output)["account"]["state"] == "revoked"
    assert json.loads(run("list", "--json").output)["accounts"][0]["state"] == "revoked"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["create", "ana", "--epsilon", "1"], "--epsilon needs --dataset FILE"),
        (["create", "ana"], "at least one dataset"),
        (["create", "a:b", "--role", "custodian"], "letters"),
        (["create", "ana", "--dataset", "no.toml"], "no.toml"),
        (["create", "ana", "--dataset", "survey.toml", "--epsilon", "0"], "positive"),
        (["create", "ana", "--dataset", "survey.toml", "--expires", "soon"], "the end must be"),
        (["create", "ana", "--dataset", "survey.toml", "--role", "king"], "custodian"),
        (["list", "--accounts", "nowhere"], "no accounts at"),
        (["revoke", "ana"], "no accounts at"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(run, tmp_path, words, says):
    done = run(*words)
    assert done.exit_code == 2
    assert says in done.output
    place = tmp_path / "discreet.accounts"
    if place.is_file():
        with Accounts(place) as accounts:
            assert not accounts.accounts()


def test_an_account_whose_budget_cannot_be_set_is_not_left_behind(run, tmp_path):
    from discreet.budget import Single
    from discreet.curator import Curator

    with Curator(tmp_path / "survey.toml") as curator:
        curator.ledger.charge("q", Single(2_000_000_000), analyst="ana")
    done = run("create", "ana", "--dataset", "survey.toml", "--epsilon", "1")
    assert done.exit_code == 2
    assert "already spent" in done.output
    with Accounts(tmp_path / "discreet.accounts") as accounts:
        assert accounts.accounts() == []  # a revoked one would close a server that is open
    assert run("create", "ana", "--dataset", "survey.toml").exit_code == 0
    assert run("revoke", "ana").exit_code == 0
    assert run("create", "ana", "--dataset", "survey.toml", "--epsilon", "1").exit_code == 2
    with Accounts(tmp_path / "discreet.accounts") as accounts:
        assert [one.revoked is not None for one in accounts.accounts()] == [True]


SHARED = '\n[ledger]\nkind = "postgresql"\nurl_env = "DISCREET_TEST_ACCOUNTS"\naccounts = true\n'


def test_accounts_beside_a_shared_ledger_are_made_listed_and_moved(run, tmp_path, shared_place):
    file = tmp_path / "survey.toml"
    token = run("create", "otto", "--role", "custodian").output.split()[0]
    file.write_text(file.read_text() + SHARED)
    refused = run("list", "--dataset", "survey.toml")
    assert "discreet.accounts is still a file: discreet token move" in refused.output
    done = run("move", "survey.toml")
    assert (done.exit_code, done.output.split(";")[0]) == (0, "1 account was moved")
    assert "otto: custodian, active" in run("list", "--dataset", "survey.toml").output
    assert run("create", "ana", "--dataset", "survey.toml").exit_code == 0
    with Accounts(shared_place) as accounts:
        assert accounts.authenticate(token).name == "otto"
        assert [one.name for one in accounts.accounts()] == ["ana", "otto"]
    for words, says in (
        (("list", "--dataset", "survey.toml", "--accounts", "x"), "leave --accounts out"),
        (("move", "survey.toml"), "nothing was moved"),
    ):
        done = run(*words)
        assert (done.exit_code, says in done.output) == (2, True), done.output


def test_files_that_are_served_together_have_one_place(run, tmp_path):
    other = make_dataset(tmp_path, "visits")
    other.write_text(other.read_text() + SHARED)
    done = run("create", "ana", "--dataset", "survey.toml", "--dataset", "visits.toml")
    assert (done.exit_code, "in one place" in done.output) == (2, True), done.output
