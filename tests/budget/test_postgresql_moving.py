"""A ledger's way into PostgreSQL: what must be ready there, and a file with its chain."""

from contextlib import closing

import pytest

from discreet.budget import Ledger, Single, move, prepare, store
from discreet.budget.postgresql import store as postgres_store
from discreet.errors import DatasetError, LedgerError, Remedy
from ledger_stores import WHERE
from shared_books import ask


def test_what_is_not_ready_is_told_in_one_line_before_any_charge(
    server, book, postgres, ledgers, monkeypatch
):
    server().close()
    told = {}

    def refused(name, **environment):
        for key, value in environment.items():
            monkeypatch.setenv(key, value)
        with pytest.raises((LedgerError, DatasetError)) as problem:
            server("new")
        told[name] = str(problem.value)
        assert "\n" not in told[name]

    postgres.sql("CREATE ROLE stranger LOGIN")
    refused("schema", **{WHERE: postgres.url(postgres.database())})
    refused("role", **{WHERE: postgres.url(ledgers, role="stranger")})
    monkeypatch.setenv(WHERE, postgres.url(ledgers))
    monkeypatch.setattr(postgres_store, "VERSION", 99)
    refused("version")
    assert "no ledgers, or this role may not use them" in told["schema"]
    assert told["role"] == told["schema"]
    assert "version 2; this program writes version 99" in told["version"]
    with pytest.raises(LedgerError, match="there is no role 'ghost'; create it first"):
        prepare(book, "ghost")


def test_a_file_moves_with_its_chain_and_is_spent_from_no_more(book, tmp_path):
    path = tmp_path / "survey.ledger"
    with Ledger.create(path, "1", {"ana": "0.5"}) as ledger:
        ask(ledger, "a", 100)
        ledger.charge("é\x7f", Single(5), analyst="zoë 😀")
        before, balances = ledger.entries(), ledger.balances()
    with pytest.raises(LedgerError, match="move it into PostgreSQL") as refused:
        Ledger.open_or_create(path, "1", shared=book)
    assert refused.value.remedy is Remedy.MOVE
    assert move(path, book) == len(before)
    left = {one.name.removeprefix("survey.ledger") for one in tmp_path.iterdir()}
    assert left == {".moved", ".head", ".lock"}
    with Ledger(path, shared=book) as ledger:
        assert (ledger.entries(), ledger.balances()) == (before, balances)
        again = ask(ledger, "a", 100, draw=lambda: pytest.fail("drawn twice"))
        assert again.answer == {"value": "3"}
        assert ask(ledger, "b").new
        assert ledger.audit().clean
    with pytest.raises(LedgerError, match="older or another copy"):
        Ledger.create(path, "1")
    (tmp_path / "survey.ledger.moved").rename(path)
    with pytest.raises(LedgerError, match="older or another copy"):
        Ledger(path)
    with closing(store.connect(path, create=False)) as kept:
        assert store.SqliteBook(kept).all_entries() == before


def test_a_move_that_was_cut_short_is_finished_and_another_ledger_is_not_overwritten(
    book, tmp_path
):
    path = tmp_path / "survey.ledger"
    Ledger.create(path, "1").close()
    move(path, book)
    (tmp_path / "survey.ledger.moved").rename(path)
    assert move(path, book) == 1
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "survey.ledger"
    Ledger.create(other, "2").close()
    with pytest.raises(LedgerError, match="there is another ledger"):
        move(other, book)
    assert other.is_file()
