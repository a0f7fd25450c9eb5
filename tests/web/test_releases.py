"""Releases: who may see and publish them, that they never change, how readers check them."""

import html
import json
import re
import subprocess
import sys

import pytest

from discreet.accounts import Role
from discreet.web.identity import Caller
from served_api import COUNT, MEDIAN, serving

SECRET = {"sql": "SELECT COUNT(*) WHERE mood = 4", "epsilon": "0.01"}


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("releases")) as running:
        running.ask("ana", COUNT, key="a")
        running.ask("ben", SECRET, key="b")
        running.ask("ana", {"sql": "SELECT COUNT(*) GROUP BY clinic", "epsilon": "0.1"}, key="c")
        yield running


def _form(api, who, path, **data):
    return api.call(who, "POST", path, data=data, follow_redirects=False)


def _make(api, who="ana", receipts=("ana:a", "ana:c"), title="What we found"):
    made = _form(api, who, "/datasets/survey/releases", receipt=list(receipts), title=title)
    assert made.status_code == 303, made.text
    return made.headers["location"]


def _everywhere(at):
    ends = (
        "",
        ".json",
        "/verify",
        "/proof.json",
        "/mechanisms.json",
        "/report.html",
        "/report.md",
        "/report.json",
    )
    return [at + end for end in ends]


def test_a_draft_is_for_its_author_and_custodians_alone(api):
    at = _make(api)
    for path in _everywhere(at):
        assert api.get("otto", path).status_code == 200
        for who in ("ben", None):
            reply = api.get(who, path)
            assert reply.status_code == 404, "nobody else can tell that it is there"
            assert reply.content == api.get(who, path.replace(at, "/releases/nowhere")).content
    own = [api.get("ana", path).status_code for path in _everywhere(at)]
    assert own == [200, 200, *[404] * 6], "what others have spent is not for analysts"
    told = api.get("ana", f"{at}.json").json()
    assert "spent_in_all" not in told
    assert "ledger" not in told
    listed = {who: api.get(who, "/releases.json").text for who in ("ana", "ben", None)}
    name = at.removeprefix("/releases/")
    assert [name in listed[who] for who in ("ana", "ben", None)] == [True, False, False]


def test_only_a_custodian_makes_a_release_public_or_takes_it_back(api):
    at = _make(api)
    for wish in ("publish", "withdraw"):
        assert _form(api, "ana", f"{at}/{wish}").status_code == 403
        assert _form(api, "ben", f"{at}/{wish}").status_code == 404
        assert _form(api, None, f"{at}/{wish}").status_code == 401
    assert api.get(None, at).status_code == 404
    assert _form(api, "otto", f"{at}/publish").status_code == 303
    assert all(api.get(None, path).status_code == 200 for path in _everywhere(at))
    assert _form(api, "otto", f"{at}/withdraw").status_code == 303
    assert all(api.get(None, path).status_code == 404 for path in _everywhere(at))


def test_a_release_holds_answers_that_its_author_may_read(api):
    for receipts in (("ben:b",), ("ana:a", "ben:b"), ("ana:nothing",)):
        reply = _form(api, "ana", "/datasets/survey/releases", receipt=list(receipts), title="x")
        assert reply.status_code == 404
    assert _form(api, "ana", "/datasets/survey/releases", title="x").status_code == 422
    assert _form(api, "ana", "/datasets/visits/releases", receipt="ana:a").status_code == 404
    assert api.get("otto", _make(api, "otto", ("ben:b", "ana:a"))).status_code == 200


def test_what_is_public_stays_as_it_was_published(api):
    at = _make(api)
    _form(api, "otto", f"{at}/publish")
    before = {path: api.get(None, path).content for path in _everywhere(at)}
    api.ask("ben", {**SECRET, "sql": "SELECT COUNT(*) WHERE mood = 5"})
    api.service.publishing._reports.clear()  # as after a restart
    _form(api, "otto", f"{at}/publish", whole="1")
    assert {path: api.get(None, path).content for path in _everywhere(at)} == before
    told, now = api.get(None, f"{at}.json").json(), api.get("otto", "/api/datasets/survey").json()
    assert float(told["spent_in_all"]) < float(now["budget"]["total"]["spent"])


