"""Whatever waits for rows, a disk or a plan does so in a thread: the loop serves everybody else."""

import asyncio
import threading
from functools import wraps

import pytest

from discreet.budget import Ledger
from discreet.curator import Curator
from discreet.curator.prepared import KeptCounts
from discreet.planning import Reading
from discreet.web.bodies import QuestionBody
from served_api import COUNT, MEDIAN, serving

WAITING = (
    (Reading, "counted"),
    (Ledger, "balance"),
    (Ledger, "entries"),
    (Ledger, "allow"),
    (Ledger, "answered"),
    (Curator, "plan"),
    (QuestionBody, "order"),
)


@pytest.fixture
def in_the_loop(monkeypatch):
    """What was called where the server's loop runs; and every call at all.

    A browser's tests may have left a loop in the thread of the tests, which is not the server's.
    """
    seen, called = [], set()

    def watched(owner, name):
        work = getattr(owner, name)

        @wraps(work)
        def watching(*given, **named):
            called.add(name)
            here = threading.current_thread() is threading.main_thread()
            if asyncio._get_running_loop() is not None and not here:
                seen.append(f"{owner.__name__}.{name}")
            return work(*given, **named)

        monkeypatch.setattr(owner, name, watching)

    for owner, name in WAITING:
        watched(owner, name)
    return seen, called


def test_nothing_that_waits_runs_in_the_loop(tmp_path, in_the_loop):
    seen, called = in_the_loop
    html = {"Accept": "text/html"}
    query = "statistic=median&column=mood&aim=epsilon&epsilon=0.5"
    with serving(tmp_path) as api:
        for held in api.service.every_dataset():
            held.curator._counts = KeptCounts(0)  # counted again for every question
        for _ in range(2):
            for who in ("ana", "otto"):
                assert api.ask(who, COUNT).status_code == 200
                assert api.ask(who, COUNT, key="same").status_code == 200
                assert api.post(who, "/api/datasets/survey/plan", MEDIAN).status_code == 200
                for page in ("/", "/datasets/survey", f"/datasets/survey/ask?{query}",
                             f"/datasets/survey/confirm?{query}&key=k",
                             f"/datasets/survey/confirm?{query}&key=same",
                             "/datasets/survey/answers", "/datasets/survey/ledger"):  # fmt: skip
                    assert api.get(who, page, headers=html).status_code in (200, 303, 404)
                api.get(who, "/api/datasets/survey/ledger")
        api.get("otto", "/accounts", headers=html)
        api.get("otto", "/metrics")
        api.post("otto", "/api/accounts", {"name": "x", "datasets": ["survey"], "epsilon": "1"})
    assert called == {name for _, name in WAITING}
    assert not seen


def test_a_question_that_is_counted_again_keeps_nobody_waiting(tmp_path, monkeypatch):
    """Counting is held up; meanwhile others are answered."""
    go_on, begun = threading.Event(), threading.Event()
    with serving(tmp_path) as api:
        assert api.ask("ana", COUNT).status_code == 200
        for held in api.service.every_dataset():
            held.curator._counts.clear()
        work = Reading.counted

        def held_up(*given):
            begun.set()
            assert go_on.wait(30)
            return work(*given)

        monkeypatch.setattr(Reading, "counted", held_up)
        replies = []
        again = {**COUNT, "fresh": True}
        asking = threading.Thread(target=lambda: replies.append(api.ask("ana", again)))
        asking.start()
        try:
            assert begun.wait(30)
            assert api.get("ben", "/api/me", timeout=10).status_code == 200
        finally:
            go_on.set()
        asking.join(30)
        assert replies[0].status_code == 200
