"""A command line in this process, and a folder with mechanism files to try it on."""

import json

import pytest
from typer.testing import CliRunner

from discreet.budget import Ledger
from discreet.cli import app
from discreet.model import AllPairs, Grid, Labels, Mechanism, mechanism_to_dict, save_mechanism
from small_survey import CLINIC, MOOD, SMOKES, dataset_text

RESPONSE = Mechanism.of(
    Grid.between(1, 3),
    Grid.between(1, 3),
    AllPairs(),
    [[2, 1, 1], [1, 2, 1], [1, 1, 2]],
    name="response",
)
COINS = Mechanism.of(
    Labels.of(["no", "yes"]), Labels.of(["no", "yes"]), AllPairs(), [[3, 1], [1, 3]], name="coins"
)
RANDOM_ROW = Mechanism.of(
    Grid.between(0, 1), Grid.between(0, 1), AllPairs(), [[1, 0], [0, 1]], name="truth"
)


@pytest.fixture
def run():
    """Run a command line; what came out is in exit_code, stdout and stderr."""
    runner = CliRunner(env={"COLUMNS": "80"})

    def invoke(*words, **options):
        return runner.invoke(app, [str(word) for word in words], **options)

    return invoke


@pytest.fixture
def run_json(run):
    """Run a command line with --json; what it printed, read back."""

    def invoke(*words, code=0):
        done = run(*words, "--json")
        assert done.exit_code == code, done.stderr
        return json.loads(done.stdout)

    return invoke


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with response.json, coins.json and truth.json in it."""
    monkeypatch.chdir(tmp_path)
    for mechanism in (RESPONSE, COINS, RANDOM_ROW):
        save_mechanism(mechanism, f"{mechanism.name}.json")
    return tmp_path


@pytest.fixture
def response_facts():
    """The content of response.json, to be spoiled."""
    return mechanism_to_dict(RESPONSE)


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """The working folder, with survey.toml (and a ledger), and older.toml, whose anchor is lost."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCREET_ANALYST", "tester")
    rows = [f"{1 + place % 5},{'AB'[place % 2]},{'yes' if place % 3 else 'no'}"
            for place in range(40)]  # fmt: skip
    (tmp_path / "rows.csv").write_text("\n".join(["mood,clinic,smokes", *rows]) + "\n")
    (tmp_path / "survey.toml").write_text(
        dataset_text("size = 40", "3", 'ana = "1"', MOOD + CLINIC + SMOKES)
    )
    Ledger.create("survey.ledger", "3", {"ana": "1"}).close()
    Ledger.create("older.ledger", "3").close()
    (tmp_path / "older.ledger.head").unlink()
    return tmp_path
