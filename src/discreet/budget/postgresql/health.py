"""How a PostgreSQL that keeps ledgers is, for whoever looks after it: nothing is written."""

import time
from dataclasses import dataclass

from discreet.budget.postgresql.store import SharedBook
from discreet.connection import driver_of_postgresql, why_unreached
from discreet.errors import NotPrepared

_LOOK = """
SELECT current_setting('server_version'), current_user,
    coalesce((SELECT rolsuper FROM pg_roles WHERE rolname = current_user), false),
    coalesce((SELECT pg_has_role(nspowner, 'MEMBER') FROM pg_namespace
              WHERE nspname = 'discreet'), false),
    extract(epoch FROM clock_timestamp())::float8,
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)
        OR coalesce(inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1', true),
    current_setting('synchronous_standby_names') <> ''
"""


@dataclass(frozen=True, kw_only=True)
class Health:
    """What was found."""

    version: str
    role: str
    is_superuser: bool
    owns: bool
    """Whether the role owns the ledgers, as the custodian's does."""
    ahead: float
    """By how many seconds its clock is ahead of this machine's."""
    is_private: bool
    """Whether the line is encrypted, or does not leave this machine."""
    has_standby: bool
    """Whether commits wait for a standby."""


def health(book: SharedBook) -> Health:
    """Look at the server of a ledger.

    Raises:
        DatasetError: It is out of reach.
        NotPrepared: It does not answer what is asked.
    """
    driver = driver_of_postgresql()
    with book.connection.open("discreet-doctor") as opened:
        try:
            before = time.time()
            row = opened.execute(_LOOK).fetchone()
            here = (before + time.time()) / 2
        except driver.Error as problem:
            raise NotPrepared(why_unreached(problem), None) from None
    version, role, is_superuser, owns, clock, is_private, has_standby = row
    return Health(
        version=version.split()[0],
        role=role,
        is_superuser=is_superuser,
        owns=owns,
        ahead=clock - here,
        is_private=is_private,
        has_standby=has_standby,
    )
