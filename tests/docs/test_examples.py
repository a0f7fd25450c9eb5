"""Every example of every help page runs: the reference shows them all."""

import json
import shlex
import shutil
import sqlite3

import openpyxl
import pytest
from docs._extensions.commands import ROOT, commands, examples
from typer.testing import CliRunner

from discreet.accounts import Accounts
from discreet.budget import Ledger
from discreet.cli import app
from discreet.cli.commands.demo import copied_survey
from discreet.mechanisms import build
from discreet.model import AllPairs, Grid, Labels, Within, save_mechanism

NOT_HERE = {
    "discreet demo": "tests/cli/test_example.py",
    "discreet demo --json": "tests/cli/test_docs.py",
    "discreet design median --n 10 --range 1 5 --epsilon 1 --by database": "docs/explanation",
    "discreet ledger prepare survey.toml --role discreet_server": "tests/web/test_two_servers.py",
    "discreet ledger prepare survey.toml --role discreet_server --sql": "docs/how-to",
    "discreet ledger move survey.toml": "tests/cli/test_docs.py",
    "discreet token move survey.toml": "tests/accounts/test_token_command.py",
    "discreet reproduce 003 --out croft": "it takes minutes: tests/papers runs its parts",
    "discreet reproduce all": "it takes minutes: tests/papers runs its parts",
    "discreet serve --setup": "it listens until it is interrupted: tests/web",
    "discreet serve survey.toml": "it listens until it is interrupted: tests/web",
    "discreet serve survey.toml visits.toml --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem":
    "it listens until it is interrupted: tests/web",
}  # fmt: skip
"""Examples that run elsewhere, and where."""

EXAMPLES = dict.fromkeys(
    line for _, command in [("", ROOT), *commands()] for line in examples(command)
)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """A folder with every file that an example names; the survey is that of `discreet demo`."""
    folder = tmp_path_factory.mktemp("workshop")
    made_up = copied_survey(folder)  # what a reader has, who tries the examples
    made_up.with_suffix(".csv").rename(folder / "survey.csv")
    (folder / "survey.toml").write_text(made_up.read_text().replace("clinic.csv", "survey.csv"))
    made_up.unlink()
    (folder / "names.csv").write_text("name,count\nAda,9\nBo,7\nCy,2\n")
    (folder / "edges.csv").write_text("a,b\nb,c\nc,d\n")
    (folder / "questions.sql").write_text("SELECT AVG(age)\nSELECT COUNT(smokes)\n")
    (folder / "prior.json").write_text(json.dumps([0.05] * 9 + [0.25, 0.3]))
    waiting = openpyxl.Workbook()
    march = waiting.create_sheet("March")
    for line in [("ward", "hours"), *(("AB"[place % 2], place % 7) for place in range(20))]:
        march.append(line)
    waiting.save(folder / "waiting.xlsx")
    with sqlite3.connect(folder / "clinic.sqlite") as visits:
        visits.execute("CREATE TABLE visits (age INTEGER)")
        visits.executemany("INSERT INTO visits VALUES (?)", [(20 + place,) for place in range(9)])
    visits.close()
    Ledger.create(folder / "survey.ledger", "9").close()
    with Accounts(folder / "discreet.accounts") as book:
        book.create("mia", "custodian", (), None)
    coins = build("randomized-response", Labels.of(["no", "yes"]), AllPairs(), "log 3")
    save_mechanism(coins, folder / "coins.json")
    save_mechanism(coins, folder / "other.json")
    return folder


@pytest.fixture
def prepare(workshop, tmp_path, monkeypatch, request):
    """Make a copy of the workshop the working folder, as one example wants it."""

    def make(line):
        folder = tmp_path / "here"
        shutil.copytree(workshop, folder)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("DISCREET_CACHE", str(folder / "designs"))
        monkeypatch.setattr("discreet.cli.rendering.terminal.somebody_is_there", lambda: True)
        save_mechanism(build("geometric", Grid.between(0, 10), Within(1), "0.5"), "count.json")
        if line == "discreet init survey.csv":
            (folder / "survey.toml").unlink()
        if "STAYS_URL" in line:
            postgres = request.getfixturevalue("postgres")
            database = postgres.database()
            monkeypatch.setenv("STAYS_URL", postgres.url(database))
            made = "CREATE SCHEMA research; CREATE TABLE research.stays AS SELECT 44 AS age"
            postgres.sql(made, database)
        if line.startswith("discreet report"):
            ask = "ask survey.toml 'SELECT COUNT(smokes)' --epsilon 1 --yes --id q-039850d9ab2e"
            CliRunner().invoke(app, shlex.split(ask))
        if "--verify" in line:
            CliRunner().invoke(app, ["report", "survey.toml"])
        if "--lost" in line:
            (folder / "survey.ledger.head").unlink()
        if "token revoke" in line:
            with Accounts("discreet.accounts") as book:
                book.create("ana", "custodian", (), None)

    return make


@pytest.mark.parametrize("line", [line for line in EXAMPLES if line not in NOT_HERE])
def test_an_example_of_a_help_page_runs(line, prepare):
    prepare(line)
    words = shlex.split(line.split(" > ")[0])
    done = CliRunner().invoke(app, words[1:], input="y\n")
    private = 1 if "other.json" in line else 0  # somebody else's matrix, which is not private
    assert done.exit_code == private, done.output


def test_what_runs_elsewhere_is_still_an_example():
    assert set(NOT_HERE) <= set(EXAMPLES)


@pytest.mark.parametrize("line", [line for line in EXAMPLES if line.endswith("--save count.json")])
def test_a_file_that_an_example_saves_is_one_that_others_take(line, prepare):
    """Two examples once saved the same file in two sizes, and a third speaks of one of them."""
    prepare(line)
    for words in (line, "discreet draw count.json 7 --epsilon 0.5"):
        done = CliRunner().invoke(app, shlex.split(words)[1:])
        assert done.exit_code == 0, done.output
