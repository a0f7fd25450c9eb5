"""The head of the ledger, written down beside it, so that an older copy is noticed.

Two slots are written in turn and each carries its own check, so a torn write leaves the other one.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from discreet.budget.entries import Mark
from discreet.errors import LedgerError, Remedy

_SLOT = 128

force: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
"""Wait until what a file holds is on the disk; not every system can leave out what it need not."""


def _line(mark: Mark) -> bytes:
    text = str(mark)
    check = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{text} {check}".encode().ljust(_SLOT - 1) + b"\n"


def _parsed(slot: bytes) -> Mark | None:
    text = slot.decode("ascii", "replace").rstrip().rpartition(" ")[0]
    mark = Mark.parsed(text)
    return mark if mark is not None and _line(mark) == slot else None


class Anchor:
    """The file that remembers how far the ledger had come."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self.dirty = False
        self._content = b""
        self._mark: Mark | None = None
        self._slot = 1
        """What the content says and in which slot; it is read anew only when the file changed."""
        flags = os.O_RDWR | (os.O_CREAT if create else 0)
        try:
            self._file = os.open(path, flags, 0o600)
        except OSError as problem:
            raise LedgerError(
                f"cannot open the ledger's anchor {path.name}: {problem.strerror}; "
                "put it back beside the ledger, or acknowledge the loss",
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
        newest = max(marks, key=lambda found: found[0].head.seq, default=(None, 1))
        self._content, (self._mark, self._slot) = content, newest

    def write(self, mark: Mark) -> None:
        """Write a mark down, safe from the death of the process; `sync` saves it from a power cut.

        An anchor that is behind its ledger is no harm: only an older copy that is younger than the
        anchor would go unnoticed.
        """
        slot = 1 - self._slot
        line, start = _line(mark), _SLOT * slot
        os.pwrite(self._file, line, start)
        self.dirty = True
        before, after = self._content[:start].ljust(start, b"\0"), self._content[start + _SLOT :]
        self._content, self._mark, self._slot = before + line + after, mark, slot

    def sync(self) -> None:
        """Wait until what was written is on the disk."""
        if self.dirty:
            force(self._file)
            self.dirty = False

    def replace(self, mark: Mark) -> None:
        """Forget whatever was written down and write this mark: for acknowledged losses alone."""
        os.pwrite(self._file, _line(mark) * 2, 0)
        force(self._file)

    def close(self) -> None:
        """Let go of the file."""
        self.sync()
        os.close(self._file)
