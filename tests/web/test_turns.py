"""Whoever asks for many slow things at once keeps nobody else waiting."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.budget import Ledger
from discreet.planning import Reading
from discreet.web.limits import Turns
from served_api import COUNT, MEDIAN, serving

MANY = 90
"""More than a server has threads."""


@pytest.mark.parametrize(
    ("owner", "name", "call"),
    [
        (Ledger, "audit", lambda api, _: api.post("ana", "/api/datasets/survey/ledger/verify")),
        (Reading, "counted", lambda api, n: api.ask("ana", COUNT, key=f"k{n}")),
        (Ledger, "entries", lambda api, _: api.get("ana", "/api/datasets/survey/answers")),
    ],
    ids=["verify", "ask", "answers"],
)
def test_many_slow_requests_of_one_account_leave_room_for_others(
    tmp_path, monkeypatch, owner, name, call
):
    go_on, begun = threading.Event(), threading.Semaphore(0)
    with serving(tmp_path, patience=60) as api:
        api.known(COUNT)
        api.known(MEDIAN)
        work = getattr(owner, name)

        def held_up(*given, **named):
            begun.release()
            assert go_on.wait(60)
            return work(*given, **named)

        monkeypatch.setattr(owner, name, held_up)
        with ThreadPoolExecutor(MANY) as pool:
            asking = [pool.submit(call, api, number) for number in range(MANY)]
            try:
                for _ in range(8):
                    assert begun.acquire(timeout=30)
                for path in ("/health", "/api/me", "/api/datasets/survey", "/datasets/survey/ask"):
                    assert api.get("ben", path, timeout=20).status_code == 200
                plan = api.post("ben", "/api/datasets/survey/plan", MEDIAN, timeout=20)
                assert plan.status_code == 200
            finally:
                go_on.set()
            assert {one.result().status_code for one in asking} <= {200, 403}


@given(st.lists(st.sampled_from("abc"), max_size=40), st.integers(1, 5))
def test_nobody_has_more_turns_than_there_are_and_none_is_kept(keys, most):
    async def run():
        turns, running, highest = Turns(most), {}, {}

        async def one(key):
            async with turns.of(key):
                running[key] = running.get(key, 0) + 1
                highest[key] = max(highest.get(key, 0), running[key])
                await asyncio.sleep(0)
                running[key] -= 1

        await asyncio.gather(*(one(key) for key in keys))
        assert not turns._turns
        return highest

    with ThreadPoolExecutor(1) as pool:  # a browser's tests may leave a loop in this thread
        highest = pool.submit(lambda: asyncio.run(run())).result()
    assert highest == {key: min(most, keys.count(key)) for key in set(keys)}
