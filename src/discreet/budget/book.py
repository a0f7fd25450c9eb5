"""What every store of a ledger offers: a book to read and append to, and how it is committed.

There are two: a SQLite file (`store.py`) and PostgreSQL (`postgresql/`). What is charged, chained,
drawn and anchored is decided above them, once for both.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from discreet.budget.entries import Entry, EntryKind, Head

if TYPE_CHECKING:
    from discreet.budget.guard import Anchor

_Result = TypeVar("_Result")

Spending = tuple[int | None, int]
"""What an account is allowed (None: no limit of its own) and has spent, in billionths of ε."""


class Refused(Exception):  # noqa: N818
    """An entry breaks a rule of the ledger; it was not added."""


class Lost(Exception):  # noqa: N818
    """The store is out of reach; what was to be committed was not."""


class InDoubt(Exception):  # noqa: N818
    """The store was lost while it committed: the entries are there, all of them, or none is."""


@dataclass(frozen=True)
class LookUp:
    """What a job will look for, so that a store far away is asked once for many."""

    question: str
    analyst: str


class Book(Protocol):
    """A ledger as one transaction, or one reader, sees it."""

    def expect(self, about: Sequence[LookUp]) -> None:
        """Told before they are looked for."""

    def head(self) -> Head | None:
        """The number and the hash of the newest entry."""

    def entry_at(self, seq: int) -> Entry | None:
        """The entry of a number."""

    def find(self, kind: EntryKind, question: str) -> Entry | None:
        """The charge or the answer of a question."""

    def any_charge(self) -> bool:
        """Whether anything was ever charged."""

    def lost_since(self, seq: int) -> bool:
        """Whether a loss was acknowledged after the entry of that number."""

    def facts_digest(self) -> str | None:
        """The digest of the facts recorded last."""

    def resting_since(self, digest: str) -> int | None:
        """The number of the newest entry of facts, if it is of these."""

    def newest_facts(self) -> Entry | None:
        """The facts recorded last."""

    def charges_after(self, seq: int, analyst: str, most: int) -> list[Entry]:
        """An analyst's charges of more than nothing after an entry, newest first."""

    def all_entries(self, analyst: str | None = None) -> list[Entry]:
        """Every entry, or every one of an analyst's, oldest first."""

    def account(self, name: str) -> Spending:
        """What an account is allowed and has spent."""

    def both(self, name: str) -> tuple[Spending, Spending]:
        """The total account and an analyst's own, in one look."""

    def accounts(self) -> dict[str, Spending]:
        """Every account; the total has the empty name."""

    def append(self, entry: Entry) -> None:
        """Add an entry, or raise `Refused`; a refused one leaves nothing."""

    def whole(self) -> AbstractContextManager[object]:
        """When what is done within fails, nothing that it added stays."""

    def ready_for_facts(self) -> None:
        """See that entries of facts can be kept."""


class Store(Protocol):
    """Where a ledger is kept; one thread of a process at a time writes it."""

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """What it raises when something cannot be stored."""

    @property
    def shared(self) -> bool:
        """Whether servers elsewhere write it too: each keeps a head of its own, and who comes while
        the book is waited for joins."""

    def is_there(self) -> bool:
        """Whether the ledger was ever made, as far as can be told before `connect`."""

    def connect(self, *, create: bool) -> None:
        """Reach it; to be called once, under the turn, before anything else."""

    def anchor(self, *, create: bool) -> "Anchor":
        """The head beside it; `create` says that a ledger without an entry may be begun."""

    def any_anchor(self) -> "Anchor":
        """The head beside it, whatever it says, or a new one: for acknowledged losses alone."""

    def why(self, problem: Exception) -> str:
        """What may be told of a failure."""

    def take_turn(self) -> None:
        """Wait until this process is the one that writes.

        It belongs inside the `try` whose `finally` lets go, for an interrupt may come in between.
        """

    def let_go(self) -> None:
        """Give the turn to the next, if one has it."""

    def written(self, work: Callable[[Book], _Result]) -> _Result:
        """Do something with the book in one transaction, durable when this returns.

        Raises:
            Lost: The store is out of reach, and nothing was written.
            InDoubt: It was lost while it committed.
        """

    def read(self, look: Callable[[Book], _Result], *, snapshot: bool = False) -> _Result:
        """Look into the book beside the writer; all at one moment where `snapshot` says so."""

    def is_durable(self, seq: int) -> bool:
        """Whether an entry that was read is known to be where it must be."""

    def tidy(self) -> None:
        """What can wait until nobody does."""

    def close(self) -> None:
        """Let go of it."""
