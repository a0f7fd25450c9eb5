"""Plans and designs in worker processes: progress, cancel, turns; asks stay fast meanwhile."""

import time

import pytest

from discreet.web.bodies import DesignBody
from discreet.web.job import DesignTask, PlanTask, WorkerMessage
from discreet.web.jobs import Jobs, Patience
from discreet.web.problems import NotFound, TooMany
from discreet.web.worker import perform
from served_api import COUNT, MEDIAN, serving

SLOW = {"low": 0, "high": 150, "neighbours": 3, "epsilon": "0.7", "require": "fair",
        "worst_case": True}  # fmt: skip


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("DISCREET_CACHE", str(tmp_path_factory.mktemp("designs")))
    with serving(tmp_path_factory.mktemp("jobs"), patience=0, warm=True) as running:
        yield running
    patch.undo()


def until_over(api, who, job, seconds=60):
    end = time.monotonic() + seconds
    while job["state"] == "running" and time.monotonic() < end:
        time.sleep(0.05)
        job = api.get(who, job["url"]).json()
    return job


def test_a_plan_that_takes_a_while_becomes_a_job_and_then_is_known(api):
    reply = api.post("ana", "/api/datasets/survey/plan", MEDIAN)
    if reply.status_code == 202:
        assert reply.headers["location"] == reply.json()["url"]
        assert reply.headers["retry-after"] == "1"
        done = until_over(api, "ana", reply.json())
        assert done["state"] == "done"
        assert done["result"]["epsilon"] == "0.5"
    again = api.post("ana", "/api/datasets/survey/plan", MEDIAN)
    assert again.status_code == 200
    assert again.json()["enough"]


def test_an_ask_whose_plan_takes_a_while_spends_nothing_until_it_is_asked_again(api):
    headers = {"Idempotency-Key": "slow"}
    path = "/api/datasets/survey/ask"
    wanted = {**COUNT, "epsilon": "0.125"}
    reply = api.post("ana", path, wanted, headers=headers)
    if reply.status_code == 202:
        assert not [one for one in api.charges() if one.question == "ana:slow"]
        until_over(api, "ana", reply.json())
        reply = api.post("ana", path, wanted, headers=headers)
    assert reply.status_code == 200
    assert not reply.json()["free"]


def test_a_design_can_be_downloaded_and_is_its_owners_alone(api):
    for thousandths in range(750, 780):  # a quick worker may be done before anybody can wait
        wanted = {"statistic": "count", "n": 5, "epsilon": f"0.{thousandths}"}
        reply = api.post("ana", "/api/designs", wanted)
        if reply.status_code == 202:
            break
    assert reply.status_code == 202
    job = until_over(api, "ana", reply.json())
    assert job["state"] == "done"
    assert job["result"]["gap"] < 1e-6
    file = api.get("ana", job["url"] + "/mechanism")
    assert file.json()["digest"] == job["result"]["digest"]
    for who in ("ben", "otto"):
        for path in (job["url"], job["url"] + "/mechanism"):
            assert api.get(who, path).status_code == 404
        assert api.call(who, "DELETE", job["url"]).status_code == 404


def test_what_takes_too_long_is_stopped_and_said_in_one_line(tmp_path):
    with serving(tmp_path, patience=60, quick_seconds=0.2, job_seconds=2) as api:
        reply = api.post("ana", "/api/designs", SLOW)
        assert reply.status_code == 422
        assert "stopped after 2 s" in reply.json()["detail"]
        assert "\n" not in reply.json()["detail"]
        assert api.ask("ana").status_code == 200


