"""Each command does what it says."""

import json

import pytest

from discreet.measures import measure
from discreet.mechanisms.catalogue import FAMILIES
from discreet.model import load_mechanism

LAPLACE = ["mechanism", "laplace", "--range", "1", "5", "--epsilon", "1"]


def test_a_matrix_is_a_readable_table(run):
    done = run(*LAPLACE)
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["output", "1", "2", "3", "4", "5"] in lines
    rows = [line for line in lines if len(line) == 6 and line[0] in "12345"]
    assert [row[0] for row in rows] == list("12345")
    assert rows[0][1] == "0.559"
    for column in range(1, 6):
        assert abs(sum(float(row[column]) for row in rows) - 1) < 0.004
    assert "✓ ε = 1" in done.stdout


def test_show_save_and_draw_come_together_or_alone(run, folder):
    done = run(*LAPLACE, "--save", "likert.json")
    assert done.stdout == "✓ saved likert.json\n"
    assert load_mechanism("likert.json").name == "laplace"
    done = run(*LAPLACE, "--draw", "4", "--times", "50")
    assert len(done.stdout.split()) == 50
    assert set(done.stdout.split()) <= set("12345")
    done = run(*LAPLACE, "--draw", "4", "--show", "--plot", "m.svg")
    assert "0.559" in done.stdout
    assert "✓ picture m.svg" in done.stdout
    assert (folder / "m.svg").read_text().startswith("<?xml")


def test_what_is_saved_is_what_is_certified_shown_and_measured(run, run_json, folder):
    saved = run_json(*LAPLACE, "--save", "likert.json", "--show")
    assert saved["saved"] == "likert.json"
    certified = run_json("certify", "likert.json", "--epsilon", "1")
    assert certified["private"]
    assert certified["certificate"] == saved["certificate"]
    assert certified["mechanism"] == saved["mechanism"]
    assert run_json("show", "likert.json")["probabilities"] == saved["probabilities"]
    measured = run_json("measure", "likert.json")
    assert measured["measures"] == measure(load_mechanism("likert.json")).to_dict()


def test_a_smaller_epsilon_is_refused_with_a_witness(run, run_json, folder):
    done = run("certify", "coins.json", "--epsilon", "1")
    assert done.exit_code == 1
    assert done.stderr == (
        "error: not private at ε = 1: output no is 3 times as likely under no as under yes, "
        "at most 2.71828 is allowed\n"
    )
    assert "✗ not private at ε = 1" in done.stdout
    told = run_json("certify", "coins.json", "--epsilon", "1", code=1)
    assert told["private"] is False
    assert told["certificate"] is None
    assert told["tight_epsilon"]["witness"] == {
        "output": "no", "likelier_answer": "no", "rarer_answer": "yes", "ratio": 3.0,
    }  # fmt: skip
    assert run("certify", "coins.json", "--epsilon", "log 3").exit_code == 0
    assert run("certify", "coins.json", "--epsilon", "1", "--delta", "0.1").exit_code == 0


def test_releasing_a_row_is_private_for_no_epsilon(run, run_json, folder):
    told = run_json("certify", "truth.json", "--epsilon", "100", code=1)
    assert told["tight_epsilon"]["value"] is None
    assert told["tight_epsilon"]["witness"]["ratio"] is None
    done = run("certify", "truth.json", "--epsilon", "100")
    assert "no finite ε suffices" in done.stdout


def test_measures_name_counterexamples(run, folder):
    run(*LAPLACE, "--save", "likert.json")
    done = run("measure", "likert.json")
    assert done.exit_code == 0
    for needed in ("absolute", "squared", "zero-one", "fair", "✗ no", "✓ yes", "95%", "bits"):
        assert needed in done.stdout
    assert "truth" in run("measure", "truth.json").stdout


@pytest.mark.parametrize("text", ["[0.5, 0.25, 0.25]", "0.5\n0.25 0.25", "0.5,1/4,1/4"])
def test_a_prior_from_a_file_or_the_command_line(run_json, folder, text):
    (folder / "prior").write_text(text)
    from_file = run_json("measure", "response.json", "--prior", "prior")
    typed = run_json("measure", "response.json", "--prior", "0.5,0.25,0.25")
    assert from_file == typed
    assert typed["prior"] == [0.5, 0.25, 0.25]
    assert typed["measures"] != run_json("measure", "response.json")["measures"]


def test_draws_say_the_true_answer_and_stay_in_the_space(run_json, folder):
    told = run_json("draw", "coins.json", "yes", "--epsilon", "2", "--times", "40")["draws"]
    assert told["true_answer"] == "yes"
    assert set(told["values"]) <= {"no", "yes"}
    assert [("no", "yes")[index] for index in told["indices"]] == told["values"]


