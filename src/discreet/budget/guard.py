"""What guards a ledger: a lock among the processes of one machine, and anchors against old copies.

Processes write in turn. SQLite keeps a table of the locks of its own process; a forked child
inherits the table, not the locks, and believes that it holds what it does not. A connection to a
server would be used by both. So a child leaves its parent's ledgers alone.

An anchor keeps an older copy from being taken for the newest. The one beside the ledger is always
there; a second one, elsewhere, may be. Both are looked at before a commit and written after it:
whatever is released is marked in both. The one beside has two slots that are written in turn, each
with its own check, so a torn write leaves the other one.
"""

import _thread
import fcntl
import hashlib
import os
import queue
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from discreet.budget import store
from discreet.budget.charging import Page
from discreet.budget.entries import ANCHOR, Mark
from discreet.budget.second_anchor import SecondAnchor
from discreet.errors import LedgerError, Remedy

FORKED = (
    "this process was forked from one that has the ledger open; ask there, or start a new "
    'process (multiprocessing: the method "spawn")'
)

PATIENCE_SECONDS = 60.0
"""How long another process may keep its turn: a commit takes a fraction of a second."""
_open: Counter[tuple[int, int]] = Counter()
_inherited: set[tuple[int, int]] = set()


class Lock:
    """An advisory lock that processes hand to one another, for one thread at a time.

    `take` belongs inside the `try` whose `finally` lets go, for an interrupt may come in between.
    The kernel knows no time limit for such a wait, so a thread of its own waits where it is taken.
    What a thread is started and told with is made of single steps: an interrupt that comes within
    `threading.Event` or `Thread.start` can leave a lock there taken for ever.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise LedgerError(
                f"cannot open the ledger's lock {path.name}: {problem.strerror}; asking needs "
                "write access to the folder of the ledger"
            ) from None
        status = os.fstat(self._file)
        self._who, self._name = (status.st_dev, status.st_ino), path.name
        if self._who in _inherited:
            os.close(self._file)
            raise LedgerError(FORKED)
        self._door = threading.Lock()
        self._handed: queue.SimpleQueue[None] = queue.SimpleQueue()
        """Holds something when the thread that waited has the turn for whoever wants it."""
        self._wanted = self._waiting = self._closed = False
        _open[self._who] += 1

    def take(self) -> None:
        """Wait for one's turn.

        Raises:
            LedgerError: Another process has kept it for longer than any commit takes.
        """
        with self._door:
            if not self._waiting and self._free():
                return
            self._wanted = True
            if not self._waiting:
                self._waiting = True
                _thread.start_new_thread(self._wait, ())
        try:
            self._handed.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise LedgerError(
                f"another process has held {self._name} for {PATIENCE_SECONDS:g} s and may be "
                "stuck; end it or let it finish, then ask again; nothing was charged"
            ) from None

    def _free(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _wait(self) -> None:
        """Have the turn, and hand it over; who no longer waits gets it not."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        with self._door:
            self._waiting = False
            if self._closed:
                os.close(self._file)
            elif self._wanted:
                self._handed.put(None)
            else:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def let_go(self) -> None:
        """Give the turn to the next, if one has it."""
        with self._door:
            self._wanted = False
            if not self._handed.empty():
                self._handed.get()
            if not self._waiting:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file; a thread that waits for it does when it is told."""
        _open[self._who] -= 1
        with self._door:
            self._closed = True
            if not self._waiting:
                os.close(self._file)


def _inherit() -> None:
    _inherited.update(who for who, times in _open.items() if times > 0)
    _open.clear()


os.register_at_fork(after_in_child=_inherit)


_SLOT = 128


class Anchor:
    """The file that remembers how far the ledger had come."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self.dirty = False
        self._content = b""
        self._mark: Mark | None = None
        self._slot = 1
        """What the content says and in which slot; it is read anew only when the file changed."""
        self._torn = False
        """Whether a crash left but one slot whole."""
        flags = os.O_RDWR | (os.O_CREAT if create else 0)
        try:
            self._file = os.open(path, flags, 0o600)
        except OSError as problem:
            raise LedgerError(
                f"cannot open the ledger's anchor {path.name}: {problem.strerror}; restore it "
                "beside the ledger, or acknowledge the loss",
                Remedy.ACKNOWLEDGE_LOSS,
            ) from None

    def read(self) -> Mark | None:
        """The newest mark written down; None when there is none yet."""
        content = os.pread(self._file, 2 * _SLOT, 0)
        if content != self._content:
            self._read(content)
        return self._mark

    def _read(self, content: bytes) -> None:
        slots = (_parsed(content[:_SLOT]), _parsed(content[_SLOT:]))
        marks = [(mark, slot) for slot, mark in enumerate(slots) if mark is not None]
        if not marks and content.strip():
            raise LedgerError(
                "the ledger's anchor is damaged; restore it, or acknowledge the loss",
                Remedy.ACKNOWLEDGE_LOSS,
            )
        self._torn = len(marks) == 1
        newest = max(marks, key=lambda read_slot: read_slot[0].head.seq, default=(None, 1))
        self._content, (self._mark, self._slot) = content, newest

    def write(self, mark: Mark) -> None:
        """Write a mark down, safe from the death of the process; `sync` saves it from a power cut.

        An anchor that is behind its ledger is no harm: only an older copy that is younger than the
        anchor would go unnoticed.
        """
        if not self._content:  # no slot is ever empty, so that a torn one leaves the other
            os.pwrite(self._file, _line(mark) * 2, 0)
            self._content, self._mark, self._slot = _line(mark) * 2, mark, 1
            self.dirty = True
            return
        slot = 1 - self._slot
        line, start = _line(mark), _SLOT * slot
        os.pwrite(self._file, line, start)
        self.dirty = True
        before, after = self._content[:start].ljust(start, b"\0"), self._content[start + _SLOT :]
        self._content, self._mark, self._slot = before + line + after, mark, slot
        if self._torn:  # whole again before the other slot is touched
            self.sync()
            self._torn = False

    def sync(self) -> None:
        """Wait until what was written is on the disk."""
        if self.dirty:
            store.force(self._file)
            self.dirty = False

    def replace(self, mark: Mark) -> None:
        """Forget whatever was written down and write this mark: for acknowledged losses alone."""
        os.pwrite(self._file, _line(mark) * 2, 0)
        store.force(self._file)

    def close(self) -> None:
        """Let go of the file, synced or not: an anchor that is behind is no harm."""
        with suppress(OSError):
            self.sync()
        os.close(self._file)


