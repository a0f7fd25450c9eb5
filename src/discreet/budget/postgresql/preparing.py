"""Making a database ready for ledgers: their tables and rules, and who may serve them."""

import re

from discreet.budget.postgresql.schema import RULES, SERVING, TABLES, VERSION
from discreet.connection import Connection, driver_of_postgresql
from discreet.errors import InvalidInput, LedgerError
from discreet.exact import show

_ROLE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.@-]{0,62}", re.ASCII)


def schema_sql(role: str | None = None) -> str:
    """What `prepare` runs, to be read, or run by whoever may: as the role that owns the ledgers.

    Args:
        role: Who serves; nobody, if left out.
    """
    return TABLES + RULES + ("" if role is None else _serving(role))


def prepare(connection: Connection, role: str | None = None) -> bool:
    """Make the tables and rules where there are none, and let a role serve.

    Args:
        connection: Where, as the role that will own the ledgers: the custodian's.
        role: Who serves; it must exist.

    Returns:
        Whether there were none.

    Raises:
        LedgerError: The role may not make them, or the role that would serve is not there.
    """
    driver = driver_of_postgresql()
    serving = "" if role is None else _serving(role)
    with connection.open("discreet-ledger") as opened:
        try:
            with opened.transaction():
                opened.execute("SELECT pg_advisory_xact_lock(hashtextextended('discreet', 0))")
                found = opened.execute("SELECT to_regnamespace('discreet') IS NULL").fetchone()
                is_new: bool = found[0]
                if is_new:
                    opened.execute(TABLES + RULES)
                opened.execute(serving or "SELECT 1")
                version = opened.execute("SELECT version FROM discreet.version").fetchone()[0]
        except driver.errors.UndefinedObject:
            raise LedgerError(f"there is no role {show(role)}; create it first") from None
        except driver.errors.InsufficientPrivilege:
            raise LedgerError(
                "this role may not make or share the ledgers of this database; connect as one that "
                "may create a schema, or as the one who made them"
            ) from None
        except driver.Error as problem:
            raise LedgerError(f"the ledgers cannot be made: error {problem.sqlstate}") from None
    if version != VERSION:
        raise LedgerError(
            f"the ledgers in this database are version {version}, this program writes {VERSION}"
        )
    return is_new


def _serving(role: str) -> str:
    if not _ROLE.fullmatch(role):
        raise InvalidInput(f"a role is named by letters, digits and _, got {show(role)}")
    return SERVING.format(role=f'"{role}"')
