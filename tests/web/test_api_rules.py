"""Who may see or spend what: a test for each rule."""

import json
import time

import pytest

from discreet.accounts import Accounts
from discreet.web.identity import COOKIE
from served_api import COUNT, MEDIAN, serving


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("rules")) as running:
        yield running


EVERY = [
    ("GET", "/api/me"),
    ("GET", "/api/datasets"),
    ("GET", "/api/datasets/survey"),
    ("POST", "/api/datasets/survey/plan"),
    ("POST", "/api/datasets/survey/plan-batch"),
    ("POST", "/api/datasets/survey/ask"),
    ("POST", "/api/datasets/survey/ask-batch"),
    ("GET", "/api/datasets/survey/answers"),
    ("GET", "/api/datasets/survey/answers/ana:x"),
    ("GET", "/api/datasets/survey/answers/ana:x.csv"),
    ("GET", "/api/datasets/survey/ledger"),
    ("POST", "/api/datasets/survey/ledger/verify"),
    ("GET", "/api/datasets/survey/ledger/export"),
    ("GET", "/api/datasets/survey/ledger/report"),
    ("GET", "/api/datasets/survey/ledger/report.html"),
    ("POST", "/api/designs"),
    ("GET", "/api/jobs/x"),
    ("DELETE", "/api/jobs/x"),
    ("GET", "/api/jobs/x/mechanism"),
    ("GET", "/api/accounts"),
    ("POST", "/api/accounts"),
    ("DELETE", "/api/accounts/ana"),
    ("GET", "/metrics"),
]


def problem(reply, status, word=None):
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    told = reply.json()
    amounts = {"cost", "left"} if word == "over-budget" else set()
    assert set(told) == {"type", "title", "status", "detail"} | amounts
    assert told["status"] == status
    if word is not None:
        assert told["type"].endswith("/" + word)
    return told["detail"]


def test_the_list_of_operations_above_is_complete(api):
    paths = api.client.get("/openapi.json").json()["paths"]
    operations = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert len(operations) == len(EVERY) + 1  # /health


@pytest.mark.parametrize(("method", "path"), EVERY)
def test_nothing_is_told_without_a_token(api, method, path):
    reply = api.call(None, method, path)
    problem(reply, 401, "unauthorized")
    assert reply.headers["www-authenticate"] == "Bearer"


def test_health_needs_no_token_and_tells_nothing(api):
    assert api.get(None, "/health").json() == {"status": "ok"}


def test_unknown_revoked_and_expired_tokens_look_alike(tmp_path):
    with serving(tmp_path, failures=1000) as api:
        with Accounts(tmp_path / "discreet.accounts") as accounts:
            revoked = accounts.create("rita", datasets=("survey",)).text
            accounts.revoke("rita")
            expired = accounts.create(
                "emil", datasets=("survey",), expires="2026-01-01T00:00:00+00:00"
            ).text
        replies = [api.get(text, "/api/me") for text in (revoked, expired, "dsc_" + "A" * 43)]
        assert len({(reply.status_code, reply.text) for reply in replies}) == 1
        problem(replies[0], 401)


def test_revoking_acts_at_once(tmp_path):
    with serving(tmp_path) as api:
        assert api.get("ana", "/api/me").status_code == 200
        assert api.call("otto", "DELETE", "/api/accounts/ana").json()["state"] == "revoked"
        problem(api.get("ana", "/api/me"), 401)
        problem(api.ask("ana"), 401)
        assert not api.charges()


def test_revoking_by_another_process_acts_within_a_second(tmp_path):
    with serving(tmp_path) as api:
        assert api.get("ana", "/api/me").status_code == 200
        with Accounts(tmp_path / "discreet.accounts") as elsewhere:
            elsewhere.revoke("ana")
        time.sleep(0.7)
        problem(api.get("ana", "/api/me"), 401)


