"""Reading a ledger where nothing can be written, such as an auditor's copy on read-only media.

Even a reader of a ledger writes: its turn at the lock, and SQLite's index of the log. So the files
are copied to a folder of their own, and the copy is opened and checked like any ledger.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from discreet.budget.ledger import Ledger
from discreet.errors import LedgerError

_ENDINGS = ("", "-wal", ".head")


def is_read_only(path: Path) -> bool:
    """Whether there is a ledger that can be read and neither written nor locked."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


@contextmanager
def copied(path: Path) -> Iterator[Ledger]:
    """A copy of a ledger with its log and its anchor, for reading; it is gone afterwards."""
    parts = [path.with_name(path.name + ending) for ending in _ENDINGS]
    with TemporaryDirectory(prefix="discreet-") as folder:
        try:
            before = _stamps(parts)
            for part in parts:
                if part.exists():
                    shutil.copyfile(part, Path(folder) / part.name)
            after = _stamps(parts)
        except OSError as problem:
            raise LedgerError(
                f"cannot copy {path.name} for reading: {problem.strerror}; copy the ledger and "
                "its .head file to a writable folder, and verify there"
            ) from None
        if before != after:
            raise LedgerError(
                f"{path.name} changed while it was copied; try again, or read it in a writable "
                "folder"
            )
        with Ledger(Path(folder) / path.name) as ledger:
            yield ledger


def _stamps(parts: list[Path]) -> list[tuple[int, int, int] | None]:
    """What changes when a file is written; None for one that is not there."""
    statuses = [part.stat() if part.exists() else None for part in parts]
    return [status and (status.st_ino, status.st_size, status.st_mtime_ns) for status in statuses]
