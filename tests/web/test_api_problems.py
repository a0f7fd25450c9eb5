"""What cannot be granted is said as problem+json: never a 5xx, never a secret."""

import json
import logging
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.budget import acknowledge
from discreet.errors import LedgerError
from discreet.web.api import replies as models
from discreet.web.bodies import QuestionBody, read
from discreet.web.gate import JsonLines
from served_api import MEDIAN, serving


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("problems"), patience=60) as running:
        yield running


def refused(reply, status):
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    told = reply.json()
    assert set(told) - {"field"} == {"type", "title", "status", "detail"}
    assert "\n" not in told["detail"]
    return told


PLAN = "/api/datasets/survey/plan"
ASK = "/api/datasets/survey/ask"


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "JSON"),
        (b"{", 400, "JSON"),
        (b'{"sql": NaN}', 400, "JSON"),
        (b'{"sql": "\\ud800"}', 400, "JSON"),
        (b"\xff\xfe", 400, "JSON"),
        (b"[" * 100_000, 400, "JSON"),
        (b"[]", 422, "the body"),
        (b"{}", 422, "sql"),
        (b'{"sql": 5, "epsilon": 1}', 422, "sql"),
        (b'{"sql": "SELECT COUNT(*)"}', 422, "epsilon is required"),
        (b'{"sql": "SELECT COUNT(*)", "epsilon": 1, "within": 1}', 422, "not both"),
        (b'{"sql": "SELECT COUNT(*)", "epsilon": -1}', 422, "positive"),
        (b'{"sql": "SELECT COUNT(*)", "epsilon": 1e999}', 422, "epsilon"),
        (b'{"sql": "SELECT COUNT(*)", "epsilon": true}', 422, "epsilon"),
        (b'{"sql": "SELECT AVG(mood)", "within": 0}', 422, "within must be more than 0"),
        (b'{"sql": "SELECT COUNT(*)", "epsilon": 1, "extra": 1}', 422, "extra"),
        (b'{"sql": "DROP TABLE x", "epsilon": 1}', 422, "SELECT"),
        (b'{"sql": "SELECT COUNT(*)", "epsilon": 1, "prior": [0.5, 0.5]}', 422, "prior"),
        (b'{"sql": "SELECT COUNT(*)", "epsilon": 1, "prior": "/etc/passwd"}', 422, "uniform"),
        (b'{"sql": "SELECT COUNT(*)", "epsilon": 1, "loss": "/etc/passwd"}', 422, "loss"),
    ],
)
def test_bodies_that_make_no_sense(api, body, status, says):
    headers = {"Content-Type": "application/json", "Idempotency-Key": "p"}
    for path in (PLAN, "/api/datasets/survey/ask"):
        reply = api.call("ana", "POST", path, content=body, headers=headers)
        assert says.lower() in refused(reply, status)["detail"].lower()
    assert not api.charges()


def test_other_places_methods_and_kinds(api):
    refused(api.get("ana", "/api/nothing"), 404)
    refused(api.get("ana", "/nothing"), 404)
    reply = api.call("ana", "PATCH", "/api/datasets")
    refused(reply, 405)
    assert reply.headers["allow"] == "GET"
    refused(api.call("ana", "POST", PLAN, content=b"sql=1"), 415)
    refused(api.get("ana", "/api/datasets/" + "x" * 200), 422)
    refused(api.get("ana", "/api/datasets/survey/answers", params={"most": "0"}), 422)
    refused(api.get("ana", "/api/jobs/nothing"), 404)
    refused(api.call("otto", "DELETE", "/api/accounts/nobody"), 404)


@pytest.mark.parametrize(
    ("path", "headers"),
    [("/nothing", {"Referer": "http://["}), ("/sign-in?next=//%5B", {}), ("/", {"Host": "["}),
     ("/datasets/%5B?%5B", {"Referer": "//["}), ("/%ff%00", {}), ("/api/jobs/%ff%00", {})],
)  # fmt: skip
def test_odd_addresses_are_no_bugs(api, path, headers):
    for who in (None, "ana"):
        for accept in ("text/html", "application/json"):
            reply = api.get(who, path, headers={"Accept": accept, **headers})
            assert reply.status_code < 500


def test_a_long_body_is_refused_whether_it_says_its_length_or_not(api):
    headers = {"Content-Type": "application/json"}
    long = b" " * 300_000
    refused(api.call("ana", "POST", PLAN, content=long, headers=headers), 413)
    pieces = (b" " * 10_000 for _ in range(30))
    refused(api.call("ana", "POST", PLAN, content=pieces, headers=headers), 413)


