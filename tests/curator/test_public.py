"""What costs nothing looks at no row and leaves nothing on the disk."""

import shutil
from pathlib import Path

import pytest

from discreet.curator import Curator, open_dataset
from discreet.errors import IdTaken, UnknownReceipt
from discreet.requests import Order

BEFORE = Path(__file__).parents[1] / "compat" / "files"
FREE = {
    "SELECT COUNT(*)": {"epsilon": "1"},
    "SELECT COUNT(*) AS rows WHERE mood >= 1": {"epsilon": "1"},
    "SELECT MEDIAN(mood)": {"within": "4"},
    "SELECT COUNT(smokes), MAX(mood) GROUP BY clinic": {"within": "30"},
    "SELECT COUNT(smokes) GROUP BY clinic": {"within": "30", "consistent": True},
}


def _order(curator, sql, **wanted):
    return Order.of(curator.question(sql), **(wanted or FREE[sql]))


@pytest.mark.parametrize("sql", FREE)
def test_however_often_it_is_asked_nothing_is_written(make, sql):
    with Curator(make()) as curator:
        order = _order(curator, sql)
        assert curator.plan(order).cost.total == 0
        entries = curator.ledger.entries()
        told = [
            curator.ask(order, question_id=name, analyst=analyst)
            for name in (None, "a", "b", "a")
            for analyst in ("ana", "ben")
        ]
        soon = curator.asked_at_once(order)
        assert soon is not None
        told.append(soon.result())
        assert curator.ledger.entries() == entries
        assert len({(answer.receipt, answer.results) for answer in told}) == 1
        assert {(answer.epsilon, answer.free) for answer in told} == {("0", False)}
        assert curator.stored(told[0].receipt).results == told[0].results


@pytest.mark.parametrize("sql", FREE)
def test_no_row_is_looked_at(make, sql):
    file = make()
    (file.parent / "rows.csv").unlink()
    with Curator(file) as curator:
        assert curator.ask(_order(curator, sql)).epsilon == "0"


def test_the_receipt_follows_from_what_was_asked(make):
    file = make()
    with Curator(file) as curator:
        receipts = {sql: curator.ask(_order(curator, sql)).receipt for sql in FREE}
    assert len(set(receipts.values())) == len(FREE)
    with Curator(file) as curator:
        with pytest.raises(UnknownReceipt):
            curator.stored(receipts["SELECT COUNT(*)"])
        assert {sql: curator.ask(_order(curator, sql)).receipt for sql in FREE} == receipts


def test_nobody_names_the_results_of_another(make):
    with Curator(make()) as curator:
        for analyst, name in [("ben", "COUNT(*) WHERE smokes"), ("ana", "mine"), ("ben", "x")]:
            order = _order(curator, f'SELECT COUNT(*) AS "{name}"', epsilon="1")
            [result] = curator.ask(order, analyst=analyst).results
            assert result.label == name


def test_an_id_that_was_paid_for_stays_taken(make):
    with open_dataset(make()) as survey:
        survey.count("smokes").ask(epsilon="0.5", id="paid")
        with pytest.raises(IdTaken):
            survey.count().ask(epsilon="0.5", id="paid")
        survey.count().ask(epsilon="0.5", id="free")
        drawn = survey.count("smokes").ask(epsilon="0.5", id="free", fresh=True)
        assert drawn.epsilon == "0.5"


def test_a_question_that_costs_anything_is_charged(make):
    with open_dataset(make()) as survey:
        answer = survey.sql("SELECT COUNT(*), COUNT(smokes)").ask(epsilon="0.5")
        assert survey.curator.ledger.balance().spent > 0
        assert survey.curator.stored(answer.receipt).results == answer.results


def test_a_free_answer_that_an_earlier_version_stored_is_told_as_it_was(tmp_path):
    for path in BEFORE.glob("plain*"):
        shutil.copy(path, tmp_path)
    shutil.copy(BEFORE / "visits.csv", tmp_path)
    with Curator(tmp_path / "plain.toml", "ana") as curator:
        before = curator.ledger.entries()
        for planned in (False, True):
            order = _order(curator, "SELECT COUNT(*)", epsilon="0.5")
            assert curator.is_planned(order) == planned
            answer = curator.ask(order, question_id="rows")
            assert (answer.receipt, answer.free) == ("rows", True)
            curator.plan(order)
        assert curator.ledger.entries() == before
