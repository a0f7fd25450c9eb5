"""Making a database ready for ledgers: their tables and rules, and who may serve them."""

from typing import Any

from discreet.budget.postgresql.schema import BY_BOOK, RULES, SERVING, TABLES, VERSION
from discreet.budget.postgresql.store import SharedBook
from discreet.connection import driver_of_postgresql, quoted_role
from discreet.errors import LedgerError, NotPrepared
from discreet.exact import show


def schema_sql(book: SharedBook, role: str | None = None) -> str:
    """What `prepare` runs, to be read, or run by whoever may: as the role that owns the ledgers.

    Args:
        book: Which ledger.
        role: Who serves it; nobody, if left out.
    """
    return TABLES + RULES + BY_BOOK + ("" if role is None else _serving(book, role))


def prepare(book: SharedBook, role: str | None = None) -> bool:
    """Make the tables and rules where there are none, and let a role serve one ledger.

    Args:
        book: Which ledger, reached as the role that will own all of them: the custodian's.
        role: Who serves it; it must exist.

    Returns:
        Whether there were none.

    Raises:
        LedgerError: The role may not make them, or the role that would serve is not there.
    """
    driver = driver_of_postgresql()
    serving = "" if role is None else _serving(book, role)
    with book.connection.open("discreet-ledger") as opened:
        try:
            with opened.transaction():
                opened.execute("SELECT pg_advisory_xact_lock(hashtextextended('discreet', 0))")
                row = opened.execute("SELECT to_regnamespace('discreet') IS NULL").fetchone()
                is_new: bool = row[0]
                if is_new:
                    opened.execute(TABLES + RULES)
                if _version(opened) == 1:
                    opened.execute(BY_BOOK)
                version = _version(opened)
                if version == VERSION:
                    opened.execute(serving or "SELECT 1")
        except driver.errors.UndefinedObject:
            raise NotPrepared(f"there is no role {show(role)}; create it first", None) from None
        except driver.errors.InsufficientPrivilege:
            raise NotPrepared(
                "this role may not create or share the ledgers of this database; connect as one "
                "that may create a schema, or as the one that created them",
                None,
            ) from None
        except driver.Error as problem:
            raise LedgerError(f"the ledgers cannot be created: error {problem.sqlstate}") from None
    if version != VERSION:
        raise LedgerError(
            f"the ledgers in this database have version {version}; this program writes version "
            f"{VERSION}"
        )
    return is_new


def _version(opened: Any) -> int:
    version: int = opened.execute("SELECT version FROM discreet.version").fetchone()[0]
    return version


def _serving(book: SharedBook, role: str) -> str:
    return SERVING.format(role=quoted_role(role), named=_quoted(role), book=_quoted(book.name))


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"