def test_an_analyst_sees_the_datasets_named_for_them_alone(api):
    names = [one["name"] for one in api.get("ana", "/api/datasets").json()["datasets"]]
    assert names == ["survey"]
    assert api.get("ana", "/api/me").json()["datasets"] == ["survey"]
    both = [one["name"] for one in api.get("otto", "/api/datasets").json()["datasets"]]
    assert both == ["survey", "visits"]


@pytest.mark.parametrize(("method", "path"), [one for one in EVERY if "survey" in one[1]])
def test_another_dataset_looks_like_one_that_is_not_there(api, method, path):
    told = []
    for name in ("visits", "nothing"):
        headers = {"Idempotency-Key": "k"}
        body = MEDIAN if method == "POST" else None
        reply = api.call("ana", method, path.replace("survey", name), json=body, headers=headers)
        problem(reply, 404)
        told.append((reply.status_code, reply.text))
    assert told[0] == told[1]


def test_an_analyst_sees_no_budget_but_their_own(api):
    budget = api.get("ana", "/api/datasets/survey").json()["budget"]
    assert budget["total"] is None
    assert budget["accounts"] is None
    assert budget["own"]["allowed"] == "2"
    seen = api.get("otto", "/api/datasets/survey").json()["budget"]
    assert seen["total"]["allowed"] == "20"
    assert set(seen["accounts"]) >= {"ana", "ben"}


def test_an_analyst_spends_no_budget_but_their_own(tmp_path):
    with serving(tmp_path) as api:
        assert api.ask("ana", {**MEDIAN, "epsilon": "2"}).status_code == 200
        other = {**MEDIAN, "epsilon": "0.1", "fresh": True}
        detail = problem(api.ask("ana", other), 403, "over-budget")
        assert "ana's budget has only 0 left" in detail
        assert api.ask("ben").json()["left"] == "0.5"
        assert [entry.analyst for entry in api.charges()] == ["ana", "ben"]


def test_what_others_spent_is_for_custodians(tmp_path):
    with serving(tmp_path) as api:
        api.ask("ben", {**MEDIAN, "epsilon": "0.75"})
        answer = api.ask("ana", key="k").json()
        assert answer["spent"] == "0.5"
        assert api.get("ana", "/api/datasets/survey/answers/ana:k").json()["spent"] == "0.5"
        assert api.ask("ana", key="k").json()["spent"] == "0.5"
        assert api.ask("otto").json()["spent"] == "1.75"


def test_answers_and_ledger_lines_of_others_are_not_seen(tmp_path):
    with serving(tmp_path) as api:
        assert api.ask("ben", key="secret").status_code == 200
        assert api.ask("ana", COUNT, key="mine").status_code == 200
        at = "/api/datasets/survey"
        assert [one["receipt"] for one in api.get("ana", f"{at}/answers").json()["answers"]] == [
            "ana:mine"
        ]
        for path in (f"{at}/answers/ben:secret", f"{at}/answers/ben:secret.csv"):
            missing = api.get("ana", path.replace("secret", "nothing"))
            assert api.get("ana", path).text == missing.text
            problem(api.get("ana", path), 404)
            assert api.get("otto", path).status_code == 200
        lines = api.get("ana", f"{at}/ledger").json()["lines"]
        assert {line["analyst"] for line in lines} == {"ana"}
        assert "ben" not in api.get("ana", f"{at}/ledger").text
        every = api.get("otto", f"{at}/ledger").json()["lines"]
        assert {line["analyst"] for line in every} == {"", "ana", "ben"}


