"""Turns: bounded lanes, shares for each owner; nobody waits for the end of others' long work."""

import os
import threading

from hypothesis import given
from hypothesis import strategies as st

from discreet.web.job import Job, JobQueue

OWNERS = ("ana", "ben", "eva")
KINDS = ("plan", "design")


def job(owner, kind="plan"):
    return Job(id=os.urandom(4).hex(), owner=owner, kind=kind, task=None, finish=None)


def taken(queue):
    """What a worker would take now; None where it would wait."""
    if not queue._ready():
        return None
    return queue.take(warm=True)


def test_whoever_has_least_under_way_comes_first():
    queue = JobQueue(3)
    jobs = [job("ana"), job("ana"), job("ben")]
    for one in jobs:
        queue.put(one)
    assert [taken(queue) for _ in range(3)] == [jobs[0], jobs[2], jobs[1]]


def test_owners_take_turns():
    queue = JobQueue(1)
    jobs = [job("ana"), job("ana"), job("ana"), job("ben")]
    for one in jobs:
        queue.put(one)
    order = []
    for _ in jobs:
        order.append(taken(queue))
        queue.done(order[-1])
    assert order == [jobs[0], jobs[3], jobs[1], jobs[2]]


def test_designs_leave_a_worker_for_plans():
    queue = JobQueue(2)
    first, second, plan = job("ana", "design"), job("ben", "design"), job("eva", "plan")
    for one in (first, second, plan):
        queue.put(one)
    assert taken(queue) is first
    assert taken(queue) is plan
    assert taken(queue) is None
    queue.done(first)
    assert taken(queue) is second


def test_a_closed_queue_lets_everybody_go():
    queue = JobQueue(1)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(queue.take(warm=False)))
    thread.start()
    queue.close()
    thread.join(5)
    assert seen == [None]


def turned_over(queue, running):
    """Every quick turn is over: what is running goes on slowly or waits again."""
    for one in [one for one in running if not one.is_long]:
        if not queue.slow_down(one):
            queue.done(one, again=True)
            running.remove(one)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(OWNERS), st.sampled_from(KINDS)),
        st.tuples(st.sampled_from(["take", "turn", "done"]), st.integers(0, 9)),
    ),
    max_size=40,
)


@given(st.integers(1, 4), STEPS)
def test_lanes_are_bounded_and_a_newcomer_waits_for_one_turn_of_each(workers, steps):
    queue, running = JobQueue(workers), []
    for step in steps:
        match step:
            case ("put", owner, kind):
                queue.put(job(owner, kind))
            case ("take", _):
                running += [one for one in [taken(queue)] if one is not None]
            case ("turn", _):
                turned_over(queue, running)
            case ("done", place) if running:
                queue.done(running.pop(place % len(running)))
        quick = [one for one in running if not one.is_long]
        slow = [one for one in running if one.is_long]
        assert len(quick) <= workers
        assert len(slow) <= workers
        for owner in OWNERS:
            assert sum(one.owner == owner for one in quick) <= max(1, workers - 1)
            assert sum(one.owner == owner for one in slow) <= 1
    newcomer = job("new")
    queue.put(newcomer)
    begun = []
    for _ in range(len(OWNERS) + 1):
        turned_over(queue, running)
        while (one := taken(queue)) is not None:
            running.append(one)
            begun.append(one)
    assert newcomer in begun


@given(st.integers(1, 3), st.lists(st.tuples(st.sampled_from(OWNERS), st.sampled_from(KINDS)),
                                   min_size=1, max_size=12))  # fmt: skip
def test_every_job_runs_in_the_end_however_long_all_are(workers, wanted):
    queue, running, over = JobQueue(workers), [], []
    jobs = [job(owner, kind) for owner, kind in wanted]
    for one in jobs:
        queue.put(one)
    for _ in range(3 * len(jobs)):
        while (one := taken(queue)) is not None:
            running.append(one)
        turned_over(queue, running)
        for one in [one for one in running if one.is_long]:
            queue.done(one)
            running.remove(one)
            over.append(one)
    assert len(over) == len(jobs)
