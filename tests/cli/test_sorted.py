"""`discreet sorted`: what it says before, what it releases, what it refuses."""

import json

import pytest

COUNTS = ["--counts", "7,40,30"]


def test_says_what_to_expect_and_then_releases(run):
    done = run("sorted", *COUNTS, "--top", "3", "--epsilon", "1", "--method", "laplace")
    assert done.exit_code == 0, done.stderr
    before, after = done.stdout.split("rank", 1)
    assert "at most 8.398 in all" in before
    assert "77, public" in before
    assert "proven lower bound" in before
    assert len(after.strip().splitlines()) == 4


def test_values_that_are_not_there_are_counted_as_nothing(run):
    done = run("sorted", *COUNTS, "--top", "9", "--epsilon", "1")
    assert "the 9 largest counts, 0 where there are fewer values" in done.stdout
    assert len(done.stdout.split("rank", 1)[1].strip().splitlines()) == 10


def test_a_dry_run_releases_nothing(run, run_json):
    done = run("sorted", *COUNTS, "--top", "3", "--epsilon", "1", "--dry-run")
    assert "rank" not in done.stdout
    assert (
        run_json("sorted", *COUNTS, "--top", "3", "--epsilon", "1", "--dry-run")["released"] is None
    )


@pytest.mark.parametrize("method", ["laplace", "partitions", "auto"])
def test_the_released_counts_could_be_true(run_json, method):
    found = run_json("sorted", *COUNTS, "--top", "3", "--values", "3", "--epsilon", "1",
                     "--method", method)  # fmt: skip
    counts = found["released"]["counts"]
    assert sum(counts) == found["total"] == 77
    assert counts == sorted(counts, reverse=True)
    assert found["method"] in ("laplace", "partitions")
    assert len(found["trials"]) == (0 if method == "laplace" else 2)


def test_a_large_epsilon_tells_the_truth_sorted(run_json):
    found = run_json("sorted", *COUNTS, "--top", "5", "--epsilon", "100", "--method", "laplace")
    assert found["released"]["counts"] == [40, 30, 7, 0, 0]


def test_a_private_total_is_said_nowhere(run, run_json):
    words = [
        "sorted",
        "--counts",
        "123457,1",
        "--top",
        "1",
        "--epsilon",
        "1",
        "--neighbours",
        "add-or-remove",
    ]
    found = run_json(*words, "--dry-run")
    assert found["total"] is None
    assert found["regimes"] == []
    assert "123" not in json.dumps(found)
    other = run_json("sorted", "--counts", "5", *words[3:], "--dry-run")
    assert found == other


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.json", "[7, 40, 30]"),
        ("names.csv", "name,count\nAda,7\n\"Bo, Jr\",40\nCy,30\n"),
        ("bare.txt", "7\n40\n\n30\n"),
        ("tabs.tsv", "Ada\t7\nBo\t40\nCy\t30"),
        ("marked.csv", "\ufeffAda,7\nBo,40\nCy,30"),
    ],
)  # fmt: skip
def test_files_of_counts(run_json, folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    found = run_json("sorted", name, "--top", "3", "--epsilon", "100", "--method", "laplace")
    assert found["released"]["counts"] == [40, 30, 7]


def test_regimes_of_theorem_3_are_told_where_they_hold(run):
    done = run("sorted", "--counts", "4000,900", "--top", "2", "--epsilon", "0.1", "--dry-run")
    assert "002 Theorem 3.3" in done.stdout
    assert "grows like r/ε = 20" in done.stdout


def test_a_table_of_nothing(run_json):
    found = run_json("sorted", "--counts", "0,0", "--top", "2", "--epsilon", "1")
    assert found["released"]["counts"] == [0, 0]
    assert found["least_error"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--top", "1", "--epsilon", "1"], "exactly one way: a FILE, or --counts 40,30,7"),
        (["x.csv", *COUNTS, "--top", "1", "--epsilon", "1"], "give the counts in exactly one way"),
        ([*COUNTS, "--epsilon", "1"], "--top is required: how many counts"),
        ([*COUNTS, "--top", "1"], "--epsilon is required"),
        ([*COUNTS, "--top", "0", "--epsilon", "1"], "must be a whole number from 1"),
        ([*COUNTS, "--top", "x", "--epsilon", "1"], "--top must be a whole number, got 'x'"),
        ([*COUNTS, "--top", "3", "--values", "2", "--epsilon", "1"], "of 2 values, at most 2"),
        ([*COUNTS, "--top", "1", "--epsilon", "1", "--neighbours", "known"],
         "neighbours must be 'change' or 'add-or-remove', got 'known'"),
        ([*COUNTS, "--top", "1", "--epsilon", "1", "--method", "best"], "--method must be one of"),
        ([*COUNTS, "--top", "1", "--epsilon", "1", "--neighbours", "add-or-remove",
          "--method", "partitions"],
         "use --neighbours change or --method laplace"),
        (["--counts", "900", "--top", "1", "--epsilon", "1", "--method", "partitions"],
         "use the Laplace method"),
        (["--counts", "0", "--top", "1", "--epsilon", "1", "--method", "partitions"],
         "the total must be a whole number from 1"),
        (["--counts", "4,-1", "--top", "1", "--epsilon", "1"], "must hold whole numbers below"),
        (["--counts", "", "--top", "1", "--epsilon", "1"], "must hold whole numbers below"),
        (["none.csv", "--top", "1", "--epsilon", "1"], "cannot read the counts 'none.csv'"),
        (["words.csv", "--top", "1", "--epsilon", "1"], "must hold whole numbers below"),
        (["broken.json", "--top", "1", "--epsilon", "1"], "is not a JSON list of counts"),
        (["floats.json", "--top", "1", "--epsilon", "1"], "must hold whole numbers below"),
        (["bytes.csv", "--top", "1", "--epsilon", "1"], "is not a text file of numbers"),
        (["empty.csv", "--top", "1", "--epsilon", "1"], "must hold from 1 to 1,000,000 counts"),
    ],
)  # fmt: skip
def test_messages_are_one_line_that_says_what_to_do(run, folder, words, message):
    (folder / "words.csv").write_text("a,secret\nb,words\n")
    (folder / "broken.json").write_text("[1, 2")
    (folder / "floats.json").write_text("[1.5, true]")
    (folder / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    (folder / "empty.csv").write_text("")
    done = run("sorted", *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "secret" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
