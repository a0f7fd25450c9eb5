"""Accounts in PostgreSQL: reaching them, and what is said when they are out of reach.

What cannot be looked up is refused: a server that has lost its accounts lets nobody in.
"""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from discreet.accounts.postgresql.schema import SERVING, TABLES, VERSION
from discreet.accounts.store import Account, Kept, Role
from discreet.connection import Connection, driver_of_postgresql, quoted_role, why_unreached
from discreet.errors import DatasetError, InvalidInput, LedgerError, NotPrepared
from discreet.text import show

_Result = TypeVar("_Result")
_PURPOSE = "discreet-accounts"
_SECONDS = 3
_COLUMNS = "name, role, datasets, created, expires, revoked"
_STATE = """
SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'discreet_accounts'
"""
_PUT = """
INSERT INTO discreet_accounts.people (name, role, datasets, digest, created, expires)
VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (name) DO UPDATE SET
    role = excluded.role, datasets = excluded.datasets, digest = excluded.digest,
    created = excluded.created, expires = excluded.expires, revoked = NULL
WHERE people.revoked IS NOT NULL OR people.expires <= excluded.created
"""
_MOVED = """
INSERT INTO discreet_accounts.people (name, role, datasets, digest, created, expires, revoked)
VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
"""


class SharedAccounts:
    """One server's hold of the accounts in PostgreSQL; one thread at a time."""

    def __init__(self, connection: Connection) -> None:
        self._where, self._driver = connection, driver_of_postgresql()
        self._away_until = 0.0
        self._connection: Any = self._opened()

    def account(self, name: str) -> Account | None:
        """The account of a name."""
        return next((one for one in self.every_account() if one.name == name), None)

    def every_account(self) -> list[Account]:
        """All accounts, by name."""
        return [_account(row) for row in self._read("SELECT * FROM discreet_accounts.listed()")]

    def by_token(self, digest: str) -> tuple[Account, None] | None:
        """The account whose token has this digest."""
        rows = self._read(f"SELECT {_COLUMNS} FROM discreet_accounts.by_token(%s)", digest)
        return (_account(rows[0]), None) if rows else None

    def by_session(self, digest: str) -> tuple[Account, str] | None:
        """The account that opened a session, and when the session ends."""
        rows = self._read(f"SELECT {_COLUMNS}, ends FROM discreet_accounts.by_session(%s)", digest)
        return (_account(rows[0][:-1]), _text(rows[0][-1])) if rows else None

    def put(self, account: Account, digest: str) -> bool:
        """Write an account where none of its name is active, and end the sessions of that name."""

        def work(open_: Any) -> bool:
            values = (account.name, str(account.role), json.dumps(account.datasets), digest,
                      account.created, account.expires)  # fmt: skip
            if not open_.execute(_PUT, values).rowcount:
                return False
            open_.execute("DELETE FROM discreet_accounts.sessions WHERE name = %s", (account.name,))
            return True

        return self._written(work)

    def revoke(self, name: str, at: str) -> None:
        """End an account and its sessions."""

        def work(open_: Any) -> None:
            open_.execute("DELETE FROM discreet_accounts.sessions WHERE name = %s", (name,))
            open_.execute(
                "UPDATE discreet_accounts.people SET revoked = %s "
                "WHERE name = %s AND revoked IS NULL",
                (at, name),
            )

        self._written(work)

    def remove(self, name: str, digest: str) -> None:
        """Remove an account that still has this token."""
        self._written(
            lambda open_: open_.execute(
                "DELETE FROM discreet_accounts.people WHERE name = %s AND digest = %s",
                (name, digest),
            )
        )

    def put_session(self, digest: str, token: str, expires: str, at: str) -> None:
        """Write a session of whoever has this token down, and forget those that are over."""
        self._read("SELECT discreet_accounts.open_session(%s, %s, %s)", digest, token, expires)

    def end_session(self, digest: str) -> None:
        """Forget a session."""
        self._read("SELECT discreet_accounts.close_session(%s)", digest)

    def version(self) -> int:
        """A number that changes when somebody has written."""
        number: int = self._read("SELECT discreet_accounts.look()")[0][0]
        return number

    def may_change(self) -> bool:
        """Whether the role that connects owns the accounts."""
        may: bool = self._read(
            "SELECT pg_has_role(relowner, 'MEMBER') FROM pg_class "
            "WHERE oid = 'discreet_accounts.version'::regclass"
        )[0][0]
        return may

    def take_over(self, kept: list[Kept]) -> None:
        """Accounts of another store as they are, all or none; those that are here already stay."""

        def work(open_: Any) -> None:
            for one in kept:
                account = one.account
                open_.execute(
                    _MOVED,
                    (account.name, str(account.role), json.dumps(account.datasets), one.digest,
                     account.created, account.expires, account.revoked),
                )  # fmt: skip
                stored = open_.execute(
                    "SELECT digest FROM discreet_accounts.people WHERE name = %s", (account.name,)
                ).fetchone()
                if stored != (one.digest,):
                    raise InvalidInput(
                        f"there is another account {show(account.name)} in PostgreSQL; revoke one "
                        "of them first, and give it another name"
                    )
                for digest, ends in one.sessions:
                    open_.execute(
                        "INSERT INTO discreet_accounts.sessions VALUES (%s, %s, %s) "
                        "ON CONFLICT DO NOTHING",
                        (digest, account.name, ends),
                    )

        self._written(work)

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()

    def _opened(self) -> Any:
        opened = self._where.open(_PURPOSE, connect_timeout=_SECONDS)
        try:
            opened.execute(f"SET statement_timeout = '{_SECONDS}s'")
            usable = opened.execute(_STATE).fetchone()
            if not usable or not usable[0]:
                raise NotPrepared(
                    "this database has no accounts, or this role may not use them; its "
                    "custodian prepares the database and the role"
                )
            version = _version(opened)
            if version != VERSION:
                raise NotPrepared(
                    f"the accounts in this database have version {version}; this program writes "
                    f"version {VERSION}"
                )
        except BaseException as problem:
            opened.close()
            if isinstance(problem, self._driver.Error):
                raise _lost(problem) from None
            raise
        return opened

    def _reached(self) -> Any:
        """The connection, anew where it was lost; who has just failed is not tried at once."""
        if self._connection is None or self._connection.closed:
            if time.monotonic() < self._away_until:
                raise LedgerError("the accounts cannot be reached; try again")
            try:
                self._connection = self._opened()
            except (DatasetError, LedgerError) as problem:
                self._away_until = time.monotonic() + 1
                raise LedgerError(f"the accounts cannot be reached: {problem}") from None
        return self._connection

    def _read(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """What may be done twice is tried once more where the line was cut."""
        for _ in range(2):
            connection = self._reached()
            try:
                rows: list[tuple[Any, ...]] = connection.execute(sql, values).fetchall()
                return rows
            except self._driver.OperationalError as problem:
                self._drop()
                lost: Exception = problem
            except self._driver.Error as problem:
                raise _lost(problem) from None
        raise _lost(lost) from None

    def _written(self, work: Callable[[Any], _Result]) -> _Result:
        connection = self._reached()
        try:
            with connection.transaction():
                return work(connection)
        except self._driver.errors.InsufficientPrivilege:
            raise NotPrepared(
                "this role may only read accounts; connect as the custodian who prepared them"
            ) from None
        except self._driver.Error as problem:
            self._drop()
            raise LedgerError(
                f"{_lost(problem)}; the list of accounts says whether it was done"
            ) from None

    def _drop(self) -> None:
        lost, self._connection = self._connection, None
        if lost is not None:
            lost.close()


def prepare(connection: Connection, role: str | None = None) -> bool:
    """Make the tables of accounts where there are none, and let a role look them up.

    Args:
        connection: Where, as the role that will own the accounts: the custodian's.
        role: Who serves; it must exist.

    Returns:
        Whether there were none.

    Raises:
        LedgerError: The role may not make them.
    """
    driver = driver_of_postgresql()
    serving = "" if role is None else SERVING.format(role=quoted_role(role))
    with connection.open(_PURPOSE) as opened:
        try:
            with opened.transaction():
                opened.execute("SELECT pg_advisory_xact_lock(hashtextextended('discreet', 1))")
                reply = opened.execute("SELECT to_regnamespace('discreet_accounts') IS NULL")
                is_new: bool = reply.fetchone()[0]
                opened.execute((TABLES if is_new else "") + serving or "SELECT 1")
        except driver.errors.UndefinedObject:
            raise NotPrepared(f"there is no role {show(role)}; create it first", None) from None
        except driver.errors.InsufficientPrivilege:
            raise NotPrepared(
                "this role may not create or share the accounts of this database; connect as "
                "one that may create a schema, or as the one that created them",
                None,
            ) from None
    return is_new


def schema_sql(role: str | None = None) -> str:
    """What `prepare` runs, to be read, or run by whoever may."""
    return TABLES + ("" if role is None else SERVING.format(role=quoted_role(role)))


def _lost(problem: Exception) -> LedgerError:
    state = getattr(problem, "sqlstate", None)
    why = why_unreached(problem) if state is None else f"PostgreSQL's error {state}"
    return LedgerError(f"the accounts cannot be reached: {why}")


def _version(opened: Any) -> int:
    version: int = opened.execute("SELECT version FROM discreet_accounts.version").fetchone()[0]
    return version


def _account(row: tuple[Any, ...]) -> Account:
    name, role, datasets, created, expires, revoked = row
    return Account(
        name=name,
        role=Role(role),
        datasets=tuple(json.loads(datasets)),
        created=_text(created),
        expires=None if expires is None else _text(expires),
        revoked=None if revoked is None else _text(revoked),
    )


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
