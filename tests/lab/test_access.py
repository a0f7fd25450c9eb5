"""Who comes in: what a server must refuse whatever became of its accounts."""

import logging
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.requests import Request
from starlette.responses import Response

from discreet.accounts import Accounts, Role
from discreet.web.gate import HEADERS, NO_STORE, Gate, JsonLines, Metrics, _add_headers
from discreet.web.identity import Caller, _local, set_cookie
from discreet.web.problems import Forbidden
from discreet.web.reading import export
from discreet.web.scratch import Scratch
from discreet.web.served import ServedDataset
from discreet.web.service import Service
from discreet.web.settings import Settings
from own_loop import run_apart
from served_api import make_dataset


@pytest.fixture
def accounts(tmp_path):
    with Accounts(tmp_path / "discreet.accounts") as made:
        yield made


@pytest.fixture
def service(tmp_path):
    files = tuple(make_dataset(tmp_path, name) for name in ("survey", "visits"))
    made = Service(Settings(files=files, warm=False).checked())
    yield made
    made.close()


def request(*, host="127.0.0.1:8000", peer="127.0.0.1", scheme="http", **headers):
    raw = [(b"host", host.encode())]
    raw += [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return Request(
        {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": raw,
         "client": (peer, 5000), "scheme": scheme, "server": ("127.0.0.1", 8000)}
    )  # fmt: skip


def test_all_accounts_revoked_do_not_open_the_server(service, monkeypatch):
    with Accounts(service.accounts_place) as made:
        made.create("otto", "custodian")
        made.revoke("otto")
    assert service.has_accounts
    service.accounts_place.rename(service.accounts_place.with_suffix(".gone"))
    assert service.has_accounts  # a file that is gone is no reason to let everybody in


@pytest.mark.parametrize(
    "given",
    [{"peer": "10.0.0.7"}, {"host": "clinic.example"}, {"x_forwarded_for": "10.0.0.7"},
     {"via": "1.1 proxy"}],
)  # fmt: skip
def test_the_peer_and_the_host_and_what_is_between_must_be_this_machine(given):
    assert not isinstance(_local(request()), Forbidden)
    assert isinstance(_local(request(**given)), Forbidden)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_cookie_has_its_flags_and_the_length_of_a_session(scheme):
    reply = Response()
    set_cookie(reply, request(scheme=scheme), "secret")
    words = {one.strip().lower() for one in reply.headers["set-cookie"].split(";")}
    assert {"httponly", "samesite=strict", "path=/", f"max-age={12 * 3600}"} <= words
    assert ("secure" in words) == (scheme == "https")


def test_a_name_given_again_has_none_of_the_old_sessions(accounts):
    before = accounts.open_session(accounts.create("ana", datasets=("survey",)).text)
    accounts.revoke("ana")
    assert accounts._store._rows("SELECT count(*) FROM sessions") == [(0,)]
    expired = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")
    ended = accounts.create("ana", datasets=("survey",), expires=expired)
    during = accounts.open_session(ended.text)
    accounts.create("ana", datasets=("visits",))
    assert accounts.session(before) is None
    assert accounts.session(during) is None


def test_accounts_are_nobody_elses_to_read(accounts):
    assert stat.S_IMODE(Path(accounts.place).stat().st_mode) == 0o600


def test_tokens_and_sessions_have_256_random_bits(accounts):
    token = accounts.create("ana", datasets=("survey",))
    assert len(token.text) >= len("dsc_") + 43
    assert len(accounts.open_session(token.text)) >= 43


def test_no_page_is_framed_and_nothing_is_kept():
    message = {"headers": []}
    _add_headers({"scheme": "http"}, message)
    found = dict(message["headers"])
    assert found[b"x-frame-options"] == b"DENY"
    assert b"frame-ancestors 'none'" in found[b"content-security-policy"]
    assert NO_STORE in message["headers"]
    assert set(HEADERS) <= set(message["headers"])


def test_the_whole_ledger_is_for_custodians(service):
    served = service.every_dataset()[0]
    with pytest.raises(Forbidden):
        export(served, Caller("ana", Role.ANALYST, None, ""))


def test_questions_that_were_read_are_kept_per_dataset(service):
    first, second = service.every_dataset()
    ana = SimpleNamespace(name="ana")
    body = b'{"sql": "SELECT COUNT(*)", "epsilon": "1"}'
    run_apart(service.order_of(second, body, ana))
    assert list(service._orders) == [(second.name, body)]
    run_apart(service.order_of(first, body, ana))
    assert set(service._orders) == {(first.name, body), (second.name, body)}


def test_questions_about_made_up_tables_are_read_each_time(service):
    """Their names are those of others' tables, and of later ones with other facts."""
    first, _ = service.every_dataset()
    body = b'{"sql": "SELECT COUNT(*)", "epsilon": "1"}'
    made_up = ServedDataset("~tour", first.curator)
    run_apart(service.order_of(made_up, body, SimpleNamespace(name="ana")))
    assert service._orders == {}


@pytest.mark.parametrize("length", [b"999999999", b"-1", b"x", b"9" * 400])
def test_a_said_length_that_is_too_long_is_refused_before_the_body(service, length):
    gate = Gate(None, service, Metrics())
    scope = {"path": "/api/datasets", "method": "POST"}
    assert gate._too_large({**scope, "headers": [(b"content-length", length)]}) is not None
    assert gate._too_large({**scope, "headers": [(b"content-length", b"10")]}) is None


def test_logs_hold_no_path_and_no_trace(service, caplog, monkeypatch):
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    gate = Gate(None, service, Metrics())
    with caplog.at_level(logging.INFO, "discreet.web"):
        gate._note({"path": "/api/secret-path", "method": "GET"}, 404, 0.1)
    assert "secret-path" not in "".join(map(JsonLines().format, caplog.records))
    try:
        raise ValueError("a private row")
    except ValueError as problem:
        record = logging.LogRecord("x", 40, "f", 1, "failed", (), (ValueError, problem, None))
    told = JsonLines().format(record)
    assert "ValueError" in told
    assert "private row" not in told
    assert "Traceback" not in told


def test_a_made_up_table_is_its_owners_alone():
    scratch = Scratch()
    made = scratch.open("~tour", "ana", make_dataset)
    assert scratch.find("~tour", "ana") is made
    assert scratch.find("~tour", "ben") is None
    scratch.close()
