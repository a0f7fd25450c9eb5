"""Ledgers of one path in either store: a file, or a book of that name in PostgreSQL."""

import hashlib
import os
from pathlib import Path

import psycopg

import discreet.budget
from discreet.budget import SharedBook
from discreet.connection import Connection

WHERE = "DISCREET_TEST_LEDGERS"
"""The environment variable that holds the address; without, ledgers are files."""


def book_of(path):
    """The book that stands for a path; None where ledgers are files."""
    if WHERE not in os.environ:
        return None
    name = hashlib.sha256(str(Path(path).resolve()).encode()).hexdigest()[:16]
    return SharedBook(Connection("url_env", WHERE), name)


class Ledger:
    """`discreet.budget.Ledger`, in the store of the day."""

    def __new__(cls, path, **facts):
        return discreet.budget.Ledger(path, shared=book_of(path), **facts)

    @staticmethod
    def create(path, total, analysts=None, **facts):
        return discreet.budget.Ledger.create(path, total, analysts, shared=book_of(path), **facts)

    @staticmethod
    def open_or_create(path, total, analysts=None, **facts):
        return discreet.budget.Ledger.open_or_create(
            path, total, analysts, shared=book_of(path), **facts
        )


def acknowledge(path, *given, **facts):
    """`discreet.budget.acknowledge`, in the store of the day."""
    return discreet.budget.acknowledge(path, *given, shared=book_of(path), **facts)


_TABLES = ("heads", "accounts", "entries")


def copied(path):
    """All that a ledger holds now, for `put_back`."""
    book = book_of(path)
    if book is None:
        return Path(path).read_bytes()
    with psycopg.connect(os.environ[WHERE]) as raw:
        return {
            table: raw.execute(
                f"SELECT * FROM discreet.{table} WHERE book = %s", (book.name,)
            ).fetchall()
            for table in _TABLES
        }


def put_back(path, copy):
    """Bring an older copy back past all rules, as a restored backup does; None: it is gone."""
    book = book_of(path)
    if book is None:
        for leftover in path.parent.glob(f"{path.name}-*"):
            leftover.unlink()
        path.unlink() if copy is None else path.write_bytes(copy)
        return
    with psycopg.connect(os.environ[WHERE]) as raw:
        raw.execute("SET session_replication_role = replica")
        for table in _TABLES:
            raw.execute(f"DELETE FROM discreet.{table} WHERE book = %s", (book.name,))
            for row in (copy or {}).get(table, ()):
                values = ", ".join(["%s"] * len(row))
                raw.execute(f"INSERT INTO discreet.{table} VALUES ({values})", row)
