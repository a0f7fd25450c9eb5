"""`discreet graph`: the table a person sees, the JSON a program reads, one line for a mistake."""

import json

import pytest

from discreet.graphs import load_graph
from discreet.model import load_mechanism


def test_the_path_of_twelve_nodes(run):
    done = run("graph", "path", 12, "--epsilon", "0.5")
    assert done.exit_code == 0
    for needed in ("1.458085", "1.300569", "1.488905", "1.509285", "0.713200", "1.458084",
                   "✗ no: no automorphism leads from 0 to 1", "does not apply"):  # fmt: skip
        assert needed in done.stdout


def test_a_million_databases(run_json):
    found = run_json("graph", "hypercube", 20, "--epsilon", 1)
    assert found["nodes"] == 2**20
    assert found["exponential_is_optimal"]
    assert found["lines"][0]["value"] == pytest.approx(5.378828427)
    assert found["certificate"]["epsilon"] == "1"


@pytest.mark.parametrize(
    ("words", "nodes"),
    [
        (["path", 5], 5),
        (["cycle", 6], 6),
        (["cycle", 100_000], 100_000),
        (["complete", 4], 4),
        (["complete", 500], 500),
        (["hypercube", 4096], 2**4096),
        (["databases", 1000, 200], 200**1000),
        (["hypercube", 3], 8),
        (["databases", 2, 3], 9),
        (["histograms", 3, 3], 10),
        (["histograms-up-to", 2, 2], 6),
        (["sorted-histograms", 6, 6], 11),
        (["sorted-histograms", 6, 6, 2], 10),
    ],
)
def test_every_family_by_name(run_json, words, nodes):
    found = run_json("graph", *words, "--epsilon", "0.7")
    assert found["nodes"] == nodes
    values = {line["name"]: line["value"] for line in found["lines"]}
    assert 0 < values["LP[2]"] <= values["LP[1]"] + 1e-9
    assert values["LP[1]"] <= values["a constant"] + 1e-9


def test_a_file_of_edges_saved_and_pictured(run, run_json, folder):
    (folder / "edges.csv").write_text("source,target\nann,bob\nbob,cem\nann,cem\ncem,dot\n")
    found = run_json("graph", "edges.csv", "--epsilon", 1, "--save", "best.json", "--plot", "g.svg")
    assert (found["saved"], found["plot"]) == ("best.json", "g.svg")
    assert "dot" in (folder / "g.svg").read_text(encoding="utf-8")
    mechanism = load_mechanism("best.json")
    assert mechanism.neighbours == load_graph("edges.csv").neighbours
    assert run("certify", "best.json", "--epsilon", 1).exit_code == 0
    assert run("draw", "best.json", "bob", "--epsilon", 1).stdout.strip() in mechanism.answers.names


def test_a_symmetric_graph_is_pictured_by_its_costs(run_json, folder):
    assert run_json("graph", "hypercube", 12, "--epsilon", 1, "--plot", "c.png")["plot"] == "c.png"
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["path", "5"], "--epsilon is required"),
        (["path", "5", "--epsilon", "0"], "epsilon must be positive"),
        (["path", "5", "--epsilon", "50"], "too large for the programs"),
        (["path", "--epsilon", "1"], "write path NODES with whole numbers, got 0 of them"),
        (["path", "a", "--epsilon", "1"], "write path NODES with whole numbers, got 'a'"),
        (["path", "1", "--epsilon", "1"], "the number of nodes of a path must be a whole number"),
        (["path", "3", "4", "--epsilon", "1"], "got 2 of them"),
        (["path", "99999", "--epsilon", "1"], "too many to list"),
        (
            ["ladder", "5", "--epsilon", "1"],
            "unknown graph 'ladder'; graphs: path NODES, cycle",
        ),
        (["histograms", "5", "--epsilon", "1"], "write histograms RECORDS VALUES"),
        (["hypercube", "5000", "--epsilon", "1"], "the number of records must be a whole number"),
        (["missing.csv", "--epsilon", "1"], "cannot read 'missing.csv': No such file"),
        (["response.json", "--epsilon", "1"], "an edge must be two names on a line"),
        (["path", "5", "--epsilon", "1", "--plot", "p.gif"], "saved as .png, .svg or .pdf"),
        (
            ["hypercube", "20", "--epsilon", "1", "--save", "h.json"],
            "too many for a matrix",
        ),
        (["--epsilon", "1"], "Missing argument"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run, folder, words, message):
    done = run("graph", *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_errors_are_json_too(run, folder):
    done = run("graph", "ladder", "5", "--epsilon", "1", "--json")
    assert json.loads(done.stdout)["kind"] == "SpaceError"
