"""One ledger for several servers: what the database refuses, of whatever program connects."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from discreet.budget import Claim, Ledger, SharedBook, Single, acknowledge, prepare
from discreet.budget.entries import EntryKind, Event, following
from discreet.budget.postgresql import schema
from discreet.connection import Connection
from discreet.errors import BudgetError, LedgerError, NotPrepared, OverBudget, Remedy
from ledger_stores import WHERE
from postgres_server import GUARDED
from shared_books import ask, inserted


def test_two_servers_spend_one_budget_and_tell_one_answer(server):
    with server("one") as one, server("two") as two:
        first = ask(one, "a", 600_000_000)
        again = ask(two, "a", 600_000_000, draw=lambda: pytest.fail("drawn twice"))
        assert (first.new, again.new, again.answer) == (True, False, first.answer)
        with pytest.raises(OverBudget, match=r"the total budget has only 0\.4 left"):
            ask(two, "b", 600_000_000)
        assert two.answer("a") == one.answer("a") == {"value": "3"}
        assert two.audit().clean


def test_a_serving_role_adds_charges_and_answers_and_nothing_else(
    server, book, postgres, ledgers, monkeypatch
):
    server("custodian").close()
    prepare(book, "server")
    monkeypatch.setenv(WHERE, postgres.url(ledgers, role="server"))
    with server("one") as ledger:
        ask(ledger, "a")
        with pytest.raises(LedgerError, match="only add charges and answers") as refused:
            ledger.allow("", "5")
        assert refused.value.remedy is Remedy.PREPARE
        newest = ledger.entries()[-1]
    with psycopg.connect(postgres.url(ledgers, role="server"), autocommit=True) as raw:
        more = Event(EntryKind.BUDGET, "", billionths=10**12)
        for attempt in (
            lambda: inserted(raw, book, following(newest.head, more, "now")),
            lambda: raw.execute("UPDATE discreet.accounts SET allowed = 10 ^ 12"),
            lambda: raw.execute("UPDATE discreet.heads SET seq = 0"),
            lambda: raw.execute("INSERT INTO discreet.heads (book) VALUES ('mine')"),
            lambda: raw.execute("UPDATE discreet.entries SET billionths = 0"),
            lambda: raw.execute("DELETE FROM discreet.entries"),
            lambda: raw.execute("TRUNCATE discreet.entries"),
            lambda: raw.execute("SELECT discreet.spend('x', 'ana', -5)"),
            lambda: raw.execute("ALTER TABLE discreet.entries DISABLE TRIGGER ALL"),
            lambda: raw.execute("DROP POLICY read_entries ON discreet.entries"),
            lambda: raw.execute("CREATE TABLE discreet.mine ()"),
            lambda: raw.execute("SET session_replication_role = replica"),
            lambda: raw.execute("INSERT INTO discreet.servers VALUES ('server', 'other')"),
            lambda: raw.execute("SELECT * FROM discreet.servers"),
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                attempt()


def test_a_role_serves_the_books_it_was_named_for_and_sees_no_other(
    server, book, postgres, ledgers, monkeypatch, tmp_path
):
    other = SharedBook(book.connection, "other's")
    with Ledger.open_or_create(tmp_path / "other.ledger", "1", shared=other) as ledger:
        ask(ledger, "secret")
        newest = ledger.entries()[-1]
    prepare(other, GUARDED)
    server("custodian").close()
    prepare(book, "server")
    monkeypatch.setenv(WHERE, postgres.url(ledgers, role="server"))
    with server("one") as ledger:
        assert ask(ledger, "a").new
    with pytest.raises(NotPrepared, match="that this role may use") as refused:
        Ledger(tmp_path / "other.ledger", shared=other)
    assert refused.value.exit_code == 2
    with psycopg.connect(postgres.url(ledgers, role="server"), autocommit=True) as raw:
        for table in ("heads", "entries", "accounts"):
            found = raw.execute(f"SELECT DISTINCT book FROM discreet.{table}").fetchall()
            assert (book.name,) in found
            assert (other.name,) not in found
        turn = raw.execute("SELECT seq FROM discreet.turn(%s)", (other.name,))
        assert turn.fetchone() == (None,)
        charge = following(newest.head, Event(EntryKind.CHARGE, "ana", question="b"), "now")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            inserted(raw, other, charge)
    monkeypatch.setenv(WHERE, postgres.url(ledgers))
    prepare(other, "server")
    monkeypatch.setenv(WHERE, postgres.url(ledgers, role="server"))
    with Ledger(tmp_path / "other.ledger", shared=other) as ledger:
        assert ask(ledger, "b").new


def test_ledgers_of_the_first_version_are_brought_up_by_preparing(postgres, tmp_path, monkeypatch):
    database = postgres.database()
    first = (
        schema.TABLES
        + schema.RULES
        + """
        CREATE FUNCTION discreet.turn(wanted text, OUT seq bigint, OUT hash text)
        LANGUAGE sql AS 'SELECT seq, hash FROM discreet.heads WHERE book = wanted FOR UPDATE';
        CREATE POLICY read_entries ON discreet.entries FOR SELECT USING (true)"""
    )
    postgres.sql(first, database)
    monkeypatch.setenv(WHERE, postgres.url(database))
    book = SharedBook(Connection("url_env", WHERE), "survey")
    with pytest.raises(NotPrepared, match=r"version 1; this program writes version 2"):
        Ledger.open_or_create(tmp_path / "survey.ledger", "1", shared=book)
    assert not prepare(book, "server")
    with Ledger.open_or_create(tmp_path / "survey.ledger", "1", shared=book) as ledger:
        ask(ledger, "a")
    monkeypatch.setenv(WHERE, postgres.url(database, role="server"))
    with Ledger(tmp_path / "survey.ledger", shared=book) as ledger:
        assert ask(ledger, "b").new


@pytest.mark.parametrize(
    ("event", "changed", "told"),
    [
        (Event(EntryKind.CHARGE, "ana", question="b", billionths=1), {"seq": 9}, "follow"),
        (Event(EntryKind.CHARGE, "ana", question="b"), {"previous": "f" * 64}, "follow"),
        (Event(EntryKind.CHARGE, "ana", question="b"), {"hash": "f" * 64}, "hash of another"),
        (Event(EntryKind.ANSWER, "ana", question="b"), {}, "no charge"),
        (Event(EntryKind.ANSWER, "ana", question="a"), {}, "one_answer"),
        (Event(EntryKind.ANSWER, "bob", question="a"), {}, "no charge|one_answer"),
        (Event(EntryKind.CHARGE, "", question="b", billionths=1), {}, "names its analyst"),
        (Event(EntryKind.CHARGE, "ana", question="a"), {}, "one_charge"),
        (Event(EntryKind.CHARGE, "ana", question="b", billionths=10**9), {}, "check"),
        (Event(EntryKind.CHARGE, "ana", question="b", billionths=1), {"billionths": -1}, "check"),
        (Event(EntryKind.CHARGE, "ana", question="b"), {"kind": "gift"}, "check"),
    ],
)
def test_the_database_itself_refuses_what_breaks_a_rule(
    server, book, postgres, ledgers, event, changed, told
):
    """Also of the custodian, and so of whatever program connects."""
    with server() as ledger:
        ask(ledger, "a")
        newest = ledger.entries()[-1]
    with psycopg.connect(postgres.url(ledgers), autocommit=True) as raw:
        with pytest.raises(psycopg.Error, match=told):
            inserted(raw, book, following(newest.head, event, "now"), **changed)
        for statement in ("UPDATE discreet.entries SET at = ''", "DELETE FROM discreet.entries"):
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                raw.execute(statement)
        odd = Event(EntryKind.CHARGE, 'é"\\\x01😀\x7f', question="ok", body=Claim(Single(0)).body)
        inserted(raw, book, following(newest.head, odd, "now"))
    with server() as ledger:
        assert ledger.audit().clean


def test_a_server_cannot_begin_a_book(book, postgres, ledgers, monkeypatch, server):
    monkeypatch.setenv(WHERE, postgres.url(ledgers, role="server"))
    with pytest.raises(LedgerError, match="its custodian creates it and names") as refused:
        server()
    assert refused.value.remedy is Remedy.PREPARE


@pytest.mark.parametrize("question", ["a\0b", "\ud800", "x" * 501])
def test_an_id_that_cannot_be_kept_harms_no_other(server, question):
    with server() as ledger, ThreadPoolExecutor(8) as pool:
        good = [pool.submit(ask, ledger, f"q{number}") for number in range(20)]
        with pytest.raises(BudgetError, match="at most 500 characters"):
            ask(ledger, question)
        assert all(one.result(60).new for one in good)


def older(postgres, ledgers, book, seq):
    """Put the book back, as a restored backup or a standby that lagged would."""
    postgres.sql(
        f"""SET session_replication_role = replica;
        DELETE FROM discreet.entries WHERE book = '{book.name}' AND seq > {seq};
        UPDATE discreet.heads SET seq = {seq}, hash = coalesce((SELECT hash FROM discreet.entries
            WHERE book = '{book.name}' AND seq = {seq}), repeat('0', 64))
        WHERE book = '{book.name}';
        UPDATE discreet.accounts SET spent = (SELECT coalesce(sum(billionths), 0)
            FROM discreet.entries WHERE book = '{book.name}' AND kind = 'charge')
        WHERE book = '{book.name}'""",
        ledgers,
    )


def test_an_older_copy_is_refused_by_every_server_that_knew_more(
    server, book, postgres, ledgers, tmp_path
):
    with server("one") as one, server("two") as two:
        ask(one, "a", 100)
        ask(two, "b", 50)
        older(postgres, ledgers, book, 3)
        with pytest.raises(LedgerError, match="entry 5 was written but is not here") as refused:
            ask(two, "c")
        assert refused.value.remedy is Remedy.ACKNOWLEDGE_LOSS
    with pytest.raises(LedgerError, match="older or another copy"):
        server("two")
    loss = acknowledge(tmp_path / "two" / "survey.ledger", shared=book)
    assert (loss.kept, loss.anchored, loss.billionths) == (3, 5, 50)
    with server("two") as two, server("one") as one:
        assert one.balance().spent == two.balance().spent == 150
        assert ask(one, "c").new
        assert two.audit().clean


def test_a_book_that_is_gone_does_not_begin_again(server, book, postgres, ledgers):
    with server() as ledger:
        ask(ledger, "a")
    older(postgres, ledgers, book, 0)
    with pytest.raises(LedgerError, match="older or another copy"):
        server()
