"""Moving a ledger from its file into PostgreSQL, entry by entry as they are: the chain goes on."""

from pathlib import Path

from discreet.budget.book import Book, InDoubt, Lost
from discreet.budget.entries import Entry, Head
from discreet.budget.ledger import Ledger
from discreet.budget.postgresql.book import PostgresWritingBook
from discreet.budget.postgresql.store import SharedBook, SharedStore
from discreet.budget.reader import FileStore
from discreet.errors import LedgerError, Remedy
from discreet.exact import show

MOVED = ".moved"
"""What the file's name ends in afterwards; it is kept, and nothing spends from it."""


def move(path: Path, book: SharedBook) -> int:
    """Put every entry of a ledger's file into PostgreSQL, and the file aside.

    Moved twice it is moved once: what is there already is compared.

    Args:
        path: The file.
        book: Where to; it has no entry yet, or these.

    Returns:
        How many entries there are.

    Raises:
        LedgerError: The file cannot be trusted, or the ledger there is another one.
    """
    with Ledger(path) as ledger:
        audited = ledger.audit()
        if not audited.clean:
            raise LedgerError(
                f"{path.name} is not whole: {audited.problems[0]}; nothing was moved", Remedy.VERIFY
            )
    source, target = FileStore(path), SharedStore(book, path.with_name(path.name + MOVED))
    try:
        source.take_turn()
        source.connect(create=False)
        entries = source.read(lambda kept: kept.all_entries())
        target.connect(create=True)
        try:
            target.written(lambda there: _copied(there, entries))
        except target.failures as problem:
            raise LedgerError(f"the ledger was not moved: {target.why(problem)}") from None
        except (Lost, InDoubt) as lost:
            raise LedgerError(
                f"the ledger may not have been moved: {lost}; move it again"
            ) from None
        source.disconnect()
        path.rename(path.with_name(path.name + MOVED))
    finally:
        source.let_go()
        source.close()
        target.close()
        path.with_name(path.name + MOVED + ".lock").unlink(missing_ok=True)
    return len(entries)


def _copied(there: Book, entries: list[Entry]) -> None:
    assert isinstance(there, PostgresWritingBook)
    head: Head | None = there.head()
    if head is None:
        there.take_over(entries)
    elif head != entries[-1].head:
        raise LedgerError(
            f"there is another ledger {show(there.name)} in PostgreSQL, of {head.seq} entries; "
            "give this one another name"
        )
