"""After a loss the ledger goes on only when the custodian says so, and the loss stays visible."""

import pytest

from discreet.budget import Beginning, Single, audit, guard
from discreet.budget.entries import EntryKind, Event, Mark, following
from discreet.errors import BudgetError, LedgerError, OverBudget, Remedy
from ledger_stores import Ledger, acknowledge, copied, put_back


@pytest.fixture
def restored(either, tmp_path):
    """A ledger of four entries put back to a copy with two (a budget, and an unanswered charge)."""
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(100), analyst="ana")
    older = copied(path)
    with Ledger(path) as ledger:
        ledger.store_answer("a", {"value": "3"})
        ledger.charge("b", Single(50), analyst="ana")
    put_back(path, older)
    return path


def test_an_older_copy_goes_on_with_what_was_lost_on_the_books(restored):
    with pytest.raises(LedgerError, match="acknowledge the loss") as refused:
        Ledger(restored)
    assert refused.value.remedy is Remedy.ACKNOWLEDGE_LOSS
    loss = acknowledge(restored, "0.00000005", "restored the backup of Monday")
    assert (loss.kept, loss.anchored, loss.billionths) == (2, 4, 50)
    with Ledger(restored) as ledger:
        assert ledger.balance().spent == 150
        found = audit(ledger.entries())
        assert (found.clean, found.losses, found.spent[""]) == (True, 1, 150)
        assert ledger.entries()[-1].facts()["reason"] == "restored the backup of Monday"
        assert ledger.charge("c", Single(1), analyst="ana").new


def test_an_answer_lost_with_its_entries_is_not_drawn_again(restored):
    acknowledge(restored, "all")
    with Ledger(restored) as ledger:
        with pytest.raises(LedgerError, match="ask under a new id"):
            ledger.charge("a", Single(100), analyst="ana")
        with pytest.raises(LedgerError, match="ask under a new id"):
            ledger.store_answer("a", {"value": "5"})
        assert ledger.balance().left == 0


def test_more_than_was_left_cannot_be_lost_and_a_whole_ledger_needs_nothing(restored):
    with pytest.raises(BudgetError, match="give all"):
        acknowledge(restored, "2")
    with pytest.raises(LedgerError, match="older"):
        Ledger(restored)
    acknowledge(restored)
    with pytest.raises(LedgerError, match="nothing is lost"):
        acknowledge(restored, "0")


@pytest.mark.parametrize("damage", ["lost", "damaged"])
def test_an_anchor_that_is_gone_is_acknowledged_too(tmp_path, damage):
    path = tmp_path / "survey.ledger"
    Ledger.create(path, "1").close()
    anchor = path.with_name("survey.ledger.head")
    anchor.unlink() if damage == "lost" else anchor.write_bytes(b"x" * 256)
    with pytest.raises(LedgerError):
        Ledger(path)
    assert acknowledge(path, "all").anchored is None
    with Ledger(path) as ledger:
        assert ledger.balance().left == 0
        assert audit(ledger.entries()).clean


def test_a_forged_answer_to_a_void_charge_is_found(restored):
    acknowledge(restored)
    with Ledger(restored) as ledger:
        entries = ledger.entries()
    event = Event(EntryKind.ANSWER, "ana", question="a", body='{"value":"1"}')
    forged = following(entries[-1].head, event, "later")
    assert any("before a loss" in text for text in audit([*entries, forged]).problems)


def test_a_ledger_that_is_gone_begins_again_with_everything_spent(either, tmp_path):
    """Else deleting it would bring the whole budget back."""
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1", {"ana": "0.5"}) as ledger:
        ledger.charge("a", Single(100), analyst="ana")
    put_back(path, None)
    with pytest.raises(LedgerError, match="older or another copy"):
        Ledger.create(path, "1", {"ana": "0.5"})
    with pytest.raises(LedgerError, match="name the dataset file"):
        acknowledge(path, "all")
    beginning = Beginning(budgets={"": 10**9, "ana": 5 * 10**8})
    loss = acknowledge(path, "all", beginning=beginning)
    assert (loss.kept, loss.anchored, loss.billionths) == (0, 3, 10**9)
    with Ledger(path) as ledger:
        assert (ledger.balance().left, ledger.balance("ana").allowed) == (0, 5 * 10**8)
        assert ledger.audit().clean
        with pytest.raises(OverBudget):
            ledger.charge("b", Single(1), analyst="ana")


