"""Baskets: questions that are planned together are paid once, however often that is tried."""

import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from urllib.parse import quote_plus

import pytest

from discreet import Client
from discreet.curator.prepared import Prepared
from discreet.errors import BudgetError, IdTaken, OverBudget, PlanChanged, QuestionError
from discreet.requests.question_file import QuestionFile, questions_in
from discreet.web.pages.basket_form import BasketForm
from served_api import serving
from served_pages import hidden_fields, served, twin_of, write_survey

AT = "/api/datasets/survey"
FIVE = [f"SELECT COUNT(*) WHERE clinic = 'A' AND mood >= {mood}" for mood in range(1, 6)]


def _others(test, many, clinic="B"):
    """Questions that no other test has paid for: what is stored already would cost nothing."""
    return [
        f"SELECT COUNT(*) WHERE clinic = '{clinic}' AND mood <= {at} AND mood != {test}"
        for at in range(2, many + 2)
    ]


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("basket")) as running:
        yield running


def _basket(api, key, who="ana", *, questions=FIVE, total="0.5", **more):
    body = {"questions": [{"sql": sql} for sql in questions], "total": total, **more}
    return api.post(who, f"{AT}/ask-batch", body, headers={"Idempotency-Key": key})


def _spent(api, who="ana"):
    return Fraction(api.get(who, AT).json()["budget"]["own"]["spent"])


def test_a_basket_is_paid_once_however_often_and_by_however_many_it_is_sent(api):
    before, charges = _spent(api), len(api.charges())
    with ThreadPoolExecutor(4) as many:
        replies = list(many.map(lambda _: _basket(api, "once"), range(4)))
    assert {reply.status_code for reply in replies} == {200}
    told = [
        [(one["receipt"], one["results"]) for one in reply.json()["answers"]] for reply in replies
    ]
    assert all(one == told[0] for one in told), "everybody is told the same answers"
    assert [receipt for receipt, _ in told[0]] == [f"ana:once-{place}" for place in range(1, 6)]
    assert len(api.charges()) == charges + 5
    assert _spent(api) == before + Fraction(1, 2)


def test_a_basket_that_costs_more_than_is_left_charges_nothing(api):
    before = len(api.charges())
    reply = _basket(api, "dear", "ben", total="1.5")
    assert reply.status_code == 403
    assert reply.json()["cost"] == "1.5"
    assert "all questions together" in reply.json()["detail"]
    assert len(api.charges()) == before


def test_a_basket_whose_plans_are_not_those_that_were_shown_charges_nothing(api):
    two = _others(1, 2)
    body = {"questions": [{"sql": sql} for sql in two], "total": "0.01"}
    shown = [one["digest"] for one in api.post("ana", f"{AT}/plan-batch", body).json()["plans"]]
    before = len(api.charges())
    other = _basket(api, "other", questions=two, total="0.02", plans=shown)
    assert other.status_code == 409
    assert _basket(api, "short", questions=two, total="0.01", plans=shown[:1]).status_code == 422
    assert len(api.charges()) == before
    same = _basket(api, "same", questions=two, total="0.01", plans=shown)
    assert same.status_code == 200
    again = _basket(api, "same", questions=two, total="0.01", plans=shown)
    assert again.json() == {**same.json(), "answers": again.json()["answers"]}
    assert len(api.charges()) == before + 2


def test_a_question_that_is_in_a_basket_twice_is_paid_once(api):
    (one,) = _others(9, 1)
    body = {
        "questions": [{"sql": one}, {"sql": one.lower().replace("'b'", "'B'")}],
        "total": "0.01",
    }
    planned = api.post("ana", f"{AT}/plan-batch", body).json()
    assert (planned["total"], planned["repeats"]) == ("0.01", [None, 1])
    before, shown = _spent(api), [each["digest"] for each in planned["plans"]]
    for _ in range(2):
        told = _basket(api, "twice", questions=[one, one], total="0.01", plans=shown).json()
        first, second = told["answers"]
        assert [each["value"] for each in first["results"]] == [
            each["value"] for each in second["results"]
        ]
        assert second["free"]
        assert second["from"]["receipt"] == first["receipt"] == "ana:twice-1"
    assert _spent(api) == before + Fraction(1, 100)


def test_a_key_is_of_one_basket(api):
    one, other = _others(2, 2)
    assert _basket(api, "mine", questions=[one], total="0.01").status_code == 200
    reply = _basket(api, "mine", questions=[other], total="0.01")
    assert reply.status_code == 409
    assert reply.json()["type"].endswith(IdTaken.word)


