"""Accounts: a token opens what it should, as long as it should, and is nowhere to be found."""

import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from discreet.accounts import Accounts, read_expiry
from discreet.accounts.accounts import csrf_of
from discreet.errors import FileError, InvalidInput


def test_a_token_opens_its_account_and_no_other_text_does(accounts):
    token = accounts.create("ana", datasets=("survey",))
    assert token.text.startswith("dsc_")
    assert len(token.text) == 4 + 43
    assert accounts.authenticate(token.text) == token.account
    for other in ("", "dsc_", token.text[:-1], token.text + "A", token.text.lower(), "x" * 10_000,
                  "\ud800", "dsc_" + "é" * 40):  # fmt: skip
        assert accounts.authenticate(other) is None


def test_the_file_and_the_words_hold_no_secret(tmp_path):
    path = tmp_path / "discreet.accounts"
    with Accounts(path) as accounts:
        token = accounts.create("ana", datasets=("survey",))
        session = accounts.open_session(token.text)
        held = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert token.text.encode() not in held
    assert session.encode() not in held
    assert token.text not in repr(token)
    assert path.stat().st_mode & 0o077 == 0


def test_a_revoked_token_opens_nothing_at_once_nor_do_its_sessions(accounts):
    token = accounts.create("ana", datasets=("survey",))
    session = accounts.open_session(token.text)
    assert accounts.authenticate(token.text)
    assert accounts.session(session)
    accounts.revoke("ana")
    assert accounts.authenticate(token.text) is None
    assert accounts.session(session) is None


def test_a_revocation_elsewhere_is_noticed_within_a_second(accounts, place):
    token = accounts.create("ana", datasets=("survey",))
    session = accounts.open_session(token.text)
    assert accounts.authenticate(token.text)
    assert accounts.session(session)
    with Accounts(place) as elsewhere:
        elsewhere.revoke("ana")
    time.sleep(0.6)
    assert accounts.authenticate(token.text) is None
    assert accounts.session(session) is None


def test_a_session_of_one_server_opens_another_and_is_closed_for_both(accounts, place):
    token = accounts.create("ana", datasets=("survey",))
    session = accounts.open_session(token.text)
    with Accounts(place) as elsewhere:
        assert elsewhere.session(session) == token.account
        accounts.close_session(session)
        time.sleep(0.6)
        assert elsewhere.session(session) is None


class _InTwoHours(datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) + timedelta(hours=2)


def test_an_expired_token_opens_nothing(accounts, monkeypatch):
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat(timespec="seconds")
    token = accounts.create("ana", datasets=("survey",), expires=soon)
    session = accounts.open_session(token.text)
    assert accounts.authenticate(token.text)
    assert accounts.session(session)
    monkeypatch.setattr("discreet.accounts.accounts.datetime", _InTwoHours)
    assert accounts.authenticate(token.text) is None
    assert accounts.session(session) is None


def test_a_session_ends_by_signing_out_and_by_itself(accounts, monkeypatch):
    token = accounts.create("ana", datasets=("survey",))
    account = token.account
    first, second = accounts.open_session(token.text), accounts.open_session(token.text)
    assert first != second
    accounts.close_session(first)
    assert accounts.session(first) is None
    assert accounts.session(second) == account
    monkeypatch.setattr("discreet.accounts.accounts.SESSION_HOURS", -1)
    assert accounts.session(accounts.open_session(token.text)) is None


def test_a_session_is_no_token_and_a_token_no_session(accounts):
    token = accounts.create("ana", datasets=("survey",))
    session = accounts.open_session(token.text)
    assert accounts.session(session)
    assert accounts.authenticate(session) is None
    assert accounts.authenticate(token.text)
    assert accounts.session(token.text) is None
    assert csrf_of(session) not in (session, csrf_of(session + "x"))


def test_a_name_is_taken_until_it_is_revoked_and_goes_on_with_a_new_token(accounts):
    old = accounts.create("ana", datasets=("survey",))
    session = accounts.open_session(old.text)
    with pytest.raises(InvalidInput, match="revoke it first"):
        accounts.create("ana", datasets=("survey",))
    accounts.revoke("ana")
    new = accounts.create("ana", datasets=("visits",))
    assert accounts.authenticate(old.text) is None
    assert accounts.session(session) is None
    assert accounts.authenticate(new.text).datasets == ("visits",)
    assert [one.name for one in accounts.accounts()] == ["ana"]


@pytest.mark.parametrize("name", ["", "a:b", "a b", "ä", "-x", "a/b", "a" * 65, "a\n", None])
def test_names_fit_in_urls_and_ledgers(accounts, name):
    with pytest.raises(InvalidInput, match="letters"):
        accounts.create(name, datasets=("survey",))


def test_roles_and_datasets_are_checked(accounts):
    with pytest.raises(InvalidInput, match="analyst or custodian"):
        accounts.create("ana", "root")
    with pytest.raises(InvalidInput, match="at least one dataset"):
        accounts.create("ana")
    assert accounts.create("otto", "custodian").account.is_custodian
    with pytest.raises(InvalidInput, match="no account"):
        accounts.revoke("nobody")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12h", "2026-01-01T12:00:00+00:00"),
        ("8w", "2026-02-26T00:00:00+00:00"),
        ("1y", "2027-01-01T00:00:00+00:00"),
        (" 2026-01-01 ", "2026-01-02T00:00:00+00:00"),
        (None, None),
    ],
)
def test_expiry_is_read_as_people_write_it(text, wanted):
    assert read_expiry(text, datetime(2026, 1, 1, tzinfo=UTC)) == wanted


@pytest.mark.parametrize(
    "text", ["", "0d", "soon", "30", "2025-12-31", "2026-13-01", "-1d", "9999-12-31"]
)
def test_other_expiries_are_refused_in_words(text):
    with pytest.raises(InvalidInput, match=r"the end must be|give a later day"):
        read_expiry(text, datetime(2026, 1, 1, tzinfo=UTC))


def test_a_file_that_is_something_else_is_refused(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("not a database, but long enough to be taken for one " * 40)
    with pytest.raises(FileError, match="cannot open the accounts"):
        Accounts(other)


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path):
    with pytest.raises(FileError) as refused:
        Accounts(tmp_path / "nowhere" / "discreet.accounts")
    assert "No such file or directory; changing them needs write access to its" in str(
        refused.value
    )
    assert "Errno" not in str(refused.value)


def test_many_threads_agree(accounts):
    tokens = [accounts.create(f"a{n}", datasets=("survey",)).text for n in range(8)]
    wrong = []

    def look(number):
        for turn in range(200):
            found = accounts.authenticate(tokens[(number + turn) % 8])
            if found is None or found.name != f"a{(number + turn) % 8}":
                wrong.append((number, turn))

    threads = [threading.Thread(target=look, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
