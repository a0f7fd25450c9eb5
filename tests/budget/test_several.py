"""Several questions paid together: every charge and every answer, or no answer at all."""

import subprocess
import sys
import threading
from pathlib import Path

import apsw
import psycopg
import pytest

from discreet.budget import Asked, Claim, Premises, Single, audit
from discreet.errors import IdTaken, LedgerError, OverBudget
from ledger_stores import Ledger


@pytest.fixture
def ledger(tmp_path, either):
    with Ledger.create(tmp_path / "survey.ledger", "0.000000010", {"ben": 5e-9}) as opened:
        yield opened


def asked(*costs, name="q", draw=None):
    """Questions of these costs; each draws its place."""
    return [
        Asked(
            f"{name}-{place}",
            Claim(Single(cost), {"place": place}),
            draw or (lambda place=place: {"value": place}),
        )
        for place, cost in enumerate(costs, start=1)
    ]


def kinds(ledger, name="q-"):
    return [entry.kind for entry in ledger.entries() if entry.question.startswith(name)]


def test_all_are_charged_before_any_is_drawn_and_all_are_stored(ledger):
    charges = ledger.answered_all(asked(3, 0, 4), analyst="ana")
    assert [one.answer for one in charges] == [{"value": 1}, {"value": 2}, {"value": 3}]
    assert [(one.new, one.billionths, one.total.spent) for one in charges] == [
        (True, 3, 3), (True, 0, 3), (True, 4, 7),
    ]  # fmt: skip
    assert kinds(ledger) == ["charge"] * 3 + ["answer"] * 3
    assert audit(ledger.entries()).clean


@pytest.mark.parametrize("analyst", ["ana", "ben"])
def test_what_is_over_budget_together_leaves_nothing(ledger, analyst):
    """The first two would be within it; what the anchor marks is as it was."""
    most = {"ana": 10, "ben": 5}[analyst]
    never = asked(most // 2, most // 2, 2, draw=lambda: pytest.fail("drawn"))
    with pytest.raises(OverBudget, match="all questions together would cost") as refused:
        ledger.answered_all(never, analyst=analyst)
    assert (refused.value.cost, refused.value.left) == (sum(one.claim.total for one in never), most)
    assert ledger.balance().spent == 0
    assert kinds(ledger) == []
    ledger.answered_all(asked(most), analyst=analyst)
    assert ledger.audit().clean


def test_what_was_charged_before_is_not_owed_again(ledger):
    ledger.answered_all(asked(3), analyst="ana")
    with pytest.raises(OverBudget) as refused:
        ledger.answered_all(asked(3, 4, 5), analyst="ana")
    assert (refused.value.cost, refused.value.left) == (9, 7)


def test_sent_again_nothing_is_drawn_or_charged(ledger):
    first = ledger.answered_all(asked(3, 4), analyst="ana")
    again = ledger.answered_all(asked(3, 4, draw=lambda: pytest.fail("again")), analyst="ana")
    assert [one.answer for one in again] == [one.answer for one in first]
    assert [one.new for one in again] == [False, False]
    assert ledger.balance().spent == 7


def test_what_one_of_them_was_answered_before_is_told_and_the_others_are_paid(ledger):
    torn = asked(3, 4)
    ledger.answered_all(torn[1:], analyst="ana")
    charges = ledger.answered_all(torn, analyst="ana")
    assert [(one.new, one.answer["value"]) for one in charges] == [(True, 1), (False, 2)]
    assert ledger.balance().spent == 7


@pytest.mark.parametrize("trouble", ["taken", "another's", "lost"])
def test_an_id_that_cannot_serve_keeps_the_others_from_being_charged(ledger, trouble):
    two = asked(3, 4, draw=lambda: pytest.fail("drawn"))
    if trouble == "lost":
        ledger.charge("q-2", Single(4), analyst="ana", facts={"place": 2})
    else:
        ledger.charge("q-2", Single(2), analyst="ana" if trouble == "taken" else "ben")
    spent = ledger.balance().spent
    with pytest.raises(LedgerError if trouble == "lost" else IdTaken):
        ledger.answered_all(two, analyst="ana")
    assert ledger.balance().spent == spent
    assert kinds(ledger) == ["charge"]


def test_a_draw_that_fails_leaves_every_charge_and_no_answer(ledger):
    """That it failed may tell of rows: all are paid for, none is told, none is drawn again."""
    several = asked(3, 4)
    broken = [several[0], Asked("q-2", several[1].claim, lambda: 1 / 0)]
    with pytest.raises(ZeroDivisionError):
        ledger.answered_all(broken, analyst="ana")
    assert kinds(ledger) == ["charge", "charge"]
    with pytest.raises(LedgerError, match="under a new id"):
        ledger.answered_all(asked(3, 4, draw=lambda: pytest.fail("drawn again")), analyst="ana")
    assert ledger.balance().spent == 7
    assert ledger.audit().clean


def test_answers_that_find_no_room_are_charged_all_the_same(ledger, either):
    full = {"file": apsw.FullError, "postgresql": psycopg.errors.DiskFull}[either]

    def too_long():
        raise full("no room")

    several = asked(3, 4)
    with pytest.raises(LedgerError, match="the charge stands"):
        ledger.answered_all([several[0], Asked("q-2", several[1].claim, too_long)], analyst="ana")
    assert kinds(ledger) == ["charge", "charge"]
    assert ledger.audit().clean


def test_refused_together_the_facts_of_a_ledger_without_any_are_not_recorded(tmp_path, either):
    """They were known to the page that was undone: the next charge must record them."""
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "0.000000010"):
        pass
    with Ledger(path, premises=Premises({"privacy.size": 30})) as ledger:
        with pytest.raises(OverBudget):
            ledger.answered_all(asked(6, 6), analyst="ana")
        assert ledger.recorded_premises() is None
        ledger.answered_all(asked(6), analyst="ana")
        assert ledger.recorded_premises() is not None
        assert ledger.audit().clean


