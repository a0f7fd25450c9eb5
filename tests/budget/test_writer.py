"""Who writes, and when: alone in one's own thread, in a crowd together, never after the end."""

import os
import threading
import time
from functools import partial

import pytest

from discreet.budget import Ledger, Single, audit
from discreet.budget.entries import following
from discreet.errors import LedgerError, OverBudget


@pytest.fixture
def ledger(tmp_path):
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

    def counting(orders):
        batches.append(len(orders))
        return committed(orders)

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


def test_after_the_end_nothing_is_written(tmp_path):
    ledger = Ledger.create(tmp_path / "survey.ledger", "1")
    ledger.close()
    with pytest.raises(LedgerError, match="closed"):
        ledger.charge("a", Single(1), analyst="ana")


def test_first_budgets_are_written_together_or_not_at_all(tmp_path, monkeypatch):
    """Else an analyst whose limit was not written yet could spend the total."""
    path = tmp_path / "survey.ledger"
    made = []

    def breaking(head, event, at):
        made.append(event)
        if len(made) == 2:
            raise LedgerError("the power went off")
        return following(head, event, at)

    with monkeypatch.context() as broken:
        broken.setattr("discreet.budget.page.following", breaking)
        with pytest.raises(LedgerError, match="power"):
            Ledger.create(path, "1", {"ana": "0.1"})
    with Ledger(path) as ledger:
        assert ledger.entries() == []
