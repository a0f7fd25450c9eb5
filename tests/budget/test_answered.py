"""Charge, draw and store in one transaction: all of it, or the charge alone, or nothing."""

import threading

import apsw
import psycopg
import pytest

from discreet.budget import Claim, Single, audit
from discreet.errors import IdTaken, LedgerError, OverBudget
from ledger_stores import Ledger


@pytest.fixture
def ledger(tmp_path, either):
    with Ledger.create(tmp_path / "survey.ledger", "0.000000010") as opened:
        yield opened


def ask(ledger, question, cost, draw, **facts):
    return ledger.answered(question, Claim(Single(cost), facts), draw, analyst="ana")


def test_the_charge_is_there_when_the_answer_is_drawn_and_both_when_it_is_released(ledger):
    charge = ask(ledger, "a", 4, lambda: {"value": "3"})
    assert (charge.new, charge.answer, charge.billionths) == (True, {"value": "3"}, 4)
    assert (charge.total.left, charge.own.spent) == (6, 4)
    assert [entry.kind for entry in ledger.entries()] == ["budget", "charge", "answer"]
    assert audit(ledger.entries()).clean


def test_asked_again_nothing_is_drawn(ledger):
    ask(ledger, "a", 4, lambda: {"value": "3"})
    again = ask(ledger, "a", 4, lambda: pytest.fail("drawn twice"))
    assert (again.new, again.answer, again.total.spent) == (False, {"value": "3"}, 4)
    with pytest.raises(IdTaken):
        ask(ledger, "a", 5, dict)


def test_over_budget_nothing_is_drawn(ledger):
    with pytest.raises(OverBudget):
        ask(ledger, "a", 11, lambda: pytest.fail("drawn without a charge"))
    assert ledger.balance().spent == 0


def test_a_draw_that_fails_is_paid_for_and_harms_no_other(ledger):
    """Whether it fails may depend on the rows: it must not be learnt for nothing."""

    def broken():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(ledger, "a", 4, broken)
    assert ledger.balance().spent == 4
    assert ask(ledger, "b", 4, lambda: {"value": "1"}).new
    assert audit(ledger.entries()).clean


def test_under_one_charge_nothing_is_drawn_twice(ledger):
    """Else every failure to store a draw would tell of another draw, and only one is paid for."""
    ledger.charge("a", Single(4), analyst="ana")
    with pytest.raises(LedgerError, match="under a new id"):
        ask(ledger, "a", 4, lambda: pytest.fail("drawn again"))
    assert ledger.balance().spent == 4


@pytest.mark.parametrize("trouble", ["full", OSError])
def test_an_answer_that_finds_no_room_is_charged_all_the_same(ledger, trouble, either):
    """Whether there was room may depend on what was drawn: it must not be learnt for nothing."""
    full = {"file": apsw.FullError, "postgresql": psycopg.errors.DiskFull}[either]

    def too_long():
        raise (full if trouble == "full" else trouble)("no room")

    with pytest.raises(LedgerError, match="the charge stands"):
        ask(ledger, "a", 4, too_long)
    assert ledger.balance().spent == 4
    with pytest.raises(LedgerError, match="under a new id"):
        ask(ledger, "a", 4, lambda: pytest.fail("drawn again"))
    assert audit(ledger.entries()).clean


def test_many_threads_with_one_id_get_one_answer(ledger):
    gate, seen = threading.Barrier(8), []

    def client(number):
        gate.wait()
        seen.append(ask(ledger, "a", 4, lambda: {"value": str(number)}).answer["value"])

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 1
    assert ledger.balance().spent == 4


def test_an_analyst_sees_their_own_entries(ledger):
    ask(ledger, "a", 1, lambda: {"value": "1"})
    ledger.charge("b", Single(1), analyst="bob")
    assert {entry.question for entry in ledger.entries("ana")} == {"a"}
    assert {entry.question for entry in ledger.entries("bob")} == {"b"}


def test_whatever_goes_wrong_the_writer_goes_on(ledger, monkeypatch):
    """A bug in one batch must not leave the others waiting for ever."""
    with monkeypatch.context() as broken:
        broken.setattr("discreet.budget.writer.Page", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            ask(ledger, "a", 4, dict)
    assert ask(ledger, "b", 4, lambda: {"value": "1"}).new


def test_an_audit_reads_one_snapshot_while_others_ask(ledger):
    stop = threading.Event()

    def go_on():
        number = 0
        while not stop.is_set():
            ledger.store_answer("a", {}) if number else ledger.charge("a", Single(1), analyst="x")
            number += 1

    asking = threading.Thread(target=go_on)
    asking.start()
    found = [ledger.audit().clean for _ in range(30)]
    stop.set()
    asking.join()
    assert all(found)
