"""discreet plan: every candidate, the chosen one, the cost; no row, no charge."""

import pytest

PLAN = ["plan", "survey.toml"]


def test_a_plan_needs_neither_rows_nor_a_ledger(run, survey):
    (survey / "rows.csv").unlink()
    for path in survey.glob("survey.ledger*"):
        path.unlink()
    done = run(*PLAN, "SELECT MEDIAN(mood) WHERE clinic = 'A'", "--epsilon", "0.5")
    assert done.exit_code == 0, done.stderr
    for needed in ("★", "typical error", "95 % within", "constant", "costs ε = 0.5"):
        assert needed in done.stdout
    assert not list(survey.glob("survey.ledger*"))


def test_within_finds_epsilon(run_json, survey):
    loose = run_json(*PLAN, "SELECT COUNT(smokes)", "--within", "5")
    tight = run_json(*PLAN, "SELECT COUNT(smokes)", "--within", "2", "--confidence", "90%")
    assert 0 < loose["billionths"] < tight["billionths"]
    assert tight["wishes"]["confidence"] == "9/10"


def test_within_may_be_a_share_as_in_a_budget(run, run_json, survey):
    for sql in ("SELECT COUNT(smokes)", "SELECT MEDIAN(mood)"):
        (price,) = run_json("budget", "survey.toml", sql, "--within", "20%")["questions"]
        assert run_json(*PLAN, sql, "--within", "20%")["epsilon"] == price["epsilon"]
    both = run(*PLAN, "SELECT COUNT(smokes)", "--within", "20%", "--epsilon", "1")
    assert (both.exit_code, "not both" in both.stderr) == (2, True)
    assert run(*PLAN, "SELECT COUNT(smokes)", "--within", "0%").exit_code == 2


def test_a_plain_sentence_when_epsilon_is_too_small(run, survey):
    done = run(*PLAN, "SELECT MODE(clinic) WHERE smokes", "--epsilon", "0.000001")
    assert done.exit_code == 0
    assert "is too small" in done.stdout


def test_an_epsilon_that_shows_no_rows_is_refused_with_one_that_might(run, survey):
    done = run(*PLAN, "SELECT MODE(clinic) GROUP BY smokes", "--epsilon", "0.1")
    assert done.exit_code == 2
    assert "too few rows; spend at least" in " ".join(done.stderr.split())
    done = run(*PLAN, "SELECT MODE(clinic), COUNT(*) GROUP BY smokes", "--epsilon", "1")
    assert done.exit_code == 0
    assert "a value is released for groups of about" in " ".join(done.stdout.split())


def test_every_wish_is_understood(run_json, survey):
    told = run_json(*PLAN, "SELECT MEDIAN(mood)", "--epsilon", "1", "--require", "fair,symmetric",
                    "--loss", "squared", "--prior", "0.1,0.2,0.3,0.2,0.2")  # fmt: skip
    assert {"fair", "symmetric"} <= set(told["parts"][0]["chosen"]["properties"])
    assert told["wishes"]["loss"] == "squared"
    assert run_json(*PLAN, "SELECT MAX(mood)", "--epsilon", "1", "--worst-case")["wishes"][
        "worst_case"
    ]
    told = run_json(*PLAN, "SELECT COUNT(smokes)", "--epsilon", "1", "--unbiased")
    assert told["wishes"]["unbiased"]
    told = run_json(*PLAN, "SELECT COUNT(*) GROUP BY clinic", "--epsilon", "1", "--consistent",
                    "--prior", "databases")  # fmt: skip
    assert told["groups"] == ["A", "B", "other"]
    assert told["wishes"]["consistent"]


@pytest.mark.parametrize(
    "words",
    [
        ["SELECT MEDIAN(mood)"],
        ["SELECT MEDIAN(mood)", "--epsilon", "0"],
        ["SELECT MEDIAN(mood)", "--epsilon", "1", "--within", "1"],
        ["SELECT MEDIAN(mood)", "--within", "-1"],
        ["SELECT MEDIAN(mood)", "--within", "x"],
        ["SELECT MEDIAN(mood)", "--epsilon", "1", "--confidence", "0"],
        ["SELECT MEDIAN(mood)", "--epsilon", "1", "--confidence", "200%"],
        ["SELECT MEDIAN(mood)", "--epsilon", "1", "--loss", "cubic"],
        ["SELECT MEDIAN(mood)", "--epsilon", "1", "--prior", "1,2"],
        ["SELECT MEDIAN(mood)", "--epsilon", "1", "--prior", "missing.json"],
        ["SELECT MEDIAN(mood)", "--epsilon", "1", "--require", "nice"],
        ["SELECT MEDIAN(clinic)", "--epsilon", "1"],
        ["SELECT mood", "--epsilon", "1"],
        ["SELECT * FROM data", "--epsilon", "1"],
        ["DROP TABLE data", "--epsilon", "1"],
        ["", "--epsilon", "1"],
        ["(" * 5000, "--epsilon", "1"],
        ["SELECT COUNT(*)", "extra", "--epsilon", "1"],
    ],
)
def test_what_cannot_be_planned_is_one_line(run, survey, words):
    done = run(*PLAN, *words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_the_loss_that_candidates_are_judged_by_is_shown(run, survey):
    squared = (*PLAN, "SELECT COUNT(smokes)", "--epsilon", "1", "--loss", "squared")
    told = run(*squared, env={"COLUMNS": "100"}).stdout
    assert "squared loss" in told
    told = run(*PLAN, "SELECT COUNT(smokes)", "--epsilon", "1").stdout
    assert "loss" not in told
