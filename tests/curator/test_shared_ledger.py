"""Two servers on one ledger in PostgreSQL: an id has one charge, and one answer that is told."""

import psycopg
import pytest

from discreet.budget import SharedBook, prepare
from discreet.connection import Connection
from discreet.curator import open_dataset
from small_survey import HEADER, dataset_text

SHARED = '\n[ledger]\nkind = "postgresql"\nurl_env = "SURVEY_LEDGER"\nbook = "survey"\n'


class CutAtCommit:
    """A connection that is lost at COMMIT, after something else happened."""

    def __init__(self, real, meanwhile):
        self._real, self._meanwhile = real, meanwhile

    def __getattr__(self, name):
        return getattr(self._real, name)

    def execute(self, sql, *values):
        if sql != "COMMIT":
            return self._real.execute(sql, *values)
        self._real.close()
        self._meanwhile()
        raise psycopg.OperationalError("server closed the connection unexpectedly")


@pytest.fixture
def servers(postgres, tmp_path, monkeypatch):
    """Two datasets of the same rows with one ledger, as on two machines."""
    monkeypatch.setenv("SURVEY_LEDGER", postgres.url(postgres.database()))
    prepare(SharedBook(Connection("url_env", "SURVEY_LEDGER"), "survey"))
    opened = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        rows = [f"{1 + place % 5},10,A,no" for place in range(30)]
        (tmp_path / name / "rows.csv").write_text("\n".join([HEADER, *rows]) + "\n")
        (tmp_path / name / "survey.toml").write_text(dataset_text() + SHARED)
        opened.append(open_dataset(tmp_path / name / "survey.toml", analyst="ana"))
    yield opened
    for one in opened:
        one.close()


def test_what_was_drawn_in_a_lost_transaction_is_told_by_nobody(servers):
    """While one server has lost its store, another answers the same id: that answer counts."""
    one, two = servers

    def asked(survey, key):
        return survey.sql("SELECT COUNT(*) WHERE mood > 2").ask(epsilon="0.1", id=key, fresh=True)

    asked(one, "first")
    for place in range(4):  # draws of so much noise are seldom alike
        told, key = [], f"key-{place}"
        store = one.curator.ledger._store
        store._connection = CutAtCommit(
            store._connection, lambda told=told, key=key: told.append(asked(two, key))
        )
        ours = asked(one, key)
        (theirs,) = told
        assert ours.value == theirs.value
        assert not theirs.free
        assert one.curator.stored(key).value == theirs.value
    charges = [entry for entry in one.curator.ledger.entries() if entry.kind == "charge"]
    assert len(charges) == 5
