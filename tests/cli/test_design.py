"""`discreet design` and `discreet curve`: the papers' numbers, JSON, and one-line refusals."""

import json

import pytest
from typer.testing import CliRunner

from discreet.cli import app
from discreet.model import load_mechanism


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "cache"))


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def document(*words):
    reply = run(*words, "--json")
    assert reply.exit_code == 0, reply.output
    return json.loads(reply.stdout)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("mean", "--n", 10, "--range", 0, 4, "--epsilon", "0.5"), 0.569997),
        (("mean", "--n", 10, "--range", 0, 4, "--epsilon", "1"), 0.326868),
        (("max", "--range", 0, 9, "--epsilon", 1), 2.099248),
        (("max", "--range", 0, 9, "--epsilon", 1, "--require", "all"), 2.403848),
        (("median", "--range", 1, 5, "--epsilon", 1, "--require", "all"), 5.7596 / 5),
    ],
)
def test_the_values_of_003(words, error):
    found = document("design", *words)
    assert found["expected_absolute_error"] == pytest.approx(error, abs=1.1e-5)
    assert found["certified"] is True
    assert found["lower_bound"] <= found["value"]
    assert 0 <= found["gap"] < 1e-6
    assert {"method", "seconds", "matrix"} <= set(found)


def test_table_3_of_003_on_the_command_line():
    found = document("design", "count", "--n", 5, "--epsilon", "0.5")
    assert [round(cell, 3) for cell in found["matrix"][1]] == [
        0.771,
        0.622,
        0.378,
        0.229,
        0.139,
        0.084,
    ]


def test_a_saved_design_can_be_certified_measured_and_drawn_from(tmp_path):
    file = tmp_path / "count.json"
    document("design", "count", "--n", 4, "--epsilon", "1", "--save", file)
    assert load_mechanism(file).shape == (5, 5)
    assert run("certify", file, "--epsilon", "1").exit_code == 0
    assert run("certify", file, "--epsilon", "0.9").exit_code == 1


def test_the_second_design_comes_from_the_cache():
    words = ("design", "median", "--range", 0, 6, "--epsilon", "0.7")
    first, second = document(*words), document(*words)
    assert (first["from_cache"], second["from_cache"]) == (False, True)
    assert first["certificate"] == second["certificate"]
    assert document(*words, "--no-cache")["from_cache"] is False


def test_a_table_of_losses_from_a_file(tmp_path):
    table = tmp_path / "losses.csv"
    table.write_text("0,1,2\n1,0,1\n2,1,0\n")
    words = ("design", "count", "--n", 2, "--epsilon", "1")
    by_table = document(*words, "--loss", table)
    assert by_table["value"] == pytest.approx(document(*words)["value"])
    assert by_table["loss"] == "losses"


def test_a_person_sees_the_proven_lower_bound():
    reply = run("design", "count", "--n", 3, "--epsilon", "1")
    assert reply.exit_code == 0
    assert "proven lower bound" in reply.stdout
    assert "✓ ε = 1" in reply.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("count", "--epsilon", 1),
            "--n is required for a count: the number of records",
        ),
        (("count", "--n", 0, "--epsilon", 1), "a question needs at least one record, got n = 0"),
        (("count", "--n", "x", "--epsilon", 1), "--n must be a whole number, got 'x'"),
        (("count", "--n", 5), "--epsilon is required, for example --epsilon 1"),
        (
            ("mode", "--n", 5, "--epsilon", 1),
            "'mode' is not a statistic; choose from count",
        ),
        (("mean", "--n", 5, "--epsilon", 1), "--range LOW HIGH is required for a mean"),
        (("mean", "--n", 5, "--range", 4, 0, "--epsilon", 1), "the range is reversed"),
        (("max", "--n", 5, "--range", 0, 4, "--epsilon", 1), "--n is not used for a max"),
        (("quantile", "--range", 0, 4, "--epsilon", 1), "--share is required for a quantile"),
        (("quantile", "--range", 0, 4, "--share", 2, "--epsilon", 1), "between 0 and 1"),
        (("custom", "--range", 0, 4, "--neighbours", "x", "--epsilon", 1), "--neighbours must be"),
        (("custom", "--range", 0, 4, "--n", 3, "--epsilon", 1), "--n is not used for a custom"),
        (("count", "--n", 3, "--neighbours", 1, "--epsilon", 1), "--neighbours is for custom only"),
        (("max", "--range", 0, 4, "--epsilon", 1, "--prior", "0.5,0.6"), "must sum to 1"),
        (("max", "--range", 0, 4, "--epsilon", 1, "--prior", "nowhere"), "cannot read the prior"),
        (("max", "--range", 0, 4, "--epsilon", 1, "--loss", "cubic"), "a loss must be one of"),
        (("max", "--range", 0, 4, "--epsilon", 1, "--loss", "no.csv"), "cannot read the losses"),
        (("max", "--range", 0, 4, "--epsilon", 1, "--require", "nice"), "unknown requirement"),
        (("max", "--range", 0, 4, "--epsilon", 1, "--delta", "2"), "--delta must be"),
        (("max", "--range", 0, 4, "--epsilon", 1, "--outputs", "wide"), "--outputs must be"),
        (("max", "--range", 0, 4, "--epsilon", 1, "--plot", "x.txt"), "saved as .png"),
        (
            ("max", "--range", 0, 4, "--epsilon", 1, "--worst-case", "--prior", "1,0,0,0,0"),
            "not both",
        ),
    ],
)
def test_a_refusal_is_one_line_that_says_what_to_do(words, message):
    reply = run("design", *words)
    assert reply.exit_code == 2
    assert message in reply.stderr
    assert reply.stderr.count("\n") == 1


