"""A ledger in PostgreSQL, and how servers open it."""

import pytest

from discreet.budget import Ledger, SharedBook
from discreet.connection import Connection
from ledger_stores import WHERE


@pytest.fixture
def book(in_postgresql, request):
    """A ledger in PostgreSQL of this test's own."""
    return SharedBook(Connection("url_env", WHERE), request.node.name)


@pytest.fixture
def server(tmp_path, book):
    """How a server opens the ledger: each has a folder, and a head, of its own."""

    def opening(name="one", total="1", **facts):
        (tmp_path / name).mkdir(exist_ok=True)
        return Ledger.open_or_create(tmp_path / name / "survey.ledger", total, shared=book, **facts)

    return opening
