"""One ledger for several servers: lost commits, lost servers and cancelled waits."""

import os
import threading
import time

import psycopg
import pytest

from discreet.budget import Claim, Single, writer
from discreet.errors import LedgerError
from ledger_stores import WHERE
from shared_books import ask


def test_a_reader_that_cannot_connect_blames_the_ledger(server, monkeypatch):
    """It was there before: nobody who asks can mend it, so it is not their fault."""
    with server() as ledger:
        ask(ledger, "a")
        for reader in ledger._store._idle:
            reader.close()
        ledger._store._idle.clear()
        monkeypatch.setenv(WHERE, "postgresql://ana:s3cret@/x?host=/nowhere")
        with pytest.raises(
            LedgerError, match=r"cannot be reached.*nothing listens there"
        ) as refused:
            ledger.answer("a")
    assert "s3cret" not in str(refused.value)


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
        want_a_standby(postgres)
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


def want_a_standby(postgres):
    """Commits wait for a standby that is not there: reloading takes its time, so one is tried.

    No time limit ends that wait, so the one who tries is asked nothing, and cancelled.
    """
    postgres.sql("DROP TABLE IF EXISTS tried")
    postgres.sql("CREATE TABLE tried ()")
    postgres.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    postgres.sql("SELECT pg_reload_conf()")
    with psycopg.connect(postgres.url(), autocommit=True) as trying:
        waits = (
            "SELECT 1 FROM pg_stat_activity "
            f"WHERE wait_event = 'SyncRep' AND pid = {trying.info.backend_pid}"
        )

        def has_waited():
            trying.pgconn.send_query(b"INSERT INTO tried DEFAULT VALUES")
            while is_busy(trying.pgconn) and not postgres.sql(waits):
                time.sleep(0.005)
            has = is_busy(trying.pgconn)
            if has:
                postgres.sql(f"SELECT pg_cancel_backend({trying.info.backend_pid})")
            while trying.pgconn.get_result() is not None:
                pass
            return has

        waited_for(has_waited)


def is_busy(line):
    line.consume_input()
    return line.is_busy()


def waited_for(look):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come")


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
