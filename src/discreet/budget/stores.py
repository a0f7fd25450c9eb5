"""Which store a ledger is kept in: the file at its path, or PostgreSQL."""

from pathlib import Path

from discreet.budget.book import Store
from discreet.budget.file_store import FileStore
from discreet.budget.postgresql.store import SharedBook, SharedStore
from discreet.errors import LedgerError, Remedy


def opened_store(path: Path, shared: SharedBook | None, *, exclusive: bool) -> Store:
    """The store, not reached yet; a file that was spent from is never passed over."""
    if shared is None:
        return FileStore(path)
    if path.is_file():
        raise LedgerError(
            f"there is a ledger in the file {path.name}, which has spent on these rows too: move "
            "it into PostgreSQL",
            Remedy.MOVE,
        )
    return SharedStore(shared, path, exclusive=exclusive)
