"""discreet plan --batch: a total split over questions, or the least total for their accuracies."""

import pytest

from discreet.budget import Ledger

QUESTIONS = """-- what the report needs
SELECT COUNT(smokes); -- importance 4
SELECT AVG(mood)
  WHERE clinic = 'A'; -- importance 1
"""


@pytest.fixture
def batch(survey):
    (survey / "q.sql").write_text(QUESTIONS)
    return survey / "q.sql"


def billionths(found):
    return [one["billionths"] for one in found["plans"]]


def test_a_total_is_shared_by_importance_and_nothing_is_left(run_json, batch):
    found = run_json("plan", "survey.toml", "--batch", "q.sql", "--total", "1")
    assert found["total"] == "1"
    assert billionths(found) == [667_000_000, 333_000_000]
    assert found["plans"][1]["asked"] == "SELECT AVG(mood) WHERE clinic = 'A'"


def test_each_plan_is_that_of_the_question_by_itself(run_json, batch):
    found = run_json("plan", "survey.toml", "--batch", "q.sql", "--total", "0.9")
    for one in found["plans"]:
        alone = run_json("plan", "survey.toml", one["asked"], "--epsilon", one["epsilon"])
        assert alone["digest"] == one["digest"]


def test_accuracies_come_first_and_the_rest_is_shared(run_json, batch):
    batch.write_text("SELECT COUNT(smokes) -- within 5\n" + QUESTIONS)
    found = run_json("plan", "survey.toml", "--batch", "q.sql", "--total", "2")
    sure = run_json("plan", "survey.toml", "SELECT COUNT(smokes)", "--within", "5")
    assert billionths(found)[0] == sure["billionths"]
    assert found["repeats"] == [None, 1, None]  # the second is the first again, and costs nothing
    paid = zip(billionths(found), found["repeats"], strict=True)
    assert sum(cost for cost, earlier in paid if earlier is None) == 2 * 10**9


def test_without_a_total_the_least_one_is_told(run, run_json, batch):
    found = run_json("plan", "survey.toml", "--batch", "q.sql", "--within", "20%")
    assert sum(billionths(found)) == pytest.approx(float(found["total"]) * 1e9)
    told = run("plan", "survey.toml", "--batch", "q.sql", "--within", "20%").stdout
    assert f"together {found['total']}" in " ".join(told.split())
    assert "nothing was spent" in told


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        (QUESTIONS + "SELECT NO(mood)", ["--total", "1"], "'q.sql', line 5: 'NO(mood)' cannot"),
        (QUESTIONS + "\n\nSELECT AVG(x)", ["--total", "1"], "'q.sql', line 7: there is no column"),
        (QUESTIONS, [], "--total is required, for example --total 1; or how accurate"),
        (QUESTIONS, ["--total", "x"], "--total must be a number"),
        (QUESTIONS, ["--total", "0"], "--total must be the ε of all questions together, above 0"),
        (QUESTIONS, ["--epsilon", "1"], "with --batch give --total"),
        (QUESTIONS, ["SELECT COUNT(*)", "--total", "1"], "a question or --batch FILE, not both"),
        (
            "SELECT COUNT(smokes) -- within 1",
            ["--total", "0.1"],
            "allow larger errors, or give more ε",
        ),
        (
            "SELECT AVG(mood) -- importance 0",
            ["--total", "1"],
            "'q.sql', line 1: importance must be",
        ),
        ("-- nothing", ["--total", "1"], "there is no question in 'q.sql'"),
        ("\0\xff", ["--total", "1"], "'q.sql', line 1: "),
    ],
)
def test_bad_batches_end_in_one_line(run, batch, text, words, says):
    batch.write_text(text)
    done = run("plan", "survey.toml", "--batch", "q.sql", *words)
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_byte_order_mark_is_no_part_of_a_question(run_json, batch):
    batch.write_text("\ufeff" + QUESTIONS, encoding="utf-8")
    found = run_json("plan", "survey.toml", "--batch", "q.sql", "--total", "1")
    assert len(found["plans"]) == 2


@pytest.mark.parametrize("sign", [" ", "=", ": ", " = "])
def test_what_a_comment_says_may_stand_after_a_sign(run_json, batch, sign):
    """It was once passed over where it did."""
    batch.write_text(f"SELECT COUNT(smokes) -- Importance{sign}4\nSELECT AVG(mood)")
    found = run_json("plan", "survey.toml", "--batch", "q.sql", "--total", "0.9")
    assert billionths(found) == [600_000_000, 300_000_000]