def test_numbers_steps_and_outputs_reach_the_mechanism(run_json):
    base = ["mechanism", "laplace", "--epsilon", "1"]
    told = run_json(*base, "--range", "0", "40", "--outputs", "scaled:5", "--neighbours", "2")
    assert told["mechanism"]["outputs"]["size"] == 9
    assert told["mechanism"]["neighbours"] == {"kind": "within", "steps": 2}
    told = run_json(*base, "--range", "-1", "1", "--step", "0.5", "--outputs", "extended:300")
    assert told["mechanism"]["answers"] == {
        "kind": "grid", "start": "-1", "step": "1/2", "size": 5,
    }  # fmt: skip
    assert told["mechanism"]["outputs"]["size"] == 15
    told = run_json(*base, "--numbers", "0,1,2.5")
    assert told["mechanism"]["answers"]["numbers"] == ["0", "1", "5/2"]


def test_a_parameter_of_a_family_changes_the_matrix(run_json):
    base = ["mechanism", "staircase", "--range", "1", "5", "--epsilon", "1"]
    digests = {
        run_json(*base, *more)["mechanism"]["digest"]
        for more in ([], ["--set", "gamma=0.5"], ["--set", "gamma=0.25"])
    }
    assert len(digests) == 3


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_of_the_catalogue_is_listed(run, run_json, name):
    assert name in {entry["name"] for entry in run_json("mechanisms")["mechanisms"]}
    assert name in run("mechanisms").stdout
    assert name in run("mechanism", "list").stdout


def test_a_comparison_stars_the_smallest_loss(run, run_json):
    line = ["compare", "laplace", "uniform", "--range", "1", "5", "--epsilon", "1"]
    told = {entry["name"]: entry["measures"] for entry in run_json(*line)["mechanisms"]}
    assert list(told) == ["laplace", "uniform"]
    losses = {name: entry["losses"]["absolute"]["expected"] for name, entry in told.items()}
    best = min(losses, key=losses.get)
    done = run(*line)
    for name, loss in losses.items():
        assert (f"{loss:.4f}*" in done.stdout) == (name == best)
        assert (f"{loss:.4f} best" in done.stdout) == (name == best)


def test_everything_that_needs_no_more_is_compared(run_json):
    told = run_json("compare", "all", "--range", "1", "4", "--epsilon", "1")
    assert len(told["mechanisms"]) >= 6
    labels = run_json("compare", "all", "--labels", "a,b,c", "--epsilon", "1")
    names = {entry["name"] for entry in labels["mechanisms"]}
    assert "randomized-response" in names
    assert "laplace" not in names


def test_files_are_compared_with_families(run_json, folder):
    told = run_json("compare", "response.json", "laplace", "--epsilon", "1", "--plot", "c.png")
    assert [entry["name"] for entry in told["mechanisms"]] == ["response.json", "laplace"]
    assert (folder / "c.png").stat().st_size > 1000


def test_the_demo_plans_charges_draws_and_balances(run, run_json):
    done = run("demo")
    assert done.exit_code == 0
    for needed in ("MEDIAN(satisfaction)", "★", "constant", "0.5 of 2 spent", "✓"):
        assert needed in done.stdout
    told = run_json("demo")
    first, counts, share = (question["answer"]["results"] for question in told["questions"])
    assert first[0]["value"] in {1, 2, 3, 4, 5}
    assert sum(result["value"] for result in counts) == 600
    assert 0 <= share[0]["value"] <= 1
    assert told["again"]["free"]
    assert told["again"]["results"] == first
    assert told["verified"]


def test_a_large_matrix_is_summarised(run):
    done = run("mechanism", "geometric", "--range", "0", "200", "--neighbours", "1",
               "--epsilon", "1")  # fmt: skip
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) < 60
    assert max(map(len, done.stdout.splitlines())) <= 160
    assert "0 … 200 (201)" in done.stdout


def test_without_a_command_there_is_help(run):
    done = run()
    assert done.exit_code == 0
    assert "Usage: discreet" in done.stdout
    assert run("--version").stdout.startswith("discreet ")


def test_json_keeps_labels_as_they_are(run, folder):
    done = run("mechanism", "randomized-response", "--labels", "müde,日本", "--epsilon", "1",
               "--draw", "日本", "--json")  # fmt: skip
    assert json.loads(done.stdout)["draws"]["true_answer"] == "日本"
    assert "日本" in done.stdout


def test_of_all_families_those_that_do_not_suit_are_named_with_the_reason(run, run_json):
    line = ["compare", "all", "--numbers", "0,1,2.5", "--epsilon", "1"]
    told = run_json(*line)
    assert "laplace" in {entry["name"] for entry in told["mechanisms"]}
    assert "evenly spaced" in told["left_out"]["geometric"]
    assert "databases" in told["left_out"]["smooth-sensitivity"]
    assert "without geometric" in run(*line).stdout


def test_in_a_comparison_a_parameter_goes_to_the_family_that_has_it(run_json):
    line = ["compare", "laplace", "staircase", "--range", "1", "5", "--epsilon", "1"]
    before, after = (
        {entry["name"]: entry["mechanism"]["digest"] for entry in run_json(*words)["mechanisms"]}
        for words in (line, [*line, "--set", "gamma=0.5"])
    )
    assert before["laplace"] == after["laplace"]
    assert before["staircase"] != after["staircase"]
