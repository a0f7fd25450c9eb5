"""Whose turn it is to write, among the processes of one machine; and why a forked child has none.

SQLite keeps a table of the locks of its own process; a forked child inherits the table, not the
locks, and believes that it holds what it does not. A connection to a server would be used by both.
So a child leaves its parent's ledgers alone.
"""

import fcntl
import os
from collections import Counter
from pathlib import Path

from discreet.errors import LedgerError

FORKED = (
    "this process was forked from one that has the ledger open; ask there, or start a fresh one "
    '(multiprocessing: the method "spawn")'
)

_open: Counter[tuple[int, int]] = Counter()
_inherited: set[tuple[int, int]] = set()


class Lock:
    """An advisory lock that processes hand to one another.

    `take` belongs inside the `try` whose `finally` lets go, for an interrupt may come in between.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise LedgerError(
                f"cannot open the ledger's lock {path.name}: {problem.strerror}; whoever asks must "
                "be able to write beside the ledger"
            ) from None
        told = os.fstat(self._file)
        self._who = told.st_dev, told.st_ino
        if self._who in _inherited:
            os.close(self._file)
            raise LedgerError(FORKED)
        _open[self._who] += 1

    def take(self) -> None:
        """Wait for one's turn."""
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def let_go(self) -> None:
        """Give the turn to the next, if one has it."""
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        _open[self._who] -= 1
        os.close(self._file)


def _inherit() -> None:
    _inherited.update(who for who, times in _open.items() if times > 0)
    _open.clear()


os.register_at_fork(after_in_child=_inherit)
