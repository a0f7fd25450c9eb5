"""Several questions planned as one from Python: the same split, each asked by its own plan."""

import pytest

from discreet.curator import open_dataset
from discreet.errors import BudgetError, GoalError, IdTaken, OverBudget, QuestionError
from discreet.text import Amount
from small_survey import dataset_text

SQL = ["SELECT COUNT(smokes)", "SELECT AVG(mood) WHERE clinic = 'A'"]


@pytest.fixture
def survey(tmp_path):
    rows = [f"{1 + n % 5},{10 + n % 5 / 2},{'AB'[n % 2]},{n % 3 == 0}" for n in range(30)]
    (tmp_path / "rows.csv").write_text("mood,weight,clinic,smokes\n" + "\n".join(rows) + "\n")
    (tmp_path / "survey.toml").write_text(dataset_text(total="3"))
    with open_dataset(tmp_path / "survey.toml") as opened:
        yield opened


def billionths(made):
    return [one.cost.total for one in made.plans]


def test_a_total_is_shared_by_importance(survey):
    made = survey.plan_batch(SQL, total=1, importance=[4, 1])
    assert billionths(made) == [667_000_000, 333_000_000]
    assert made.total == 1
    alone = survey.sql(SQL[0]).plan(epsilon="0.667")
    assert made.plans[0].digest == alone.digest


def test_questions_may_be_made_by_methods(survey):
    made = survey.plan_batch([survey.count("smokes"), SQL[1]], total=1)
    assert [one.digest for one in made.plans] == [
        one.digest for one in survey.plan_batch(SQL, total=1).plans
    ]


def test_arithmetic_of_answers_is_planned_as_by_itself(survey):
    """Both counts hold at once at the confidence, as they do for one question."""
    sql = "SELECT COUNT(smokes) - COUNT(mood > 2) AS more"
    made = survey.plan_batch([sql], total=1)
    assert made.plans[0].digest == survey.sql(sql).plan(epsilon=1).digest
    assert len(made.ask()[0].results) == 1


def test_an_accuracy_for_all_or_for_each(survey):
    every = survey.plan_batch(SQL, within="30%")
    some = survey.plan_batch(SQL, total=2, within=["30%", None])
    assert billionths(some)[0] == billionths(every)[0]
    assert some.total == 2
    sure = survey.plan_batch(SQL[:1], within=6)
    assert sure.plans[0].digest == survey.sql(SQL[0]).plan(within=6).digest


def test_each_is_asked_by_the_plan_that_was_shown(survey):
    made = survey.plan_batch([*SQL, "SELECT COUNT(smokes) WHERE mood > 2"], total=1)
    answers = made.ask(id="all")
    assert [one.plan for one in answers] == [one.digest for one in made.plans]
    assert [one.receipt for one in answers] == ["all-1", "all-2", "all-3"]
    assert survey.left == 2
    assert [one.results for one in made.ask(id="all")] == [one.results for one in answers]
    assert survey.left == 2


def test_a_question_that_is_there_twice_is_paid_once(survey):
    """Its error counts twice, its charge once; the second answer is read from the first."""
    made = survey.plan_batch([*SQL, SQL[0]], total=1)
    assert made.repeats == (None, None, 0)
    assert made.total == 1
    weighted = survey.plan_batch(SQL, total=1, importance=[2, 1])
    assert made.digests[:2] == weighted.digests
    answers = made.ask(id="all")
    assert survey.left == 2
    assert [one.free for one in answers] == [False, False, True]
    assert [one.receipt for one in answers] == ["all-1", "all-2", "all-3"]
    assert answers[2].value == answers[0].value
    assert str(answers[2].origin).startswith("from the answer of")
    assert [one.value for one in made.ask(id="all")] == [one.value for one in answers]
    assert survey.left == 2


@pytest.mark.parametrize("within", [["30%", None], [None, "30%"], ["30%", "40%"], ["40%", "30%"]])
def test_of_a_question_that_is_there_twice_the_more_accurate_is_asked(survey, within):
    made = survey.plan_batch([SQL[0], SQL[0]], total=1, within=within)
    (alone,) = survey.plan_batch(SQL[:1], within="30%").plans
    assert made.digests == [alone.digest] * 2
    first, second = made.ask()
    assert second.value == first.value
    assert survey.left == 3 - made.total == 3 - Amount(alone.cost.total).value


def test_an_accuracy_is_asked_as_it_was_planned(survey):
    made = survey.plan_batch(SQL[:1], within=6)
    (answer,) = made.ask()
    assert answer.plan == made.plans[0].digest
    assert survey.left == 3 - made.total


def test_what_cannot_be_ended_is_not_begun(survey):
    made = survey.plan_batch(SQL, total="3.5")
    with pytest.raises(OverBudget, match=r"would cost ε = 3\.5, but only 3 is left") as refused:
        made.ask()
    assert (refused.value.cost, refused.value.left) == (3_500_000_000, 3_000_000_000)
    assert survey.left == 3


