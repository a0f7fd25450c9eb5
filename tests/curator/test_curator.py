"""Charge, draw, store, release: in this order, once, and nothing for nothing."""

from fractions import Fraction

import pytest

from discreet.budget import audit
from discreet.curator import Curator, Order, open_dataset
from discreet.errors import (
    BudgetError,
    DatasetError,
    DiscreetError,
    EpsilonError,
    LedgerError,
    OverBudget,
    PlanChanged,
    QuestionError,
    UnknownReceipt,
)
from discreet.questions import parse_sql


def test_the_example_of_the_manual(survey):
    answer = survey.median("mood", where="clinic = 'A'").ask(epsilon="0.5")
    assert answer.value in {1, 2, 3, 4, 5}
    assert isinstance(answer.value, int)
    assert answer.epsilon == "0.5"
    assert (answer.spent, answer.left) == ("0.5", "29.5")
    assert answer.asked == "SELECT MEDIAN(mood) WHERE clinic = 'A'"
    assert "receipt q-" in str(answer)


def test_every_statistic_answers_in_its_units_and_its_range(survey):
    kinds = {
        survey.count(): 30,
        survey.count("smokes"): range(31),
        survey.sum("mood"): range(30, 151),
        survey.mode("clinic"): {"A", "B", "other"},
        survey.min("mood"): range(1, 6),
        survey.max("mood", where="clinic = 'B'"): range(1, 6),
        survey.mode("mood"): range(1, 6),
    }
    for inquiry, allowed in kinds.items():
        value = inquiry.ask(epsilon=1).value
        assert value == allowed if isinstance(allowed, int) else value in allowed, str(inquiry)
    grid = [Fraction(10) + Fraction(step, 2) for step in range(5)]
    assert survey.quantile("weight", "0.9").ask(epsilon=1).value in grid
    assert 10 <= survey.mean("weight", where="smokes").ask(epsilon=1).value <= 12
    assert 0 <= survey.share("mood >= 4").ask(epsilon=1).value <= 1
    top = survey.top("clinic", 2).ask(epsilon=1).value
    assert len(top) == 2
    assert {word for word, _ in top} <= {"A", "B", "other"}


def test_groups_are_all_there_and_several_statistics_share_one_charge(survey):
    answer = survey.histogram("clinic").ask(epsilon=1)
    assert list(answer.value) == ["A", "B", "other"]
    answer = survey.sql("SELECT COUNT(*) AS n, MAX(mood) GROUP BY BIN(weight, 1)").ask(epsilon=2)
    assert [(r.group, r.label) for r in answer.results] == [
        (group, label)
        for group in ("10 to 10.5", "11 to 11.5", "12")
        for label in ("n", "MAX(mood)")
    ]
    charges = [e for e in survey.curator.ledger.entries() if e.kind == "charge"]
    assert len(charges) == 2
    assert Fraction(charges[-1].billionths, 10**9) <= 2


@pytest.mark.parametrize(
    ("sql", "truth"),
    [
        ("SELECT COUNT(smokes)", 20),
        ("SELECT COUNT(*) WHERE clinic = 'A' AND mood > 1", 12),
        ("SELECT MEDIAN(mood)", 3),
        ("SELECT SUM(mood)", 90),
        ("SELECT MAX(mood) WHERE mood < 4", 3),
        ("SELECT MODE(smokes)", "true"),
        ("SELECT AVG(weight)", 11),
        ("SELECT SHARE(smokes)", Fraction(2, 3)),
        ("SELECT TOP(smokes, 1)", (("true", 20),)),
        ("SELECT COUNT(*) GROUP BY mood", {str(mood): 6 for mood in range(1, 6)}),
        ("SELECT MIN(mood) GROUP BY BIN(weight, 1)", {"10 to 10.5": 1, "11 to 11.5": 1, "12": 1}),
    ],
)
def test_at_a_huge_epsilon_the_truth_is_told(make, sql, truth):
    """The chance of any other answer is below 1e-9 at this ε."""
    with open_dataset(make(total="100")) as survey:
        assert survey.sql(sql).ask(epsilon=100).value == truth


