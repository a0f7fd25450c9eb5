"""The client for programs that await asks as the other one does, beside the event loop."""

import asyncio

import pytest

from discreet import AsyncClient, OverBudget
from own_loop import run_apart


def test_questions_are_asked_beside_the_loop(wire, client):
    async def asked():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        async with AsyncClient(*wire) as other:
            ticking = asyncio.create_task(tick())
            survey = await other.dataset("survey")
            plan = await other.plan(survey.count(where="clinic = 'A'"), epsilon="1")
            questions = [survey.count(where=f"clinic = '{one}'") for one in "AB"]
            answers = await asyncio.gather(
                *(other.ask(one, epsilon="1", id=f"q{at}") for at, one in enumerate(questions))
            )
            with pytest.raises(OverBudget):
                await other.ask(survey.mean("mood"), epsilon="50")
            stored = await other.answer("survey", answers[1].receipt)
            ticking.cancel()
            return await other.datasets(), plan, answers, stored, ticks

    names, plan, answers, stored, ticks = run_apart(asked())
    assert names == client.datasets()
    assert plan.epsilon == "1"
    assert stored.value == answers[1].value
    assert ticks > 2
    again = client.dataset("survey").count(where="clinic = 'B'").ask(epsilon="1", id="q1")
    assert again.free
    assert again.value == answers[1].value
