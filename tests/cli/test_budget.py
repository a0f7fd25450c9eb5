"""discreet budget: an ε for every question, and what the declared budget buys."""

import json

import pytest


def test_every_question_has_its_epsilon_and_the_budget_buys_some(run, survey):
    before = run("ledger", "show", "survey.toml", "--json").stdout
    done = run(
        "budget", "survey.toml", "SELECT COUNT(smokes)", "SELECT AVG(mood)", "--within", "20%"
    )
    assert done.exit_code == 0
    told = done.stdout
    assert "SELECT COUNT(smokes = 'true') ± 8 " in " ".join(told.split())
    assert "together" in told
    assert "The budget of 3 buys all of this" in told
    assert "nothing was spent" in told
    assert run("ledger", "show", "survey.toml", "--json").stdout == before


def test_no_rows_are_needed_and_a_draft_will_do(run, run_json, survey):
    text = (survey / "survey.toml").read_text().replace("confirmed = true", "confirmed = false")
    (survey / "survey.toml").write_text(text)
    (survey / "rows.csv").unlink()
    found = run_json("budget", "survey.toml")
    assert [one["question"].split("(")[0] for one in found["questions"]] == [
        "SELECT COUNT",
        "SELECT COUNT",
        "SELECT AVG",
        "SELECT MEDIAN",
    ]


def test_questions_of_a_file_may_say_their_own_accuracy(run_json, survey):
    (survey / "q.sql").write_text(
        "-- what we want to know\nSELECT COUNT(smokes); -- within 4\n\n"
        "select avg(mood)\n  where clinic = 'A'\nSELECT MEDIAN(mood) -- within 30%\n"
    )
    found = run_json("budget", "survey.toml", "--batch", "q.sql", "--within", "1")
    assert [one["within"] for one in found["questions"]] == [
        [{"amount": 4.0, "in_rows": False, "rests_on": None}],
        [{"amount": 1.0, "in_rows": False, "rests_on": "if 13 rows have a value"}],
        [{"amount": 12.0, "in_rows": True, "rests_on": None}],
    ]


def test_a_budget_that_is_too_small_says_what_would_do(run, survey):
    done = run("budget", "survey.toml", *["SELECT COUNT(smokes)"] * 9, "--within", "1")
    told = " ".join(done.stdout.split())
    assert 'The budget of 3 is too small: set total = "' in told


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["SELECT COUNT(smokes)", "--within", "0"], "must be more than 0"),
        (["SELECT COUNT(smokes)", "--within", "1", "--within", "2"], "once for each question"),
        (["SELECT MODE(clinic)", "--within", "2"], "as a share such as --within 5%"),
        (["SELECT AVG(mood) WHERE smokes", "--within", "0.000001"], "allow a larger error"),
        (
            ["SELECT COUNT(smokes)", "SELECT AVG(mood) WHERE smokes", "--within", "0.001"],
            "question 2, 'SELECT AVG(mood) WHERE smokes': no ε up to 20",
        ),
        (["SELECT COUNT(smokes)", "SELECT AVG(no)"], "question 2, 'SELECT AVG(no)': there is no"),
        (["SELECT nothing"], "SELECT"),
        (["--batch", "none.sql"], "cannot read the questions 'none.sql'"),
        (["--batch", "rows.csv"], "cannot be read here"),
        (["--batch", "empty.sql"], "there is no question in 'empty.sql'"),
        (["SELECT COUNT(smokes)", "--confidence", "2"], "confidence"),
    ],
)
def test_what_cannot_be_priced_is_one_line(run, survey, words, says):
    (survey / "empty.sql").write_text("-- nothing yet\n")
    done = run("budget", "survey.toml", *words)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr
    assert "\ue000" not in done.stderr


def test_one_impossible_question_leaves_the_others_their_prices(run, survey):
    """All are named where they stand; what can be asked has its ε."""
    (survey / "q.sql").write_text("SELECT COUNT(smokes)\nSELECT AVG(no)\nSELECT MEDIAN(mood)\n")
    done = run("budget", "survey.toml", "--batch", "q.sql", "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 2
    assert [one["question"].split("(")[0] for one in found["questions"]] == [
        "SELECT COUNT",
        "SELECT MEDIAN",
    ]
    (why,) = found["refused"]
    assert why.startswith("'q.sql', line 2: there is no")
    done = run("budget", "survey.toml", "--batch", "q.sql")
    assert done.stderr == f"error: {why}\n"
    assert why not in " ".join(done.stdout.split())
    more = ("SELECT AVG(none)", "SELECT COUNT(smokes)")
    done = run("budget", "survey.toml", "--batch", "q.sql", *more)
    told = " ".join(done.stdout.split())
    assert "Not priced: question 1, 'SELECT AVG(none)'" in told
    assert why in told
    assert done.stderr.startswith("error: 2 questions of 5 cannot be priced")


def test_a_draft_says_what_its_budget_buys(run, survey):
    done = run("init", "rows.csv")
    assert "buys about" in done.stdout
    lines = (survey / "rows.toml").read_text().splitlines()
    (place,) = [place for place, line in enumerate(lines) if "buys about" in line]
    assert lines[place].startswith("# ε = 3 buys about")
    accuracy = lines[place].rpartition("±")[2].removesuffix(":")
    told = json.loads(run("budget", "rows.toml", "--within", accuracy, "--json").stdout)
    assert f"about {told['buys']} question" in lines[place]
    for one in told["questions"]:
        assert f"#   {one['question']} for ε = {one['epsilon']}" in lines


def test_what_was_spent_is_not_there_to_be_spent(run, survey):
    """Before a ledger is begun all of it is left; after an answer, the rest."""
    asked = ("budget", "survey.toml", "SELECT COUNT(*) WHERE mood > 2", "--json")
    before = json.loads(run(*asked).stdout)
    assert (before["left"], before["left_buys"]) == (before["total"], before["buys"])
    run("ask", "survey.toml", "SELECT COUNT(*) WHERE mood > 2", "--epsilon", "2.9", "--yes")
    after = json.loads(run(*asked).stdout)
    assert (after["left"], after["total"]) == ("0.1", before["total"])
    assert after["left_buys"] < before["left_buys"] == after["buys"]
    assert "ε = 0.1 of it is left: " in run(*asked[:-1]).stdout