def test_the_same_id_is_free_and_tells_the_same(survey):
    inquiry = survey.sum("mood")
    first = inquiry.ask(epsilon="0.3", id="moods")
    for _ in range(5):
        again = inquiry.ask(epsilon="0.3", id="moods")
        assert (again.value, again.free, again.spent) == (first.value, True, "0.3")
    other = survey.sql("select sum( MOOD ) from data")
    assert other.ask(epsilon="0.3", id="moods").results[0].value == first.value


def test_the_same_id_for_anything_else_is_refused(survey, make):
    survey.sum("mood").ask(epsilon="0.3", id="moods")
    for other in (
        lambda: survey.sum("weight").ask(epsilon="0.3", id="moods"),
        lambda: survey.sum("mood").ask(epsilon="0.4", id="moods"),
        lambda: survey.sum("mood").ask(epsilon="0.3", id="moods", worst_case=True),
    ):
        with pytest.raises(BudgetError, match="choose a new id"):
            other()
    with (
        open_dataset(survey.curator.path, analyst="bob") as bobs,
        pytest.raises(BudgetError, match="choose a new id"),
    ):
        bobs.sum("mood").ask(epsilon="0.3", id="moods")
    assert survey.curator.ledger.balance().spent == 300_000_000


def test_a_stored_answer_needs_neither_rows_nor_a_plan(make, monkeypatch):
    file = make()
    with open_dataset(file) as survey:
        first = survey.max("mood").ask(epsilon=1, id="a")
    (file.parent / "rows.csv").unlink()
    monkeypatch.setattr("discreet.planning.plan", None)
    with open_dataset(file) as survey:
        assert survey.max("mood").ask(epsilon=1, id="a").value == first.value


def test_an_answer_that_could_not_be_stored_is_paid_for_and_not_drawn_again(survey, monkeypatch):
    def no_room(*_):
        raise OSError

    with monkeypatch.context() as broken:
        broken.setattr("discreet.curator.prepared.Prepared.draw", no_room)
        with pytest.raises(LedgerError, match="the charge stands"):
            survey.max("mood").ask(epsilon=1, id="a")
    assert survey.curator.ledger.balance().spent == 10**9
    with pytest.raises(LedgerError, match="under a new id"):
        survey.max("mood").ask(epsilon=1, id="a")
    assert survey.max("mood").ask(epsilon=1, id="b").value in range(1, 6)
    assert audit(survey.curator.ledger.entries()).clean


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda survey: survey.median("mood").ask(epsilon=31), OverBudget),
        (lambda survey: survey.median("mood").ask(epsilon=-1), EpsilonError),
        (lambda survey: survey.median("mood").ask(), QuestionError),
        (lambda survey: survey.median("mood").ask(epsilon=1, within=1), QuestionError),
        (lambda survey: survey.median("mood").ask(epsilon=1, prior=[1.0]), DiscreetError),
        (lambda survey: survey.median("clinic").ask(epsilon=1), QuestionError),
        (lambda survey: survey.median("moody").ask(epsilon=1), DatasetError),
        (lambda survey: survey.mean("mood", where="mood > error()").ask(epsilon=1), QuestionError),
        (lambda survey: survey.median("mood").ask(epsilon=1, unbiased=True), DiscreetError),
        (lambda survey: survey.median("mood").ask(epsilon=1, id=""), BudgetError),
        (lambda survey: survey.median("mood").ask(epsilon=1, id="\n"), BudgetError),
        (lambda survey: survey.histogram("mood", "0.3").ask(epsilon=1), QuestionError),
        (lambda survey: survey.histogram("clinic", 2).ask(epsilon=1), QuestionError),
        (lambda survey: survey.top("clinic", 9).ask(epsilon=1), QuestionError),
    ],
)
def test_what_cannot_be_answered_costs_nothing(survey, spoil, error):
    with pytest.raises(error) as refused:
        spoil(survey)
    assert "\n" not in str(refused.value)
    assert survey.curator.ledger.balance().spent == 0


