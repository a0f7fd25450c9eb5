"""The section [ledger] of a dataset file: where the ledger is, and what marks its newest entry.

Without it the ledger is a file beside the dataset file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.budget import AnchorCommand, AnchorFile, AnchorUrl, SecondAnchor, SharedBook
from discreet.connection import CONNECTION_KEYS, POSTGRESQL, declared_connection
from discreet.errors import InvalidInput
from discreet.exact import show

Note = Callable[[str, str], None]
"""Told a key and what is wrong with it."""

_ANCHORS = ("anchor", "anchor_command", "anchor_url")
LEDGER_KEYS = ("kind", "book", "accounts", *CONNECTION_KEYS, *_ANCHORS)
_LONGEST_BOOK = 100


@dataclass(frozen=True)
class DeclaredLedger:
    """What is declared of the ledger."""

    second_anchor: SecondAnchor | None = None
    shared_book: SharedBook | None = None
    """The ledger in PostgreSQL; None where it is a file."""
    shares_accounts: bool = False


def declared_ledger(section: Mapping[str, Any], file: Path, note: Note) -> DeclaredLedger:
    """What the section of a file says; `note` is told of each key to correct."""
    accounts = section.get("accounts", False)
    if not isinstance(accounts, bool):
        note("accounts", "accounts must be true or false")
    anchor, shared = _second_anchor(section, file, note), _shared_book(section, file, note)
    return DeclaredLedger(anchor, shared, accounts is True)


def _second_anchor(section: Mapping[str, Any], file: Path, note: Note) -> SecondAnchor | None:
    anchors = {key: section[key] for key in _ANCHORS if key in section}
    if len(anchors) > 1:
        note("", "give one anchor: a file, a command or an address")
    for key, given in anchors.items():
        if not isinstance(given, str) or not given.strip():
            note(key, f'{key} must be written as {key} = "…"')
            continue
        if key == "anchor":
            return AnchorFile((file.resolve().parent / given).resolve())
        try:
            return AnchorCommand.of(given) if key == "anchor_command" else AnchorUrl.of(given)
        except InvalidInput as problem:
            note(key, f"{key}: {problem}")
            return None
    return None


def _shared_book(section: Mapping[str, Any], file: Path, note: Note) -> SharedBook | None:
    kind = section.get("kind", "file")
    if kind not in ("file", POSTGRESQL):
        note("kind", f'kind must be "file" or "{POSTGRESQL}", got {show(kind)}')
    if kind != POSTGRESQL:
        for key in ("book", "accounts", *CONNECTION_KEYS):
            if key in section:
                note(key, f'{key} needs kind = "{POSTGRESQL}"')
        return None
    where = declared_connection(section, file.resolve().parent, note)
    book = section.get("book", file.resolve().stem)
    named = isinstance(book, str) and book.strip() and book.isprintable()
    if not named or len(book) > _LONGEST_BOOK:
        note(
            "book",
            'book must be the name of the ledger in the database, such as book = "survey", got '
            f"{show(book)}",
        )
        return None
    return None if where is None else SharedBook(where, book)
