"""What questions cost at a wished accuracy: the plan at that ε keeps it, and less would not do."""

from dataclasses import replace

import pytest

from discreet.errors import DesignError, GoalError, QuestionError
from discreet.exact import Epsilon
from discreet.planning import (
    Accuracy,
    Wishes,
    plan,
    price_of,
    typical_questions,
    worth_of,
)
from discreet.planning.worth import typical_worth
from discreet.questions import parse_sql
from discreet.tables import read_dataset
from small_survey import AGE, CLINIC, MOOD, SMOKES, dataset_text


@pytest.fixture
def dataset(tmp_path):
    (tmp_path / "t.toml").write_text(
        dataset_text("size = 600", columns=f"{MOOD}{AGE}{CLINIC}{SMOKES}")
    )
    return read_dataset(tmp_path / "t.toml")


def price(sql, dataset, within="5%"):
    return price_of(parse_sql(sql, dataset), dataset, Accuracy.of(within), Wishes())


@pytest.mark.parametrize(
    ("sql", "allowed"),
    [
        ("SELECT COUNT(smokes)", 30),
        ("SELECT COUNT(*) GROUP BY clinic", 30),
        ("SELECT AVG(mood)", 0.2),
        ("SELECT MEDIAN(mood)", 30),
        ("SELECT MODE(clinic)", 30),
        ("SELECT MEDIAN(mood) GROUP BY clinic", 10),
    ],
)
def test_a_plan_at_the_price_is_as_accurate_as_wished(dataset, sql, allowed):
    found = price(sql, dataset)
    (allowance,) = found.allowed
    assert float(allowance.amount) == allowed

    def off(billionths):
        made = plan(parse_sql(sql, dataset), dataset, epsilon=Epsilon(billionths), cache=None)
        figures = made.parts[0].chosen.figures
        return figures.rows_off if allowance.in_rows else figures.within

    assert off(found.cost) <= allowed
    assert off(found.cost // 2) > allowed


@pytest.mark.parametrize(
    "sql", ["COUNT(*) GROUP BY clinic", "COUNT(smokes), COUNT(*) FILTER (WHERE mood = 3)"]
)
def test_what_is_answered_together_is_priced_together(dataset, sql):
    """A price is what the cheapest plan of that accuracy costs, to two digits."""
    question = parse_sql(f"SELECT {sql}", dataset)
    (distance,) = {one.amount for one in price(f"SELECT {sql}", dataset).allowed}
    cheapest = plan(question, dataset, within=distance, cache=None).cost.total
    assert cheapest <= price(f"SELECT {sql}", dataset).cost <= 1.1 * cheapest


def test_a_distance_from_a_median_rests_on_shapes_and_one_from_a_count_on_nothing(dataset):
    """Rows may be heaped anywhere, so no distance of values holds for any data."""
    (median,) = price("SELECT MEDIAN(age)", dataset, "6").allowed
    (count,) = price("SELECT COUNT(smokes)", dataset, "6").allowed
    (rows,) = price("SELECT MEDIAN(age)", dataset, "5%").allowed
    assert (median.text, count.text, rows.text) == ("± 6 on public shapes", "± 6", "± 30 rows")


def test_a_mean_of_unknown_rows_is_priced_for_as_many_as_declared(dataset):
    of_all = price("SELECT AVG(mood)", dataset).cost
    private = price("SELECT AVG(mood)", replace(dataset, size_is_public=False)).cost
    assert of_all < private < 4 * of_all
    assert private < price("SELECT AVG(mood) WHERE smokes", dataset).cost


def test_what_is_public_costs_nothing(dataset):
    assert price("SELECT COUNT(*)", dataset).cost == 0
    assert worth_of([], dataset, []).times is None


def test_statistics_of_one_question_share_evenly(dataset):
    one, two = (price(f"SELECT AVG(mood){more}", dataset) for more in ("", ", COUNT(smokes)"))
    dear = max(one.cost, price("SELECT COUNT(smokes)", dataset).cost)
    assert two.cost == 2 * dear
    assert len(two.allowed) == 2


def test_the_budget_is_divided_by_what_is_needed(dataset):
    questions = [parse_sql(sql, dataset) for sql in ("SELECT AVG(mood)", "SELECT COUNT(smokes)")]
    worth = worth_of(questions, dataset, [Accuracy.of("5%"), Accuracy.of("20")])
    assert worth.needed == sum(one.cost for one in worth.prices)
    assert worth.total == dataset.budget.total.billionths
    assert worth.times == worth.total // worth.needed
    assert 2 * worth.times <= worth.questions <= 2 * worth.times + 1


@pytest.mark.parametrize("given", ["0", "-1", "0%", "101%", "x", "%", "nan", ""])
def test_an_accuracy_that_makes_no_sense_is_refused_in_one_line(given):
    with pytest.raises(GoalError) as refused:
        Accuracy.of(given)
    assert "\n" not in str(refused.value)


def test_what_cannot_be_had_says_what_would_do(dataset):
    with pytest.raises(DesignError, match=r"within 0.00001 .*allow a larger error"):
        price("SELECT AVG(age) WHERE mood = 3", dataset, "0.00001")
    with pytest.raises(QuestionError, match="as a share such as"):
        price("SELECT MODE(clinic)", dataset, "3")


def test_a_refusal_says_on_what_shapes_it_rests_and_what_may_be_enough(dataset):
    """A correlation that no ε brings near on hard shapes may be near at a small one."""
    hard = "on public shapes of tables, hard ones among them; other rows may need much less: ask"
    with pytest.raises(
        DesignError, match=rf"up to 20 .* {hard} with a smaller .*; or allow a larg"
    ):
        price("SELECT CORR(age, mood)", dataset, "1%")
    question = parse_sql("SELECT CORR(age, mood)", dataset)
    with pytest.raises(DesignError, match=rf"up to 99.9 .* {hard}"):
        plan(question, dataset, within="0.01")
    with pytest.raises(DesignError, match="whatever the rows are; allow a larger"):
        plan(parse_sql("SELECT SUM(age)", dataset), dataset, within="1e-9")


def test_a_price_that_rests_on_hard_shapes_says_so(dataset):
    def rests(sql, **given):
        made = plan(parse_sql(sql, dataset), dataset, **given)
        return any("this price" in one for one in made.remarks)

    assert rests("SELECT AVG(age) WHERE clinic = 'A'", within=2)
    assert not rests("SELECT AVG(age) WHERE clinic = 'A'", epsilon=1)
    assert not rests("SELECT AVG(mood)", within="0.1")
    assert not rests("SELECT MEDIAN(age)", within=2)


def test_the_questions_that_come_to_mind_can_be_asked(dataset):
    found = typical_questions(dataset)
    assert found == (
        "SELECT COUNT(smokes)",
        "SELECT COUNT(*) GROUP BY clinic",
        "SELECT AVG(mood)",
        "SELECT MEDIAN(age)",
    )
    assert worth_of([parse_sql(sql, dataset) for sql in found], dataset,
                    [Accuracy.of("5%")] * 4).questions > 2  # fmt: skip


@pytest.mark.parametrize("rows", [5, 20, 63, 600])
def test_no_draft_lists_a_question_above_its_own_budget(tmp_path, rows):
    (tmp_path / "t.toml").write_text(
        dataset_text(f"size = {rows}", "3", columns=f"{MOOD}{AGE}{CLINIC}{SMOKES}")
    )
    found = typical_worth(read_dataset(tmp_path / "t.toml"))
    if found is not None:
        worth, accuracy = found
        assert all(price.cost <= worth.total for price in worth.prices)
        assert worth.times != 0 or accuracy == "20%"
    assert rows < 60 or worth.times >= 1
