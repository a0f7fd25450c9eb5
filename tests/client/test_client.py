"""The client asks as the library does, pays once whatever gets lost, and speaks in its errors."""

from fractions import Fraction

import httpx
import pytest

from discreet.client import Client
from discreet.client.wire import Pause, Wire, place_of
from discreet.curator import open_dataset
from discreet.errors import (
    DatasetError,
    DiscreetError,
    EpsilonError,
    IdTaken,
    InvalidInput,
    OverBudget,
    PlanChanged,
    QuestionError,
    ServiceError,
    UnknownReceipt,
)
from discreet.questions import shown_text


def test_the_facts_are_those_of_the_file(client, survey):
    here, there = open_dataset(survey).dataset, client.dataset("survey").dataset
    assert client.datasets() == ["survey"]
    assert there.columns == here.columns
    assert (there.name, there.unit, there.relation, there.most_rows, there.size_is_public) == (
        here.name, here.unit, here.relation, here.most_rows, here.size_is_public,
    )  # fmt: skip


QUESTIONS = [
    lambda survey: survey.count(),
    lambda survey: survey.count("mood >= 4"),
    lambda survey: survey.share("clinic = 'A'", where="mood > 2"),
    lambda survey: survey.sum("weight"),
    lambda survey: survey.mean("mood"),
    lambda survey: survey.median("mood", where="clinic = 'A'"),
    lambda survey: survey.quantile("weight", "1/3"),
    lambda survey: survey.quantiles("weight", ["0.1", "1/3"]),
    lambda survey: survey.quartiles("mood", where="clinic = 'A'"),
    lambda survey: survey.deciles("mood"),
    lambda survey: survey.iqr("weight"),
    lambda survey: survey.mode("clinic"),
    lambda survey: survey.top("clinic", 2),
    lambda survey: survey.histogram("weight", "1"),
    lambda survey: survey.sql("SELECT COUNT(*) AS n, MAX(mood) GROUP BY clinic"),
    lambda survey: survey.sql("SELECT SUM(mood) / COUNT(*) AS m GROUP BY clinic ORDER BY m DESC"),
    lambda survey: survey.sql("SELECT SUM(mood) / COUNT(*) AS m GROUP BY clinic").limit(1),
]


@pytest.mark.parametrize("build", QUESTIONS)
def test_the_same_words_are_the_same_question(client, survey, build):
    assert build(client.dataset("survey")).question == build(open_dataset(survey)).question


@pytest.mark.parametrize("build", QUESTIONS[::4])
def test_what_is_answered_is_what_was_asked(client, survey, build):
    here = build(open_dataset(survey))
    answer = build(client.dataset("survey")).ask(epsilon="0.5")
    assert answer.asked == shown_text(here.question, here.curator.dataset)
    assert answer.epsilon in {"0.5", "0"}
    again = client.answer("survey", answer.receipt)
    assert again.results == answer.results
    assert (again.free, again.confidence) == (True, Fraction(19, 20))


def test_exact_values_and_intervals_come_over_whole(client, survey):
    answer = client.dataset("survey").quantile("weight", "0.3").ask(epsilon=1, id="a")
    with open_dataset(survey, analyst="ana") as here:
        stored = here.curator.stored("ana:a")
    assert stored.results == answer.results


@pytest.mark.parametrize("wish", [{"prior": "uniform"}, {"mechanism": "by rank"}, {}])
def test_what_is_stated_comes_over_and_nothing_else(client, survey, wish):
    """A stated prior, a named mechanism; without a word the safe rule chooses, there as here."""
    there = client.dataset("survey").median("mood").plan(epsilon=1, **wish)
    here = open_dataset(survey).median("mood").plan(epsilon=1, **wish)
    assert (there.digest, there.to_dict()["wishes"]) == (here.digest, here.wishes.to_dict())


def test_a_mechanism_that_does_not_apply_is_named_with_those_that_do(client):
    with pytest.raises(DiscreetError, match=r"'by frequency' does not apply to MEDIAN.* by rank"):
        client.dataset("survey").median("mood").plan(epsilon=1, mechanism="by frequency")


def test_plans_are_free_and_the_same(client, survey):
    there = client.dataset("survey")
    plan = there.median("mood").plan(within=1, confidence="90%")
    local = open_dataset(survey).median("mood").plan(within=1, confidence="90%")
    assert plan.digest == local.digest
    assert plan.enough
    assert str(plan) == str(local)
    for shown in (plan._repr_html_(), local._repr_html_()):
        assert "★ chosen" in shown
        assert "90\N{NO-BREAK SPACE}% within" in shown
    assert there.left == 10


