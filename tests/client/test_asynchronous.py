"""The client for programs that await asks as the other one does, beside the event loop."""

import asyncio

import httpx
import pytest

from discreet import AsyncClient, InvalidInput, OverBudget, ServiceError
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


class Lossy(httpx.AsyncBaseTransport):
    """Delivers every request and loses the first replies to POSTs."""

    def __init__(self, lose):
        self.inner, self.lose, self.sent = httpx.AsyncHTTPTransport(), lose, []

    async def handle_async_request(self, request):
        reply = await self.inner.handle_async_request(request)
        if request.method == "POST":
            self.sent.append(request.headers["Idempotency-Key"])
            if len(self.sent) <= self.lose:
                await reply.aclose()
                raise httpx.ReadTimeout("lost")
        return reply

    async def aclose(self):
        await self.inner.aclose()


def test_what_is_lost_on_the_way_is_paid_once(wire, client):
    async def asked(losing, retries):
        async with AsyncClient(*wire, transport=losing, retries=retries) as other:
            survey = await other.dataset("survey")
            answer = await other.ask(survey.count("mood > 2"), epsilon="1")
            listed, ledger = await other.answers("survey"), await other.ledger("survey")
            return answer, listed, ledger, await other.me()

    losing = Lossy(2)
    answer, listed, ledger, me = run_apart(asked(losing, 5))
    assert len(losing.sent) >= 3
    assert len(set(losing.sent)) == 1
    assert [one["receipt"] for one in listed] == [answer.receipt]
    assert (ledger, me) == (client.ledger("survey"), client.me())
    with pytest.raises(ServiceError, match=r"no reply from .*The same id may be asked again"):
        run_apart(asked(Lossy(9), 1))


def test_what_must_be_awaited_says_so(wire, client):
    async def dataset():
        async with AsyncClient(*wire) as other:
            with pytest.raises(InvalidInput, match="a question about a dataset of this client"):
                await other.ask(client.dataset("survey").count(), epsilon=1)
            return await other.dataset("survey")

    survey = run_apart(dataset())
    for wait in (survey.count().ask, survey.count().plan):
        with pytest.raises(InvalidInput, match=r"write await client\.(ask|plan)\(question"):
            wait(epsilon=1)
    with pytest.raises(InvalidInput, match="AsyncClient plans no batches"):
        survey.plan_batch(["SELECT COUNT(*)"], total=1)
