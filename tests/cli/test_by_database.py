"""`discreet design … --by database`: values, JSON, files and one-line refusals."""

import json

import pytest
from typer.testing import CliRunner

from discreet.certifier import certify
from discreet.cli import app
from discreet.model import load_mechanism


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in ("design", *words)])


def document(*words):
    reply = run(*words, "--by", "database", "--json")
    assert reply.exit_code == 0, reply.output
    return json.loads(reply.stdout)


@pytest.mark.parametrize(
    "words",
    [
        ("median", "--range", 1, 3),
        ("quantile", "--share", "0.9", "--range", 1, 3),
        ("min", "--numbers", "0,1,5"),
        ("max", "--range", 1, 3, "--neighbours", "add-or-remove"),
        ("mode", "--labels", "tea,coffee", "--loss", "zero-one"),
        ("range", "--range", 1, 3, "--prior", "histograms"),
        ("mean", "--range", 0, 1, "--outputs", "scaled:2"),
        ("sum", "--range", 0, 1, "--worst-case"),
        ("count-above", "--threshold", 1, "--range", 1, 3, "--prior", "databases"),
    ],
)
def test_every_statistic_is_designed_and_certified(words):
    found = document(*words, "--n", 4, "--epsilon", 1)
    assert found["by"] == "database"
    assert found["certified"] is True
    assert found["lower_bound"] <= found["value"]
    assert 0 <= found["gap"] < 1e-6


def test_a_saved_design_is_a_mechanism_like_any_other(tmp_path):
    file = tmp_path / "median.json"
    found = document("median", "--n", 4, "--range", 1, 3, "--epsilon", 1, "--save", file)
    mechanism = load_mechanism(file)
    assert found["saved"] == str(file)
    assert mechanism.answers.value(0) == "0.0.4"
    certify(mechanism, 1)


def test_people_read_what_was_found_and_how():
    reply = run("median", "--n", 4, "--range", 1, 3, "--epsilon", 1, "--by", "database")
    assert reply.exit_code == 0
    for words in ("15 histograms of 4 records over 3 values", "proven lower bound", "certified"):
        assert words in reply.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("median", "--range", 1, 3, "--epsilon", 1, "--by", "table"), "answer or database"),
        (("median", "--range", 1, 3, "--epsilon", 1, "--by", "database"), "--n 10"),
        (("count", "--n", 3, "--epsilon", 1, "--by", "database"), "is not a statistic by database"),
        (
            ("median", "--n", 3, "--range", 1, 3, "--epsilon", 1, "--by", "database",
             "--require", "all"),
            "--require is for designs by answer",
        ),
        (
            ("median", "--n", 3, "--range", 1, 3, "--epsilon", 1, "--by", "database",
             "--neighbours", "all"),
            "'change' or 'add-or-remove'",
        ),
        (("count-above", "--n", 3, "--range", 1, 3, "--epsilon", 1, "--by", "database"),
         "--threshold 3"),
        (("median", "--range", 1, 3, "--epsilon", 1, "--threshold", 2),
         "--threshold is for count-above"),
        (("median", "--n", 99, "--range", 1, 9, "--epsilon", 1, "--by", "database"),
         "design by answer"),
    ],
)  # fmt: skip
def test_refusals_are_one_line_that_says_what_to_do(words, said):
    reply = run(*words)
    assert reply.exit_code == 2
    assert said in reply.stderr
    assert len(reply.stderr.strip().splitlines()) == 1


def test_two_statistics_at_once(run_json, run):
    words = ("--n", 3, "--range", 1, 3, "--epsilon", 1, "--by", "database")
    found = run_json("design", "median,max", *words)
    assert found["statistic"] == "median and max"
    assert found["outputs"] == 6
    refused = run("design", "median,max", *words, "--share", "0.5")
    assert (refused.exit_code, "--share is for quantile only" in refused.stderr) == (2, True)
    refused = run("design", "median,max", *words, "--outputs", "scaled:2")
    assert (refused.exit_code, "--outputs scaled:2 is for one statistic" in refused.stderr) == (
        2,
        True,
    )
