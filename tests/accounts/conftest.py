"""The laws of accounts are held for both stores."""

import pytest

from discreet.accounts import Accounts, prepare
from discreet.connection import Connection

WHERE = "DISCREET_TEST_ACCOUNTS"


@pytest.fixture(scope="session")
def people(postgres):
    """The name of a database that is ready for accounts; `door` may serve them."""
    name = postgres.database()
    postgres.sql("CREATE ROLE door LOGIN")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WHERE, postgres.url(name))
        assert prepare(Connection("url_env", WHERE), "door")
    return name


@pytest.fixture
def shared_place(postgres, people, monkeypatch):
    """Accounts in PostgreSQL, none yet; the custodian connects."""
    postgres.sql("TRUNCATE discreet_accounts.people CASCADE", people)
    monkeypatch.setenv(WHERE, postgres.url(people))
    return Connection("url_env", WHERE)


@pytest.fixture(params=["file", "postgresql"])
def place(request, tmp_path):
    """Once a file, once PostgreSQL."""
    if request.param == "postgresql":
        return request.getfixturevalue("shared_place")
    return tmp_path / "discreet.accounts"


@pytest.fixture
def accounts(place):
    with Accounts(place) as opened:
        yield opened
