"""The SQLite file that keeps accounts: digests of tokens and sessions, and no secret at all."""

import json
import os
from pathlib import Path
from typing import Any

import apsw

from discreet.accounts.store import Account, Kept, Role
from discreet.errors import FileError
from discreet.text import show

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


class FileStore:
    """Accounts in a file; one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._connection = _connected(path)

    def account(self, name: str) -> Account | None:
        """The account of a name."""
        return self._one(f"SELECT {_COLUMNS} FROM accounts WHERE name = ?", name)

    def every_account(self) -> list[Account]:
        """All accounts, by name."""
        return [_account(row) for row in self._rows(f"SELECT {_COLUMNS} FROM accounts ORDER BY 1")]

    def by_token(self, digest: str) -> tuple[Account, None] | None:
        """The account whose token has this digest."""
        found = self._one(f"SELECT {_COLUMNS} FROM accounts WHERE digest = ?", digest)
        return None if found is None else (found, None)

    def by_session(self, digest: str) -> tuple[Account, str] | None:
        """The account that opened a session, and when the session ends."""
        rows = self._rows("SELECT name, expires FROM sessions WHERE digest = ?", digest)
        found = self.account(str(rows[0][0])) if rows else None
        return None if found is None else (found, str(rows[0][1]))

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


def _connected(path: Path) -> apsw.Connection:
    """Open the file, or make it, readable by its owner alone."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = apsw.Connection(str(path))
        connection.set_busy_timeout(10_000)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        with connection:
            if _version(connection) == 0:
                connection.execute(_SCHEMA)
        version = _version(connection)
    except (OSError, apsw.Error) as problem:
        raise FileError(f"cannot open the accounts {show(str(path))}: {problem}") from None
    if version != VERSION:
        connection.close()
        raise FileError(f"{path.name} is version {version} of the accounts, this writes {VERSION}")
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