def test_an_analyst_has_a_share_of_the_whole(make):
    with open_dataset(make(), analyst="ana") as survey:
        assert survey.left == 1
        with pytest.raises(OverBudget, match="ana's budget has only 1 left"):
            survey.max("mood").ask(epsilon="1.1")
        assert survey.max("mood").ask(epsilon="1").left == "0"


def test_a_draft_answers_nothing_and_makes_no_ledger(make):
    file = make()
    file.write_text(file.read_text().replace("confirmed = true", "confirmed = false"))
    with open_dataset(file) as survey:
        survey.max("mood").plan(epsilon=1)
        with pytest.raises(DatasetError, match="is a draft"):
            survey.max("mood").ask(epsilon=1)
    assert not list(file.parent.glob("*.ledger*"))


def test_a_source_that_is_gone_costs_nothing(make):
    file = make()
    (file.parent / "rows.csv").unlink()
    with open_dataset(file) as survey:
        with pytest.raises(DatasetError, match="there is no file"):
            survey.max("mood").ask(epsilon=1)
        assert survey.curator.ledger.balance().spent == 0


def test_a_budget_raised_in_the_file_does_nothing_by_itself(make):
    with open_dataset(make(total="1")) as survey:
        survey.max("mood").ask(epsilon=1)
    with open_dataset(make(total="5")) as survey, pytest.raises(OverBudget):
        survey.max("mood").ask(epsilon=1, fresh=True)


def test_a_deleted_ledger_with_its_anchor_left_is_not_begun_anew(make):
    file = make()
    with open_dataset(file) as survey:
        survey.max("mood").ask(epsilon=1)
    for path in file.parent.glob("survey.ledger*"):
        if not path.name.endswith(".head"):
            path.unlink()
    for _ in range(2):
        with open_dataset(file) as survey, pytest.raises(LedgerError, match="older or another"):
            survey.max("mood").ask(epsilon=1)


def test_what_the_ledger_says_was_asked_is_public(survey):
    survey.median("mood", where="clinic = 'A'").ask(epsilon="0.5", id="a")
    charge = survey.curator.ledger.charged("a")
    assert charge is not None
    facts = charge.facts()
    assert facts["asked"] == "SELECT MEDIAN(mood) WHERE clinic = 'A'"
    assert set(facts) == {
        "cost", "question", "asked", "request", "plan", "epsilon", "mechanisms",
    }  # fmt: skip
    plan = survey.median("mood", where="clinic = 'A'").plan(epsilon="0.5", fresh=True)
    assert facts["plan"] == plan.digest


def test_within_finds_what_it_costs(survey):
    answer = survey.count("smokes").ask(within=3)
    assert 0 < Fraction(answer.epsilon) < 2
    low, high = answer.interval
    assert high - low <= 6


def test_two_curators_share_one_ledger(make):
    file = make()
    question = parse_sql("SELECT MAX(mood)", Curator(file).dataset)
    with Curator(file) as first, Curator(file) as second:
        one = first.ask(Order.of(question, epsilon=1), question_id="x")
        two = second.ask(Order.of(question, epsilon=1), question_id="x")
        assert one.value == two.value
        assert second.ledger.balance().spent == 10**9


def test_what_an_analyst_writes_cannot_talk_to_a_terminal(survey, make):
    told = survey.sql('SELECT COUNT(smokes) AS "\x1b[31mred"').ask(epsilon=1)
    assert told.results[0].label == " [31mred"
    with pytest.raises(BudgetError, match="printable name"):
        open_dataset(survey.curator.path, analyst="\x1b[2J")


def test_one_curator_serves_many_analysts_each_from_their_own_account(survey):
    curator = survey.curator
    order = Order.of(curator.question("SELECT MEDIAN(mood)"), epsilon="0.5")
    one = curator.ask(order, question_id="one", analyst="ana")
    two = curator.ask(order, question_id="two", analyst="bob")
    assert not one.free
    assert not two.free
    balances = curator.ledger.balances()
    assert balances["ana"].spent == balances["bob"].spent == 5 * 10**8
    with pytest.raises(BudgetError, match="another question"):
        curator.ask(order, question_id="one", analyst="bob")