@pytest.mark.parametrize("content", ["0,1\n1", "0,a\n1,0", "[[0, 1], 3]", "[", "0,1\n-1,0", ""])
def test_a_broken_table_of_losses_is_one_line(tmp_path, content):
    table = tmp_path / "losses.csv"
    table.write_text(content)
    reply = run("design", "count", "--n", 1, "--epsilon", 1, "--loss", table)
    assert (reply.exit_code, reply.stderr.count("\n")) == (2, 1)


def test_a_curve_against_epsilon_falls_and_the_best_is_lowest():
    found = document(
        "curve", "max", "best", "variant-2", "laplace", "--range", 0, 4, "--epsilons", "0.5,1,2"
    )
    assert found["axis"] == "ε"
    for name in ("best", "variant-2"):
        assert found["curves"][name] == sorted(found["curves"][name], reverse=True)
    for best, other in zip(found["curves"]["best"], found["curves"]["laplace"], strict=True):
        assert best <= other


def test_a_curve_against_size_and_its_picture(tmp_path):
    picture = tmp_path / "curve.svg"
    found = document(
        "curve", "count", "best", "--sizes", "2,4", "--epsilon", "1", "--plot", picture
    )
    assert found["at"] == [2, 4]
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("max", "--range", 0, 4),
        ("max", "--range", 0, 4, "--epsilons", ""),
        ("max", "--range", 0, 4, "--epsilons", "1,zero"),
        ("max", "--range", 0, 4, "--epsilons", "1", "--epsilon", "1"),
        ("mean", "--range", 0, 4, "--sizes", "1,2"),
        ("mean", "--range", 0, 4, "--sizes", "0", "--epsilon", "1"),
        ("mean", "--range", 0, 4, "--sizes", "3", "--n", "3", "--epsilon", "1"),
        ("max", "nothing", "--range", 0, 4, "--epsilons", "1"),
        ("max", "--range", 0, 4, "--epsilons", "1", "--measure", "cubic"),
    ],
)
def test_a_curve_that_cannot_be_drawn_is_one_line(words):
    reply = run("curve", *words)
    assert (reply.exit_code, reply.stderr.count("\n")) == (2, 1)


def test_a_large_design_is_saved_certified_shown_and_drawn_from_without_its_matrix(tmp_path):
    file = tmp_path / "max.json"
    found = document("design", "max", "--range", 0, 9_999, "--epsilon", 1, "--save", file)
    assert (found["matrix"], found["properties"]) == (None, None)
    assert document("certify", file, "--epsilon", 1)["private"] is True
    assert run("certify", file, "--epsilon", "0.9").exit_code == 1
    assert document("show", file)["probabilities"] is None
    drawn = document("draw", file, 77, "--epsilon", 1)
    assert all(0 <= int(value) <= 9_999 for value in drawn["draws"]["values"])
    assert (
        run("design", "max", "--range", 0, 9_999, "--epsilon", 1, "--plot", "x.png").exit_code == 2
    )
