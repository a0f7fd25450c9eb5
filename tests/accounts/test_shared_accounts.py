"""Accounts in PostgreSQL: what a serving role may do, what a lost database means, and the move."""

import psycopg
import pytest

from discreet.accounts import Accounts, move, prepare
from discreet.accounts.accounts import _digest
from discreet.accounts.postgresql import store as shared_store
from discreet.connection import Connection
from discreet.errors import DatasetError, InvalidInput, LedgerError, NotPrepared


@pytest.fixture
def door(postgres, people, monkeypatch, shared_place):
    """Where the role that serves connects."""
    monkeypatch.setenv("DISCREET_TEST_DOOR", postgres.url(people, role="door"))
    return Connection("url_env", "DISCREET_TEST_DOOR")


def test_a_server_signs_people_in_and_out_and_changes_no_account(shared_place, door):
    with Accounts(shared_place) as custodian, Accounts(door) as server:
        token = custodian.create("ana", datasets=("survey",))
        assert server.authenticate(token.text) == token.account
        session = server.open_session(token.text)
        assert server.session(session) == token.account
        assert server.accounts() == [token.account]
        assert (custodian.may_change(), server.may_change()) == (True, False)
        for attempt in (
            lambda: server.create("eve", "custodian"),
            lambda: server.revoke("ana"),
            lambda: server.take_back(token),
        ):
            with pytest.raises(NotPrepared, match="may only read accounts"):
                attempt()
        server.close_session(session)
        assert server.session(session) is None
        assert custodian.accounts() == [token.account]


def test_the_database_itself_refuses_a_serving_role_all_else(postgres, people, shared_place, door):
    with Accounts(shared_place) as custodian:
        token = custodian.create("ana", datasets=("survey",))
    with psycopg.connect(postgres.url(people, role="door"), autocommit=True) as raw:
        for statement in (
            "SELECT digest FROM discreet_accounts.people",
            "SELECT * FROM discreet_accounts.sessions",
            "INSERT INTO discreet_accounts.sessions VALUES ('x', 'ana', 'infinity')",
            "UPDATE discreet_accounts.people SET role = 'custodian'",
            "DELETE FROM discreet_accounts.people",
            "TRUNCATE discreet_accounts.people CASCADE",
            "UPDATE discreet_accounts.changes SET number = 0",
            "ALTER TABLE discreet_accounts.people DISABLE TRIGGER ALL",
            "CREATE TABLE discreet_accounts.mine ()",
            "SELECT discreet_accounts.changed()",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                raw.execute(statement)
        told = raw.execute("SELECT * FROM discreet_accounts.listed()").fetchall()
        assert _digest(token.text) not in str(told)
        opening = "SELECT discreet_accounts.open_session(%s, %s, 'infinity')"
        raw.execute(opening, ("mine", _digest("guessed")))
        raw.execute(opening, ("long", _digest(token.text)))
    lasts = "SELECT digest, expires < now() + interval '12 hours' FROM discreet_accounts.sessions"
    assert postgres.sql(lasts, people) == [("long", True)]


def test_a_session_needs_a_token_that_is_good_now(postgres, people, shared_place, door):
    with Accounts(shared_place) as custodian, Accounts(door) as server:
        token = custodian.create("ana", datasets=("survey",))
        server.open_session(token.text)
        custodian.revoke("ana")
        assert postgres.sql("SELECT * FROM discreet_accounts.sessions", people) == []
        before = server.open_session(token.text)
        new = custodian.create("ana", datasets=("survey",))
        assert server.session(before) is None
        assert server.session(server.open_session(token.text)) is None
        assert server.session(server.open_session(new.text)) == new.account


def test_two_custodians_make_one_account_of_a_name(place):
    with Accounts(place) as one, Accounts(place) as two:
        first = one.create("ana", datasets=("survey",))
        with pytest.raises(InvalidInput, match="revoke it first"):
            two.create("ana", datasets=("visits",))
        assert two.authenticate(first.text) == first.account


def test_who_cannot_be_looked_up_is_not_let_in_until_it_can(
    postgres, people, shared_place, monkeypatch
):
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        f"WHERE application_name = 'discreet-accounts' AND datname = '{people}'"
    )
    with Accounts(shared_place) as accounts:
        token = accounts.create("ana", datasets=("survey",)).text
        assert accounts.authenticate(token)
        postgres.sql(cut)
        accounts._looked = 0.0
        assert accounts.authenticate(token), "a line that was cut is laid anew"
        good = postgres.url(people)
        monkeypatch.setenv(shared_place.value, "postgresql://ana:s3cret@/x?host=/nowhere")
        postgres.sql(cut)
        accounts._looked = 0.0
        with pytest.raises(
            LedgerError, match=r"cannot be reached.*nothing listens there"
        ) as refused:
            accounts.authenticate(token)
        assert "s3cret" not in str(refused.value)
        with pytest.raises(LedgerError, match="try again"):
            accounts.authenticate(token)
        monkeypatch.setenv(shared_place.value, good)
        monkeypatch.setattr(accounts._store, "_away_until", 0.0)
        assert accounts.authenticate(token)


def test_what_is_not_ready_is_told_in_one_line(postgres, people, shared_place, monkeypatch):
    def refused(url, kind):
        monkeypatch.setenv(shared_place.value, url)
        with pytest.raises(kind) as problem:
            Accounts(shared_place)
        assert "\n" not in str(problem.value)
        return str(problem.value)

    postgres.sql("CREATE ROLE passer_by LOGIN")
    unready = refused(postgres.url(postgres.database()), NotPrepared)
    assert "no accounts, or this role may not use them" in unready
    assert refused(postgres.url(people, role="passer_by"), NotPrepared) == unready
    assert "listens" in refused("postgresql://x@/y?host=/nowhere", DatasetError)
    monkeypatch.setattr(shared_store, "VERSION", 99)
    assert "version 1; this program writes version 99" in refused(postgres.url(people), NotPrepared)
    with pytest.raises(NotPrepared, match="there is no role 'ghost'"):
        prepare(shared_place, "ghost")


def test_a_file_moves_with_its_tokens_and_sessions(shared_place, tmp_path):
    path = tmp_path / "discreet.accounts"
    with Accounts(path) as file:
        ana = file.create("ana", datasets=("survey",), expires="2999-01-01T00:00:00+00:00")
        otto = file.create("otto", "custodian")
        session = file.open_session(otto.text)
        file.create("bob", datasets=("survey",))
        file.revoke("bob")
        before = file.accounts()
    assert move(path, shared_place) == 3
    assert not path.exists()
    (tmp_path / "discreet.accounts.moved").rename(path)
    assert move(path, shared_place) == 3, "moved twice it is moved once"
    with Accounts(shared_place) as there:
        assert there.accounts() == before
        assert there.authenticate(ana.text) == ana.account
        assert there.session(session) == otto.account
    path.unlink(missing_ok=True)
    with Accounts(path) as other:
        other.create("zoe", datasets=("survey",))
        other.create("ana", datasets=("survey",))
    with pytest.raises(InvalidInput, match="another account 'ana' in PostgreSQL"):
        move(path, shared_place)
    assert path.is_file()
    with Accounts(shared_place) as there:
        assert there.accounts() == before
