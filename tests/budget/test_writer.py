"""Who writes, and when: alone in one's own thread, in a crowd together, never after the end."""

import os
import secrets
import signal
import threading
import time
from contextlib import suppress
from functools import partial

import pytest

from discreet.budget import Claim, Single, audit
from discreet.budget.charging import charging
from discreet.budget.entries import following
from discreet.errors import LedgerError, OverBudget
from ledger_stores import Ledger

SOAKING = bool(os.environ.get("DISCREET_SOAK"))
INTERRUPTS = 3000 if SOAKING else 100
CLOSINGS = 1000 if SOAKING else 20


@pytest.fixture
def ledger(either, tmp_path):
    with Ledger.create(tmp_path / "survey.ledger", "0.000001") as opened:
        yield opened


def whose(ledger, name):
    """Charge, and say which thread did it."""
    done = []

    def job(page):
        done.append(threading.current_thread())

    getattr(ledger._writer, name)(job)
    while not done:
        time.sleep(0.001)
    return done[0]


def test_alone_one_writes_in_ones_own_thread(ledger):
    while not ledger._writer._orders.empty() or ledger._writer._turn.locked():
        time.sleep(0.001)
    assert whose(ledger, "run") is threading.current_thread()


def test_who_does_not_wait_leaves_it_to_the_writers_thread(ledger):
    assert whose(ledger, "submit") is ledger._writer._thread


def test_who_comes_while_another_writes_joins_the_next_commit(ledger):
    inside, go_on, batches = threading.Event(), threading.Event(), []
    committed = ledger._writer._committed

    def counting(batch):
        done = committed(batch)
        batches.append(len(batch.orders))
        return done

    ledger._writer._committed = counting

    def slow(page):
        inside.set()
        assert go_on.wait(60)

    threads = [threading.Thread(target=ledger._writer.run, args=(slow,))]
    threads[0].start()
    assert inside.wait(60)
    for number in range(2):
        charge = partial(ledger.charge, f"q{number}", Single(1), analyst="ana")
        threads.append(threading.Thread(target=charge))
        threads[-1].start()
    time.sleep(0.2)
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert batches[0] == 1
    assert sum(batches) == 3
    assert ledger.balance().spent == 2
    assert audit(ledger.entries()).clean


def test_what_goes_wrong_is_told_to_the_one_who_waits(ledger):
    with pytest.raises(OverBudget):
        ledger.charge("a", Single(10**6), analyst="ana")
    assert ledger.charge("a", Single(1), analyst="ana").new


def test_the_anchor_is_forced_to_the_disk_soon_after(ledger):
    ledger.charge("a", Single(1), analyst="ana")
    for _ in range(1000):
        if not ledger._anchor.dirty:
            break
        time.sleep(0.01)
    assert not ledger._anchor.dirty


def test_room_in_the_log_changes_nothing_that_is_read(tmp_path):
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1") as ledger:
        for number in range(2):
            ledger.charge(f"a{number}", Single(1), analyst="ana")
            ledger._writer._synced -= 10
            ledger._writer._tidy()
        log = tmp_path / "survey.ledger-wal"
        assert os.path.getsize(log) > 4_000_000
        assert ledger.charge("b", Single(1), analyst="ana").new
        with Ledger(path) as other:
            assert other.balance().spent == 3
            assert other.audit().clean
        assert ledger.charge("c", Single(1), analyst="ana").new
        copied = tmp_path / "copy.ledger"
        for ending in ("", "-wal", ".head"):
            copied.with_name(copied.name + ending).write_bytes(
                path.with_name(path.name + ending).read_bytes()
            )
    with Ledger(copied) as ledger:
        assert ledger.balance().spent == 4
        assert ledger.audit().clean


def test_after_the_end_nothing_is_written(either, tmp_path):
    ledger = Ledger.create(tmp_path / "survey.ledger", "1")
    ledger.close()
    with pytest.raises(LedgerError, match="closed"):
        ledger.charge("a", Single(1), analyst="ana")


def test_first_budgets_are_written_together_or_not_at_all(either, tmp_path, monkeypatch):
    """Else an analyst whose limit was not written yet could spend the total."""
    path = tmp_path / "survey.ledger"
    made = []

    def breaking(head, event, at):
        made.append(event)
        if len(made) == 2:
            raise LedgerError("the power went off")
        return following(head, event, at)

    with monkeypatch.context() as broken:
        broken.setattr("discreet.budget.charging.following", breaking)
        with pytest.raises(LedgerError, match="power"):
            Ledger.create(path, "1", {"ana": "0.1"})
    with Ledger(path) as ledger:
        assert ledger.entries() == []