def test_the_plan_that_was_looked_at_is_asked_or_nothing(client):
    asked = client.dataset("survey").median("mood")
    shown, other = asked.plan(epsilon=1), asked.plan(epsilon=2)
    for plan in (other, other.digest):
        with pytest.raises(PlanChanged, match="not the one that was shown"):
            asked.ask(epsilon=1, plan=plan)
    assert client.dataset("survey").left == 10
    assert asked.ask(epsilon=1, plan=shown).plan == shown.digest


def test_what_an_interval_is_about_travels_both_ways(wire):
    with Client(*wire) as client:
        survey = client.dataset("survey")
        answer = survey.mean("mood").ask(epsilon=1, about="population")
        assert answer.results[0].about == "population"
        assert "if these rows are a random sample" in answer.bound or answer.results[0].whole_range
        bought = survey.median("mood").plan(epsilon=20, interval="every table").to_dict()
        assert bought["wishes"]["interval"] == "every-table"
        assert "an interval that holds for any data takes ε = 10 of 20" in bought["remarks"][0]


def test_what_is_lost_on_the_way_is_paid_once(wire, lossy):
    losing = lossy(3)
    with Client(*wire, transport=losing) as client:
        survey = client.dataset("survey")
        answer = survey.median("mood").ask(epsilon=1)
        assert len(losing.sent) >= 4  # one more where the plan takes longer than a moment
        assert len(set(losing.sent)) == 1
        assert survey.left == 9
        assert client.answer("survey", answer.receipt).value == answer.value


def test_nobody_there_is_one_line(wire, lossy):
    with (
        Client(*wire, transport=lossy(99), retries=2) as client,
        pytest.raises(ServiceError, match=r"no reply from http://127.0.0.1.*discreet serve"),
    ):
        client.dataset("survey").median("mood").ask(epsilon=1)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda s: s.median("mood").ask(epsilon=11), OverBudget, "ana's budget"),
        (lambda s: s.median("mood").ask(epsilon=-1), EpsilonError, "positive"),
        (lambda s: s.median("mood").ask(), QuestionError, "epsilon is required"),
        (lambda s: s.median("moody").ask(epsilon=1), DatasetError, "moody"),
        (lambda s: s.median("mood").ask(epsilon=1, unbiased=True), DiscreetError, "unbiased"),
        (
            lambda s: s.median("mood").ask(epsilon=1, id="with:colon"),
            DiscreetError,
            "Idempotency-Key|pattern",
        ),
    ],
)
def test_what_goes_wrong_is_the_librarys_error(client, ask, error, words):
    with pytest.raises(error, match=words):
        ask(client.dataset("survey"))
    assert client.dataset("survey").left == 10


def test_over_budget_tells_its_cost_and_what_is_left(client):
    with pytest.raises(OverBudget) as refused:
        client.dataset("survey").median("mood").ask(epsilon="10.000000001")
    assert (refused.value.cost, refused.value.left) == (10 * 10**9 + 1, 10 * 10**9)


def test_ids_and_receipts(client):
    survey = client.dataset("survey")
    first = survey.median("mood").ask(epsilon=1, id="mine")
    again = survey.median("mood").ask(epsilon=1, id="mine")
    assert (again.free, again.value, survey.left) == (True, first.value, 9)
    with pytest.raises(IdTaken):
        survey.max("mood").ask(epsilon=1, id="mine")
    with pytest.raises((UnknownReceipt, ServiceError)):
        client.answer("survey", "ana:none")
    with pytest.raises(ServiceError):
        client.dataset("other")
    assert [line["receipt"] for line in client.answers("survey")] == ["ana:mine"]
    assert client.ledger("survey")["budget"]["left"] == "9"
    assert client.me()["name"] == "ana"


def test_a_token_does_not_travel_in_the_open():
    with pytest.raises(InvalidInput, match="others could read the token"):
        Client("http://example.org", "dsc_secret")
    for url in ("ftp://example.org", "", "survey", 7):
        with pytest.raises(InvalidInput):
            Client(url)
    assert "dsc_secret" not in repr(Client("https://example.org", "dsc_secret"))


def test_a_wrong_token_is_refused_in_words(wire):
    with (
        Client(wire[0], "dsc_wrong") as client,
        pytest.raises(ServiceError, match="a valid token is required"),
    ):
        client.datasets()


