"""The pages of the command line name every command and JSON key; help pages have examples.

What an option does is written in its help text alone; the pages take it from there.
"""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from discreet.accounts import Accounts
from discreet.cli import app
from discreet.cli.failures import (
    BUG,
    INTERRUPTED,
    NO_LEDGER,
    NOT_PRIVATE,
    OVER_BUDGET,
    UNREAD,
    UNUSABLE,
)

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGE = "\n".join(
    page.read_text(encoding="utf-8") for page in sorted((REFERENCE / "commands").glob("*.md"))
)
ROOT = typer.main.get_command(app)
COMMANDS = {
    f"{name} {inner}".strip(): command
    for name, outer in ROOT.commands.items()
    for inner, command in getattr(outer, "commands", {"": outer}).items()
}


def _section(name):
    found = re.search(rf"^## discreet {name}\n(.*?)(?=^## |\Z)", PAGE, re.S | re.M)
    assert found, f"docs/reference/commands has no section for discreet {name}"
    return found[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_generated_from_the_program(name):
    assert f"```{{command}} {name}\n```\n" in _section(name)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_option_and_argument_says_what_it_does(name):
    for parameter in COMMANDS.get(name, ROOT).params:
        assert (getattr(parameter, "help", None) or "").strip(), f"{parameter.name} of {name}"


def test_no_option_is_documented_that_is_not_there():
    flags = {flag for command in [ROOT, *COMMANDS.values()] for parameter in command.params
             for flag in [*parameter.opts, *parameter.secondary_opts]}  # fmt: skip
    for flag in re.findall(r"`(--[a-z-]+)", PAGE):
        assert flag in flags | {"--help"}


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_help_page_has_examples_that_name_the_command(run, name):
    done = run(*name.split(), "--help", env={"COLUMNS": "120", "TERM": "dumb"})
    assert done.exit_code == 0
    assert f"$ discreet {name}".strip() in done.stdout
    assert "Examples" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_speaks_json(name):
    assert any("--json" in parameter.opts for parameter in COMMANDS[name].params)


@pytest.mark.parametrize(
    "code", [0, NOT_PRIVATE, UNUSABLE, OVER_BUDGET, NO_LEDGER, BUG, INTERRUPTED, UNREAD]
)
def test_every_exit_code_is_in_the_table(code):
    assert f"| {code} |" in (REFERENCE / "errors.md").read_text(encoding="utf-8")


def documented_keys(name):
    """The keys that the JSON paragraph of a section names before any parenthesis."""
    text = _section(name).split("JSON:", 1)[1].split("\n\n")[0]
    while "(" in text:
        text = re.sub(r"\([^()]*\)", "", text)
    return set(re.findall(r"`([a-z_]+)`", text))


LINES = {
    "demo": ["demo"],
    "init": ["init", "rows.csv"],
    "check": ["check", "survey.toml"],
    "budget": ["budget", "survey.toml", "SELECT COUNT(smokes)"],
    "plan": ["plan", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "0.1"],
    "ask": ["ask", "survey.toml", "SELECT COUNT(smokes)", "--epsilon", "0.1", "--yes"],
    "attack": [
        *("attack", "survey.toml", "--question", "SELECT COUNT(smokes)"),
        *("--epsilon", "0.1", "--rows", "1"),
    ],
    "synthesize": [
        *("synthesize", "survey.toml", "--columns", "clinic", "--epsilon", "0.1"),
        *("--out", "synthetic.csv", "--yes"),
    ],
    "ledger show": ["ledger", "show", "survey.toml"],
    "ledger verify": ["ledger", "verify", "survey.toml"],
    "ledger export": ["ledger", "export", "survey.toml"],
    "ledger budget": ["ledger", "budget", "survey.toml", "--epsilon", "4", "--yes"],
    "ledger acknowledge": ["ledger", "acknowledge", "older.toml", "--lost", "all", "--yes"],
    "ledger prepare": ["ledger", "prepare", "survey.toml"],
    "ledger move": ["ledger", "move", "survey.toml", "--yes"],
    "report": ["report", "survey.toml"],
    "mechanisms": ["mechanisms"],
    "mechanism": ["mechanism", "laplace", "--range", "1", "3", "--epsilon", "1"],
    "compare": ["compare", "uniform", "--range", "1", "3", "--epsilon", "1"],
    "graph": ["graph", "path", "4", "--epsilon", "1"],
    "sorted": ["sorted", "--counts", "4,2,1", "--top", "2", "--epsilon", "1"],
    "design": ["design", "count", "--n", "3", "--epsilon", "1", "--no-cache"],
    "curve": ["curve", "count", "uniform", "--n", "3", "--epsilons", "1,2"],
    "reproduce": ["reproduce", "003/table-1", "--out", "out"],
    "show": ["show", "response.json"],
    "certify": ["certify", "response.json", "--epsilon", "1"],
    "measure": ["measure", "response.json"],
    "draw": ["draw", "response.json", "1", "--epsilon", "1"],
    "serve": ["serve", "survey.toml"],
    "token create": ["token", "create", "ana", "--dataset", "survey.toml", "--epsilon", "1"],
    "token list": ["token", "list"],
    "token revoke": ["token", "revoke", "otto"],
    "token move": ["token", "move", "survey.toml"],
    "doctor": ["doctor", "survey.toml"],
}


@pytest.fixture
def served(survey, monkeypatch):
    """A folder with one account, and a server that says where it is and stops."""
    with Accounts("discreet.accounts") as book:
        book.create("otto", "custodian", (), None)
    nobody = SimpleNamespace(every_dataset=list, has_accounts=False, desk=None)
    monkeypatch.setattr(
        "discreet.web.serving.serve", lambda settings, announce: announce(nobody, settings.url)
    )


@pytest.fixture
def shared(request, monkeypatch, survey):
    """Called, it moves the survey's ledger to a database of its own."""

    def share():
        postgres = request.getfixturevalue("postgres")
        monkeypatch.setenv("SURVEY_LEDGER", postgres.url(postgres.database()))
        keys = '\n[ledger]\nkind = "postgresql"\nurl_env = "SURVEY_LEDGER"\naccounts = true\n'
        file = survey / "survey.toml"
        file.write_text(file.read_text(encoding="utf-8") + keys, encoding="utf-8")

    return share


@pytest.mark.parametrize("name", COMMANDS)
def test_the_json_has_exactly_the_documented_keys(run_json, folder, served, shared, name):
    assert name in LINES, f"add a line of discreet {name} to LINES"
    if name in {"report", "ledger move"}:
        run_json(*LINES["ask"])
    if name in {"ledger prepare", "ledger move", "token move"}:
        shared()
    if name in {"ledger move", "token move"}:
        run_json(*LINES["ledger prepare"])
    assert set(run_json(*LINES[name])) == documented_keys(name)


def test_the_parts_have_exactly_the_documented_keys(run_json, folder):
    told = PAGE.split("## Parts of")[1].split("\n# ")[0]
    parts = dict(re.findall(r"^- `([a-z_]+)`: (.*?)(?=^- |\Z)", told, re.S | re.M))
    document = run_json(*LINES["mechanism"], "--draw", "1")
    for part, text in parts.items():
        found = document[part]
        keys = set(found) | (set(found["witness"]) if part == "tight_epsilon" else set())
        assert keys == set(re.findall(r"`([a-z_]+)`", text))


def _listed(text):
    return re.findall(r"`([a-z_]+)`", text)


@pytest.mark.parametrize(("name", "key"), [("plan", "parts"), ("ask", "results")])
def test_the_lists_have_exactly_the_documented_keys(run_json, survey, name, key):
    told = re.search(rf"`{key}` \(a list of ([^()]*)\)", _section(name))
    assert told, f"discreet {name} does not say what {key} are"
    assert list(run_json(*LINES[name])[key][0]) == _listed(told[1])


def test_candidates_have_exactly_the_documented_keys(run_json, survey):
    part = run_json(*LINES["plan"])["parts"][0]
    told = re.search(
        r"^- `chosen`, and each of `candidates`: (.*?)\.", _section("plan"), re.S | re.M
    )
    assert told
    for candidate in (part["chosen"], *part["candidates"]):
        assert list(candidate) == _listed(told[1])
    assert list(part["constant"]) == [*_listed(told[1]), "value"]
    assert all(set(left) == {"name", "reason"} for left in part["left_out"])


def test_csv_has_exactly_the_documented_columns(run, survey):
    told = re.search(r"^CSV has .*?: (.*?)\.", _section("ask"), re.S | re.M)
    assert told
    done = run(*LINES["ask"], "--csv")
    assert done.stdout.splitlines()[0].split(",") == _listed(told[1])


def test_the_first_page_shows_the_main_job():
    lines = re.findall(r"^\$ discreet (\w+)", ROOT.epilog, re.M)
    assert lines[1:5] == ["init", "check", "plan", "ask"]
