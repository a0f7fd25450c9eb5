"""What the books must notice by themselves: each rule of the schema, each line of an audit."""

import os
from dataclasses import replace
from fractions import Fraction

import apsw
import httpx
import pytest

from discreet.budget import Ledger, Single, audit, store
from discreet.budget.book import Refused
from discreet.budget.entries import EntryKind, Event, Mark, canonical, following
from discreet.budget.guard import Anchor, _line
from discreet.client.desk import _Questions
from discreet.client.wire import Pause, Wire
from discreet.errors import IdTaken
from discreet.exact import Epsilon
from discreet.requests import read_order
from planning.facts import dataset

BODY = canonical({"cost": {"single": 5}})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "survey.ledger"


def chained(*events):
    """A chain of entries without a fault in its hashes, whatever it says."""
    entries, head = [], None
    for event in events:
        entry = following(head, event, "2024-01-01T00:00:00+00:00")
        entries.append(entry)
        head = entry.head
    return entries


TOTAL = Event(EntryKind.BUDGET, "", billionths=10)
CHARGE = Event(EntryKind.CHARGE, "ana", question="a", billionths=5, body=BODY)
ANSWER = Event(EntryKind.ANSWER, "ana", question="a")


def problems(*events):
    return " ".join(audit(chained(*events)).problems)


def test_an_audit_of_a_sound_chain_is_clean():
    assert audit(chained(TOTAL, CHARGE, ANSWER)).clean


def test_an_audit_finds_an_entry_rewritten_with_a_fresh_hash():
    entries = chained(TOTAL, CHARGE, ANSWER)
    cheaper = replace(entries[1], billionths=0, body=canonical({"cost": {"single": 0}}))
    forged = replace(cheaper, hash=cheaper.computed_hash())
    found = audit([entries[0], forged, entries[2]])
    assert found.problems == ("entry 3: does not follow the entry before it",)


def test_an_audit_finds_wrong_numbers():
    entries = chained(TOTAL, CHARGE, ANSWER)
    moved = [entries[0]]
    for entry in entries[1:]:
        numbered = replace(entry, seq=entry.seq + 1, previous=moved[-1].hash)
        moved.append(replace(numbered, hash=numbered.computed_hash()))
    assert "entry 3: expected entry 2 here" in audit(moved).problems


def test_an_audit_finds_overspending():
    other = replace(CHARGE, question="b")
    third = replace(CHARGE, question="c")
    assert problems(TOTAL, CHARGE, other) == ""
    assert "the total is overspent" in problems(TOTAL, CHARGE, other, third)
    own = Event(EntryKind.BUDGET, "ana", billionths=6)
    assert "ana is overspent" in problems(TOTAL, own, CHARGE, other)


def test_an_audit_finds_a_second_charge():
    assert "a second charge for one question" in problems(TOTAL, CHARGE, CHARGE)


def test_an_audit_finds_a_second_answer():
    assert "a second answer to one question" in problems(TOTAL, CHARGE, ANSWER, ANSWER)


def test_an_audit_finds_an_answer_without_a_charge():
    assert "an answer without its charge" in problems(TOTAL, ANSWER)


def test_the_writers_synchronous_is_read_back_as_full(path):
    connection = store.connect(path, create=True)
    assert next(connection.execute("PRAGMA synchronous"))[0] == 2
    assert next(connection.execute("PRAGMA journal_mode"))[0] == "wal"
    connection.close()


def test_the_schema_alone_refuses_what_breaks_a_rule(path):
    """Written past all of our own code, as a program with a fault would."""
    connection = store.connect(path, create=True)
    store.create(connection)
    book = store.SqliteBook(connection)

    def written(*events):
        with connection:
            for entry in chained(*events):
                book.append(entry)
            raise KeyError  # nothing stays

    def refused(*events):
        with pytest.raises((apsw.ConstraintError, Refused)):
            written(*events)

    with pytest.raises(KeyError):
        written(TOTAL, CHARGE, ANSWER)
    refused(CHARGE)
    refused(TOTAL, ANSWER)
    refused(TOTAL, CHARGE, CHARGE)
    refused(TOTAL, CHARGE, ANSWER, ANSWER)
    refused(TOTAL, replace(CHARGE, billionths=11))
    with pytest.raises((apsw.ConstraintError, Refused)):
        book.append(replace(chained(TOTAL)[0], seq=5))
    connection.close()


def test_a_torn_slot_of_the_anchor_is_not_believed(path):
    """Half of a new mark over half of an old one reads as a mark, and its check does not fit."""
    file = path.with_name("anchor")
    anchor = Anchor(file, create=True)
    old, new = Mark.parsed(f"7 {'a' * 64} 5"), Mark.parsed(f"9 {'b' * 64} 9")
    assert old is not None
    assert new is not None
    anchor.write(old)
    anchor.close()
    with file.open("r+b") as torn:
        torn.seek(128)
        torn.write(_line(new)[:40] + _line(old)[40:])
    again = Anchor(file, create=False)
    assert again.read() == old
    again.close()


