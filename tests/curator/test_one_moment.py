"""Who asks the same at one moment pays once: what is charged first tells the others, free."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from discreet.budget import Ledger
from discreet.curator import Curator, Order
from served_api import COUNT, MEDIAN, serving

COUNTED = "SELECT COUNT(*) GROUP BY clinic"
SORTED = f"{COUNTED} ORDER BY COUNT(*) DESC"


@pytest.fixture
def met(monkeypatch):
    """Whoever is about to charge waits until all have looked for a stored release, once."""

    def wait_for(many):
        everybody, plain, here = threading.Barrier(many, timeout=60), Ledger.answered, set()

        def answered(self, *given, **named):
            if len(here) < many and threading.get_ident() not in here:
                here.add(threading.get_ident())
                everybody.wait()
            return plain(self, *given, **named)

        monkeypatch.setattr(Ledger, "answered", answered)

    return wait_for


def all_at_once(*works):
    with ThreadPoolExecutor(len(works)) as pool:
        return [one.result() for one in [pool.submit(work) for work in works]]


def values(answer):
    return sorted((one.group, one.value) for one in answer.results)


@pytest.mark.parametrize("sql", [COUNTED, "SELECT MEDIAN(mood)", "SELECT AVG(weight), SUM(mood)"])
def test_one_question_at_one_moment_is_paid_once(make, met, sql):
    with Curator(make(), analyst="eve") as curator:
        order = Order.of(curator.question(sql), epsilon=2)
        met(4)
        answers = all_at_once(*[lambda: curator.ask(order)] * 4)
        assert sorted(answer.free for answer in answers) == [False, True, True, True]
        assert len({str(values(answer)) for answer in answers}) == 1
        assert curator.ledger.balance("eve").spent == 2_000_000_000


def test_processes_pay_once_and_each_id_has_its_answer(make, met):
    """Two books over one file, as two processes have them; under ids, both are stored."""
    file = make()
    with Curator(file, analyst="eve") as one, Curator(file, analyst="eve") as other:
        order = Order.of(one.question(COUNTED), epsilon=2)
        one.check_ready()
        met(2)
        answers = all_at_once(
            lambda: one.ask(order, question_id="a"), lambda: other.ask(order, question_id="b")
        )
        assert one.ledger.balance("eve").spent == 2_000_000_000
        assert values(answers[0]) == values(answers[1])
        assert all(
            values(other.ask(order, question_id=name)) == values(answers[0]) for name in "ab"
        )


def test_another_view_of_the_same_is_free_too(make, met):
    with Curator(make(), analyst="eve") as curator:
        orders = [Order.of(curator.question(sql), epsilon=2) for sql in (COUNTED, SORTED)]
        met(2)
        answers = all_at_once(*[lambda order=order: curator.ask(order) for order in orders])
        assert curator.ledger.balance("eve").spent == 2_000_000_000
        assert values(answers[0]) == values(answers[1])


def test_what_is_not_the_same_is_paid_by_each(make, met):
    """Another analyst, another question, a fresh draw, a plan that was confirmed."""
    with Curator(make(), analyst="eve") as curator:
        order = Order.of(curator.question(COUNTED), epsilon=2)
        other = Order.of(curator.question("SELECT MEDIAN(mood)"), epsilon=2)
        fresh = Order.of(order.question, epsilon=2, fresh=True)
        shown = curator.plan(order)
        met(5)
        answers = all_at_once(
            lambda: curator.ask(order),
            lambda: curator.ask(order, analyst="ben"),
            lambda: curator.ask(other),
            lambda: curator.ask(fresh),
            lambda: curator.ask(order, plan=shown),
        )
        paid = [answer for answer in answers if not answer.free]
        assert len(paid) >= 4, "the plain one may be told by the fresh one or the confirmed one"
        assert curator.ledger.balance("").spent == len(paid) * 2_000_000_000


def test_over_the_web_two_keys_at_one_moment_are_paid_once(tmp_path, monkeypatch):
    """Both are queued while another has the ledger's turn; then the first is charged."""
    queued, plain = [threading.Event(), threading.Event()], Ledger.answered_soon

    def answered_soon(self, *given, **named):
        try:
            return plain(self, *given, **named)
        finally:
            next(one for one in queued if not one.is_set()).set()

    with serving(tmp_path) as api:
        api.ask("ana", MEDIAN)  # what was released to ana is known,
        api.ask("ana", {**COUNT, "fresh": True, "epsilon": "0.1"})  # and the rows are counted
        monkeypatch.setattr(Ledger, "answered_soon", answered_soon)
        (ledger,) = [one.curator.ledger for one in api.service.every_dataset()][:1]
        with ThreadPoolExecutor(2) as pool:
            with ledger._writer._turn:
                replies = [pool.submit(api.ask, "ana", COUNT, key) for key in ("first", "second")]
                assert all(one.wait(60) for one in queued), "both wait for their charge"
            told = [one.result().json() for one in replies]
        assert sorted(one["free"] for one in told) == [False, True]
        assert told[0]["results"][0]["value"] == told[1]["results"][0]["value"]
        assert ledger.balance("ana").spent == 850_000_000


def test_rows_that_are_being_counted_stay_open_when_more_columns_are_read(make):
    with Curator(make(), analyst="eve") as curator:
        few = curator.question("SELECT MEDIAN(mood)")
        curator.check_ready(few)
        counting = curator.table_for(few)
        assert curator.table is not counting
        counted = "SELECT COUNT(*) FROM clean"
        assert counting.rows(counted) == curator.table.rows(counted)