@pytest.mark.parametrize(
    ("comment", "says"),
    [
        ("-- withn 5", "unknown option 'withn', perhaps 'within' is meant"),
        ("-- epsilom = 0.1", "unknown option 'epsilom', perhaps 'epsilon' is meant"),
        ("-- weight 4", "unknown option 'weight'; options are within, epsilon, importance"),
        ("/* withn 5 */", "unknown option 'withn'"),
        ("-- within five", "'within five' cannot be read as an option; write options alone"),
        ("-- seen withn 5 days", "cannot be read as an option, perhaps 'within' is meant"),
        ("-- within 5 -- withn 4", "unknown option 'withn'"),
        ("-- within 5, within 6", "within is said twice"),
        ("\n-- within 5", "line 4: 'within 5' stands on a line of its own"),
    ],
)
def test_a_slip_in_an_option_is_refused_and_nothing_is_charged(run, survey, batch, comment, says):
    """It was once passed over, and the question took what was left of the total."""
    batch.write_text(f"-- for the report\nSELECT COUNT(smokes)\nSELECT AVG(mood) {comment}\n")
    before = charged(survey)
    done = run("ask", "survey.toml", "--batch", "q.sql", "--total", "1", "--yes")
    assert done.exit_code == 2
    assert says in done.stderr
    assert ", line 3: " in done.stderr or "line 4" in says
    assert charged(survey) == before


def test_remarks_and_what_stands_in_quotes_are_no_options(run_json, batch):
    batch.write_text(
        '-- wave 3, within the year\nSELECT COUNT(smokes) AS "-- withn 5" -- the main figure\n'
        "SELECT AVG(mood) -- importance 4 -- see note 7\n"
    )
    found = run_json("plan", "survey.toml", "--batch", "q.sql", "--total", "0.9")
    assert sum(billionths(found)) == 9 * 10**8
    assert billionths(found)[1] > billionths(found)[0]


@pytest.mark.parametrize("words", [[], ["--total", "1"]])
def test_a_question_or_a_batch_is_needed(run, survey, words):
    done = run("plan", "survey.toml", *words)
    assert done.exit_code == 2
    assert "--batch FILE" in done.stderr


def test_a_weight_for_each_question_may_be_said_beside_the_file(run, run_json, batch):
    """What a question's own comment says goes first."""
    batch.write_text("SELECT COUNT(smokes)\nSELECT AVG(mood)\nSELECT SUM(mood) -- importance 1")
    words = ("plan", "survey.toml", "--batch", "q.sql", "--total", "1", "--importance")
    assert billionths(run_json(*words, "4,1,9")) == [500_000_000, 250_000_000, 250_000_000]
    done = run(*words, "4,1")
    assert done.exit_code == 2
    assert "--importance must have one number for each of the 3 questions of 'q.sql'" in done.stderr


def charged(survey):
    with Ledger(survey / "survey.ledger") as ledger:
        return ledger.balance().spent


def test_all_questions_of_a_file_are_asked_for_their_total(run, run_json, batch, survey):
    found = run_json("ask", "survey.toml", "--batch", "q.sql", "--total", "1", "--yes")
    assert found["total"] == "1"
    assert [one["epsilon"] for one in found["answers"]] == ["0.667", "0.333"]
    assert charged(survey) == 10**9
    told = run("ask", "survey.toml", "--batch", "q.sql", "--total", "0.5", "--yes", "--id", "r")
    assert told.exit_code == 0
    assert "receipt r-1" in told.stdout
    assert "receipt r-2" in told.stdout


def test_the_same_id_again_is_free(run_json, batch, survey):
    words = ("ask", "survey.toml", "--batch", "q.sql", "--total", "1", "--yes", "--id", "r")
    first, again = run_json(*words), run_json(*words)
    values = [[one["results"] for one in found["answers"]] for found in (first, again)]
    assert values[0] == values[1]
    assert charged(survey) == 10**9


def test_what_the_budget_cannot_bear_is_not_begun(run, batch, survey):
    done = run("ask", "survey.toml", "--batch", "q.sql", "--total", "31", "--yes")
    assert done.exit_code == 3
    assert "all questions together would cost ε = 31, but only 3 is left" in done.stderr
    assert charged(survey) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--csv"], "--csv is for one question"),
        (["--out", "a.csv"], "--out is for one question"),
        (["--dry-run"], "`discreet plan --batch` shows the plans"),
        (["--epsilon", "1"], "with --batch give --total"),
        (["SELECT COUNT(*)"], "a question or --batch FILE, not both"),
    ],
)
def test_what_is_for_one_question_is_refused(run, batch, survey, words, says):
    done = run("ask", "survey.toml", *words, "--batch", "q.sql", "--total", "1", "--yes")
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert charged(survey) == 0


def test_one_bad_question_and_nothing_is_asked(run, batch, survey):
    batch.write_text(QUESTIONS + "SELECT AVG(x)")
    done = run("ask", "survey.toml", "--batch", "q.sql", "--total", "1", "--yes")
    assert done.exit_code == 2
    assert "'q.sql', line 5: there is no column" in done.stderr
    assert charged(survey) == 0
