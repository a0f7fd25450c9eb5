"""A ledger knows what it protects: under other facts nothing is charged until that is recorded."""

import json
import shutil
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.budget import Claim, Premises, Single, audit
from discreet.budget.charging import Page
from discreet.budget.entries import following
from discreet.errors import BudgetError, FactsChanged, LedgerError, Remedy
from ledger_stores import Ledger

BEFORE = Path(__file__).parents[1] / "compat" / "files" / "visits.ledger"
ROWS = Premises({"privacy.unit": "row", "columns.age.high": "90", "source.path": "rows.csv"})
PEOPLE = Premises({"privacy.unit": "person", "columns.age.high": "90", "source.path": "rows.csv"})
FACTS = st.dictionaries(
    st.sampled_from(["privacy.unit", "privacy.size", "columns.age.low", "columns.age.values"]),
    st.none() | st.integers(0, 3) | st.text(max_size=3) | st.lists(st.text(max_size=2), max_size=2),
)


@pytest.fixture
def path(either, tmp_path):
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1", {"ana": "0.5"}, premises=ROWS) as ledger:
        ask(ledger, "a")
    return path


def ask(ledger, question, cost=100):
    return ledger.answered(question, Claim(Single(cost)), lambda: {"value": "3"}, analyst="ana")


def test_the_facts_come_before_the_first_charge(path):
    with Ledger(path) as ledger:
        kinds = [entry.kind for entry in ledger.entries()]
        assert kinds == ["budget", "budget", "facts", "charge", "answer"]
        recorded = ledger.entries()[2]
        assert recorded.facts()["facts"] == dict(ROWS.facts)
        assert (recorded.question, recorded.billionths) == (ROWS.digest, 0)
        assert ledger.audit().clean


def test_under_other_facts_nothing_is_charged_and_nothing_is_lost(path):
    with Ledger(path, premises=PEOPLE) as ledger:
        before = ledger.entries()
        for refused in (ledger.check_premises, lambda: ask(ledger, "b")):
            with pytest.raises(FactsChanged) as told:
                refused()
            assert "privacy.unit was row, now person; restore them" in str(told.value)
            assert (told.value.keys, told.value.remedy) == (
                ("privacy.unit",),
                Remedy.ACKNOWLEDGE_FACTS,
            )
        with pytest.raises(FactsChanged):
            ledger.charge("b", Single(1), analyst="ana")
        again = ask(ledger, "a")
        assert (again.new, again.answer) == (False, {"value": "3"})
        assert ledger.entries() == before
    with Ledger(path, premises=ROWS) as ledger:
        ledger.check_premises()
        assert ask(ledger, "b").new


def test_an_acknowledged_change_is_an_entry_that_says_what_changed(path):
    with Ledger(path, premises=PEOPLE) as ledger:
        (change,) = ledger.acknowledge_premises("people come twice now")
        assert (change.key, change.before, change.after) == ("privacy.unit", "row", "person")
        entry = ledger.entries()[-1]
        assert entry.facts()["changes"] == [change.to_dict()]
        assert entry.facts()["reason"] == "people come twice now"
        assert entry.facts()["before"] == ROWS.digest
        assert ask(ledger, "b").new
        assert ledger.audit().clean
        with pytest.raises(BudgetError, match="nothing has changed"):
            ledger.acknowledge_premises()
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="name the dataset file"):
        ledger.acknowledge_premises()


def test_whoever_still_has_the_old_facts_is_refused_after_the_change(path):
    with Ledger(path, premises=ROWS) as server, Ledger(path, premises=PEOPLE) as custodian:
        assert ask(server, "b").new
        custodian.acknowledge_premises()
        with pytest.raises(FactsChanged):
            ask(server, "c")
        with pytest.raises(FactsChanged):
            server.answered_soon("c", Claim(Single(1)), dict, analyst="ana").result()
        assert ask(custodian, "c").new
        assert server.balance().spent == 300


def test_where_the_rows_are_is_named_and_not_told(path):
    moved = Premises({**ROWS.facts, "source.path": "/srv/secret/rows.csv"})
    with Ledger(path, premises=moved) as ledger, pytest.raises(FactsChanged) as told:
        ledger.check_premises()
    assert "source.path changed" in str(told.value)
    assert "secret" not in str(told.value)


@given(FACTS, FACTS)
def test_facts_are_the_same_when_every_fact_is(one, other):
    shuffled = dict(reversed(one.items()))
    assert Premises(one).digest == Premises(shuffled).digest
    told = {key: value for key, value in one.items() if value is not None}
    others = {key: value for key, value in other.items() if value is not None}
    assert bool(Premises(told).changes_from(Premises(others))) == (told != others)
    assert (Premises(told).digest == Premises(others).digest) == (told == others)
    recorded = json.loads(Premises(told).body(Premises(others)))["facts"]
    assert Premises(recorded).digest == Premises(told).digest


