"""The ledger's promises: never overspent, never torn, never older than it was."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

import discreet.budget
import discreet.curator
from discreet.budget import Claim, Premises, Single, acknowledge, audit, guard, store
from discreet.budget.charging import Page
from discreet.errors import BudgetError, LedgerError, OverBudget
from ledger_stores import Ledger, book_of, copied, put_back

SOAKING = bool(os.environ.get("DISCREET_SOAK"))
RACERS = 16 if SOAKING else 6


@pytest.fixture
def path(tmp_path):
    return tmp_path / "survey.ledger"


def start(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )


def test_a_charge_is_made_once_and_its_answer_returned_for_free(either, path):
    with Ledger.create(path, "1") as ledger:
        assert ledger.charge("a", Single(7), analyst="ana").new
        assert ledger.store_answer("a", {"value": "3"}) == {"value": "3"}
        again = ledger.charge("a", Single(7), analyst="ana")
        assert (again.new, again.answer) == (False, {"value": "3"})
        assert ledger.balance().spent == 7


def test_the_first_stored_answer_is_the_one_released(either, path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(7), analyst="ana")
        ledger.store_answer("a", {"value": "3"})
        assert ledger.store_answer("a", {"value": "4"}) == {"value": "3"}


def test_the_same_id_for_another_question_is_refused_and_not_charged(either, path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(7), analyst="ana", facts={"sql": "one"})
        with pytest.raises(
            BudgetError, match="used for another question, ε or analyst; choose a new id"
        ):
            ledger.charge("a", Single(7), analyst="ana", facts={"sql": "two"})
        with pytest.raises(BudgetError):
            ledger.charge("a", Single(7), analyst="bob", facts={"sql": "one"})
        assert ledger.balance().spent == 7


def test_no_answer_without_its_charge(either, path):
    with Ledger.create(path, "1") as ledger, pytest.raises(LedgerError, match="never charged"):
        ledger.store_answer("a", {"value": "3"})


def test_over_budget_says_what_is_left_and_charges_nothing(either, path):
    with Ledger.create(path, "1", {"ana": "0.5"}) as ledger:
        with pytest.raises(OverBudget) as refused:
            ledger.charge("a", Single(600_000_000), analyst="ana")
        assert str(refused.value) == (
            "this would cost ε = 0.6, but ana's budget has only 0.5 left; ask for less, or ask "
            "the custodian to raise it"
        )
        assert (refused.value.cost, refused.value.left) == (600_000_000, 500_000_000)
        assert refused.value.analyst == "ana"
        assert isinstance(refused.value, BudgetError)
        assert not isinstance(refused.value, LedgerError)
        ledger.charge("b", Single(10**9), analyst="bob")
        with pytest.raises(OverBudget, match="the total budget has only 0 left"):
            ledger.charge("c", Single(1), analyst="ana")
        assert ledger.balance("ana").spent == 0


def test_the_database_itself_refuses_to_overspend_change_or_forget(path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(5), analyst="ana")
    raw = apsw.Connection(str(path))
    for statement in (
        "UPDATE entries SET billionths = 0",
        "DELETE FROM entries",
        "UPDATE accounts SET spent = allowed + 1 WHERE name = ''",
        "INSERT INTO entries VALUES (9, '', 'charge', 'x', 'y', 1, '{}', '', 'h')",
        "INSERT INTO entries VALUES (3, '', 'charge', 'x', 'y', 99999999999, '{}', '', 'h')",
        "INSERT INTO entries VALUES (3, '', 'answer', 'x', 'unknown', 0, '{}', '', 'h')",
    ):
        with pytest.raises(apsw.Error):
            raw.execute(statement).fetchall()


def test_nobody_but_the_whole_budget_is_called_total(either, path):
    with Ledger.create(path, "1") as ledger:
        for name in ("total", " Total "):
            with pytest.raises(BudgetError, match="cannot be called total"):
                ledger.allow(name, "0.5")
        assert set(ledger.balances()) == {""}


def test_a_budget_can_be_raised_but_not_below_what_is_spent(either, path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(10**9), analyst="ana")
        with pytest.raises(BudgetError, match="1 is already spent"):
            ledger.allow("", "0.5")
        ledger.allow("", "2")
        assert ledger.charge("b", Single(10**9), analyst="ana").new
        assert audit(ledger.entries()).clean


def test_threads_racing_for_the_last_units_get_exactly_the_budget(either, path):
    with Ledger.create(path, "0.0000001") as ledger:

        def ask(number):
            try:
                return ledger.charge(f"q{number}", Single(1), analyst="ana").new
            except OverBudget:
                return False

        with ThreadPoolExecutor(32) as pool:
            granted = sum(pool.map(ask, range(300)))
        assert granted == ledger.balance().spent == 100
        assert audit(ledger.entries()).clean


def test_processes_racing_for_the_last_units_get_exactly_the_budget(either, path):
    Ledger.create(path, "0.0000001").close()
    code = """
        import sys
        from discreet.budget import Single
        from ledger_stores import Ledger
        from discreet.errors import OverBudget
        granted = 0
        with Ledger(sys.argv[1]) as ledger:
            for number in range(20):
                try:
                    granted += ledger.charge(f"{sys.argv[2]}-{number}", Single(1), analyst="a").new
                except OverBudget:
                    pass
        print(granted)
    """
    racers = [start(code, path, number) for number in range(RACERS)]
    granted = [int(racer.communicate(timeout=120)[0]) for racer in racers]
    with Ledger(path) as ledger:
        assert sum(granted) == ledger.balance().spent == 100
        assert audit(ledger.entries()).clean


def test_an_older_copy_is_noticed_and_refused(either, path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(1), analyst="ana")
    older = copied(path)
    with Ledger(path) as ledger:
        ledger.charge("b", Single(1), analyst="ana")
    put_back(path, older)
    with pytest.raises(LedgerError, match="an older or another copy: entry 3 was written"):
        Ledger(path)


def test_a_lost_or_damaged_anchor_is_noticed(path):
    Ledger.create(path, "1").close()
    anchor = path.with_name("survey.ledger.head")
    content = anchor.read_bytes()
    anchor.write_bytes(b"x" * len(content))
    with pytest.raises(LedgerError, match="anchor is damaged"):
        Ledger(path)
    anchor.unlink()
    with pytest.raises(LedgerError, match="anchor"):
        Ledger(path)


def test_a_torn_write_of_the_anchor_leaves_the_entry_before(either, path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(1), analyst="ana")
    anchor = path.with_name("survey.ledger.head")
    content = bytearray(anchor.read_bytes())
    content[10:20] = b"torn write"
    anchor.write_bytes(bytes(content))
    with Ledger(path) as ledger:
        assert ledger.balance().spent == 1


def test_every_changed_field_is_found_by_an_audit(either, path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(5), analyst="ana")
        ledger.store_answer("a", {"value": "3"})
        entries = ledger.entries()
    assert audit(entries).clean
    for change in ({"billionths": 4}, {"analyst": "bob"}, {"body": "{}"}, {"at": "later"}):
        for place, entry in enumerate(entries):
            forged = list(entries)
            forged[place] = replace(entry, **change)
            assert forged[place] == entry or not audit(forged).clean
    assert not audit(entries[1:]).clean
    assert not audit([entries[0], entries[2], entries[1]]).clean


def test_a_forged_chain_with_wrong_sums_is_found(either, path):
    with Ledger.create(path, "0.000000005") as ledger:
        ledger.charge("a", Single(5), analyst="ana")
        entries = ledger.entries()
    lied = replace(entries[1], billionths=3)
    lied = replace(lied, hash=lied.computed_hash())
    assert any("its parts cost 5" in text for text in audit([entries[0], lied]).problems)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_disk_fails_closed(path):
    code = """
        import resource, sys
        from discreet.budget import Single
        from ledger_stores import Ledger
        from discreet.errors import LedgerError
        ledger = Ledger.create(sys.argv[1], "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
        import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        granted = 0
        try:
            while True:
                ledger.charge(f"q{granted}", Single(1), analyst="a", facts={"x": "y" * 2000})
                granted += 1
        except LedgerError as problem:
            print(granted, "failed closed", "cannot be written" in str(problem))
    """
    said = start(code, path).communicate(timeout=60)[0].split()
    assert said[1:] == ["failed", "closed", "True"]
    with Ledger(path) as ledger:
        assert ledger.balance().spent == int(said[0])
        assert audit(ledger.entries()).clean


def in_a_child(act):
    """What a forked child says of an attempt."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            act()
            os.write(writing, b"done")
        except LedgerError as problem:
            os.write(writing, str(problem).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as told:
        return told.read()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_leaves_its_parents_ledger_alone(either, path):
    """SQLite would believe that the child holds the parent's locks, and lose what it was told."""
    with Ledger.create(path, "1") as ledger:
        attempts = (
            lambda: ledger.charge("a", Single(1), analyst="ana"),
            ledger.balance,
            lambda: Ledger(path),
            lambda: acknowledge(path, "all", shared=book_of(path)),
        )
        for attempt in attempts:
            assert "forked" in in_a_child(attempt)
        assert in_a_child(ledger.close) == "done"
        assert ledger.charge("a", Single(1), analyst="ana").new
    assert in_a_child(lambda: Ledger(path).close()) == "done"


def test_closed_twice_is_closed_once(either, path):
    """Else the second time would close whatever has the files' numbers by then."""
    ledger = Ledger.create(path, "1")
    ledger.close()
    reading, writing = os.pipe()
    ledger.close()
    os.write(writing, b"x")
    assert os.read(reading, 1) == b"x"
    os.close(reading)
    os.close(writing)


def test_a_lock_that_cannot_be_opened_is_told_in_one_line(either, path):
    Ledger.create(path, "1").close()
    lock = path.with_name(path.name + ".lock")
    lock.unlink()
    lock.mkdir()
    with pytest.raises(LedgerError, match="cannot open the ledger's lock"):
        Ledger(path)


def test_a_process_that_is_stopped_with_the_turn_is_told_of_in_time(either, path, monkeypatch):
    code = """
        import sys, time
        from pathlib import Path
        from discreet.budget.guard import Lock
        lock = Lock(Path(sys.argv[1] + ".lock"))
        lock.take()
        print("taken", flush=True)
        time.sleep(60)
    """
    with Ledger.create(path, "1") as ledger:
        stopped = start(code, path)
        assert stopped.stdout.readline() == "taken\n"
        stopped.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(guard, "PATIENCE_SECONDS", 0.2)
        for _ in range(2):
            with pytest.raises(
                LedgerError, match=r"another process has held .*nothing was charged"
            ):
                ledger.charge("a", Single(7), analyst="ana")
        monkeypatch.setattr(guard, "PATIENCE_SECONDS", 60)
        stopped.kill()
        assert ledger.charge("a", Single(7), analyst="ana").new
        assert ledger.balance().spent == 7
    stopped.communicate()


def test_processes_that_make_a_ledger_together_make_one(either, tmp_path):
    code = """
        import sys
        from discreet.budget import Single
        from ledger_stores import Ledger
        with Ledger.open_or_create(sys.argv[1], "0.000000003", {"ana": "0.000000002"}) as ledger:
            ledger.charge(sys.argv[2], Single(1), analyst="bob")
            print("made")
    """
    for number in range(3 if SOAKING else 1):
        path = tmp_path / f"{number}.ledger"
        racing = [start(code, path, str(who)) for who in range(3)]
        assert [one.communicate(timeout=60)[0].strip() for one in racing] == ["made"] * 3
        with Ledger(path) as ledger:
            kinds = [entry.kind for entry in ledger.entries()]
            assert kinds == ["budget", "budget", "charge", "charge", "charge"]


@pytest.mark.parametrize("written", range(4))
def test_a_creation_that_was_interrupted_is_made_whole(either, path, monkeypatch, written):
    """All budgets, an analyst's limit among them, and what they protect: in one transaction."""
    append, entries = Page.append, []

    def interrupted(page, event):
        if len(entries) == written:
            raise KeyboardInterrupt
        entries.append(event)
        return append(page, event)

    first = ("1", {"ana": "0.5", "ben": "0.25"})
    premises = Premises({"privacy.unit": "row"})
    with monkeypatch.context() as broken:
        broken.setattr(Page, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Ledger.open_or_create(path, *first, premises=premises)
    if either == "file":
        with pytest.raises(LedgerError, match="interrupted; the next question creates it"):
            Ledger(path)
    with Ledger.open_or_create(path, *first, premises=premises) as ledger:
        assert [entry.kind for entry in ledger.entries()] == [*["budget"] * 3, "facts"]
        assert ledger.balance("ben").allowed == 25 * 10**7


def test_no_budget_is_set_before_the_first_ones_are(path):
    """A file that an earlier version left without an entry would else lack analysts' limits."""
    connection = store.connect(path, create=True)
    store.create(connection)
    connection.close()
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="this ledger is empty"):
        ledger.allow("", "5")
    with Ledger.open_or_create(path, "1", {"ana": "0.5"}) as ledger:
        assert (ledger.balance().allowed, ledger.balance("ana").allowed) == (10**9, 5 * 10**8)


def test_budgets_are_set_up_once(either, path):
    with Ledger.create(path, "1") as ledger:
        ledger.allow("", "0.5")
    with Ledger.open_or_create(path, "1", {"ana": "1"}) as ledger:
        assert ledger.balance().allowed == 5 * 10**8
        assert ledger.balance("ana").allowed is None


def test_the_two_slots_of_the_anchor_are_written_in_turn(either, path):
    """A torn write leaves the other one, which is one commit older and no more."""
    with Ledger.create(path, "1") as ledger:
        for number in range(4):
            ledger.answered(f"q{number}", Claim(Single(1)), dict, analyst="ana")
        content = path.with_name(path.name + ".head").read_bytes()
    assert sorted(int(content[start:].split()[0]) for start in (0, 128)) == [7, 9]


def test_readers_do_not_wait_for_the_writer(either, path):
    with Ledger.create(path, "1") as ledger:
        stop = threading.Event()

        def write():
            number = 0
            while not stop.is_set():
                ledger.charge(f"q{number}", Single(1), analyst="ana")
                number += 1

        writing = threading.Thread(target=write)
        writing.start()
        seen = [ledger.balance().spent for _ in range(50)]
        stop.set()
        writing.join()
        assert seen == sorted(seen)


@pytest.mark.parametrize("kind", ["charge", "answer"])
def test_a_question_is_found_by_its_index_however_long_the_ledger(path, kind):
    with Ledger.create(path, "1") as ledger:
        reading = ledger._store._reader().connection
        plan = reading.execute(f"EXPLAIN QUERY PLAN {store._FINDING[kind]}", ("q",))
        (step,) = [str(row[-1]) for row in plan]
        assert step == f"SEARCH entries USING INDEX one_{kind} (question=?)"


def test_an_emptied_anchor_is_refused_once_anything_was_charged(path):
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(1), analyst="ana")
    path.with_name(path.name + ".head").write_bytes(b"")
    with pytest.raises(LedgerError, match="anchor is empty"):
        Ledger(path)


def test_nobody_else_on_the_machine_can_read_the_books(path):
    with Ledger.create(path, "1"):
        assert {file.stat().st_mode & 0o077 for file in path.parent.glob(path.name + "*")} == {0}


def test_a_closed_ledger_is_one_file_with_its_anchor_and_lock(tmp_path):
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(1), analyst="ana")
        assert ledger.balance("ana").spent == 1
        assert len(list(ledger.entries())) == 2
    names = {one.name.removeprefix("survey.ledger") for one in tmp_path.iterdir()}
    assert names == {"", ".head", ".lock"}


@pytest.mark.parametrize("room", [discreet.budget, discreet.curator])
def test_low_rooms_name_no_command_of_the_command_line(room):
    """They are used from Python and behind a server as well: an error carries its remedy."""
    for file in Path(room.__file__).parent.rglob("*.py"):
        assert not re.search(r"\bdiscreet (ask|check|ledger|plan|serve|token)\b", file.read_text())
