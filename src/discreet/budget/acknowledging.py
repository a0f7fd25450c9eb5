"""Going on after entries were lost: an older copy was restored, or the anchor is gone.

What the lost entries had spent nobody can know from the file, so the custodian says it and it is
charged to the total. Charges that had no answer yet are void afterwards: an answer may have been
drawn and released in the part that was lost, and a second draw would not be paid for.
"""

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from discreet.budget import store
from discreet.budget.anchor import Anchor
from discreet.budget.entries import Event, Head, canonical
from discreet.budget.lock import Lock
from discreet.budget.page import Page
from discreet.errors import BudgetError, LedgerError
from discreet.exact import Epsilon, EpsilonLike, show

ALL = "all"
"""The safe word: everything that was left counts as spent."""


@dataclass(frozen=True)
class Loss:
    """What an acknowledgement wrote down."""

    kept: int
    """The last entry that is still here."""
    anchored: int | None
    """The last entry that was known to exist; None when the anchor itself is gone."""
    billionths: int
    """What the lost entries count as having spent."""


def acknowledge(
    path: str | os.PathLike[str],
    spent: EpsilonLike,
    reason: str = "",
    budgets: Mapping[str, EpsilonLike] | None = None,
) -> Loss:
    """Record that entries were lost and go on from those that are here.

    `spent` is the ε that the lost entries had spent, or "all" for everything that was left. Where
    the ledger itself is gone, `budgets` (the total has the empty name) are written first.
    """
    place = Path(path).resolve()
    kept = place.with_name(place.name + ".head")
    if not place.is_file() and not kept.is_file():
        raise LedgerError(f"there is no ledger at {show(str(path))}")
    lock = Lock(place.with_name(place.name + ".lock"))
    try:
        lock.take()
        connection = store.connect(place, create=not place.is_file())
        with closing(connection), closing(Anchor(kept, create=True)) as anchor:
            return _acknowledged(connection, anchor, spent, reason, budgets)
    except (apsw.Error, OSError) as problem:
        raise LedgerError(f"the ledger cannot be written: {problem}") from None
    finally:
        lock.let_go()
        lock.close()


def _acknowledged(
    connection: apsw.Connection,
    anchor: Anchor,
    spent: EpsilonLike,
    reason: str,
    budgets: Mapping[str, EpsilonLike] | None,
) -> Loss:
    anchored = _anchored(anchor)
    with connection:
        page = Page(connection)
        if anchored is not None:
            here = store.entry_at(connection, anchored.seq)
            if here is not None and here.head == anchored:
                raise LedgerError("nothing is lost: this ledger is whole, there is nothing to do")
        kept = 0 if page.head is None else page.head.seq
        if page.account("")[0] is None:
            _begin(page, budgets)
        cost = _lost(page, spent)
        body = {
            "kept": kept,
            "anchored": None if anchored is None else [anchored.seq, anchored.hash],
            "reason": reason,
        }
        entry = page.append(Event("acknowledged", "", billionths=cost, body=canonical(body)))
    anchor.replace(entry.head)
    return Loss(kept, None if anchored is None else anchored.seq, cost)


def _begin(page: Page, budgets: Mapping[str, EpsilonLike] | None) -> None:
    """Without a total nothing could count as spent, and a new one would be spent again."""
    if not budgets:
        raise LedgerError(
            "this ledger has no budgets that the loss could be charged to; name the dataset file, "
            "whose budgets are written first"
        )
    page.begin({name: Epsilon.of(epsilon).billionths for name, epsilon in budgets.items()})


def _anchored(anchor: Anchor) -> Head | None:
    try:
        return anchor.read()
    except LedgerError:
        return None


def _lost(page: Page, spent: EpsilonLike) -> int:
    allowed, before = page.account("")
    left = max(0, (allowed or 0) - before)
    if isinstance(spent, str) and spent.strip().lower() == ALL:
        return left
    nothing = isinstance(spent, (int, str)) and str(spent).strip() == "0"
    cost = 0 if nothing else Epsilon.of(spent).billionths
    if cost > left:
        raise BudgetError(
            f"the lost entries cannot have spent {Epsilon(cost)}, which is more than was left; "
            f"say {ALL}"
        )
    return cost