def test_a_forged_or_unannounced_change_is_found_by_an_audit(path):
    with Ledger(path, premises=PEOPLE) as ledger:
        ledger.acknowledge_premises()
        entries = ledger.entries()
    assert audit(entries).clean
    facts = entries[-1]
    for change in ({"question": ROWS.digest}, {"body": PEOPLE.body(None)}, {"billionths": 1}):
        forged = replace(facts, **change)
        forged = replace(forged, hash=forged.computed_hash())
        assert any("its facts" in text for text in audit([*entries[:-1], forged]).problems)


@pytest.fixture
def old(tmp_path):
    """A ledger of version 1, which knew of no facts."""
    for ending in ("", ".head"):
        shutil.copy(f"{BEFORE}{ending}", tmp_path)
    return tmp_path / BEFORE.name


def test_an_old_ledger_records_its_facts_with_the_next_charge(old):
    with Ledger(old, premises=ROWS) as ledger:
        before = ledger.entries()
        ledger.check_premises()
        stored = ledger.answer("count")
        assert ledger.entries() == before
        assert ledger.recorded_premises() is None
        assert ask(ledger, "new").new
        kinds = [entry.kind for entry in ledger.entries()[len(before) :]]
        assert kinds == ["facts", "charge", "answer"]
        assert ledger.entries()[: len(before)] == before
        assert ledger.answer("count") == stored
        assert ledger.audit().clean
    with Ledger(old, premises=PEOPLE) as ledger, pytest.raises(FactsChanged):
        ask(ledger, "newer")


def test_an_old_ledger_that_is_only_looked_at_stays_as_it_is(old):
    content = old.read_bytes()
    with Ledger(old, premises=ROWS) as ledger:
        assert ledger.audit().clean
        assert ledger.balance("ana").spent > 0
    assert old.read_bytes() == content


def test_an_old_ledger_that_was_brought_up_to_date_keeps_every_rule(old):
    with Ledger(old, premises=ROWS) as ledger:
        ask(ledger, "new")
    raw = apsw.Connection(str(old))
    last = raw.execute("SELECT max(seq) FROM entries").fetchall()[0][0]
    for statement in (
        "UPDATE entries SET billionths = 0",
        "DELETE FROM entries",
        "UPDATE accounts SET spent = allowed + 1 WHERE name = ''",
        f"INSERT INTO entries VALUES ({last + 9}, '', 'budget', 'x', '', 1, '{{}}', '', 'h')",
        f"INSERT INTO entries VALUES ({last + 1}, '', 'gift', 'x', '', 1, '{{}}', '', 'h')",
        f"INSERT INTO entries VALUES ({last + 1}, '', 'charge', 'x', 'new', 1, '{{}}', '', 'h')",
        f"INSERT INTO entries VALUES ({last + 1}, '', 'answer', 'x', 'no', 0, '{{}}', '', 'h')",
        f"INSERT INTO entries VALUES ({last + 1}, '', 'charge', 'x', 'y', {10**12}, '', '', 'h')",
    ):
        with pytest.raises(apsw.Error):
            raw.execute(statement).fetchall()
    raw.close()


def test_bringing_an_old_ledger_up_to_date_is_done_whole_or_not_at_all(old, monkeypatch):
    with Ledger(old, premises=ROWS) as ledger:
        before = ledger.entries()
        with monkeypatch.context() as broken:
            broken.setattr(Page, "append", _no_room)
            with pytest.raises(LedgerError, match="cannot be written"):
                ask(ledger, "new")
        assert ledger.entries() == before
        assert ask(ledger, "new").new
        assert ledger.audit().clean


RACER = """
    import sys
    from discreet.budget import Claim, Ledger, Premises, Single
    with Ledger(sys.argv[1], premises=Premises({"privacy.unit": sys.argv[3]})) as ledger:
        try:
            ledger.answered(sys.argv[2], Claim(Single(1)), dict, analyst="ana")
            print("answered")
        except Exception as problem:
            print(type(problem).__name__)
"""


def test_processes_that_meet_at_an_old_ledger_record_one_set_of_facts(old):
    """Whose facts come first decides; the others are refused, and none is charged under them."""
    racing = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(RACER), str(old), f"q{number}", unit],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number, unit in enumerate(["row", "row", "person"])
    ]
    told = [racer.communicate(timeout=120)[0].strip() for racer in racing]
    with Ledger(old) as ledger:
        assert ledger.audit().clean
        facts = [entry for entry in ledger.entries() if entry.kind == "facts"]
        charged = [one for one in ledger.entries() if one.kind == "charge" and one.billionths == 1]
    assert len(facts) == 1
    rows = facts[0].facts()["facts"]["privacy.unit"] == "row"
    kept = ["answered", "answered", "FactsChanged"] if rows else 2 * ["FactsChanged"] + ["answered"]
    assert told == kept
    assert len(charged) == told.count("answered")


def _no_room(page, event):
    raise apsw.FullError("no room")


def test_the_entry_of_new_facts_follows_in_the_chain(path):
    with Ledger(path, premises=PEOPLE) as ledger:
        ledger.acknowledge_premises()
        *_, before, facts = ledger.entries()
    assert facts.previous == before.hash
    assert following(before.head, facts, facts.at).hash == facts.hash
