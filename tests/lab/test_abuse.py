"""Requests as nobody should send them: no reply is a bug, and none tells of the inside."""

import json
import os
import random
import resource
import string

import pytest

from served_api import serving

FUZZED, SEED = (1_000_000, None) if os.environ.get("DISCREET_SOAK") else (400, 18)
_MOST_GROWTH = 300 << 20
"""How much memory may be taken on the way, by all that is kept of what was asked."""


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("abused"), rate=1e9, anonymous_rate=1e9) as running:
        yield running


BOMBS = {
    "deep": "SELECT COUNT(*) WHERE " + "(" * 3_000 + "mood > 2" + ")" * 3_000,
    "nots": "SELECT COUNT(*) WHERE " + "NOT " * 5_000 + "mood > 2",
    "long": "SELECT " + ", ".join(["COUNT(*)"] * 5_000),
    "ands": "SELECT COUNT(*) WHERE " + " AND ".join(["mood > 2"] * 5_000),
    "number": f"SELECT COUNT(*) WHERE mood > {'9' * 50_000}",
    "power": "SELECT COUNT(*) WHERE mood > 1e999999999",
    "fraction": f"SELECT QUANTILE(mood, 0.{'3' * 20_000})",
    "pattern": f"SELECT COUNT(*) WHERE clinic LIKE '{'%a' * 5_000}'",
    "words": f"SELECT COUNT(*) WHERE clinic IN ({', '.join(map(repr, range(20_000)))})",
    "quotes": "SELECT COUNT(*) WHERE clinic = '" + "''" * 20_000 + "'",
    "comment": "SELECT COUNT(*) /*" * 2_000,
    "nul": "SELECT COUNT(*)\x00",
    "surrogate": "SELECT COUNT(*) WHERE clinic = '\ud800'",
    "bins": "SELECT COUNT(*) GROUP BY BIN(mood, 1e-300)",
}


def refused_in_words(reply):
    assert reply.status_code < 500, reply.text[:300]
    assert "Traceback" not in reply.text
    assert "/src/" not in reply.text
    if reply.status_code >= 400:
        assert reply.headers["content-type"].startswith("application/problem+json")


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_is_a_bug_and_none_costs_anything(api, name):
    before = len(api.charges())
    body = json.dumps({"sql": BOMBS[name], "epsilon": "1"}).encode()
    headers = {"Content-Type": "application/json"}
    reply = api.call("ana", "POST", "/api/datasets/survey/plan", content=body, headers=headers)
    refused_in_words(reply)
    assert len(api.charges()) == before


@pytest.mark.parametrize("many", [50, 150])
def test_a_flood_of_headers_is_refused_or_answered(api, many):
    flood = {f"X-Flood-{place}": "x" * 200 for place in range(many)}
    reply = api.get("ana", "/api/me", headers=flood)
    assert reply.status_code in (200, 400, 431)


_PIECES = (
    "SELECT", "COUNT(*)", "MEDIAN(mood)", "WHERE", "mood", ">", "GROUP BY", "clinic", "(", ")", "'",
    '"', ",", ";", "--", "1e9", "NaN", "\u0000", "\U0001f600", "OR 1=1", "%", "\\", "{", "}", "[",
)  # fmt: skip


def _fuzzed(dice):
    """A request of some kind: a known place or none, a body of pieces, odd headers."""
    sql = " ".join(dice.choices(_PIECES, k=dice.randint(0, 12)))
    value = dice.choice(
        [sql, dice.randint(-(10**30), 10**30), None, [sql], {"a": sql}, True, 1e308]
    )
    body = {"sql": value, "epsilon": dice.choice(["1", "-1", "x", 0, None, "1e400", [], sql])}
    raw = json.dumps(body).encode()
    if dice.random() < 0.3:
        place = dice.randrange(len(raw))
        raw = raw[:place] + bytes([dice.randrange(256)]) + raw[place + dice.randrange(5) :]
    path = dice.choice(
        ["/api/datasets/survey/ask", "/api/datasets/survey/plan", "/api/datasets/nowhere/ask",
         "/api/design", "/api/me", "/api/datasets", "/api/jobs/x", "/api/accounts"]
    )  # fmt: skip
    if dice.random() < 0.2:
        path += "/" + "".join(dice.choices(string.ascii_letters + "%./~", k=8))
    headers = {"Content-Type": dice.choice(["application/json", "text/plain", "x"])}
    if dice.random() < 0.7:
        headers["Idempotency-Key"] = "".join(dice.choices(string.printable[:94], k=6))
    who = dice.choice(["ana", "ben", "otto", "wrong", None])
    method = dice.choice(["POST", "POST", "POST", "GET", "PUT", "DELETE", "PATCH"])
    return who, method, path, raw, headers


def test_no_fuzzed_request_is_a_bug_and_memory_stays_bounded(api):
    dice = random.Random(SEED)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen = set()
    for _ in range(FUZZED):
        who, method, path, raw, headers = _fuzzed(dice)
        if method == "DELETE" and path.startswith("/api/accounts/"):
            continue
        reply = api.call(who, method, path, content=raw, headers=headers)
        assert reply.status_code < 500, (method, path, raw, reply.text[:300])
        assert "Traceback" not in reply.text
        seen.add(reply.status_code)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < _MOST_GROWTH
    assert {400, 401, 404, 405} <= seen | {405}  # else little was tried


def test_a_bug_that_is_planted_would_be_seen(api, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(type(api.service), "datasets", broken)
    assert api.get("ana", "/api/datasets").status_code == 500


@pytest.mark.parametrize("charset", ["undefined", "punycode", "unicode_escape", '"idna"'])
def test_a_form_in_letters_that_nobody_writes_is_refused(api, charset):
    body = b'--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n\\ud800\r\n--x--\r\n'
    kind = {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
    reply = api.call(None, "POST", "/sign-in", content=body, headers=kind)
    assert reply.status_code == 400
    assert "UTF-8" in reply.text