def test_an_analyst_learns_of_an_audit_only_whether_all_is_well(api):
    at = "/api/datasets/survey/ledger"
    assert api.post("ana", f"{at}/verify").json() == {
        "clean": True, "entries": None, "losses": None, "problems": None,
    }  # fmt: skip
    assert api.post("otto", f"{at}/verify").json()["entries"] >= 3
    problem(api.get("ana", f"{at}/export"), 403)
    assert api.get("otto", f"{at}/export").json()["entries"][0]["kind"] == "budget"


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/accounts"), ("POST", "/api/accounts"), ("DELETE", "/api/accounts/ben"),
     ("GET", "/metrics")],
)  # fmt: skip
def test_accounts_and_figures_are_for_custodians(api, method, path):
    body = {"name": "eve", "role": "custodian"} if method == "POST" else None
    problem(api.call("ana", method, path, json=body), 403)
    assert api.get("ben", "/api/me").status_code == 200


def test_no_reply_holds_a_row_or_says_where_rows_are(api):
    for who in ("ana", "otto"):
        for path in ("/api/datasets", "/api/datasets/survey", "/api/datasets/survey/ledger"):
            text = api.get(who, path).text
            assert ".csv" not in text
            assert str(api.folder) not in text


def test_a_key_belongs_to_its_account(tmp_path):
    with serving(tmp_path) as api:
        first = api.ask("ana", key="same").json()
        second = api.ask("ben", COUNT, key="same").json()
        assert (first["receipt"], second["receipt"]) == ("ana:same", "ben:same")
        assert len(api.charges()) == 2


def test_the_same_key_returns_the_same_answer_free(tmp_path):
    with serving(tmp_path) as api:
        first = api.ask("ana", key="k").json()
        again = [api.ask("ana", key="k").json() for _ in range(3)]
        assert not first["free"]
        for one in again:
            assert one["free"]
            assert one["results"] == first["results"]
        stored = api.get("ana", "/api/datasets/survey/answers/ana:k").json()
        assert stored["results"] == first["results"]
        assert len(api.charges()) == 1


def test_the_same_key_for_another_question_is_refused(tmp_path):
    with serving(tmp_path) as api:
        api.ask("ana", key="k")
        for other in (COUNT, {**MEDIAN, "epsilon": "0.4"}, {**MEDIAN, "confidence": "90%"}):
            problem(api.ask("ana", other, key="k"), 409, "key-taken")
        assert len(api.charges()) == 1
        assert api.ask("ana", key="k").json()["free"]


def test_a_stored_answer_comes_back_after_a_restart_without_a_plan(tmp_path):
    with serving(tmp_path) as api:
        first = api.ask("ana", key="k").json()
        tokens = api.tokens
    with serving(tmp_path, tokens=tokens) as later:
        headers = {"Idempotency-Key": "k"}
        again = later.post("ana", "/api/datasets/survey/ask", MEDIAN, headers=headers).json()
        assert again["results"] == first["results"]
        assert again["free"]


def test_get_never_asks(api):
    before = len(api.charges())
    for path in ("ask", "plan"):
        reply = api.get("ana", f"/api/datasets/survey/{path}", headers={"Idempotency-Key": "g"},
                        params={"sql": "SELECT COUNT(*)", "epsilon": "1"})  # fmt: skip
        problem(reply, 405)
        assert reply.headers["allow"] == "POST"
    assert len(api.charges()) == before


@pytest.mark.parametrize("key", [None, "", "a:b", "x" * 101, "tab\tin", "é"])
def test_asking_needs_a_proper_key(api, key):
    before = len(api.charges())
    headers = {} if key is None else {"Idempotency-Key": key.encode()}
    problem(api.post("ana", "/api/datasets/survey/ask", MEDIAN, headers=headers), 400, "bad-key")
    assert len(api.charges()) == before


# The browser


def signed_in(api, who):
    from discreet.accounts.accounts import csrf_of

    value = api.service.accounts.open_session(api.tokens[who])
    return {"Cookie": f"{COOKIE}={value}"}, csrf_of(value)


