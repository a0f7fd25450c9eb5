"""Releases: answers that are handed in together under a lasting name, and the file that keeps them.

A release names receipts of a ledger and holds no answer itself. What a reader sees of it is worked
out from the ledger as it stood when the release was made public, so it never changes.
"""

import json
import os
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.accounts.store import opened_store
from discreet.budget.entries import now
from discreet.lifetimes import Closing

VERSION = 1
_SCHEMA = f"""
CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    title TEXT NOT NULL,
    author TEXT NOT NULL,
    receipts TEXT NOT NULL,
    made TEXT NOT NULL,
    entries INTEGER NOT NULL,
    published TEXT,
    whole INTEGER NOT NULL
) STRICT;
PRAGMA user_version = {VERSION};
"""
_MECHANISMS = """
CREATE TABLE IF NOT EXISTS mechanisms (
    release TEXT NOT NULL,
    certificate TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (release, certificate)
) STRICT;
"""
"""What releases were drawn from, kept when they are made public; a file from before has none."""
_COLUMNS = "id, dataset, title, author, receipts, made, entries, published, whole"


@dataclass(frozen=True, kw_only=True)
class Publication:
    """Answers of one dataset, in the order in which they are told."""

    id: str
    dataset: str
    title: str
    author: str
    receipts: tuple[str, ...]
    made: str
    """When it was put together, in UTC."""
    entries: int
    """How many entries the ledger had when it was made, or made public."""
    published: str | None
    """Since when everybody may read it; None while it is for its author and custodians alone."""
    whole: bool
    """Whether the whole ledger is published with it, so that readers can recompute its head."""

    @property
    def is_public(self) -> bool:
        """Whether everybody may read it."""
        return self.published is not None

    def to_dict(self) -> dict[str, Any]:
        """The release as plain JSON values."""
        return {
            "id": self.id,
            "dataset": self.dataset,
            "title": self.title,
            "author": self.author,
            "receipts": list(self.receipts),
            "made": self.made,
            "published": self.published,
            "whole_ledger": self.whole,
        }


class Releases(Closing):
    """All releases of a server in one file; safe for many threads."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._connection = opened_store(Path(path), _SCHEMA, VERSION, "releases")
        self._connection.execute(_MECHANISMS)
        self._lock = threading.Lock()

    def make(
        self, *, dataset: str, title: str, author: str, receipts: tuple[str, ...], entries: int
    ) -> Publication:
        """A new one, not public."""
        made = Publication(
            id=secrets.token_urlsafe(9),
            dataset=dataset,
            title=title,
            author=author,
            receipts=receipts,
            made=now(),
            entries=entries,
            published=None,
            whole=False,
        )
        self._put(made)
        return made

    def publish(
        self, release: Publication, *, entries: int, whole: bool, mechanisms: Mapping[str, Any]
    ) -> Publication:
        """Let everybody read it, as the ledger stands now; one that is public stays as it is."""
        if release.is_public:
            return release
        public = replace(release, published=now(), entries=entries, whole=whole)
        with self._lock, self._connection:
            for certificate, document in mechanisms.items():
                self._connection.execute(
                    "INSERT OR REPLACE INTO mechanisms VALUES (?, ?, ?)",
                    (release.id, certificate, json.dumps(document)),
                )
        self._put(public)
        return public

    def mechanisms(self, release: Publication) -> dict[str, Any]:
        """What it was drawn from, by the digests of the certificates."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT certificate, document FROM mechanisms WHERE release = ? ORDER BY 1",
                (release.id,),
            ).fetchall()
        return {str(certificate): json.loads(str(document)) for certificate, document in rows}

    def withdraw(self, release: Publication) -> Publication:
        """Let nobody but its author and custodians read it from now on."""
        kept = replace(release, published=None, whole=False)
        self._put(kept)
        return kept

    def find(self, id: str) -> Publication | None:
        """The release of a name."""
        with self._lock:
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM releases WHERE id = ?", (id,)
            ).fetchall()
        return _release(rows[0]) if rows else None

    def every(self) -> list[Publication]:
        """All of them, the newest first."""
        with self._lock:
            rows = self._connection.execute(
                f"SELECT {_COLUMNS} FROM releases ORDER BY made DESC, rowid DESC"
            ).fetchall()
        return [_release(row) for row in rows]

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def _put(self, release: Publication) -> None:
        facts = release.to_dict()
        values = {**facts, "receipts": json.dumps(facts["receipts"]), "entries": release.entries}
        values["whole"] = int(values.pop("whole_ledger"))
        with self._lock, self._connection:
            self._connection.execute(
                f"INSERT OR REPLACE INTO releases ({_COLUMNS}) VALUES "
                "(:id, :dataset, :title, :author, :receipts, :made, :entries, :published, :whole)",
                values,
            )


def _release(row: tuple[Any, ...]) -> Publication:
    named = dict(zip(_COLUMNS.split(", "), row, strict=True))
    receipts = tuple(map(str, json.loads(named.pop("receipts"))))
    return Publication(**{**named, "receipts": receipts, "whole": bool(named["whole"])})