def _line(mark: Mark) -> bytes:
    text = str(mark)
    check = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{text} {check}".encode().ljust(_SLOT - 1) + b"\n"


def _parsed(slot: bytes) -> Mark | None:
    text = slot.decode("ascii", "replace").rstrip().rpartition(" ")[0]
    mark = Mark.parsed(text)
    return mark if mark is not None and _line(mark) == slot else None


class Marks(NamedTuple):
    """What the anchors say; None where one is empty, or is not there."""

    beside: Mark | None
    elsewhere: Mark | None

    @property
    def newest(self) -> Mark | None:
        """The one that has come farthest."""
        marks = [mark for mark in (self.beside, self.elsewhere) if mark is not None]
        return max(marks, key=lambda mark: mark.head.seq, default=None)


class Guard:
    """The anchors of a ledger."""

    def __init__(
        self, anchor: Anchor, second: SecondAnchor | None, *, adopting: bool = False
    ) -> None:
        """With `adopting`, an anchor without a mark takes the ledger as it finds it."""
        self.anchor, self._second, self._adopting = anchor, second, adopting
        self._confirmed = 0
        """The newest entry that the second anchor is known to have."""

    def marks(self) -> Marks:
        """What the anchors say; to be asked for before the transaction, as one may be far away."""
        return Marks(self.anchor.read(), None if self._second is None else self._second.read())

    def refuse_other_copy(self, marks: Marks, page: Page) -> None:
        """Refuse a ledger that lacks an entry which an anchor knows, or one that was emptied."""
        if marks.beside is not None:
            _refuse_without(marks.beside, page)
        elif not self._adopting and page.book.any_charge():
            raise _emptied("the ledger's anchor")
        if marks.elsewhere is not None:
            _refuse_without(marks.elsewhere, page)
        elif self._second is not None and self._was_used(page):
            raise _emptied("the second anchor")

    def _was_used(self, page: Page) -> bool:
        """Whether the ledger says that this second anchor must hold a mark."""
        assert self._second is not None
        recorded = page.premises
        named = recorded is not None and recorded.facts.get(ANCHOR) == self._second.place
        return named and page.book.any_charge()

    def write(self, marks: Marks, mark: Mark | None) -> None:
        """Mark the newest entry wherever it is not marked yet."""
        if mark is None:
            return
        if marks.beside is None or marks.beside.head != mark.head:
            self.anchor.write(mark)
        if self._second is not None:
            if marks.elsewhere is None or marks.elsewhere.head != mark.head:
                self._second.write(mark)
            self._confirmed = mark.head.seq

    def adopt(self, marks: Marks, page: Page) -> None:
        """Mark what is there in a second anchor that is empty and may be, before more is added."""
        if self._second is not None and marks.elsewhere is None and page.head is not None:
            self._second.write(Mark(page.head, page.spent))

    def replace(self, mark: Mark) -> None:
        """Forget whatever was marked and mark this entry: for acknowledged losses alone."""
        if self._second is not None:
            self._second.write(mark)
        self.anchor.replace(mark)

    def is_confirmed(self, seq: int) -> bool:
        """Whether an entry is known to be marked wherever it must be."""
        return self._second is None or seq <= self._confirmed


def _refuse_without(mark: Mark, page: Page) -> None:
    if mark.head == page.head:
        return
    here = page.book.entry_at(mark.head.seq)
    if here is None or here.head != mark.head:
        raise other_copy(mark)


def other_copy(mark: Mark) -> LedgerError:
    """What to say of a ledger that lacks an entry which an anchor knows."""
    return LedgerError(
        f"this ledger is an older or another copy: entry {mark.head.seq} was written but is not "
        "here; restore the newest copy, or acknowledge the loss",
        Remedy.ACKNOWLEDGE_LOSS,
    )


def _emptied(which: str) -> LedgerError:
    return LedgerError(
        f"{which} is empty; restore it, or acknowledge the loss", Remedy.ACKNOWLEDGE_LOSS
    )
