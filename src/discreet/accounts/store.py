"""What an account says, what a store of accounts offers, and the SQLite file that keeps them.

An account has a name, a role, the datasets it may ask, and an end. A store has digests of tokens
and sessions, and no secret at all. There is another, in PostgreSQL (`postgresql/`); what is
remembered, checked and drawn is decided above them, once for both.
"""

import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import apsw

from discreet.errors import FileError, InvalidInput
from discreet.text import Word, show


class Role(Word):
    """What somebody may do."""

    ANALYST = "analyst"
    """Asks the datasets named for them."""
    CUSTODIAN = "custodian"
    """Sees every dataset and all accounts."""


SESSION_HOURS = 12
"""How long a session lasts."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}", re.ASCII)
_SPAN = re.compile(r"([1-9][0-9]{0,4})([hdwy])", re.ASCII)
_UNITS = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}


@dataclass(frozen=True, kw_only=True)
class Account:
    """Somebody who may sign in; the token itself is known to them alone."""

    name: str
    role: Role
    datasets: tuple[str, ...]
    created: str
    expires: str | None
    revoked: str | None

    @property
    def is_custodian(self) -> bool:
        """Whether everything that is served may be seen."""
        return self.role == Role.CUSTODIAN

    def state(self, at: datetime) -> str:
        """In one word: active, expired or revoked.

        >>> ana = Account(name="ana", role=Role.ANALYST, datasets=(), expires=None, revoked=None,
        ...     created="2026-01-01T00:00:00+00:00")
        >>> ana.state(datetime(2026, 6, 1, tzinfo=UTC))
        'active'
        """
        if self.revoked is not None:
            return "revoked"
        over = self.expires is not None and at >= datetime.fromisoformat(self.expires)
        return "expired" if over else "active"

    def to_dict(self) -> dict[str, object]:
        """The account as plain JSON values."""
        return {
            "name": self.name,
            "role": self.role,
            "datasets": list(self.datasets),
            "created": self.created,
            "expires": self.expires,
            "revoked": self.revoked,
            "state": self.state(datetime.now(UTC)),
        }


@dataclass(frozen=True)
class NewToken:
    """A token at the only moment its text is known."""

    text: str
    account: Account

    def __repr__(self) -> str:
        return f"NewToken(text='dsc_…', account={self.account!r})"


def checked_name(name: str) -> str:
    """A name that fits in a URL, a ledger and a question id."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidInput(
            "a name must have 1 to 64 characters (letters, digits and . _ @ -) and begin with a "
            f"letter or a digit, got {show(name)}"
        )
    return name


def checked_role(role: str) -> Role:
    """One of the roles."""
    if known := Role.read(role):
        return known
    raise InvalidInput(f"a role must be {' or '.join(Role)}, got {show(role)}")


def read_expiry(text: str | None, at: datetime) -> str | None:
    """When a token ends: after 12h, 30d, 8w or 1y, or at the end of a day such as 2026-12-31.

    >>> read_expiry("30d", datetime(2026, 1, 1, tzinfo=UTC))
    '2026-01-31T00:00:00+00:00'
    >>> read_expiry("2026-12-31", datetime(2026, 1, 1, tzinfo=UTC))
    '2027-01-01T00:00:00+00:00'
    """
    if text is None:
        return None
    word = text.strip().lower()
    span = _SPAN.fullmatch(word)
    if span:
        hours = int(span[1]) * _UNITS[span[2]]
        return (at + timedelta(hours=hours)).isoformat(timespec="seconds")
    try:
        day = datetime.combine(date.fromisoformat(word), datetime.min.time(), UTC)
        end = day + timedelta(days=1)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"the end must be 12h, 30d, 8w, 1y or a day such as 2026-12-31, got {show(text)}"
        ) from None
    if end <= at:
        raise InvalidInput(f"{word} is in the past; give a later day")
    return end.isoformat(timespec="seconds")


@dataclass(frozen=True)
class Kept:
    """An account as a store keeps it, with its digests: for moving it into another."""

    account: Account
    digest: str
    sessions: tuple[tuple[str, str], ...]
    """The digest of each session, and when it ends."""


class AccountStore(Protocol):
    """Where accounts are kept."""

    def account(self, name: str) -> Account | None:
        """The account of a name."""

    def every_account(self) -> list[Account]:
        """All accounts, by name."""

    def by_token(self, digest: str) -> tuple[Account, None] | None:
        """The account whose token has this digest."""

    def by_session(self, digest: str) -> tuple[Account, str] | None:
        """The account that opened a session, and when the session ends."""

    def put(self, account: Account, digest: str) -> bool:
        """Write an account where none of its name is active, and end the sessions of that name."""

    def revoke(self, name: str, at: str) -> None:
        """End an account and its sessions."""

    def remove(self, name: str, digest: str) -> None:
        """Remove an account that still has this token."""

    def put_session(self, digest: str, token: str, expires: str, at: str) -> None:
        """Write a session of whoever has this token down, and forget those that are over."""

    def end_session(self, digest: str) -> None:
        """Forget a session."""

    def version(self) -> int:
        """A number that changes when somebody else has written."""

    def may_change(self) -> bool:
        """Whether accounts can be made and ended from here."""

    def close(self) -> None:
        """Let go of it."""


VERSION = 1

_SCHEMA = f"""
CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('{Role.ANALYST}', '{Role.CUSTODIAN}')),
    datasets TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL,
    expires TEXT,
    revoked TEXT
) STRICT;
CREATE TABLE sessions (
    digest TEXT PRIMARY KEY,
    name TEXT NOT NULL REFERENCES accounts (name) ON DELETE CASCADE,
    expires TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_of ON sessions (name);
PRAGMA user_version = {VERSION};
"""
_COLUMNS = "name, role, datasets, created, expires, revoked"