def test_every_reply_has_the_headers_that_protect_browsers(api):
    for reply in (api.get("ana", "/api/me"), api.get(None, "/api/me"), api.get("ana", "/nothing")):
        headers = reply.headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
        assert "strict-transport-security" not in headers


def test_behind_a_proxy_https_is_believed_and_only_then(tmp_path):
    asked = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "10.1.2.3"}
    with serving(tmp_path, behind_proxy=True) as api:
        assert "strict-transport-security" in api.get("ana", "/api/me", headers=asked).headers
    with serving(tmp_path, tokens={}) as api:
        assert "strict-transport-security" not in api.get("x", "/api/me", headers=asked).headers


def test_failed_sign_ins_are_slowed_down_and_good_tokens_are_not(tmp_path):
    with serving(tmp_path, failures=3) as api:
        statuses = [api.get(f"dsc_{n}", "/api/me").status_code for n in range(6)]
        assert statuses == [401] * 3 + [429] * 3
        reply = api.get("dsc_x", "/api/me")
        refused(reply, 429)
        assert int(reply.headers["retry-after"]) >= 1
        assert api.get("ana", "/api/me").status_code == 200


def test_an_account_and_a_stranger_have_their_rates(tmp_path):
    with serving(tmp_path, rate=2, anonymous_rate=1) as api:
        assert {api.get("ana", "/api/me").status_code for _ in range(12)} == {200, 429}
        assert api.get("ben", "/api/me").status_code == 200
        statuses = [api.get(None, "/health").status_code for _ in range(12)]
        assert set(statuses) == {200, 429}
        cookie = {"Cookie": "discreet_session=guess"}
        assert api.get(None, "/api/me", headers=cookie).status_code == 429


def test_logs_and_figures_hold_no_sql_no_token_no_value(tmp_path, caplog):
    with (
        caplog.at_level(logging.INFO, logger="discreet.web"),
        serving(tmp_path) as api,
    ):
        api.ask("ana", {"sql": "SELECT MEDIAN(mood) WHERE clinic = 'A'", "epsilon": "0.5"})
        api.get("dsc_secret", "/api/me")
        for parent in (f"00-{'ab' * 16}-{'cd' * 8}-01", "00-private-private-01"):
            api.get("ana", "/api/me", headers={"traceparent": parent})
        api.call("ana", "PROPFIND", "/api/me")
        api.get("ana", "/api/datasets/survey/answers/ana:private-key?q=private-query")
        figures = api.get("otto", "/metrics")
        assert figures.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = [JsonLines().format(record) for record in caplog.records]
    assert any('"http.route": "/api/datasets/{dataset}/ask"' in line for line in lines)
    spans = [one for one in map(json.loads, lines) if "span_id" in one]
    assert len({one["span_id"] for one in spans}) == len(spans)
    (told,) = [one for one in spans if one.get("parent_span_id") == "cd" * 8]
    assert told["trace_id"] == "ab" * 16
    assert "_OTHER" in {one["http.request.method"] for one in spans}
    assert all(isinstance(json.loads(line), dict) for line in lines)
    for text in (*lines, figures.text):
        for secret in (*api.tokens.values(), "dsc_", "SELECT", "MEDIAN", "private", "ana"):
            assert secret not in text.replace("abab", "")
    asked = 'http_request_method="POST",http_route="/api/datasets/{dataset}/ask"'
    assert f'{asked},http_response_status_code="200"}} 1' in figures.text
    assert 'discreet_answers_total{dataset="survey"} 1' in figures.text
    assert 'discreet_spent_epsilon{dataset="survey"} 0.5' in figures.text
    pattern = r"^[a-z_]+(\{[^{}]*(\{[a-z:]+\}[^{}]*)*\})? [0-9.e+-]+$|^# TYPE [a-z_]+ [a-z]+$"
    for line in figures.text.splitlines():
        assert re.fullmatch(pattern, line), line


def test_a_ledger_that_cannot_be_trusted_answers_nothing(tmp_path):
    with serving(tmp_path) as api:
        first = api.ask("ana", key="k").json()
        head = tmp_path / "survey.ledger.head"
        whole = head.read_bytes()
        head.write_bytes(b"damaged")
        told = refused(api.ask("ana"), 503)
        assert "anchor" in told["detail"]
        assert told["type"].endswith("/ledger")
        head.write_bytes(whole)
        assert api.ask("ana", key="k").json()["results"] == first["results"]
        assert len(api.charges()) == 1