def test_what_was_left_of_a_basket_is_paid_when_it_is_sent_again(api):
    """A server that ended in the middle: the first question is answered, the others are not."""
    three = _others(3, 3)
    body = {"questions": [{"sql": sql} for sql in three], "total": "0.03"}
    first = api.post("ana", f"{AT}/plan-batch", body).json()["orders"][0]
    asked = api.ask("ana", {"sql": three[0], "epsilon": first["epsilon"]}, key="torn-1").json()
    before = len(api.charges())
    told = _basket(api, "torn", questions=three, total="0.03").json()["answers"]
    assert told[0]["results"] == asked["results"]
    assert len(api.charges()) == before + 2


def test_a_basket_whose_draw_fails_halfway_tells_none_of_its_answers(api, monkeypatch):
    """What failed may depend on rows, so the charges stay; the page does not say otherwise."""
    three = _others(1, 3, "A")
    begun, draws, honest = len(api.charges()), [], Prepared.draw

    def failing(prepared, waiting):
        draws.append(prepared)
        return 1 / 0 if len(draws) == 2 else honest(prepared, waiting)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Prepared, "draw", failing)
        assert _basket(api, "halfway", questions=three, total="0.03").status_code == 500
    assert len(api.charges()) == begun + 3
    again = _basket(api, "halfway", questions=three, total="0.03")
    assert "its answer was lost; ask under a new id" in again.json()["detail"]
    assert len(api.charges()) == begun + 3


def test_baskets_that_race_for_the_rest_of_a_budget_are_paid_whole_or_not_at_all(api):
    """Ben has 1, and each of four baskets costs 0.4: none has a question that another answers."""
    sent = {
        f"race{n}": [
            f"SELECT COUNT(*) WHERE mood IN (1, {n}){more}"
            for more in ("", " AND clinic = 'A'", " AND clinic = 'B'")
        ]
        for n in range(2, 6)
    }
    with ThreadPoolExecutor(4) as many:
        replies = list(
            many.map(lambda one: _basket(api, one[0], "ben", questions=one[1], total="0.4"),
                     sent.items())
        )  # fmt: skip
    assert {reply.status_code for reply in replies} == {200, 403}, "not all can be paid"
    paid = {key for key, reply in zip(sent, replies, strict=True) if reply.status_code == 200}
    charged = Counter(
        entry.question.removeprefix("ben:").rpartition("-")[0]
        for entry in api.charges()
        if entry.question.startswith("ben:race")
    )
    assert charged == dict.fromkeys(paid, 3)


def test_a_basket_with_an_id_of_another_question_charges_nothing(api):
    one, other, third = _others(2, 3, "A")
    api.ask("ana", {"sql": third, "epsilon": "0.01"}, key="mixed-2")
    before = len(api.charges())
    reply = _basket(api, "mixed", questions=[one, other], total="0.02")
    assert reply.json()["type"].endswith(IdTaken.word)
    assert len(api.charges()) == before


def test_python_pays_for_a_basket_under_the_same_names(api):
    two = _others(4, 2)
    base = str(api.client.base_url)
    with Client(base, api.tokens["ana"]) as client:
        plans = client.dataset("survey").plan_batch(two, total="0.02")
        answers = plans.ask(id="python")
        told = _basket(api, "python", questions=two, total="0.02").json()["answers"]
        assert [one.receipt for one in answers] == [one["receipt"] for one in told]
        with pytest.raises(OverBudget):
            client.dataset("survey").plan_batch(_others(5, 2), total="50").ask()
        with pytest.raises(PlanChanged):
            client.dataset("survey").sql(two[0]).ask(epsilon="0.01", plan="0" * 64)


# The pages, without a script.

BASKET = "/datasets/survey/basket"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(write_survey(tmp_path_factory.mktemp("pages"))) as browser:
        yield browser


def test_questions_are_added_joined_and_taken_out(client):
    add = "/datasets/survey/basket?add=1&how=sql&aim=epsilon&epsilon=1&sql="
    for sql in ("COUNT(*)", "COUNT(*)", "COUNT(smokes)"):
        client.get(f"{add}SELECT+{sql}+GROUP+BY+clinic", follow_redirects=False)
    page = client.get(f"{add}SELECT+COUNT(age>20)&aim=within&within=3")
    assert page.text.count('name="q"') == 3, "the same question is not put in twice"
    assert "Basket (3)" in client.get("/datasets/survey/ask").text
    assert client.get(BASKET).url == page.url, "the basket is where it was left"
    buttons = dict(re.findall(r'<button[^>]*name="(join|remove)" value="([^"]*)"', page.text))
    assert buttons == {"remove": "3", "join": "1,2"}
    for wish, left in (
        ("join=1,2", "COUNT(smokes = 'true') GROUP BY clinic"),
        ("remove=1", "COUNT(age>20)"),
    ):
        seen = client.get(f"{page.url}&{wish}", follow_redirects=False).headers["location"]
        assert seen.count("q=") == 2
        assert quote_plus(left) in seen


