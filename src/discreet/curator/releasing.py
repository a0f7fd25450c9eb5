"""What leaves the house, and when: an answer is released when its charge is on the disk."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from discreet.budget import Charge
from discreet.curator.answer import Answer
from discreet.curator.prepared import Prepared
from discreet.curator.storing import Drawn
from discreet.planning import ReadyPlan
from discreet.text import Amount


class Drawing:
    """A draw that is made under its charge, and what leaves the house when it is on the disk."""

    def __init__(self, ready: Prepared, waiting: ReadyPlan) -> None:
        self._ready, self._waiting = ready, waiting
        self._drawn: Drawn | None = None

    def __call__(self) -> dict[str, Any]:
        """Draw, once, and tell it as the ledger keeps it."""
        self._drawn = self._ready.draw(self._waiting)
        return self._drawn.to_dict()

    def released(self, charge: Charge) -> Answer:
        """The answer, when its charge is there."""
        return released(charge, self._ready.asked, self._drawn)


def done(answer: Answer) -> "Future[Answer]":
    """A future that need not be waited for."""
    answering: Future[Answer] = Future()
    answering.set_result(answer)
    return answering


def after(charging: "Future[Charge]", release: Callable[[Charge], Answer]) -> "Future[Answer]":
    """What follows a charge, when it is there."""
    answering: Future[Answer] = Future()

    def finish(charged: "Future[Charge]") -> None:
        try:
            answering.set_result(release(charged.result()))
        except Exception as problem:
            answering.set_exception(problem)

    charging.add_done_callback(finish)
    return answering


def released(charge: Charge, asked: str, drawn: Drawn | None = None) -> Answer:
    """What leaves the house: it is on the disk by now. `drawn` spares reading it back."""
    drawn = drawn or Drawn.from_dict(charge.answer or {})
    return Answer(
        receipt=charge.question,
        asked=asked,
        results=drawn.results,
        confidence=drawn.confidence,
        epsilon=str(Amount(charge.billionths)),
        spent=str(Amount(charge.total.spent)),
        left=str(Amount(least(charge.total.left, charge.own.left))),
        free=not charge.new,
        plan=drawn.plan,
        own_spent=str(Amount(charge.own.spent)),
    )


def least(*limits: int | None) -> int:
    """The tightest limit; nothing where there is none."""
    return min((limit for limit in limits if limit is not None), default=0)
