"""One ledger for several servers: what the database refuses, and what a lost commit comes to."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from discreet.budget import (
    Claim,
    Ledger,
    SharedBook,
    Single,
    acknowledge,
    move,
    prepare,
    store,
    writer,
)
from discreet.budget.entries import EntryKind, Event, following
from discreet.budget.postgresql import store as postgres_store
from discreet.connection import Connection
from discreet.errors import BudgetError, DatasetError, LedgerError, OverBudget, Remedy
from ledger_stores import WHERE

KILLS = 200 if os.environ.get("DISCREET_SOAK") else 2
ROOT = Path(__file__).parents[1]


@pytest.fixture
def book(in_postgresql, request):
    return SharedBook(Connection("url_env", WHERE), request.node.name)


@pytest.fixture
def server(tmp_path, book):
    """How a server opens the ledger: each has a folder, and a head, of its own."""

    def opening(name="one", total="1", **facts):
        (tmp_path / name).mkdir(exist_ok=True)
        return Ledger.open_or_create(tmp_path / name / "survey.ledger", total, shared=book, **facts)

    return opening


def ask(ledger, question, cost=1, draw=lambda: {"value": "3"}):
    return ledger.answered(question, Claim(Single(cost)), draw, analyst="ana")


def inserted(connection, book, entry, **changed):
    told = {**vars(entry), **changed}
    told["hash"] = changed.get("hash") or type(entry)(**told).computed_hash()
    values = (
        book.name,
        *(str(one) if isinstance(one, EntryKind) else one for one in told.values()),
    )
    names = ", ".join(("book", *told))
    connection.execute(
        f"INSERT INTO discreet.entries ({names}) VALUES ({', '.join(['%s'] * len(values))})", values
    )


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


def test_a_reader_that_cannot_connect_blames_the_ledger(server, monkeypatch):
    """It was there before: nobody who asks can mend it, so it is not their fault."""
    with server() as ledger:
        ask(ledger, "a")
        for reader in ledger._store._idle:
            reader.close()
        ledger._store._idle.clear()
        monkeypatch.setenv(WHERE, "postgresql://ana:s3cret@/x?host=/nowhere")
        with pytest.raises(LedgerError, match=r"out of reach.*nothing listens there") as refused:
            ledger.answer("a")
    assert "s3cret" not in str(refused.value)


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


class Cut:
    """A connection whose line is cut at COMMIT: before it arrives, or before the reply does."""

    def __init__(self, real, arrives):
        self._real, self._arrives = real, arrives

    def __getattr__(self, name):
        return getattr(self._real, name)

    def execute(self, sql, *values):
        if sql != "COMMIT":
            return self._real.execute(sql, *values)
        if self._arrives:
            self._real.execute(sql)
        self._real.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")


@pytest.mark.parametrize("arrives", [True, False])
def test_a_commit_in_doubt_is_found_or_done_again_with_what_was_drawn(server, arrives):
    drawn = []

    def draw():
        drawn.append(len(drawn))
        return {"value": str(drawn[-1])}

    with server() as ledger:
        ledger._store._connection = Cut(ledger._store._connection, arrives)
        charge = ask(ledger, "a", draw=draw)
        assert (charge.new, charge.answer, drawn) == (True, {"value": "0"}, [0])
        assert [entry.kind for entry in ledger.entries()] == ["budget", "charge", "answer"]
        assert ledger.audit().clean


def test_out_of_reach_for_long_nothing_is_told_and_the_id_stays_good(server, book, monkeypatch):
    monkeypatch.setattr(writer, "_PATIENCE_SECONDS", 0)
    with server() as ledger:
        good = os.environ[WHERE]
        ledger._store._connection = Cut(ledger._store._connection, arrives=True)
        monkeypatch.setenv(WHERE, "postgresql://ana:s3cret@127.0.0.1:1/x")
        with pytest.raises(LedgerError, match="ask again under the same id") as told:
            ask(ledger, "a")
        assert "s3cret" not in str(told.value)
        with pytest.raises(LedgerError, match="nothing was charged"):
            ask(ledger, "b")
        monkeypatch.setenv(WHERE, good)
        again = ask(ledger, "a", draw=lambda: pytest.fail("drawn twice"))
        assert (again.new, again.answer) == (False, {"value": "3"})
        assert ledger.balance().spent == 1


def test_a_cancelled_wait_for_a_standby_releases_nothing(server, postgres, ledgers):
    """PostgreSQL warns and has it here alone; it is told when a standby may be relied on again."""
    with server() as ledger:
        ask(ledger, "a")
        postgres.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        postgres.sql("SELECT pg_reload_conf()")
        waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        try:
            asked = ledger.answered_soon("b", Claim(Single(1)), lambda: {"value": "4"}, analyst="x")
            for _ in range(2):
                pid = waited_for(lambda: postgres.sql(waiting))[0][0]
                postgres.sql(f"SELECT pg_cancel_backend({pid})")
                waited_for(lambda: postgres.sql(waiting))
                assert not asked.done()
        finally:
            postgres.sql("ALTER SYSTEM RESET synchronous_standby_names")
            postgres.sql("SELECT pg_reload_conf()")
        assert asked.result(60).answer == {"value": "4"}
        assert ledger.audit().clean


def waited_for(look):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come")


RACER = """
    import sys
    from concurrent.futures import ThreadPoolExecutor
    from discreet.budget import Claim, Ledger, SharedBook, Single
    from discreet.connection import Connection
    from discreet.errors import OverBudget
    path, name, who = sys.argv[1:]
    book = SharedBook(Connection("url_env", "DISCREET_TEST_LEDGERS"), name)
    with Ledger(path, shared=book) as one:
        def ask(number):
            try:
                return one.answered(f"{who}-{number}", Claim(Single(1)), dict, analyst="a").new
            except OverBudget:
                return False
        with ThreadPoolExecutor(64) as pool:
            print(sum(pool.map(ask, range(300))))