def test_who_takes_a_question_back_in_time_is_not_charged_and_harms_nobody(ledger):
    inside, go_on = threading.Event(), threading.Event()

    def slow(page):
        inside.set()
        assert go_on.wait(60)

    first = ledger._writer.submit(slow)
    assert inside.wait(60)
    claim = Claim(Single(1))
    taken_back = ledger.answered_soon("a", claim, dict, analyst="ana")
    kept = ledger.answered_soon("b", claim, dict, analyst="ana")
    assert taken_back.cancel()
    assert not first.cancel()
    go_on.set()
    assert kept.result(60).new
    assert ledger.balance().spent == 1


def test_no_draw_ends_the_writers_thread(ledger):
    def leaving():
        raise SystemExit

    with pytest.raises(SystemExit):
        ledger.answered_soon("a", Claim(Single(1)), leaving, analyst="ana").result(60)
    assert ledger.answered_soon("b", Claim(Single(1)), dict, analyst="ana").result(60).new


def test_interrupts_leave_no_lock_behind(ledger, either):
    """Ctrl-C in a notebook: whenever it comes, the next question is answered."""

    def interrupt(*_):
        raise KeyboardInterrupt

    def alarmed(seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            for number in range(200):  # far more than the alarm leaves time for
                ledger.charge(f"{seconds}-{number}", Single(0), analyst="ana")
        except KeyboardInterrupt:
            return
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for times in range(INTERRUPTS if either == "file" else INTERRUPTS // 4):
            with suppress(KeyboardInterrupt):
                alarmed(1e-4 + secrets.randbelow(2000) * 1e-6)
            with Ledger(ledger.path) as other:
                assert other.charge(f"other {times}", Single(0), analyst="bob").new
    finally:
        signal.signal(signal.SIGALRM, before)
    assert ledger.charge("last", Single(1), analyst="ana").new
    assert audit(ledger.entries()).clean


def test_who_comes_while_the_ledger_closes_is_told_one_way_or_the_other(either, tmp_path):
    for times in range(CLOSINGS):
        ledger = Ledger.create(tmp_path / f"{times}.ledger", "1")
        told = []

        def client(number, ledger=ledger, told=told):
            try:
                for place in range(1000):
                    claim = Claim(Single(1))
                    ledger.answered_soon(f"{number}-{place}", claim, dict, analyst="a").result(60)
            except LedgerError as problem:
                told.append(str(problem))

        threads = [threading.Thread(target=client, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.001 * (times % 5))
        ledger.close()
        for thread in threads:
            thread.join(60)
        assert told == ["the ledger is closed"] * 4


def test_what_a_writer_remembers_is_what_is_there_whoever_has_written(either, tmp_path):
    """Two that have the same ledger open, as two processes have, and budgets that change."""
    path, spent = tmp_path / "survey.ledger", 0
    with Ledger.create(path, "1", {"ben": "0.5"}) as one, Ledger(path) as other:
        for turn, (asked, analyst) in enumerate(
            [(one, "ana"), (one, "ben"), (other, "ana"), (one, "ana"), (other, "ben"), (one, "ben")]
        ):
            spent += 10 + turn
            charge = asked.charge(f"q{turn}", Single(10 + turn), analyst=analyst)
            assert charge.total.spent == one.balance("").spent == other.balance("").spent == spent
            assert (charge.total, charge.own) == (other.balance(""), other.balance(analyst))
            if turn > 2:
                other.allow("ben", f"0.{turn}")
        assert one.charge("before", Single(1), analyst="ben").own.allowed == 500_000_000
        one.allow("ben", "0.2")
        assert one.charge("after", Single(1), analyst="ben").own.allowed == 200_000_000
        assert one.audit().clean


def test_what_was_taken_back_is_not_remembered(either, tmp_path):
    with Ledger.create(tmp_path / "survey.ledger", "1") as ledger:
        before = ledger.charge("q", Single(7), analyst="ana").total

        def job(page):
            with suppress(KeyError), page.whole():
                charging("lost", Claim(Single(100)), "ana")(page)
                raise KeyError
            return charging("kept", Claim(Single(1)), "ana")(page)

        assert ledger._writer.run(job).total.spent == before.spent + 1
        assert ledger.charge("next", Single(1), analyst="ana").total == ledger.balance("")
        assert ledger.audit().clean