def test_what_was_answered_is_free_in_a_batch_too(survey):
    made = survey.plan_batch(SQL, total=1)
    made.ask()
    again = survey.plan_batch(SQL, total=1)
    assert again.total == 0
    assert all(one.free for one in again.ask())
    assert survey.left == 2


def test_it_is_told_in_lines_and_as_values(survey):
    made = survey.plan_batch(SQL, total=1)
    assert str(made).splitlines()[-1] == "together ε = 1"
    told = made.to_dict()
    assert told["total"] == "1"
    assert [one["digest"] for one in told["plans"]] == [one.digest for one in made.plans]


@pytest.mark.parametrize(
    ("questions", "given", "kind", "says"),
    [
        ([], {"total": 1}, QuestionError, "no question was given"),
        ("SELECT COUNT(*)", {"total": 1}, QuestionError, "takes a list of questions"),
        ([*SQL, "SELECT NO(mood)"], {"total": 1}, QuestionError, r"question 3: 'NO\(mood\)'"),
        ([SQL[0], 5], {"total": 1}, QuestionError, "question 2: "),
        (SQL, {}, GoalError, "total is required"),
        (SQL, {"total": 0}, BudgetError, "above 0"),
        (SQL, {"total": "0.000000001"}, BudgetError, "less than a billionth of ε for each of 2"),
        (SQL, {"total": "x"}, BudgetError, "total must be a number"),
        (SQL, {"total": 1, "importance": [1]}, GoalError, "got 1 for 2 questions"),
        (SQL, {"total": 1, "importance": [1, 0]}, GoalError, "importance must be numbers from"),
        (SQL, {"total": 1, "within": [5]}, GoalError, "got 1 for 2 questions"),
        (SQL, {"total": 1, "within": [5, "x"]}, QuestionError, "question 2: within must be"),
        ([SQL[0], "SELECT MODE(clinic)"], {"within": 6}, QuestionError, r"question 2: .* a word"),
        (SQL, {"total": "0.001", "within": 6}, BudgetError, "allow larger errors"),
    ],
)
def test_a_bad_batch_is_one_line_that_says_which_question(survey, questions, given, kind, says):
    with pytest.raises(kind, match=says) as refused:
        survey.plan_batch(questions, **given)
    assert "\n" not in str(refused.value)
    assert survey.left == 3


def test_what_was_planned_from_a_release_is_told_though_the_batch_draws_a_newer_one(survey):
    """It was refused after the others were charged, and their answers were lost."""
    first = survey.sql("SELECT COUNT(*) GROUP BY clinic").ask(epsilon=1)
    asked = ["SELECT COUNT(*) GROUP BY clinic, smokes", "SELECT COUNT(*) GROUP BY clinic"]
    made = survey.plan_batch(asked, total=2)
    assert billionths(made) == [2 * 10**9, 0], "what is free takes nothing of the total"
    drawn, told = made.ask()
    assert (drawn.free, told.free) == (False, True)
    assert told.value == first.value
    newer = survey.sql(asked[1]).ask(epsilon=1)
    assert newer.origin.receipt == drawn.receipt


def test_an_id_without_room_for_all_numbers_is_refused_before_anything_is_charged(survey):
    made = survey.plan_batch(["SELECT COUNT(smokes)"] * 10, total=1)
    with pytest.raises(BudgetError, match="1 to 200 printable"):
        made.ask(id="x" * 198)
    assert survey.curator.ledger.balance("").spent == 0


def test_what_costs_nothing_has_no_share_and_the_same_id_stays_free(survey):
    """The shares move when answers are stored: an id was then refused as that of other orders."""
    stored = survey.sql("SELECT COUNT(*) GROUP BY clinic").ask(epsilon=1)
    asked = ["SELECT COUNT(*) GROUP BY clinic", "SELECT COUNT(smokes)", "SELECT MEDIAN(mood)"]
    first = survey.plan_batch(asked, total="0.6").ask(id="same")
    spent = survey.curator.ledger.balance("").spent
    assert [one.epsilon for one in first] == ["0", "0.3", "0.3"]
    assert first[0].value == stored.value
    again = survey.plan_batch(asked, total="0.6").ask(id="same")
    assert [one.value for one in again] == [one.value for one in first]
    assert survey.curator.ledger.balance("").spent == spent
    with pytest.raises(IdTaken):
        survey.plan_batch([*asked[:2], "SELECT MEDIAN(weight)"], total="0.6").ask(id="same")


def test_a_note_names_its_statistic_however_it_was_asked(survey):
    told = str(survey.sum("weight", where="smokes").plan(epsilon="0.02"))
    assert "too small for SUM(weight): always answering" in told