"""


def started(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_two_servers_with_64_clients_each_share_the_last_unit_exactly(server, book, tmp_path):
    server("one", "0.000000401").close()
    (tmp_path / "two").mkdir()
    racing = [started(RACER, tmp_path / who / "survey.ledger", book.name, who)
              for who in ("one", "two")]  # fmt: skip
    granted = [int(one.communicate(timeout=120)[0]) for one in racing]
    with server("one") as ledger:
        assert sum(granted) == ledger.balance().spent == 401
        assert ledger.audit().clean


SERVING = """
    import sys, threading
    from discreet.budget import Claim, Ledger, SharedBook, Single
    from discreet.connection import Connection
    from discreet.errors import LedgerError
    path, name, who = sys.argv[1:]
    book = SharedBook(Connection("url_env", "DISCREET_TEST_LEDGERS"), name)
    with Ledger(path, shared=book) as one:
        said = threading.Lock()
        def client(client):
            for number in range(10**6):
                id = f"{who}-{client}-{number}"
                try:
                    told = one.answered(id, Claim(Single(1)), lambda: {"v": id}, analyst="a")
                except LedgerError:
                    continue
                with said:
                    print(id, told.answer["v"], told.new, flush=True)
        for number in range(8):
            threading.Thread(target=client, args=(number,), daemon=True).start()
        threading.Event().wait()