class AccountsFile:
    """Accounts in a file; one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._connection = opened_store(path, _SCHEMA, VERSION, "accounts")

    def account(self, name: str) -> Account | None:
        """The account of a name."""
        return self._one(f"SELECT {_COLUMNS} FROM accounts WHERE name = ?", name)

    def every_account(self) -> list[Account]:
        """All accounts, by name."""
        return [_account(row) for row in self._rows(f"SELECT {_COLUMNS} FROM accounts ORDER BY 1")]

    def by_token(self, digest: str) -> tuple[Account, None] | None:
        """The account whose token has this digest."""
        account = self._one(f"SELECT {_COLUMNS} FROM accounts WHERE digest = ?", digest)
        return None if account is None else (account, None)

    def by_session(self, digest: str) -> tuple[Account, str] | None:
        """The account that opened a session, and when the session ends."""
        rows = self._rows("SELECT name, expires FROM sessions WHERE digest = ?", digest)
        account = self.account(str(rows[0][0])) if rows else None
        return None if account is None else (account, str(rows[0][1]))

    def put(self, account: Account, digest: str) -> bool:
        """Write an account where none of its name is active, and end the sessions of that name."""
        with self._connection:
            self._connection.execute(
                "INSERT INTO accounts (name, role, datasets, digest, created, expires, revoked) "
                "VALUES (?, ?, ?, ?, ?, ?, NULL) ON CONFLICT (name) DO UPDATE SET "
                "role = excluded.role, datasets = excluded.datasets, digest = excluded.digest, "
                "created = excluded.created, expires = excluded.expires, revoked = NULL "
                "WHERE accounts.revoked IS NOT NULL OR accounts.expires <= excluded.created",
                (
                    account.name,
                    account.role,
                    json.dumps(account.datasets),
                    digest,
                    account.created,
                    account.expires,
                ),
            )
            if not self._connection.changes():
                return False
            self._connection.execute("DELETE FROM sessions WHERE name = ?", (account.name,))
        return True

    def revoke(self, name: str, at: str) -> None:
        """End an account and its sessions."""
        with self._connection:
            self._connection.execute("DELETE FROM sessions WHERE name = ?", (name,))
            self._connection.execute(
                "UPDATE accounts SET revoked = ? WHERE name = ? AND revoked IS NULL", (at, name)
            )

    def remove(self, name: str, digest: str) -> None:
        """Remove an account that still has this token."""
        self._connection.execute(
            "DELETE FROM accounts WHERE name = ? AND digest = ?", (name, digest)
        )

    def put_session(self, digest: str, token: str, expires: str, at: str) -> None:
        """Write a session of whoever has this token down, and forget those that are over."""
        with self._connection:
            self._connection.execute("DELETE FROM sessions WHERE expires <= ?", (at,))
            self._connection.execute(
                "INSERT INTO sessions SELECT ?, name, ? FROM accounts WHERE digest = ?",
                (digest, expires, token),
            )

    def end_session(self, digest: str) -> None:
        """Forget a session."""
        self._connection.execute("DELETE FROM sessions WHERE digest = ?", (digest,))

    def version(self) -> int:
        """A number that changes when another connection has written."""
        version: Any = self._rows("PRAGMA data_version")[0][0]
        return int(version)

    def may_change(self) -> bool:
        """Whoever opens the file may write it."""
        return True

    def everything(self) -> list[Kept]:
        """All accounts with their digests and sessions."""
        digests = {str(name): str(digest) for name, digest in
                   self._rows("SELECT name, digest FROM accounts")}  # fmt: skip
        return [
            Kept(
                account,
                digests[account.name],
                tuple(
                    (str(digest), str(ends))
                    for digest, ends in self._rows(
                        "SELECT digest, expires FROM sessions WHERE name = ?", account.name
                    )
                ),
            )
            for account in self.every_account()
        ]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _rows(self, sql: str, *values: str) -> list[tuple[object, ...]]:
        return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: str) -> Account | None:
        rows = self._rows(sql, *values)
        return _account(rows[0]) if rows else None


def opened_store(path: Path, schema: str, version: int, holds: str) -> apsw.Connection:
    """Open a file of the server's own, or make it, readable by its owner alone."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = apsw.Connection(str(path))
        connection.set_busy_timeout(10_000)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        with connection:
            if _version(connection) == 0:
                connection.execute(schema)
        written = _version(connection)
    except (OSError, apsw.Error) as problem:
        why = problem.strerror if isinstance(problem, OSError) and problem.strerror else problem
        raise FileError(
            f"cannot open the {holds} {show(str(path))}: {why}; changing them needs write access "
            "to its folder"
        ) from None
    if written != version:
        connection.close()
        raise FileError(
            f"{path.name} has version {written} of the {holds}; "
            f"this program writes version {version}"
        )
    return connection


def _version(connection: apsw.Connection) -> int:
    version: Any = connection.execute("PRAGMA user_version").fetchall()[0][0]
    return int(version)


def _account(row: tuple[object, ...]) -> Account:
    name, role, datasets, created, expires, revoked = row
    return Account(
        name=str(name),
        role=Role(str(role)),
        datasets=tuple(json.loads(str(datasets))),
        created=str(created),
        expires=None if expires is None else str(expires),
        revoked=None if revoked is None else str(revoked),
    )