def test_a_stored_answer_is_found_by_its_receipt_and_by_its_owner_alone(survey):
    curator = survey.curator
    order = Order.of(curator.question("SELECT AVG(weight), MODE(clinic)"), epsilon="0.5")
    given = curator.ask(order, question_id="one", analyst="ana")
    for found in (curator.stored("one", "ana"), curator.stored("one")):
        assert found.results == given.results
        assert (found.asked, found.epsilon, found.free) == (given.asked, "0.5", True)
    for receipt, analyst in (("one", "bob"), ("two", "ana"), ("two", None)):
        with pytest.raises(UnknownReceipt, match="there is no answer with the receipt"):
            curator.stored(receipt, analyst)


def test_asking_without_waiting_is_the_same(survey):
    curator = survey.curator
    order = Order.of(curator.question("SELECT MEDIAN(mood)"), epsilon="0.01", fresh=True)
    assert curator.asked_at_once(order) is None
    curator.plan(order)
    assert curator.asked_at_once(order) is None
    curator.ask(order, analyst="ana")
    waiting = [curator.asked_at_once(order, question_id=f"k{n}", analyst="ana") for n in range(20)]
    answers = [future.result() for future in waiting]
    assert [answer.receipt for answer in answers] == [f"k{n}" for n in range(20)]
    assert [answer.spent for answer in answers][-1] == "0.21"
    assert curator.stored("k7", "ana").value == answers[7].value


def test_intervals_and_errors_are_told_by_group_as_values_are(survey):
    answer = survey.histogram("clinic").ask(epsilon="1")
    assert answer.value.keys() == answer.interval.keys() == answer.expected_error.keys()
    assert all(low <= answer.value[name] <= high for name, (low, high) in answer.interval.items())
    single = survey.mean("mood").ask(epsilon="1")
    assert single.interval[0] <= single.value <= single.interval[1]


def test_a_closed_dataset_answers_nothing(make):
    opened = open_dataset(make())
    opened.mean("mood").ask(epsilon="1")
    opened.close()
    with pytest.raises(DatasetError, match="was closed"):
        opened.mean("mood").ask(epsilon="1")
    with pytest.raises(DatasetError, match="given by its name"):
        opened.mean(3)


def test_nobody_is_called_as_the_whole_budget_is(survey):
    with pytest.raises(BudgetError, match="cannot be called total"):
        survey.curator.ask(
            Order.of(survey.curator.question("SELECT MEDIAN(mood)"), epsilon="1"), analyst="Total"
        )
    assert survey.curator.ledger.balance().spent == 0


def test_what_was_shown_is_what_is_asked(survey, monkeypatch):
    """The plan that was shown is used as it is: nothing is planned a second time."""
    curator = survey.curator
    order = Order.of(curator.question("SELECT MEDIAN(mood)"), epsilon="0.5")
    shown = curator.plan(order)
    curator._ready.clear()
    monkeypatch.setattr("discreet.planning.plan", None)
    for plan in (shown, shown.digest):
        assert curator.ask(order, plan=plan).plan == shown.digest


def test_a_plan_of_something_else_is_refused_and_costs_nothing(survey):
    curator = survey.curator
    order = Order.of(curator.question("SELECT MEDIAN(mood)"), epsilon="0.5")
    others = [
        Order.of(curator.question("SELECT MAX(mood)"), epsilon="0.5"),
        Order.of(order.question, epsilon="0.6"),
        Order.of(order.question, epsilon="0.5", worst_case=True),
    ]
    for other in others:
        with pytest.raises(QuestionError, match="plan of another order"):
            curator.ask(order, plan=curator.plan(other))
        with pytest.raises(PlanChanged, match="not the one that was shown"):
            curator.ask(order, plan=curator.plan(other).digest)
        assert curator.asked_at_once(order, plan=curator.plan(other).digest) is None
    assert curator.ledger.balance().spent == 0


def test_a_clamped_mean_says_what_large_values_count_as(survey):
    answer = survey.mean("weight").ask(epsilon=5, clamp=True, id="clamped")
    (told,) = answer.to_dict()["results"]
    at = told["clamped_at"]
    assert at is None or f"count as {float(Fraction(at)):g}" in str(answer)
    again = survey.curator.stored("clamped")
    assert again.results == answer.results
