"""Files written by an earlier version stay good: they open, and what was paid for stays free.

`files/` was written by the code at commit 0a02c1f: two dataset files over one table, the ledger of
each with its anchor, every answer as it was told then (`asked.json`), mechanism files, and a cache
of designs. `crashed` was charged and never answered.
"""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import discreet
from discreet.cli import app

FILES = Path(__file__).with_name("files")
ASKED = json.loads((FILES / "asked.json").read_text(encoding="utf-8"))
TOLD = ("receipt", "confidence", "epsilon", "plan")
"""What an answer says that no new wording may change, besides its results."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A copy of the files, as the working folder."""
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "designs"))
    return tmp_path


def _run(*words, code=0):
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == code, done.stderr
    return json.loads(done.stdout)


def _told(answer, before):
    """What an answer says of what was said before: results may have learned to say more.

    An interval that rests on the prior now stands under a name that says so.
    """
    results = [
        {key: one[f"{key}_if_prior_holds" if _moved(one, key) else key] for key in known}
        for one, known in zip(answer["results"], before["results"], strict=True)
    ]
    return {**{key: answer[key] for key in TOLD}, "results": results}


def _moved(result, key):
    return result["supposed"] and f"{key}_if_prior_holds" in result


def _asking(question):
    words = ["ask", f"{question['dataset']}.toml", question["sql"], "--id", question["id"], "--yes"]
    for name, given in question["wanted"].items():
        option = f"--{name.replace('_', '-')}"
        words += [option] if given is True else [option, given]
    return [*words, "--analyst", question.get("analyst", "ana")]


@pytest.mark.parametrize("dataset", ["visits", "plain"])
def test_a_ledger_of_before_is_whole(files, dataset):
    entries = (files / f"{dataset}.ledger").read_bytes()
    found = _run("ledger", "verify", f"{dataset}.toml")
    assert found["clean"]
    assert not found["problems"]
    assert (files / f"{dataset}.ledger").read_bytes() == entries
    assert _run("check", f"{dataset}.toml")["usable"]


@pytest.mark.parametrize("question", ASKED, ids=lambda question: f"{question['id']}")
def test_an_id_of_before_still_tells_its_answer_for_free(files, question):
    before = _run("ledger", "show", f"{question['dataset']}.toml")
    answer = _run(*_asking(question))
    assert answer["free"]
    known = question["answer"]
    assert _told(answer, known) == _told(known, known)
    assert _run("ledger", "show", f"{question['dataset']}.toml") == before


def test_an_id_of_before_is_taken_for_any_other_question(files):
    for question in ASKED[:3]:
        other = {**question, "sql": "SELECT COUNT(*) WHERE age = 33"}
        _run(*_asking(other), code=2)
        _run(
            *_asking({**question, "analyst": "ben" if "analyst" not in question else "ana"}), code=2
        )


def test_an_id_of_before_tells_its_answer_in_python(files):
    with pytest.warns(UserWarning, match="same rows"):
        opened = discreet.open_dataset("visits.toml", analyst="ana")
    with opened as visits:
        answer = visits.median("age").ask(epsilon="1.5", id="median")
        told = next(one["answer"] for one in ASKED if one["id"] == "median")
        assert answer.free
        assert str(answer.value) == told["results"][0]["exact"]


@pytest.mark.parametrize("dataset", ["visits", "plain"])
def test_a_ledger_of_before_goes_on(files, dataset):
    spent = _run("ledger", "show", f"{dataset}.toml")["accounts"]["total"]["spent"]
    question = {"dataset": dataset, "sql": "SELECT COUNT(*) WHERE age < 50", "id": "new",
                "wanted": {"epsilon": "0.5"}}  # fmt: skip
    answer = _run(*_asking(question))
    assert not answer["free"]
    assert float(answer["spent"]) == float(spent) + 0.5
    assert _run(*_asking(question))["results"] == answer["results"]
    assert _run("ledger", "verify", f"{dataset}.toml")["clean"]


MECHANISMS = {
    "count-fair": ("1", ["count", "--n", "12", "--require", "fair"]),
    "count-rays": ("0.5", ["count", "--n", "400"]),
    "median": ("1", ["median", "--range", "1", "5", "--loss", "squared"]),
    "by-database": ("1", ["median", "--by", "database", "--n", "6", "--range", "1", "4"]),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_file_of_before_is_certified(files, name):
    assert _run("certify", f"{name}.json", "--epsilon", MECHANISMS[name][0])["private"]


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "by-database"])
def test_a_design_of_before_is_found_in_the_cache(files, name):
    kept = {path.name for path in (files / "designs").iterdir()}
    epsilon, words = MECHANISMS[name]
    _run("design", *words, "--epsilon", epsilon, "--save", "again.json")
    assert json.loads(Path("again.json").read_text()) == json.loads(
        Path(f"{name}.json").read_text()
    )
    assert {path.name for path in (files / "designs").iterdir()} == kept
