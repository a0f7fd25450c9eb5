"""One ledger for several servers: what the database refuses, of whatever program connects."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from discreet.budget import Claim, Single, acknowledge
from discreet.budget.entries import EntryKind, Event, following
from discreet.errors import BudgetError, LedgerError, OverBudget, Remedy
from ledger_stores import WHERE
from shared_books import ask, inserted


def test_two_servers_spend_one_budget_and_tell_one_answer(server):
    with server("one") as one, server("two") as two:
        first = ask(one, "a", 600_000_000)
        again = ask(two, "a", 600_000_000, draw=lambda: pytest.fail("drawn twice"))
        assert (first.new, again.new, again.answer) == (True, False, first.answer)
        with pytest.raises(OverBudget, match=r"the total budget has 0\.4 left"):
            ask(two, "b", 600_000_000)
        assert two.answer("a") == one.answer("a") == {"value": "3"}
        assert two.audit().clean


def test_a_serving_role_adds_charges_and_answers_and_nothing_else(
    server, book, postgres, ledgers, monkeypatch
):
    server("custodian").close()
    monkeypatch.setenv(WHERE, postgres.url(ledgers, role="server"))
    with server("one") as ledger:
        ask(ledger, "a")
        with pytest.raises(LedgerError, match="charges and answers alone") as refused:
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
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                attempt()


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
    with pytest.raises(LedgerError, match="its custodian begins it") as refused:
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
        with pytest.raises(LedgerError, match="entry 5 was written and is not here") as refused:
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
