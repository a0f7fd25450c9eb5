"""The laws of the ledger are held for both stores."""

import pytest

from discreet.budget import SharedBook, prepare
from discreet.connection import Connection
from ledger_stores import WHERE


@pytest.fixture(scope="session")
def ledgers(postgres):
    """The name of a database that is ready for ledgers; `server` may serve them."""
    name = postgres.database()
    postgres.sql("CREATE ROLE server LOGIN")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WHERE, postgres.url(name))
        assert prepare(SharedBook(Connection("url_env", WHERE), "any"))
    return name


@pytest.fixture
def in_postgresql(postgres, ledgers, monkeypatch):
    """Ledgers of this test are in PostgreSQL; the custodian connects."""
    monkeypatch.setenv(WHERE, postgres.url(ledgers))


@pytest.fixture(params=["file", "postgresql"])
def either(request):
    """Once with files, once with PostgreSQL."""
    if request.param == "postgresql":
        request.getfixturevalue("in_postgresql")
    return request.param