def test_what_cannot_be_designed_is_said_in_words(api):
    for body, field, says in (
        ({"epsilon": "1"}, "low", "in exactly one way"),
        ({"statistic": "count", "epsilon": "1"}, "n", "n is required"),
        ({"statistic": "count", "n": 3, "low": 0, "epsilon": "1"}, "low", "leave it out"),
        ({"statistic": "sum", "n": 3, "epsilon": "1"}, "low", "low and high"),
        ({"statistic": "mode", "epsilon": "1"}, "statistic", "not a statistic"),
        ({"statistic": "median", "low": 1, "high": 5, "epsilon": "0"}, "epsilon", "positive"),
        ({"labels": ["a", "b"], "neighbours": 2, "epsilon": "1"}, "neighbours", "no order"),
        ({"labels": ["a", "b"], "epsilon": "1"}, None, "needs numbers"),
    ):
        reply = api.post("ana", "/api/designs", body)
        assert reply.status_code == 422
        assert says in reply.json()["detail"]
        assert reply.json().get("field") == field


def test_asks_do_not_wait_for_a_job_and_cancelling_it_stops_its_process(api):
    api.ask("ana", key="warm")
    reply = api.post("ben", "/api/designs", SLOW)
    assert reply.status_code == 202
    job = reply.json()
    pids = api.service.jobs.process_ids()
    for turn in range(5):
        assert api.ask("ana", {**COUNT, "epsilon": "0.001"}, key=f"f{turn}").status_code == 200
    assert api.get("ben", job["url"]).json()["state"] == "running"
    assert api.call("ben", "DELETE", job["url"]).json()["state"] == "cancelled"
    end = time.monotonic() + 10
    while all(_alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    assert not all(_alive(pid) for pid in pids)
    after = api.post("ben", "/api/designs", {"statistic": "count", "n": 3, "epsilon": "1"}).json()
    assert "gap" in after or until_over(api, "ben", after)["state"] == "done"


def _alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# The pool by itself


def never(*_):
    raise AssertionError


def task(**fields):
    body = DesignBody(**fields)
    return DesignTask(body.request(), body.model_dump())


def wanted(n=3):
    return task(statistic="count", n=n, epsilon="1")


def test_one_owner_has_only_so_many_and_the_same_task_is_joined():
    jobs = Jobs(1, 2, Patience(5, 600), warm=False)
    jobs._started = True  # nothing runs: jobs stay where they are
    first = jobs.submit("ana", "design", wanted(3), never)
    assert jobs.submit("ana", "design", wanted(3), never) is first
    second = jobs.submit("ana", "design", wanted(4), never)
    with pytest.raises(TooMany):
        jobs.submit("ana", "design", wanted(5), never)
    assert jobs.submit("ben", "design", wanted(3), never) is not first
    with pytest.raises(NotFound):
        jobs.find(first.id, "ben")
    jobs.cancel(second.id, "ana")
    assert second.state == "cancelled"
    assert jobs.running() == 2
    jobs.submit("ana", "design", wanted(5), never)
    jobs.stop()
    assert first.state == "cancelled"


def test_a_short_plan_is_ready_while_everybody_else_has_long_ones_under_way(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "designs"))
    jobs = Jobs(2, 8, Patience(quick=2, whole=600))
    try:
        long = [
            jobs.submit(who, "plan", task(**{**SLOW, "epsilon": epsilon}), str)
            for who in ("ana", "eva", "otto")
            for epsilon in ("0.71", "0.72", "0.73")
        ]
        short = jobs.submit("ben", "plan", wanted(3), str)
        assert short._over.wait(30)
        assert short.state == "done"
        assert sum(job.is_over for job in long) <= 3
    finally:
        jobs.stop()


def test_a_worker_tells_errors_by_name_and_bugs_without_words(monkeypatch):
    body = DesignBody(statistic="count", n=5_000, epsilon="1", delta="0.1")
    told = perform(DesignTask(body.request(), {}), lambda progress: None)
    assert told.error[0] == "DesignError"
    monkeypatch.setattr("discreet.web.designing.designed", never)
    assert perform(wanted(), never) == WorkerMessage(error=("", "AssertionError"), done=True)
    broken = perform(PlanTask(None, None), never)
    assert broken.done
    assert broken.error is not None
