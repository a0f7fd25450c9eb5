"""The client for programs that await: the same requests, made beside the event loop."""

import asyncio
from typing import Any

import httpx

from discreet.client.client import Client
from discreet.client.plan import RemotePlan
from discreet.curator import Answer, Inquiry, OpenDataset


class AsyncClient:
    """A `Client` whose requests are awaited; each waits in a thread, and no loop waits for it.

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
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._client = Client(
            url,
            token,
            timeout=timeout,
            retries=retries,
            allow_http=allow_http,
            transport=transport,
        )

    async def datasets(self) -> list[str]:
        """The names of the datasets one may ask."""
        return await asyncio.to_thread(self._client.datasets)

    async def dataset(self, name: str) -> OpenDataset[RemotePlan]:
        """A dataset to make questions of, for `plan` and `ask`.

        Args:
            name: The name of the dataset on the server.

        Returns:
            The dataset, with a method for each kind of question.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
        """
        return await asyncio.to_thread(self._client.dataset, name)

    async def plan(self, question: Inquiry[RemotePlan], **wishes: Any) -> RemotePlan:
        """How a question would be answered, free of charge.

        Args:
            question: A question of a dataset of this client.
            wishes: Those of `plan` of the question: `epsilon`, `within` and so on.

        Returns:
            The plan.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
        """
        return await asyncio.to_thread(lambda: question.plan(**wishes))

    async def ask(self, question: Inquiry[RemotePlan], **wishes: Any) -> Answer:
        """Spend ε and answer; the same `id` again is free.

        Args:
            question: A question of a dataset of this client.
            wishes: Those of `ask` of the question: `epsilon`, `within`, `id`, `plan` and so on.

        Returns:
            The answer.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
            OverBudget: It would cost more than is left; nothing was charged.
        """
        return await asyncio.to_thread(lambda: question.ask(**wishes))

    async def answer(self, dataset: str, receipt: str) -> Answer:
        """What was answered under a receipt, free.

        Args:
            dataset: The name of the dataset.
            receipt: The id under which it was answered.

        Returns:
            The answer as it was released.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
            UnknownReceipt: Nothing was answered under this receipt.
        """
        return await asyncio.to_thread(self._client.answer, dataset, receipt)

    async def aclose(self) -> None:
        """Let go of the connections."""
        await asyncio.to_thread(self._client.close)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"Async{self._client!r}"
