"""The accounts' SQLite file: names, roles, and digests of tokens and sessions; no secret at all."""

import json
import os
from pathlib import Path
from typing import Any

import apsw

from discreet.accounts.account import Account, Role
from discreet.errors import FileError
from discreet.exact import show

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


def connect(path: Path) -> apsw.Connection:
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


def account(connection: apsw.Connection, name: str) -> Account | None:
    """The account of a name."""
    return _one(connection, f"SELECT {_COLUMNS} FROM accounts WHERE name = ?", (name,))


def every_account(connection: apsw.Connection) -> list[Account]:
    """All accounts, by name."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM accounts ORDER BY name").fetchall()
    return [_account(row) for row in rows]


def by_token(connection: apsw.Connection, digest: str) -> tuple[Account, None] | None:
    """The account whose token has this digest."""
    found = _one(connection, f"SELECT {_COLUMNS} FROM accounts WHERE digest = ?", (digest,))
    return None if found is None else (found, None)


def by_session(connection: apsw.Connection, digest: str) -> tuple[Account, str] | None:
    """The account that opened a session, and when the session ends."""
    rows = connection.execute(
        "SELECT name, expires FROM sessions WHERE digest = ?", (digest,)
    ).fetchall()
    found = account(connection, str(rows[0][0])) if rows else None
    return None if found is None else (found, str(rows[0][1]))


def put(connection: apsw.Connection, account: Account, digest: str) -> None:
    """Write an account in place of whatever had its name; sessions of that one end."""
    with connection:
        connection.execute("DELETE FROM sessions WHERE name = ?", (account.name,))
        connection.execute(
            "INSERT INTO accounts (name, role, datasets, digest, created, expires, revoked) "
            "VALUES (?, ?, ?, ?, ?, ?, NULL) ON CONFLICT (name) DO UPDATE SET "
            "role = excluded.role, datasets = excluded.datasets, digest = excluded.digest, "
            "created = excluded.created, expires = excluded.expires, revoked = NULL",
            (
                account.name,
                account.role,
                json.dumps(account.datasets),
                digest,
                account.created,
                account.expires,
            ),
        )


def revoke(connection: apsw.Connection, name: str, at: str) -> None:
    """End an account and its sessions."""
    with connection:
        connection.execute("DELETE FROM sessions WHERE name = ?", (name,))
        connection.execute(
            "UPDATE accounts SET revoked = ? WHERE name = ? AND revoked IS NULL", (at, name)
        )


def put_session(connection: apsw.Connection, digest: str, name: str, expires: str, at: str) -> None:
    """Write a session down and forget those that are over."""
    with connection:
        connection.execute("DELETE FROM sessions WHERE expires <= ?", (at,))
        connection.execute("INSERT INTO sessions VALUES (?, ?, ?)", (digest, name, expires))


def end_session(connection: apsw.Connection, digest: str) -> None:
    """Forget a session."""
    connection.execute("DELETE FROM sessions WHERE digest = ?", (digest,))


def data_version(connection: apsw.Connection) -> int:
    """A number that changes when another connection has written."""
    version: Any = connection.execute("PRAGMA data_version").fetchall()[0][0]
    return int(version)


def _one(connection: apsw.Connection, sql: str, values: tuple[str, ...]) -> Account | None:
    rows = connection.execute(sql, values).fetchall()
    return _account(rows[0]) if rows else None


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
