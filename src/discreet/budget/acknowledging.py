"""Going on after entries were lost: an older copy was restored, or an anchor is gone.

What the lost entries had spent, an anchor remembers: at least that is charged to the total. Where
none does, the custodian says it. Charges that had no answer yet are void afterwards: an answer may
have been drawn and released in the part that was lost, and a second draw would not be paid for.
"""

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from discreet.budget.book import Book, InDoubt, Lost, Store
from discreet.budget.charging import Page
from discreet.budget.entries import EntryKind, Event, Mark, Premises, canonical
from discreet.budget.guard import Anchor, Guard, Marks
from discreet.budget.postgresql.store import SharedBook
from discreet.budget.reader import opened_store
from discreet.budget.second_anchor import SecondAnchor
from discreet.errors import BudgetError, LedgerError
from discreet.exact import Epsilon, EpsilonLike, show
from discreet.text import Amount

ALL = "all"
"""The safe word: everything that was left counts as spent."""


@dataclass(frozen=True)
class RecordedLoss:
    """What an acknowledgement wrote down."""

    kept: int
    """The last entry that is still here."""
    anchored: int | None
    """The last entry that was known to exist; None when no anchor knows."""
    billionths: int
    """What the lost entries count as having spent."""


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What is written first where the ledger itself is gone."""

    budgets: Mapping[str, int]
    """In billionths; the total has the empty name."""
    premises: Premises | None = None


def acknowledge(
    path: str | os.PathLike[str],
    spent: "EpsilonLike | None" = None,
    reason: str = "",
    *,
    beginning: Beginning | None = None,
    second_anchor: SecondAnchor | None = None,
    shared: SharedBook | None = None,
) -> RecordedLoss:
    """Record that entries were lost and go on from those that are here.

    Args:
        path: The ledger's file.
        spent: The ε that the lost entries had spent, or "all" for everything that was left; None
            takes what an anchor remembers.
        reason: Kept in the ledger.
        beginning: What is written first where the ledger itself is gone.
        second_anchor: Where else the newest entry is marked.
        shared: The ledger in PostgreSQL that is meant; the path is where this server's head is.

    Returns:
        What was written down.

    Raises:
        LedgerError: Nothing is lost, or the ledger cannot be written.
        BudgetError: `spent` is less than an anchor remembers, or more than was left.
    """
    place = Path(path).resolve()
    beside = place.with_name(place.name + ".head")
    if not (place.is_file() or beside.is_file() or second_anchor or shared):
        raise LedgerError(f"there is no ledger at {show(str(path))}")
    store = opened_store(place, shared, exclusive=second_anchor is not None)
    failures: tuple[type[Exception], ...] = (OSError, *store.failures)
    try:
        store.take_turn()
        marks = _marks(beside, second_anchor)
        if not store.is_there() and marks.newest is None:
            raise LedgerError(f"there is no ledger at {show(str(path))}")
        store.connect(create=True)
        with closing(store.any_anchor()) as anchor:
            going_on = _GoingOn(spent=spent, reason=reason, beginning=beginning, marks=marks)
            return going_on.recorded(store, Guard(anchor, second_anchor))
    except (Lost, InDoubt) as lost:
        raise LedgerError(f"the ledger cannot be reached: {lost}; check what is there") from None
    except failures as problem:
        raise LedgerError(f"the ledger cannot be written: {store.why(problem)}") from None
    finally:
        store.let_go()
        store.close()


def _marks(beside: Path, second: SecondAnchor | None) -> Marks:
    """What the anchors say; a damaged one says nothing, one out of reach must be reached first."""
    marks: list[Mark | None] = [None, None]
    try:
        with closing(Anchor(beside, create=False)) as anchor:
            marks[0] = anchor.read()
    except LedgerError:
        pass
    if second is not None:
        try:
            marks[1] = second.read()
        except LedgerError as problem:
            if problem.remedy is None:
                raise
    return Marks(*marks)


@dataclass(frozen=True, kw_only=True)
class _GoingOn:
    """What the custodian says of a loss, and what the anchors say."""

    spent: "EpsilonLike | None"
    reason: str
    beginning: Beginning | None
    marks: Marks

    def recorded(self, store: Store, guard: Guard) -> RecordedLoss:
        """Write the loss down, in one transaction, and mark it in the anchors."""

        def work(book: Book) -> tuple[RecordedLoss, Mark | None]:
            page = Page(book)
            _refuse_whole(guard, self.marks, page)
            return self._append(page), page.mark()

        loss, mark = store.written(work)
        assert mark is not None
        guard.replace(mark)
        return loss

    def _append(self, page: Page) -> RecordedLoss:
        newest = self.marks.newest
        kept = 0 if page.head is None else page.head.seq
        known = _known(page, self.marks)
        if page.account("")[0] is None:
            _begin(page, self.beginning)
        cost = _cost(page, self.spent, known)
        body = {
            "kept": kept,
            "anchored": None if newest is None else [newest.head.seq, newest.head.hash],
            "known": known,
            "reason": self.reason,
        }
        page.append(Event(EntryKind.ACKNOWLEDGED, "", billionths=cost, body=canonical(body)))
        page.spent = page.account("")[1]
        return RecordedLoss(kept, None if newest is None else newest.head.seq, cost)


def _refuse_whole(guard: Guard, marks: Marks, page: Page) -> None:
    if marks.beside is None:
        return
    try:
        guard.refuse_other_copy(marks, page)
    except LedgerError:
        return
    raise LedgerError(
        "nothing is lost: this ledger is complete, so there is nothing to acknowledge"
    )


def _begin(page: Page, beginning: Beginning | None) -> None:
    """Without a total nothing could count as spent, and a new one would be spent again."""
    if beginning is None:
        raise LedgerError(
            "this ledger has no budget to charge the loss to; name the dataset file, so that "
            "its budgets are written first"
        )
    page.begin(beginning.budgets, beginning.premises)


def _known(page: Page, marks: Marks) -> int | None:
    """What the anchors remember the lost entries to have spent, in billionths; at least that."""
    lost = [_lost(page, mark) for mark in marks if mark is not None]
    return max((spent for spent in lost if spent is not None), default=None)


def _lost(page: Page, mark: Mark) -> int | None:
    """What was spent in entries that an anchor knows and that are not here.

    A ledger that ends before the mark is an older copy: what it has spent is not lost. One that has
    come as far with other entries is another ledger, and all that was marked may be lost.
    """
    here = page.book.entry_at(mark.head.seq)
    if mark.spent is None or (here is not None and here.head == mark.head):
        return None
    return mark.spent if here is not None else max(0, mark.spent - page.account("")[1])


def _cost(page: Page, spent: "EpsilonLike | None", known: int | None) -> int:
    allowed, before = page.account("")
    left = max(0, (allowed or 0) - before)
    cost = _said(spent, left, known)
    if known is not None and cost < known:
        raise BudgetError(
            f"the anchor says that the lost entries spent {Amount(known)}; give that, or more"
        )
    if cost > left:
        if cost != known:
            raise BudgetError(
                f"the lost entries cannot have spent {Amount(cost)}, which is more than was left; "
                f"give {ALL}"
            )
        # The budget had been raised by an entry that is lost as well.
        page.append(Event(EntryKind.BUDGET, "", billionths=before + cost))
    return cost


def _said(spent: "EpsilonLike | None", left: int, known: int | None) -> int:
    if spent is None:
        if known is None:
            raise BudgetError(
                f"no anchor says what the lost entries spent; give the amount, or {ALL}"
            )
        return known
    if isinstance(spent, str) and spent.strip().lower() == ALL:
        return max(left, known or 0)
    nothing = isinstance(spent, (int, str)) and str(spent).strip() == "0"
    return 0 if nothing else Epsilon.of(spent).billionths