def test_where_there_never_was_a_ledger_there_is_no_loss(tmp_path):
    with pytest.raises(LedgerError, match="there is no ledger"):
        acknowledge(tmp_path / "survey.ledger", "all", beginning=Beginning(budgets={"": 10**9}))
    assert not list(tmp_path.iterdir())


def _without_amount(path, older):
    """The anchor as an earlier version wrote it."""
    with Ledger(path) as ledger:
        mark = Mark(ledger.entries()[-1].head)
    path.with_name(path.name + ".head").write_bytes(guard._line(mark) * 2)
    put_back(path, older)


DAMAGES = {
    "the ledger deleted": lambda path, older: put_back(path, None),
    "the ledger emptied": lambda path, older: put_back(path, b""),
    "an older copy": put_back,
    "an older copy, an old anchor": _without_amount,
    "the anchor deleted": lambda path, older: path.with_name(path.name + ".head").unlink(),
    "the anchor emptied": lambda path, older: path.with_name(path.name + ".head").write_bytes(b""),
}


@pytest.fixture
def damaged(either, tmp_path, damage):
    """A ledger whose budget was raised to 3 and 2.5 of it spent, after a copy of it was made."""
    if either == "postgresql" and damage.startswith("the anchor"):
        pytest.skip("a server that never saw a shared ledger takes it as it finds it")
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1", {"ana": "3"}) as ledger:
        ledger.charge("a", Single(5 * 10**8), analyst="ana")
    older = copied(path)
    with Ledger(path) as ledger:
        ledger.allow("", "3")
        ledger.charge("b", Single(2 * 10**9), analyst="ana")
    DAMAGES[damage](path, older)
    return path


BEGINNING = Beginning(budgets={"": 10**9, "ana": 3 * 10**9})


@pytest.mark.parametrize("damage", DAMAGES)
def test_all_leaves_nothing_whatever_was_lost(damaged):
    with pytest.raises(LedgerError):
        Ledger.open_or_create(damaged, "1", {"ana": "3"})
    with pytest.raises(LedgerError) as refused:
        Ledger(damaged)
    assert refused.value.remedy is Remedy.ACKNOWLEDGE_LOSS
    acknowledge(damaged, "all", beginning=BEGINNING)
    with Ledger.open_or_create(damaged, "1", {"ana": "3"}) as ledger:
        assert ledger.balance().left == 0
        assert ledger.balance("ana").allowed == 3 * 10**9
        assert ledger.audit().clean
        with pytest.raises(OverBudget):
            ledger.charge("c", Single(1), analyst="ana")


@pytest.mark.parametrize("damage", ["the ledger deleted", "the ledger emptied", "an older copy"])
def test_what_the_anchor_remembers_is_charged_and_nothing_less(damaged):
    """Also where the budget itself had been raised by an entry that is lost."""
    with pytest.raises(BudgetError, match="the anchor says"):
        acknowledge(damaged, "0.0001", beginning=BEGINNING)
    acknowledge(damaged, beginning=BEGINNING)
    with Ledger(damaged) as ledger:
        assert (ledger.balance().spent, ledger.balance().left) == (2_500_000_000, 0)
        assert ledger.audit().clean


@pytest.mark.parametrize(
    "damage", ["an older copy, an old anchor", "the anchor deleted", "the anchor emptied"]
)
def test_where_no_anchor_remembers_the_custodian_says_how_much(damaged):
    with pytest.raises(BudgetError, match="give the amount, or all"):
        acknowledge(damaged)
    with pytest.raises(LedgerError):
        Ledger(damaged)
    assert acknowledge(damaged, "0.25").billionths == 250_000_000


def test_another_ledger_that_went_as_far_loses_all_that_was_marked(either, tmp_path):
    """Longer or as long, but with other entries: what the anchor knows was spent elsewhere."""
    path = tmp_path / "survey.ledger"
    head = tmp_path / "survey.ledger.head"
    with Ledger.create(path, "1") as ledger:
        ledger.charge("a", Single(900_000_000), analyst="ana")
    newest = head.read_bytes()
    put_back(path, None)
    head.unlink()
    with Ledger.create(path, "1") as ledger:
        for name in "bcd":
            ledger.charge(name, Single(1), analyst="ana")
    head.write_bytes(newest)
    with pytest.raises(BudgetError, match=r"spent 0\.9; give that, or more"):
        acknowledge(path, "0")
    assert acknowledge(path).billionths == 900_000_000
