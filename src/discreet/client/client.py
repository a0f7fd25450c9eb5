"""The client: who one is, which datasets one may ask, and what was answered before."""

from typing import Any

import httpx

from discreet.client.arguments import token_of
from discreet.client.desk import RemoteDesk
from discreet.client.plan import RemotePlan
from discreet.client.transport import Transport
from discreet.client.wire import place_of
from discreet.curator import Answer, OpenDataset
from discreet.lifetimes import Closing


class Client(Closing):
    """A server of discreet and a token for it; without one, `DISCREET_TOKEN` is used.

    `client.dataset("survey").median("mood").ask(epsilon="0.5")` asks as `open_dataset` does.
    A request that gets lost is sent again under the same id, so that nothing is charged twice.
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
        self._transport = Transport(
            url,
            token_of(token),
            timeout=timeout,
            retries=retries,
            allow_http=allow_http,
            transport=transport,
        )
        self._wire, self._run = self._transport.wire, self._transport.run

    def datasets(self) -> list[str]:
        """The names of the datasets you may ask."""
        return self._run(self._wire.datasets())

    def dataset(self, name: str) -> OpenDataset[RemotePlan]:
        """A dataset to ask questions of, with the interface of `discreet.open_dataset`.

        Args:
            name: The name of the dataset on the server.

        Returns:
            The dataset, with a method for each kind of question.
        """
        return OpenDataset(RemoteDesk(self._transport, name))

    def answer(self, dataset: str, receipt: str) -> Answer:
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
        return self._run(self._wire.answer(dataset, receipt))

    def answers(self, dataset: str) -> list[dict[str, Any]]:
        """Your answered questions, the newest first.

        Args:
            dataset: The name of the dataset.

        Returns:
            A dictionary for each.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
        """
        return self._run(self._wire.answers(dataset))

    def ledger(self, dataset: str) -> dict[str, Any]:
        """Your statement: what each question cost, and what is left.

        Args:
            dataset: The name of the dataset.

        Returns:
            The statement as plain JSON values.

        Raises:
            ServiceError: The server cannot be reached, or refuses.
        """
        return self._run(self._wire.get(f"{place_of(dataset)}/ledger"))

    def me(self) -> dict[str, Any]:
        """Who the token belongs to, and which datasets it opens."""
        return self._run(self._wire.get("/api/me"))

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __repr__(self) -> str:
        return f"Client({self._wire.url!r})"