def test_what_matters_more_gets_more_and_the_split_adds_up_to_the_total(client):
    query = "q=SELECT+COUNT(smokes)&w=&i=5&q=SELECT+COUNT(age>20)&w=&i=1&total=0.6"
    page = client.get(f"{BASKET}?{query}").text
    costs = [float(one) for one in re.findall(r'data-cost="([^"]*)"', page)]
    assert costs[0] > costs[1]
    assert sum(costs) == pytest.approx(0.6)
    told = client.get(twin_of(page)).json()
    assert [float(one["epsilon"]) for one in told["plans"]] == costs
    assert told["total"] == "0.6"


def test_a_basket_is_paid_once_from_its_page_and_its_answers_are_shown(client):
    query = (
        "q=SELECT+COUNT(smokes)&q=SELECT+COUNT(age=30)&q=SELECT+COUNT(*)+GROUP+BY+clinic&total=0.6"
    )
    confirm = client.get(f"{BASKET}/confirm?{query}")
    assert "Spend ε = 0.6 on 3 questions?" in confirm.text
    fields = _every_field(confirm.text)
    shown = client.post(BASKET, data=fields)
    assert "<h1>3 answers</h1>" in shown.text
    assert client.post(BASKET, data=fields).url == shown.url
    assert client.get(str(confirm.url)).url == shown.url, "coming back leads to the answers"
    assert client.get("/api/datasets/survey").json()["budget"]["own"]["spent"] == "0.6"
    assert "The basket is empty" in client.get(BASKET).text


def test_a_basket_that_takes_a_while_is_planned_once(tmp_path):
    """A page that comes back for the end of its job finds the plan; it planned anew for ever."""
    query = "q=SELECT+COUNT(age>33)&q=SELECT+COUNT(smokes)&total=0.1"
    with served(write_survey(tmp_path), patience=0.0) as slow:
        page = slow.get(f"{BASKET}?{query}").text
        (job,) = re.findall(r'data-job="([^"]*)"', page)
        inside = page.split('id="basket"')[1].split("</form>")[0]
        assert 'id="total"' in inside, "no other form ends the basket's"
        assert "<form" not in inside
        assert "name=" not in re.findall(r"<button[^>]*>", inside)[0], (
            "Enter plans, removes nothing"
        )
        while slow.get(f"/api/jobs/{job}").json()["state"] == "running":
            time.sleep(0.05)
        assert "data-job=" not in slow.get(f"{BASKET}?{query}").text
        assert "on 2 questions?" in slow.get(f"{BASKET}/confirm?{query}").text


def test_a_basket_says_what_is_wrong_and_is_never_lost(client):
    for query, said in (
        ("q=SELECT+AVG(nobody)&total=1", "question 1: there is no column"),
        ("q=SELECT+COUNT(*)&total=", "Enter the total ε."),
        ("q=SELECT+COUNT(smokes)&total=x", "total"),
        ("q=SELECT+COUNT(smokes)&total=9", "Not enough budget."),
    ):
        page = client.get(f"{BASKET}?{query}")
        assert page.status_code == 200
        assert said.lower() in page.text.lower()
        assert page.text.count('name="q"') == 1
    assert (
        "put a question into the basket"
        in client.post(
            BASKET, data=hidden_fields(client.get("/datasets/survey/ledger").text) | {"key": "x"}
        ).text.lower()
    )


def test_a_basket_says_again_what_it_was_told():
    given = {"q": ["a", "", "b"], "w": ["1", "2"], "i": ["5"], "total": ["1"]}
    form = BasketForm.of(given)
    again: dict[str, list[str]] = {}
    for name, value in form.fields():
        again.setdefault(name, []).append(value)
    assert BasketForm.of(again) == form
    assert [(line.sql, line.within) for line in form.lines] == [("a", "1"), ("b", "")]


def test_what_questions_were_shown_to_cost_adds_up_to_the_total():
    empty = BasketForm()
    one = empty.with_question("SELECT COUNT(*)", epsilon="0.1")
    two = one.with_question("SELECT COUNT(smokes)", epsilon="0.25")
    assert (one.total, two.total) == ("0.1", "0.35")
    assert two.with_question("SELECT COUNT(smokes)", epsilon="9") == two, "it is in already"
    assert two.with_question("SELECT AVG(age)", within="2").total == "0.35", "it has its own price"
    assert empty.with_question("SELECT AVG(age)", epsilon="log 3").total == empty.total


def test_an_address_that_names_a_question_twice_asks_it_once():
    given = {"q": ["SELECT COUNT(*)", "SELECT AVG(age)", "SELECT COUNT(*)"], "total": ["1"]}
    assert [one.sql for one in BasketForm.of(given).lines] == ["SELECT COUNT(*)", "SELECT AVG(age)"]


