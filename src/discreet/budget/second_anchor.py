"""A second anchor, elsewhere: a file, a command or an address of the custodian's.

Whoever can write the ledger's folder can put an older ledger and its anchor back together, or
delete both. A mark of the newest entry that is out of their reach tells (docs/threat-model.md). It
is read before every commit and written after it, before anything is released.
"""

import os
import shlex
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from discreet.budget.entries import Mark
from discreet.errors import DatasetError, LedgerError, Remedy
from discreet.exact import show

_SECONDS = 10
_LONGEST = 1000
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_NONE_YET = 404


class SecondAnchor(Protocol):
    """A place elsewhere that remembers how far a ledger had come."""

    @property
    def place(self) -> str:
        """Where it is, as the ledger records it."""

    def read(self) -> Mark | None:
        """The mark that was written last; None when there is none yet."""

    def write(self, mark: Mark) -> None:
        """Keep a mark: it is safe there when this returns."""


@dataclass(frozen=True)
class AnchorFile:
    """A file, such as on another disk or another machine's share."""

    path: Path

    @property
    def place(self) -> str:
        """Where it is, as the ledger records it."""
        return str(self.path)

    def read(self) -> Mark | None:
        """The mark that was written last; None when there is none yet."""
        try:
            with self.path.open("rb") as file:
                return _mark(file.read(_LONGEST))
        except FileNotFoundError:
            if self.path.parent.is_dir():
                return None
            raise _unreadable(f"there is no folder {show(str(self.path.parent))}") from None
        except OSError as problem:
            raise _unreadable(problem.strerror) from None

    def write(self, mark: Mark) -> None:
        """Keep a mark: it is safe there when this returns."""
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            with part.open("w", encoding="ascii") as file:
                file.write(f"{mark}\n")
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
            _force_folder(self.path.parent)
        except OSError as problem:
            raise _unwritten(problem.strerror) from None


@dataclass(frozen=True)
class AnchorCommand:
    """A command that is run with one word more: `read` prints the mark, `write` is given it."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, line: str) -> "AnchorCommand":
        """Split a line as a shell would; no shell runs it."""
        try:
            words = shlex.split(line)
        except ValueError as problem:
            raise DatasetError(f"{show(line)} is not a command: {problem}") from None
        if not words:
            raise DatasetError("give the command that keeps the anchor")
        return cls(tuple(words))

    @property
    def place(self) -> str:
        """Where it is, as the ledger records it."""
        return f"command: {shlex.join(self.words)}"

    def read(self) -> Mark | None:
        """The mark that was written last; None when there is none yet."""
        return _mark(self._run("read", b"", _unreadable)[:_LONGEST])

    def write(self, mark: Mark) -> None:
        """Keep a mark: it is safe there when this returns."""
        self._run("write", f"{mark}\n".encode(), _unwritten)

    def _run(self, word: str, given: bytes, failed: "Callable[[str], LedgerError]") -> bytes:
        try:
            done = subprocess.run(
                [*self.words, word], input=given, capture_output=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise failed(f"its command took longer than {_SECONDS} s") from None
        except (OSError, ValueError) as problem:
            raise failed(f"its command cannot be run: {problem}") from None
        if done.returncode != 0:
            raise failed(f"its command ended with exit code {done.returncode}")
        return done.stdout


@dataclass(frozen=True)
class AnchorUrl:
    """An address: GET returns the mark (404: none yet), PUT is given it."""

    url: str

    @classmethod
    def of(cls, url: str) -> "AnchorUrl":
        """An address over https, or over http on this machine."""
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            host = ""
        if not host or not url.isprintable() or " " in url:
            raise DatasetError(f"an address must start with https://, got {show(url)}")
        if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
            raise DatasetError(
                f"over {parts.scheme} others could forge the anchor in transit; use https://, "
                f"got {show(url)}"
            )
        return cls(url)

    @property
    def place(self) -> str:
        """Where it is, as the ledger records it."""
        return self.url

    def read(self) -> Mark | None:
        """The mark that was written last; None when there is none yet."""
        status, content = self._send("GET", None, _unreadable)
        if status == _NONE_YET:
            return None
        _refuse_status(status, _unreadable)
        return _mark(content)

    def write(self, mark: Mark) -> None:
        """Keep a mark: it is safe there when this returns."""
        status, _ = self._send("PUT", f"{mark}\n".encode(), _unwritten)
        _refuse_status(status, _unwritten)

    def _send(
        self, method: str, content: bytes | None, failed: "Callable[[str], LedgerError]"
    ) -> tuple[int, bytes]:
        from http.client import HTTPException  # noqa: PLC0415  few ledgers have such an anchor
        from urllib.error import HTTPError  # noqa: PLC0415
        from urllib.request import Request, urlopen  # noqa: PLC0415

        headers = {"Content-Type": "text/plain"} if content else {}
        try:
            with urlopen(
                Request(self.url, content, headers, method=method), timeout=_SECONDS
            ) as reply:
                return reply.status, reply.read(_LONGEST)
        except HTTPError as problem:
            with problem:
                return problem.code, b""
        except (OSError, HTTPException) as problem:
            raise failed(str(getattr(problem, "reason", problem))) from None


def _refuse_status(status: int, failed: "Callable[[str], LedgerError]") -> None:
    if not 200 <= status < 300:
        raise failed(f"its server replied {status}")


def _force_folder(folder: Path) -> None:
    """See that a file's new name is on the disk; not every system can say so of a folder."""
    place = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(place)
    finally:
        os.close(place)


def _mark(content: bytes) -> Mark | None:
    text = content.decode("ascii", "replace").strip()
    mark = Mark.parsed(text)
    if text and mark is None:
        raise LedgerError(
            "the second anchor holds no mark of a ledger; restore it, or acknowledge the loss",
            Remedy.ACKNOWLEDGE_LOSS,
        )
    return mark


def _unreadable(why: str | None) -> LedgerError:
    return LedgerError(f"the second anchor cannot be read: {why}; nothing was charged")


def _unwritten(why: str | None) -> LedgerError:
    return LedgerError(
        f"the second anchor cannot be written: {why}; answers asked under an id are stored, and "
        "are returned once it can be written"
    )