def test_an_anchor_that_was_written_is_forced_to_the_disk_once(path, monkeypatch):
    forced = []
    monkeypatch.setattr(store, "force", forced.append)
    anchor = Anchor(path.with_name("anchor"), create=True)
    mark = Mark.parsed(f"7 {'a' * 64} 5")
    assert mark is not None
    anchor.write(mark)
    anchor.sync()
    anchor.sync()
    anchor.close()
    assert len(forced) == 1


def test_an_id_of_another_analyst_is_refused(path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(7), analyst="ana")
        with pytest.raises(IdTaken):
            ledger.charge("a", Single(7), analyst="ben")


@pytest.mark.parametrize("days", [-4_000, 4_000])
def test_a_clock_that_jumps_changes_no_balance(path, days, monkeypatch):
    """Entries are in the order of their numbers; the time is only told."""
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(7), analyst="ana")
        year = 2024 + days // 365
        monkeypatch.setattr("discreet.budget.charging.now", lambda: f"{year}-01-01T00:00:00+00:00")
        ledger.charge("b", Single(5), analyst="ana")
        monkeypatch.undo()
        ledger.charge("c", Single(3), analyst="ana")
        assert ledger.balance().spent == 15
        assert audit(ledger.entries()).clean
    with Ledger(path) as again:
        assert again.balance().spent == 15


def test_a_torn_log_leaves_what_was_committed_before(path):
    """A snapshot cut in the middle of a frame is the ledger as it was before that commit."""
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(7), analyst="ana")
    before = path.read_bytes()
    with Ledger(path) as ledger:
        ledger.charge("b", Single(5), analyst="ana")
        log = path.with_name(path.name + "-wal")
        torn = log.read_bytes()
    other = path.with_name("copy.ledger")
    other.write_bytes(before)
    os.truncate(other, len(before))
    frame = 24 + 4096
    for cut in (0, 31, 32 + frame // 2, len(torn)):
        other.with_name("copy.ledger-wal").write_bytes(torn[:cut])
        connection = store.connect(other, create=False)
        entries = store.SqliteBook(connection).all_entries()
        assert audit(entries).clean
        assert {one.question for one in entries if one.kind == "charge"} >= {"a"}
        connection.close()


def test_a_torn_slot_is_whole_again_before_the_other_is_touched(path, monkeypatch):
    """Else a second power cut could tear that one too; and no slot is ever empty."""
    with Ledger.create(path, "1") as ledger:
        content = ledger._anchor._content
        assert content[:128] == content[128:]
        ledger.charge("a", Single(1), analyst="ana")
    head = path.with_name(path.name + ".head")
    kept = bytearray(head.read_bytes())
    kept[10:20] = b"torn write"
    head.write_bytes(bytes(kept))
    forced = []
    monkeypatch.setattr(store, "force", lambda file: forced.append(os.pread(file, 256, 0)))
    with Ledger(path) as ledger:
        ledger.charge("b", Single(1), analyst="ana")
        assert any(b"torn" not in content and content[128:] == kept[128:] for content in forced)
        before = len(forced)
        ledger.charge("c", Single(1), analyst="ana")
        assert len(forced) == before


@pytest.mark.parametrize("given", ["log 3", "1/3", "0.123456789"])
def test_a_client_sends_the_same_call_again_with_epsilon_exactly(given):
    """Whatever is lost: another key would pay twice, another ε would be another question."""
    facts = dataset(30)
    asked = read_order("SELECT COUNT(mood > 2)", facts, epsilon=given)
    talk = _Questions(Wire("http://127.0.0.1", 2), "/api/datasets/t", facts).asked(
        asked, None, None
    )
    first = next(talk)
    assert first.more["json"]["epsilon"] == str(asked.epsilon)
    assert Epsilon.of(first.more["json"]["epsilon"]) == asked.epsilon
    assert isinstance(talk.throw(httpx.ConnectError("lost")), Pause)
    again = talk.send(None)
    assert isinstance(talk.send(httpx.Response(503)), Pause)
    assert first == again == talk.send(None)
    assert first.more["headers"]["Idempotency-Key"]


def test_a_client_sends_an_accuracy_exactly():
    facts = dataset(30)
    asked = read_order("SELECT COUNT(mood > 2)", facts, within="10/3")
    talk = _Questions(Wire("http://127.0.0.1", 2), "/api/datasets/t", facts).planned(asked)
    assert Fraction(next(talk).more["json"]["within"]) == Fraction(10, 3)