def test_a_session_needs_the_csrf_word_to_act_and_not_to_look(api):
    cookie, csrf = signed_in(api, "ana")
    assert api.get(None, "/api/me", headers=cookie).json()["name"] == "ana"
    before = len(api.charges())
    headers = {**cookie, "Idempotency-Key": "c1"}
    path = "/api/datasets/survey/ask"
    api.known(MEDIAN)
    for wrong in ({}, {"X-CSRF-Token": ""}, {"X-CSRF-Token": csrf[::-1]},
                  {"X-CSRF-Token": signed_in(api, "ana")[1]}):  # fmt: skip
        problem(api.post(None, path, MEDIAN, headers=headers | wrong), 403, "csrf")
    assert len(api.charges()) == before
    done = api.post(None, path, MEDIAN, headers={**headers, "X-CSRF-Token": csrf})
    assert done.status_code == 200
    assert len(api.charges()) == before + 1


@pytest.mark.parametrize(
    "header",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
     {"Origin": "http://["}],
)  # fmt: skip
def test_other_sites_cannot_act_for_a_session(api, header):
    cookie, csrf = signed_in(api, "ana")
    headers = {**cookie, "Idempotency-Key": "c2", "X-CSRF-Token": csrf, **header}
    problem(api.post(None, "/api/datasets/survey/ask", MEDIAN, headers=headers), 403, "cross-site")


def test_a_revoked_account_has_no_session(tmp_path):
    with serving(tmp_path) as api:
        cookie, _ = signed_in(api, "ben")
        assert api.get(None, "/api/me", headers=cookie).status_code == 200
        api.call("otto", "DELETE", "/api/accounts/ben")
        problem(api.get(None, "/api/me", headers=cookie), 401)


# Without accounts


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("local"), with_accounts=False) as running:
        yield running


def test_without_accounts_this_machine_is_the_custodian(local):
    me = local.get(None, "/api/me").json()
    assert me["role"] == "custodian"
    assert me["local"]
    assert local.ask(None).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example"}, {"Host": "["},
     {"X-Forwarded-For": "10.0.0.1"}, {"Forwarded": "for=10.0.0.1"}, {"X-Real-IP": "10.0.0.1"},
     {"Via": "1.1 proxy"}, {"X-Forwarded-Host": "clinic.example"}, {"CF-Ray": "8a1b"}],
)  # fmt: skip
def test_without_accounts_nobody_else_comes_in(local, headers):
    before = len(local.charges())
    problem(local.get(None, "/api/me", headers=headers), 403, "no-accounts")
    problem(local.ask(None, MEDIAN, None, **headers), 403, "no-accounts")
    assert len(local.charges()) == before


def test_without_accounts_other_sites_cannot_ask(local):
    before = len(local.charges())
    problem(local.ask(None, Origin="https://evil.example"), 403, "cross-site")
    kind = {"Content-Type": "text/plain", "Idempotency-Key": "t"}
    body = json.dumps(MEDIAN)
    reply = local.call(None, "POST", "/api/datasets/survey/ask", content=body, headers=kind)
    problem(reply, 415)
    assert len(local.charges()) == before


def test_the_first_account_is_a_custodian_and_closes_the_door(tmp_path):
    with serving(tmp_path, with_accounts=False) as api:
        problem(api.post(None, "/api/accounts", {"name": "ana", "datasets": ["survey"]}), 422)
        made = api.post(None, "/api/accounts", {"name": "otto", "role": "custodian"})
        assert made.status_code == 201
        problem(api.get(None, "/api/me"), 401)
        api.tokens["otto"] = made.json()["token"]
        wanted = {"name": "ana", "datasets": ["survey"], "epsilon": "0.5", "expires": "30d"}
        ana = api.post("otto", "/api/accounts", wanted).json()
        api.tokens["ana"] = ana["token"]
        assert api.get("ana", "/api/datasets/survey").json()["budget"]["left"] == "0.5"
        problem(api.post("otto", "/api/accounts", wanted), 422)
        problem(api.post("otto", "/api/accounts", {**wanted, "name": "x", "datasets": ["no"]}), 422)