ODD = [True, -1, 2.5, 10**5000, float("nan"), b"x", "\0", "\ud800", [], {"a": 1}, object()]


@pytest.mark.parametrize(
    "call",
    [
        lambda client, odd: client.dataset(odd),
        lambda client, odd: client.answer(odd, "ana:x"),
        lambda client, odd: client.answer("survey", odd),
        lambda client, odd: client.answers(odd),
        lambda client, odd: client.ledger(odd),
        lambda client, odd: client.dataset("survey").median(odd),
        lambda client, odd: client.dataset("survey").top("clinic", odd),
        lambda client, odd: client.dataset("survey").count(where=odd),
        lambda client, odd: client.dataset("survey").count().ask(epsilon=1, id=odd),
        lambda client, odd: client.dataset("survey").count().ask(epsilon=1, unbiased=[odd]),
        lambda client, odd: client.dataset("survey").curator.ask(odd),
        lambda client, odd: Client(odd),
        lambda client, odd: Client(token=odd),
        lambda client, odd: Client(timeout=[odd]),
        lambda client, odd: Client(retries=[odd]),
        lambda client, odd: Client(allow_http=[odd]),
    ],
)
def test_what_is_odd_is_refused_before_it_is_sent(client, call):
    for odd in ODD:
        with pytest.raises(InvalidInput) as refused:
            call(client, odd)
        assert "\n" not in str(refused.value)
    assert client.dataset("survey").left == 10


@pytest.mark.parametrize("key", ["", " ", " x", "x ", "a:b", "é", "k" * 101, None])
def test_an_id_travels_in_a_header(client, key):
    counted = client.dataset("survey").count("mood = 1")
    if key is None:
        assert counted.ask(epsilon=1, id="k" * 100).receipt == "ana:" + "k" * 100
        return
    with pytest.raises(InvalidInput, match="Idempotency-Key"):
        counted.ask(epsilon=1, id=key)


@pytest.mark.parametrize(("name", "given"), [("timeout", 0), ("timeout", 1e9), ("retries", -1)])
def test_waiting_has_bounds(name, given):
    with pytest.raises(InvalidInput, match=f"{name} must be .*, got"):
        Client(**{name: given})


def test_what_a_client_does_not_take_is_pythons_own_error(client):
    with pytest.raises(TypeError, match="'foo'"):
        Client(foo=3)
    with pytest.raises(TypeError, match="'foo'"):
        client.dataset("survey").median("mood").ask(epsilon=1, foo=3)


def test_a_token_is_never_repeated():
    with pytest.raises(InvalidInput) as refused:
        Client(token="sécret")
    assert "cret" not in str(refused.value)


def test_a_batch_is_planned_and_asked_there_as_here(client, survey):
    sql = ["SELECT COUNT(*) WHERE mood > 2", "SELECT AVG(weight)", "SELECT MEDIAN(mood)"]
    given = {"total": 1, "within": [None, "30%", None], "importance": [4, 1, 1]}
    there = client.dataset("survey").plan_batch(sql, **given)
    with open_dataset(survey, analyst="ben") as other:
        here = other.plan_batch(sql, **given)
    assert [one.digest for one in there.plans] == [one.digest for one in here.plans]
    assert there.orders == here.orders
    assert there.total == here.total == 1
    answers = there.ask(id="all")
    assert [one.plan for one in answers] == [one.digest for one in there.plans]
    assert client.dataset("survey").left == 9


def test_a_bad_batch_says_which_question(client):
    """Here where it cannot be read, there where it cannot be planned."""
    there = client.dataset("survey")
    with pytest.raises(QuestionError, match="question 2: there is no column"):
        there.plan_batch(["SELECT COUNT(*)", "SELECT AVG(x)"], total=1)
    with pytest.raises(DiscreetError, match=r"question 2: .* a word"):
        there.plan_batch(["SELECT COUNT(*)", "SELECT MODE(clinic)"], total=1, within=[None, 2])


def test_who_is_told_how_long_to_wait_waits_so_long():
    """And never longer than is sensible; the same call is sent again."""
    for said, seconds in (("7", 7.0), ("86400", 8.0)):
        talk = Wire("http://server", 1).get("/api/datasets")
        call = next(talk)
        assert talk.send(httpx.Response(503, headers={"Retry-After": said})) == Pause(seconds)
        assert next(talk) == call


def test_a_name_stays_one_part_of_an_address():
    assert place_of("a/../b?c") == "/api/datasets/a%2F..%2Fb%3Fc"
