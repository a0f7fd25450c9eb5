"""Requests as nobody should send them: no reply is a bug, and none tells of the inside."""

import json
import os

import apsw
import pytest

from discreet.accounts import Accounts
from discreet.web.releases import Releases
from lab import rude
from lab.abuse_words import BOMBS
from lab.flood import campaign
from served_api import serving

FUZZED = 1_000_000 if os.environ.get("DISCREET_SOAK") else 600


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("abused"), rate=1e9, anonymous_rate=1e9) as running:
        yield running


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


# A form that breaks off leaves its file to the garbage collector, which closes it.
odd_forms = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@odd_forms
def test_no_fuzzed_request_is_a_bug_and_memory_stays_bounded(tmp_path):
    found = campaign(tmp_path, FUZZED)
    assert not found.problems(), found
    assert {200, 400, 401, 403, 404, 422} <= set(found.statuses)  # else little was tried
    assert found.charged > 0


@odd_forms
def test_faults_that_are_planted_are_found(tmp_path):
    told = " ".join(campaign(tmp_path, 600, planted=True).problems())
    assert "ZeroDivisionError" in told
    assert "memory grew" in told
    assert "1 charges nobody was told of" in told


@pytest.mark.parametrize("planted", [False, True])
def test_rude_clients_are_cut_and_hold_nobody_up(tmp_path, planted):
    """Planted is a server that waits for lines however slow they are."""
    found = rude.campaign(tmp_path, 500 if os.environ.get("DISCREET_SOAK") else 8, planted=planted)
    assert (found["held"] > 0) == planted
    assert found["megabytes"] < 100


@pytest.mark.parametrize("charset", ["undefined", "punycode", "unicode_escape", '"idna"'])
def test_a_form_in_letters_that_nobody_writes_is_refused(api, charset):
    body = b'--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n\\ud800\r\n--x--\r\n'
    kind = {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
    reply = api.call(None, "POST", "/sign-in", content=body, headers=kind)
    assert reply.status_code == 400
    assert "UTF-8" in reply.text


@pytest.mark.parametrize("problem", [apsw.FullError("no room"), apsw.IOError("disk I/O error")])
def test_files_that_cannot_be_written_are_no_bug_and_let_nobody_in(api, monkeypatch, problem):
    """Accounts, and releases: 503 in words, without a path, and all is well afterwards."""

    def fails(*_, **__):
        raise problem

    api.ask("ana", key="kept")
    chosen = {"receipt": ["ana:kept"], "title": "x"}
    with monkeypatch.context() as full:
        full.setattr(Releases, "make", fails)
        reply = api.call("ana", "POST", "/datasets/survey/releases", data=chosen)
        assert (reply.status_code, b"/" + b"survey.ledger" in reply.content) == (503, False)
        full.setattr(Accounts, "authenticate", fails)
        reply = api.get("ana", "/api/me")
        assert reply.status_code == 503
        assert "nothing was charged" in reply.json()["detail"]
    assert api.get("ana", "/api/me").status_code == 200
    made = api.call("ana", "POST", "/datasets/survey/releases", data=chosen, follow_redirects=False)
    assert made.status_code == 303
