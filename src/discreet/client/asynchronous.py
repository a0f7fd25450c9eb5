"""The client for programs that await: the same conversations, held beside the event loop."""

from typing import Any

import httpx

from discreet.client.arguments import token_of
from discreet.client.desk import AwaitedDesk, facts_at
from discreet.client.plan import RemotePlan
from discreet.client.transport import AsyncTransport
from discreet.client.wire import place_of
from discreet.curator import Answer, Inquiry, OpenDataset
from discreet.errors import InvalidInput
from discreet.exact import EpsilonLike, RationalLike, show
from discreet.requests import Order


class AsyncClient:
    """A `Client` whose requests are awaited, in one event loop; no thread waits for any of them.

    `await client.ask(survey.median("mood"), epsilon="0.5")` asks a question of
    `survey = await client.dataset("survey")`; making one sends nothing. Several may be under way at
    once. One that is cancelled may have been answered and charged all the same: ask with an `id`,
    and the same id again is free.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        token: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 5,
        allow_http: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._transport = AsyncTransport(
            url,
            token_of(token),
            timeout=timeout,
            retries=retries,
            allow_http=allow_http,
            transport=transport,
        )
        self._wire, self._run = self._transport.wire, self._transport.run

    async def datasets(self) -> list[str]:
        """The names of the datasets you may ask."""
        return await self._run(self._wire.datasets())

    async def dataset(self, name: str) -> OpenDataset[RemotePlan]:
        """A dataset to make questions of, for `plan` and `ask`.

        Args:
            name: The name of the dataset on the server.

        Returns:
            The dataset, with a method for each kind of question.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
        """
        path, facts = await self._run(facts_at(self._wire, name))
        return OpenDataset(AwaitedDesk(self._wire, path, facts))

    async def plan(
        self, question: Inquiry[RemotePlan], *, epsilon: "EpsilonLike | None" = None,
        within: "RationalLike | None" = None, **wishes: Any,
    ) -> RemotePlan:  # fmt: skip
        """How a question would be answered, free of charge.

        Args:
            question: A question of a dataset of this client.
            epsilon: What may be spent.
            within: How far off the answer may be, instead of ε.
            wishes: The options of `Wishes.of`.

        Returns:
            The plan.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
        """
        desk = self._desk(question)
        order = Order.of(question.question, epsilon=epsilon, within=within, **wishes)
        return await self._run(desk.planned(order))

    async def ask(
        self, question: Inquiry[RemotePlan], *, epsilon: "EpsilonLike | None" = None,
        within: "RationalLike | None" = None, plan: "RemotePlan | str | None" = None,
        id: str | None = None, **wishes: Any,
    ) -> Answer:  # fmt: skip
        """Spend ε and answer; the same `id` again is free.

        Args:
            question: A question of a dataset of this client.
            epsilon: What may be spent.
            within: How far off the answer may be, instead of ε.
            plan: The plan that was shown, or its digest; it is asked with this plan or not at all.
            id: The name under which the answer is kept.
            wishes: The options of `Wishes.of`.

        Returns:
            The answer.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
            OverBudget: It would cost more than is left; nothing was charged.
        """
        desk = self._desk(question)
        order = Order.of(question.question, epsilon=epsilon, within=within, **wishes)
        shown = plan.digest if isinstance(plan, RemotePlan) else plan
        return await self._run(desk.asked(order, shown, id))

    def _desk(self, question: Inquiry[RemotePlan]) -> AwaitedDesk:
        desk = question.curator if isinstance(question, Inquiry) else None
        if not isinstance(desk, AwaitedDesk):
            raise InvalidInput(
                "ask takes a question about a dataset of this client, such as (await "
                f'client.dataset("survey")).count(), got {show(question)}'
            )
        return desk

    async def answer(self, dataset: str, receipt: str) -> Answer:
        """The answer stored under a receipt, free of charge.

        Args:
            dataset: The name of the dataset.
            receipt: The id under which it was answered.

        Returns:
            The answer as it was released.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
            UnknownReceipt: Nothing was answered under this receipt.
        """
        return await self._run(self._wire.answer(dataset, receipt))

    async def answers(self, dataset: str) -> list[dict[str, Any]]:
        """Your answered questions, the newest first.

        Args:
            dataset: The name of the dataset.

        Returns:
            A dictionary for each.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
        """
        return await self._run(self._wire.answers(dataset))

    async def ledger(self, dataset: str) -> dict[str, Any]:
        """Your statement: what each question cost, and what is left.

        Args:
            dataset: The name of the dataset.

        Returns:
            The statement as plain JSON values.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
        """
        return await self._run(self._wire.get(f"{place_of(dataset)}/ledger"))

    async def me(self) -> dict[str, Any]:
        """Who the token belongs to, and which datasets it opens."""
        return await self._run(self._wire.get("/api/me"))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"AsyncClient({self._wire.url!r})"
