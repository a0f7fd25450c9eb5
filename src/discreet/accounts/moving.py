"""Moving accounts from their file into PostgreSQL: tokens and open sessions go on."""

from pathlib import Path

from discreet.accounts.postgresql.store import SharedAccounts
from discreet.accounts.store import AccountsFile
from discreet.connection import Connection

MOVED = ".moved"
"""What the file's name ends in afterwards; it is kept, and opens nothing."""


def move(path: Path, connection: Connection) -> int:
    """Put every account of a file into PostgreSQL, and the file aside.

    Moved twice they are moved once.

    Args:
        path: The file.
        connection: Where to, as the custodian.

    Returns:
        How many accounts there are.

    Raises:
        InvalidInput: An account of the same name is there, with another token.
        LedgerError: PostgreSQL is out of reach, or not ready for accounts.
    """
    target = SharedAccounts(connection)
    try:
        source = AccountsFile(path)
        try:
            kept = source.everything()
            target.take_over(kept)
        finally:
            source.close()
    finally:
        target.close()
    path.rename(path.with_name(path.name + MOVED))
    return len(kept)