def test_a_release_of_a_dataset_that_is_not_served_is_not_there(api, monkeypatch):
    at = _make(api)
    _form(api, "otto", f"{at}/publish")
    assert at.removeprefix("/releases/") in api.get(None, "/releases.json").text
    monkeypatch.setattr(type(api.service), "every_dataset", lambda _: ())
    assert at.removeprefix("/releases/") not in api.get("otto", "/releases.json").text
    for who in ("otto", None):
        assert api.get(who, at).status_code == 404


def test_a_release_tells_the_mechanisms_of_its_own_answers_alone(api):
    """Whatever was kept beside it."""
    publishing, otto = api.service.publishing, Caller("otto", Role.CUSTODIAN, None, "")
    found = publishing.find(_make(api, "otto").removeprefix("/releases/"), otto)
    told = {one.certificate for part in publishing.report(found).answers
            for one in part.answer.results}  # fmt: skip
    kept = {"another's": {"kind": "none"}, **{key: {"kind": "ours"} for key in told - {None}}}
    public = publishing.publish(found.id, otto, whole=False, mechanisms=kept)
    assert set(publishing.mechanisms(public)["mechanisms"]) == told - {None}


@pytest.mark.parametrize("whole", [False, True])
def test_a_reader_recomputes_the_proof_with_the_command_of_the_page(api, tmp_path, whole):
    at = _make(api)
    _form(api, "otto", f"{at}/publish", **({"whole": "1"} if whole else {}))
    page = api.get(None, f"{at}/verify").text
    command = html.unescape(re.search(r'<pre id="by-python"[^>]*>(.*?)</pre>', page, re.S)[1])
    proof = api.get(None, f"{at}/proof.json").json()
    assert proof["head"]["hash"] in page
    assert [one["question"] for one in proof["entries"] if one["kind"] == "charge"] == (
        [one.question for one in api.charges()] if whole else ["ana:a", "ana:c"]
    )
    assert (SECRET["sql"] in json.dumps(proof)) == whole, "others' questions only with the whole"
    if whole:
        assert proof["entries"][-1]["hash"] == proof["head"]["hash"]
        assert proof["entries"][0]["previous"] == "0" * 64
    for change in (None, *(("question", "body", "billionths") if whole else ())):
        if change is not None:
            proof["entries"][-1][change] += "1"
        (tmp_path / "proof.json").write_text(json.dumps(proof))
        said = subprocess.run(
            [sys.executable, "-c", command.partition('"')[2].removesuffix('"')],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert said.strip() == str(change is None)


def test_a_report_at_an_entry_says_what_the_ledger_said_then(api):
    from discreet.reports import report_of

    (served,) = [one for one in api.service.every_dataset() if one.name == "survey"]
    ledger = served.curator.ledger
    told = {"made": "", "version": "", "receipts": ("ana:a",)}
    newest = ledger.entries()[-1].seq
    now = report_of(served.dataset, ledger, **told)
    assert report_of(served.dataset, ledger, **told, upto=newest) == now
    api.ask("ana", MEDIAN, key="later")
    assert report_of(served.dataset, ledger, **told, upto=newest) == now
    assert report_of(served.dataset, ledger, **told).total.spent > now.total.spent


def test_a_withdrawn_analyst_is_out_and_what_was_published_stays(api):
    at, draft = _make(api), _make(api, title="never published")
    _form(api, "otto", f"{at}/publish")
    api.call("otto", "DELETE", "/api/accounts/ana")
    assert api.get("ana", "/api/me").status_code == 401
    assert api.get("ana", draft).status_code == 404
    assert api.get(None, at).status_code == 200
    elsewhere = {"name": "ana", "datasets": ["visits"]}
    again = api.post("otto", "/api/accounts", elsewhere).json()["token"]
    assert api.get(again, "/api/me").status_code == 200
    assert api.get(again, draft).status_code == 404, "of a dataset that is not theirs any more"
    assert _form(api, "otto", f"{draft}/publish").status_code == 303
    assert "by ana" in api.get(None, draft).text