"""


def test_killed_servers_and_a_killed_database_lose_no_charge_of_a_told_answer(
    server, book, postgres, tmp_path
):
    server("one", "100").close()
    (tmp_path / "two").mkdir()
    told = []
    for kill in range(KILLS):
        serving = [started(SERVING, tmp_path / who / "survey.ledger", book.name, f"{who}{kill}")
                   for who in ("one", "two")]  # fmt: skip
        first = [one.stdout.readline() for one in serving]
        time.sleep(0.05 + 0.01 * (kill % 20))
        if kill % 3 != 1:
            postgres.kill()
            time.sleep(0.05)
            postgres.start()
            first += [one.stdout.readline() for one in serving]
        for one in serving:
            one.kill()
        lines = first + [line for one in serving for line in one.communicate()[0].splitlines(True)]
        told += [line.split() for line in lines if line.endswith("\n")]
    with server("one") as ledger:
        assert ledger.audit().clean
        stored = {
            entry.question: entry.facts() for entry in ledger.entries() if entry.kind == "answer"
        }
    assert len({question for question, _, _ in told}) == len(told) >= 2 * KILLS
    for question, value, new in told:
        assert stored[question] == {"v": value}
        assert new == "True"


def test_a_file_moves_with_its_chain_and_is_spent_from_no_more(book, tmp_path):
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1", {"ana": "0.5"}) as ledger:
        ask(ledger, "a", 100)
        ledger.charge("é\x7f", Single(5), analyst="zoë 😀")
        before, balances = ledger.entries(), ledger.balances()
    with pytest.raises(LedgerError, match="move it into PostgreSQL") as refused:
        Ledger.open_or_create(path, "1", shared=book)
    assert refused.value.remedy is Remedy.MOVE
    assert move(path, book) == len(before)
    left = {one.name.removeprefix("survey.ledger") for one in tmp_path.iterdir()}
    assert left == {".moved", ".head", ".lock"}
    with Ledger(path, shared=book) as ledger:
        assert (ledger.entries(), ledger.balances()) == (before, balances)
        again = ask(ledger, "a", 100, draw=lambda: pytest.fail("drawn twice"))
        assert again.answer == {"value": "3"}
        assert ask(ledger, "b").new
        assert ledger.audit().clean
    with pytest.raises(LedgerError, match="older or another copy"):
        Ledger.create(path, "1")
    (tmp_path / "survey.ledger.moved").rename(path)
    with pytest.raises(LedgerError, match="older or another copy"):
        Ledger(path)
    with closing(store.connect(path, create=False)) as kept:
        assert store.SqliteBook(kept).all_entries() == before


def test_a_move_that_was_cut_short_is_finished_and_another_ledger_is_not_overwritten(
    book, tmp_path
):
    path = tmp_path / "survey.ledger"
    Ledger.create(path, "1").close()
    move(path, book)
    (tmp_path / "survey.ledger.moved").rename(path)
    assert move(path, book) == 1
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "survey.ledger"
    Ledger.create(other, "2").close()
    with pytest.raises(LedgerError, match="there is another ledger"):
        move(other, book)
    assert other.is_file()


def test_what_is_not_ready_is_told_in_one_line_before_any_charge(
    server, book, postgres, ledgers, monkeypatch
):
    server().close()
    told = {}

    def refused(name, **environment):
        for key, value in environment.items():
            monkeypatch.setenv(key, value)
        with pytest.raises((LedgerError, DatasetError)) as problem:
            server("new")
        told[name] = str(problem.value)
        assert "\n" not in told[name]

    postgres.sql("CREATE ROLE stranger LOGIN")
    refused("schema", **{WHERE: postgres.url(postgres.database())})
    refused("role", **{WHERE: postgres.url(ledgers, role="stranger")})
    monkeypatch.setenv(WHERE, postgres.url(ledgers))
    monkeypatch.setattr(postgres_store, "VERSION", 99)
    refused("version")
    assert "no ledgers, or this role may not use them" in told["schema"]
    assert told["role"] == told["schema"]
    assert "version 1, this program writes 99" in told["version"]
    with pytest.raises(LedgerError, match="there is no role 'ghost'; create it first"):
        prepare(Connection("url_env", WHERE), "ghost")


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


def test_a_frozen_server_does_not_keep_the_others_waiting_for_ever(server, postgres, ledgers):
    """Its session is ended by PostgreSQL; what it then commits is done again."""
    with server("one") as one, server("two") as two:
        inside, go_on = threading.Event(), threading.Event()

        def slow(page):
            inside.set()
            assert go_on.wait(60)

        frozen = one._writer.submit(slow)
        assert inside.wait(60)
        postgres.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = "
                     f"'idle in transaction' AND datname = '{ledgers}'")  # fmt: skip
        assert ask(two, "a").new
        go_on.set()
        frozen.result(60)
        assert ask(one, "b").new
        assert two.audit().clean