def test_an_older_copy_of_the_ledger_is_not_served(tmp_path):
    with serving(tmp_path) as api:
        api.ask("ana")
        tokens = api.tokens
    older = (tmp_path / "survey.ledger").read_bytes()
    with serving(tmp_path, tokens=tokens) as api:
        assert not api.ask("ana", {**MEDIAN, "fresh": True}, key="later").json()["free"]
    (tmp_path / "survey.ledger").write_bytes(older)
    with pytest.raises(LedgerError, match="older or another copy"), serving(tmp_path, tokens={}):
        pass
    acknowledge(tmp_path / "survey.ledger", "0.5", "restored")
    with serving(tmp_path, tokens=tokens) as api:
        budget = api.get("otto", "/api/datasets/survey").json()["budget"]
        assert budget["total"]["spent"] == "1"


def test_explain_replies_with_the_plan_and_charges_nothing(api):
    api.known(MEDIAN)
    before = len(api.charges())
    explained = {**MEDIAN, "sql": f"EXPLAIN {MEDIAN['sql']}"}
    told = api.post("otto", ASK, explained, headers={"Idempotency-Key": "explained"}).json()
    models.PlanReply.model_validate(told, strict=True)
    assert told["digest"] == api.post("otto", PLAN, {**MEDIAN, "fresh": True}).json()["digest"]
    assert len(api.charges()) == before


def test_replies_are_exactly_what_the_document_says(api):
    models.AnswerReply.model_validate(api.ask("otto", key="m").json(), strict=True)
    api.known(MEDIAN)
    models.PlanReply.model_validate(api.post("otto", PLAN, MEDIAN).json(), strict=True)
    at = "/api/datasets/survey"
    for path, model in {
        "/api/datasets": models.DatasetsReply,
        at: models.DatasetReply,
        f"{at}/answers": models.AnswersReply,
        f"{at}/ledger": models.LedgerReply,
        f"{at}/ledger/export": models.ExportReply,
        f"{at}/ledger/report": models.ReportReply,
        "/api/accounts": models.AccountsReply,
        "/api/me": models.MeReply,
    }.items():
        model.model_validate(api.get("otto", path).json(), strict=True)


def test_the_list_of_operations_is_there_for_people_and_programs(api):
    found = api.get(None, "/api").json()
    assert {"method": "POST", "path": "/api/datasets/{dataset}/ask"}.items() <= next(
        one for one in found["operations"] if one["path"].endswith("/ask")
    ).items()
    page = api.get(None, "/api", headers={"Accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    assert "/api/datasets/{dataset}/ask" in page.text


@settings(max_examples=50)
@given(st.decimals(min_value="0.000000001", max_value=100, allow_nan=False, places=9))
def test_numbers_keep_every_digit(number):
    body = f'{{"sql": "SELECT COUNT(*)", "epsilon": {number:f}}}'.encode()
    found = read(QuestionBody, body)
    assert str(found.epsilon) == f"{number:f}"


BATCH = "/api/datasets/survey/plan-batch"
GOOD = {"sql": "SELECT COUNT(*) WHERE clinic = 'A'"}


def test_a_batch_is_planned_and_nothing_is_charged(api):
    """What `orders` says is what each question is asked with."""
    body = {"questions": [{**GOOD, "importance": 4}, {"sql": "SELECT AVG(mood)"}], "total": "0.9"}
    before = api.charges()
    reply = api.post("ana", BATCH, body)
    assert reply.status_code == 200, reply.text
    told = models.BatchReply.model_validate(reply.json())
    assert (told.total, told.enough) == ("0.9", True)
    assert [one.epsilon for one in told.orders] == ["0.6", "0.3"]
    alone = api.post("ana", PLAN, {**GOOD, "epsilon": "0.6"}).json()
    assert told.plans[0].digest == alone["digest"]
    assert api.charges() == before


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"total": 1}, "questions"),
        ({"questions": [], "total": 1}, "questions"),
        ({"questions": [GOOD] * 201, "total": 1}, "at most 200"),
        ({"questions": [GOOD, {"sql": "SELECT AVG(x)"}], "total": 1}, "question 2: there is no"),
        ({"questions": [GOOD, {"sql": 5}], "total": 1}, "questions.1.sql"),
        ({"questions": [GOOD, {**GOOD, "within": "x"}], "total": 1}, "question 2: within must"),
        ({"questions": [{**GOOD, "importance": 0}], "total": 1}, "importance must be numbers"),
        ({"questions": [GOOD]}, "total is required"),
        ({"questions": [GOOD], "total": -1}, "above 0"),
        ({"questions": [GOOD], "total": "0.01", "within": 1}, "allow larger errors"),
        ({"questions": [GOOD], "total": 1, "epsilon": 1}, "epsilon"),
    ],
)
def test_a_bad_batch_says_what_to_change(api, body, says):
    before = api.charges()
    assert says in refused(api.post("ana", BATCH, body), 422)["detail"]
    assert api.charges() == before