def _every_field(page):
    form = page.split("data-once>")[1].split("</form>")[0]
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form):
        found.setdefault(name, []).append(value.replace("&#39;", "'").replace("&gt;", ">"))
    return found


def test_questions_that_are_put_together_keep_their_share(client):
    """Three of four questions have three quarters of the total, before they are one and after."""
    sqls = [f"SELECT {one} WHERE smokes" for one in ("COUNT(*)", "AVG(age)", "SUM(age)")]
    query = "".join(f"q={quote_plus(sql)}&w=&i=3&" for sql in sqls)
    page = f"{BASKET}?{query}q=SELECT+COUNT(age>20)&w=&i=3&total=0.8"
    together = client.get(f"{page}&join=1,2,3")
    costs = [float(one) for one in re.findall(r'data-cost="([^"]*)"', together.text)]
    assert costs == pytest.approx([0.6, 0.2])
    assert re.findall(r'name="i"[^>]* max="(\d+)"', together.text) == ["27", "5"]


def test_each_question_keeps_the_epsilon_that_it_was_added_with(client):
    """They shared what was given to all of them, evenly; what is free takes nothing of the rest."""
    free = "SELECT COUNT(*) WHERE smokes"
    client.get(f"{BASKET}?q={quote_plus(free)}&total=0.2")
    fields = _every_field(
        client.get(f"{BASKET}/confirm?q={quote_plus(free)}&split=each&e=0.2").text
    )
    client.post(BASKET, data=fields)
    page = f"{BASKET}?q={quote_plus(free)}&w=&i=3&e=0.1"
    for sql, epsilon in (("MEDIAN(age)", "0.05"), ("SUM(age)", "0.03")):
        added = f"&add=1&how=sql&aim=epsilon&epsilon={epsilon}&sql=SELECT+{sql}+WHERE+smokes"
        page = client.get(f"{page}{added}", follow_redirects=False).headers["location"]
    seen = client.get(page).text
    assert re.findall(r'data-cost="([^"]*)"', seen) == ["0", "0.05", "0.03"]
    assert re.findall(r'name="e"[^>]*value="([^"]*)"', seen) == ["0.1", "0.05", "0.03"]
    assert "Together: <strong>ε = 0.08</strong>" in seen
    assert "<strong>Note:" not in seen.split('id="told-2"')[0], "nothing warns of what is stored"
    shared = client.get(f"{page.replace('split=each', 'split=total')}&total=0.4").text
    assert "Together: <strong>ε = 0.4</strong>" in shared, "the free one has no share"


def test_an_epsilon_of_its_own_is_the_same_in_every_way_to_ask(api):
    """Python over HTTP, a file of questions, and a total that the others share."""
    given, other, third = (f"SELECT SUM(mood) WHERE mood <= {at}" for at in (2, 3, 4))
    with Client(str(api.client.base_url), api.tokens["ana"]) as client:
        survey = client.dataset("survey")
        plans = survey.plan_batch([given, other, third], total="0.1", epsilon=["0.06", None, None])
        assert [str(order.epsilon) for order in plans.orders] == ["0.06", "0.02", "0.02"]
        with pytest.raises(QuestionError, match="each determines the other"):
            survey.plan_batch([given], epsilon=["0.06"], within=[5])
        with pytest.raises(BudgetError, match="what does not share it costs ε"):
            survey.plan_batch([given, other], total="0.1", epsilon=["0.3", None])
        file = QuestionFile("q.sql", f"{given} -- epsilon 0.06\n{other}\n")
        asked = questions_in(file)
        assert [one.epsilon and str(one.epsilon) for one in asked] == ["0.06", None]


def test_the_answers_of_a_large_basket_are_counted_and_those_of_one_question_all_told(tmp_path):
    """The page lists the newest ten; of three quantiles the error of each is said, by its name."""
    conditions = ["smokes", *(f"age={age}" for age in range(30, 38)), "satisfaction=1"]
    counts = "&".join(f"q=SELECT+COUNT({one})" for one in conditions)
    query = f"{counts}&q=SELECT+QUARTILES(satisfaction)&total=1.2"
    with served(write_survey(tmp_path), patience=60.0) as client:
        confirm = client.get(f"{BASKET}/confirm?{query}").text
        for page in (client.get(f"{BASKET}?{query}").text, confirm):
            for share in (25, 50, 75):
                assert re.search(rf"The {share}\s% quantile of satisfaction will be", page)
        client.post(BASKET, data=_every_field(confirm))
        listed = client.get("/datasets/survey/answers").text
    assert "<h1>11 answers so far</h1>" in listed
    assert "These are the newest 10; an older one is in" in listed
