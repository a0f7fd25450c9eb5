"""The secret of a dataset, in a file beside its ledger: made once, never changed.

It decides which rows of a person are kept, so that nobody who writes rows can choose them, and it
keys the digest of a pinned file, so that the digest tells nothing of the rows.
"""

import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from discreet.errors import LedgerError

_BYTES = 32
_KEYED = "hmac-sha256:"
_DIGITS = 32
"""128 bits: enough where nobody can try, for want of the key."""


@dataclass(frozen=True)
class Key:
    """32 random bytes, and what they are for."""

    secret: bytes = field(repr=False)

    @classmethod
    def random(cls) -> "Key":
        """A key that nobody keeps."""
        return cls(secrets.token_bytes(_BYTES))

    @classmethod
    def open(cls, path: Path) -> "Key":
        """The key in a file; there is one from the first time on."""
        try:
            if not path.exists():
                _create(path)
            text = path.read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else "it is not a text file"
            raise LedgerError(
                f"cannot open the dataset's key {path.name}: {why}; {_REMEDY}"
            ) from None
        if not re.fullmatch(f"[0-9a-f]{{{2 * _BYTES}}}\n", text):
            raise LedgerError(f"the dataset's key {path.name} is damaged; {_REMEDY}")
        return cls(bytes.fromhex(text))

    @property
    def fingerprint(self) -> str:
        """What tells this key from others, and nothing else of it."""
        return self._derived(b"fingerprint")

    @property
    def lottery(self) -> str:
        """What decides which rows of a person are kept."""
        return self._derived(b"lottery")

    def _derived(self, purpose: bytes) -> str:
        return hmac.new(self.secret, purpose, hashlib.sha256).hexdigest()[:_DIGITS]

    def seal(self) -> hmac.HMAC:
        """What is fed the bytes of a file, to pin it."""
        return hmac.new(self.secret, b"file:", hashlib.sha256)


_REMEDY = (
    "restore it from the backup of the ledger, or remove it and acknowledge the change: a new one "
    "is made, which keeps other rows of people who have too many and fits no pinned digest"
)


def digest(seal: hmac.HMAC) -> str:
    """A pinned digest as it stands in a dataset file."""
    return _KEYED + seal.hexdigest()[:_DIGITS]


def is_digest(given: object) -> bool:
    """Whether this could be a pinned digest."""
    return isinstance(given, str) and bool(re.fullmatch(f"{_KEYED}[0-9a-f]{{{_DIGITS}}}", given))


def _create(path: Path) -> None:
    """Make a key file: whole under its name or not at all, and never over one that is there."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "w", encoding="ascii") as content:
            content.write(secrets.token_hex(_BYTES) + "\n")
            content.flush()
            os.fsync(content.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
