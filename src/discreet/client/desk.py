"""A dataset behind a server, where the fluent interface plans and asks."""

import secrets
from fractions import Fraction
from typing import Any

from discreet.client.arguments import checked_key
from discreet.client.plan import RemotePlan
from discreet.client.reading import answer_from, facts_from, given_from
from discreet.client.transport import Transport
from discreet.client.wire import Pause, Talk, Wire, place_of
from discreet.curator import Answer, Order, PlannedBatch
from discreet.errors import InvalidInput, ServiceError
from discreet.lifetimes import Recent
from discreet.planning import Wishes
from discreet.questions import Question, shown_text
from discreet.questions.view import View
from discreet.requests import BatchOrder, checked_order, read_question
from discreet.tables import Facts
from discreet.text import BILLION

_ACCEPTED = 202
_LOOK_SECONDS = 0.5
_ONLY_IF_WISHED = ("interval", "about", "clamp", "importance")


class _Questions:
    """Questions are read here, by the declared facts, and planned and asked there."""

    def __init__(self, wire: Wire, path: str, dataset: Facts) -> None:
        self._wire, self._path = wire, path
        self.dataset = dataset
        self._said = Recent[tuple[Question, View | None], str](1 << 20, lambda _, text: len(text))

    def question(self, sql: str) -> Question:
        """A question in SQL; its own words are sent when it is asked."""
        question = read_question(sql, self.dataset)
        self._said.get((question, question.view), lambda: sql)
        return question

    def planned(self, order: Order) -> Talk[RemotePlan]:
        """How it would be answered, free of charge."""
        status, reply = yield from self._wire.post(f"{self._path}/plan", self._body(order))
        if status == _ACCEPTED:
            reply = (yield from self._finished(reply))["result"]
        return RemotePlan(reply)

    def planned_batch(self, batch: BatchOrder) -> Talk[tuple[list[Order], list[RemotePlan]]]:
        """The orders of several questions, and how each would be answered, free of charge."""
        body = self._batch_body(batch)
        status, reply = yield from self._wire.post(f"{self._path}/plan-batch", body)
        if status == _ACCEPTED:
            reply = (yield from self._finished(reply))["result"]
        orders = batch.orders([given_from(one) for one in reply["orders"]])
        return list(orders), [RemotePlan(one) for one in reply["plans"]]

    def asked(self, order: Order, plan: str | None, question_id: str | None) -> Talk[Answer]:
        """Charge and answer by the plan of this digest; the same id again is free."""
        key = secrets.token_hex(12) if question_id is None else checked_key(question_id)
        headers = {"Idempotency-Key": key} | ({} if plan is None else {"Plan-Digest": plan})
        body = self._body(order)
        while True:
            status, reply = yield from self._wire.post(f"{self._path}/ask", body, headers)
            if status != _ACCEPTED:
                return answer_from(reply)
            yield from self._finished(reply)

    def asked_together(
        self, batch: BatchOrder, plans: list[str], batch_id: str | None
    ) -> Talk[list[Answer]]:
        """Charge and answer several questions by their plans, in one transaction there."""
        key = secrets.token_hex(12) if batch_id is None else checked_key(batch_id)
        body = {**self._batch_body(batch), "plans": plans}
        while True:
            status, reply = yield from self._wire.post(
                f"{self._path}/ask-batch", body, {"Idempotency-Key": key}
            )
            if status != _ACCEPTED:
                return [answer_from(one) for one in reply["answers"]]
            yield from self._finished(reply)

    def remaining(self) -> Talk[int]:
        """What may still be spent, in billionths."""
        reply = yield from self._wire.get(self._path)
        return int(Fraction(reply["budget"]["left"]) * BILLION)

    def close(self) -> None:
        """Nothing to let go of: the connections are the client's."""

    def _text(self, question: Question) -> str:
        """A question as it was written here."""
        return self._said.get((question, question.view), lambda: shown_text(question, self.dataset))

    def _body(self, order: Order) -> dict[str, Any]:
        body = {
            **_wished(checked_order(order).wishes, order.confidence),
            "sql": self._text(order.question),
            "epsilon": None if order.epsilon is None else str(order.epsilon),
            "within": None if order.within is None else str(order.within),
        }
        if order.fresh:
            body["fresh"] = True
        return body

    def _batch_body(self, batch: BatchOrder) -> dict[str, Any]:
        return {
            **_wished(batch.wishes, batch.wishes.confidence),
            "questions": [
                {
                    "sql": self._text(one.question),
                    **({} if one.epsilon is None else {"epsilon": str(one.epsilon)}),
                    "within": None if one.accuracy is None else str(one.accuracy),
                    "importance": str(one.importance),
                }
                for one in batch.wanted
            ],
            "total": None if batch.total is None else str(batch.total),
        }

    def _finished(self, job: dict[str, Any]) -> Talk[dict[str, Any]]:
        """A job when it has ended well."""
        while job["state"] == "running":
            yield Pause(_LOOK_SECONDS)
            job = yield from self._wire.get(job["url"])
        if job["state"] != "done":
            raise ServiceError(f"the plan was {job['state']}: {job['message']}")
        return job