def test_baskets_that_race_are_paid_whole_or_not_at_all(ledger):
    gate, told = threading.Barrier(6), []

    def client(number):
        gate.wait()
        try:
            told.append(ledger.answered_all(asked(2, 2, name=f"b{number % 3}"), analyst="ana"))
        except OverBudget:
            told.append(None)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.balance().spent == 8, "two of three baskets for 4 each, each paid once"
    assert sum(one is not None for one in told) == 4
    assert ledger.audit().clean


DYING = """
import os, sys
from ledger_stores import Ledger
from discreet.budget import Asked, Claim, Single
path, dies = sys.argv[1:]
def draw(place):
    if dies == f"draw {place}":
        os._exit(9)
    return {"value": place}
with Ledger(path) as ledger:
    ledger.answered_all(
        [Asked(f"q-{n}", Claim(Single(n)), lambda n=n: draw(n)) for n in (1, 2, 3)], analyst="ana"
    )
    os._exit(9)
"""


@pytest.mark.parametrize(("dies", "kept"), [("draw 1", 0), ("draw 3", 0), ("told", 3)])
def test_a_process_that_dies_leaves_all_of_them_or_nothing(tmp_path, either, dies, kept):
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1"):
        pass
    here = Path(__file__).parent.parent
    dead = subprocess.run([sys.executable, "-c", DYING, path, dies], cwd=here, check=False)
    assert dead.returncode == 9
    with Ledger(path) as ledger:
        assert kinds(ledger) == ["charge"] * kept + ["answer"] * kept
        assert ledger.audit().clean
        several = [Asked(f"q-{n}", Claim(Single(n)), dict) for n in (1, 2, 3)]
        assert {one.new for one in ledger.answered_all(several, analyst="ana")} == {kept == 0}