def facts_at(wire: Wire, name: str) -> Talk[tuple[str, Facts]]:
    """Where the dataset of this name is, and its declared facts."""
    path = place_of(name)
    return path, facts_from((yield from wire.get(path)))


class RemoteDesk(_Questions):
    """A dataset behind a server, for a program that waits."""

    def __init__(self, transport: Transport, name: str) -> None:
        super().__init__(transport.wire, *transport.run(facts_at(transport.wire, name)))
        self._run = transport.run

    def plan(self, order: Order) -> RemotePlan:
        """How it would be answered, free of charge."""
        return self._run(self.planned(order))

    def plan_batch(self, batch: BatchOrder) -> PlannedBatch[RemotePlan]:
        """How several questions would be answered, free of charge."""
        orders, plans = self._run(self.planned_batch(batch))
        return PlannedBatch(self, batch, tuple(orders), tuple(plans))

    def ask_planned(self, planned: PlannedBatch[RemotePlan], id: str | None = None) -> list[Answer]:
        """Charge and answer all of them in one transaction; the same id again is free."""
        return self._run(self.asked_together(planned.wanted, planned.digests, id))

    def ask(
        self, order: Order, *, plan: str | None = None, question_id: str | None = None
    ) -> Answer:
        """Charge and answer by the plan of this digest; the same id again is free."""
        return self._run(self.asked(order, plan, question_id))

    def left(self) -> int:
        """What may still be spent, in billionths."""
        return self._run(self.remaining())


class AwaitedDesk(_Questions):
    """A dataset behind a server, for a program that awaits: its client plans and asks."""

    def plan(self, order: Order) -> RemotePlan:
        """Refused: nothing here can wait."""
        raise _awaited("plan")

    def plan_batch(self, batch: BatchOrder) -> PlannedBatch[RemotePlan]:
        """Refused: nothing here can wait."""
        raise InvalidInput(
            "AsyncClient plans no batches; use Client, or ask the questions one by one"
        )

    def ask(
        self, order: Order, *, plan: str | None = None, question_id: str | None = None
    ) -> Answer:
        """Refused: nothing here can wait."""
        raise _awaited("ask")

    def left(self) -> int:
        """Refused: nothing here can wait."""
        raise _awaited("ledger")


def _awaited(name: str) -> InvalidInput:
    given = "name" if name == "ledger" else "question, epsilon=…"
    return InvalidInput(
        f"this dataset belongs to an AsyncClient: write await client.{name}({given})"
    )


def _wished(wishes: Wishes, confidence: Fraction) -> dict[str, Any]:
    """The wishes as the fields of a body."""
    body = {
        "loss": wishes.loss,
        "worst_case": wishes.worst_case,
        "require": ",".join(wishes.requirements.names()) or None,
        "unbiased": wishes.unbiased,
        "confidence": str(confidence),
        "remap": None if wishes.remap is None else _told(wishes.remap),
        "consistent": wishes.consistent,
    }
    if wishes.prior is not None:
        body["prior"] = _told(wishes.prior)
    if wishes.mechanism is not None:
        body["mechanism"] = wishes.mechanism
    options = wishes.to_dict()
    return body | {name: options[name] for name in _ONLY_IF_WISHED if name in options}


def _told(prior: str | tuple[float, ...]) -> str | list[float]:
    return prior if isinstance(prior, str) else list(prior)
