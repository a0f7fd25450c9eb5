"""Baskets: questions that are planned together and paid in one transaction.

A basket is its address: it may be kept, shared and opened again. Which one was looked at last is
remembered until a restart, so that one more question can be added; nothing that is paid for depends
on it.
"""

import threading
from collections import OrderedDict
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from discreet.curator import Answer, PlannedBatch
from discreet.exact import Epsilon
from discreet.lifetimes import Recent
from discreet.planning.batch import Batch
from discreet.requests import BatchOrder
from discreet.web.bodies import BasketBody, BatchBody
from discreet.web.identity import Caller, receipt_of
from discreet.web.job import BatchTask, Job, JobKind
from discreet.web.jobs import raise_failed
from discreet.web.served import PricedBatch, ServedDataset

if TYPE_CHECKING:
    from discreet.web.service import Service

_MOST_KEPT = 2_000
_SPLITS_KEPT = 4096
Split = list[tuple[Epsilon | None, Fraction | None]]
"""What each of several questions was given: ε, or an accuracy."""
Fields = list[tuple[str, str]]


class Baskets:
    """The baskets of a server, and the last one of each account and dataset; for many threads."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._lock = threading.Lock()
        self._splits = Recent[tuple[str, BatchOrder], Split](_SPLITS_KEPT, lambda _, one: len(one))
        self._kept: OrderedDict[tuple[str, str], Fields] = OrderedDict()

    def keep(self, account: str, dataset: str, fields: Fields) -> None:
        """Remember a basket in place of the one before; an empty one is forgotten."""
        with self._lock:
            self._kept.pop((account, dataset), None)
            if fields:
                self._kept[account, dataset] = fields
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)

    def kept(self, account: str, dataset: str) -> Fields:
        """The fields of the last one; none where there is none."""
        with self._lock:
            return list(self._kept.get((account, dataset), []))

    def many(self, account: str, dataset: str) -> int:
        """How many questions are in it."""
        return sum(name == "q" for name, _ in self.kept(account, dataset))

    async def plan(
        self, served: ServedDataset, wanted: BatchBody, caller: Caller
    ) -> PricedBatch | Job:
        """How several questions would be answered, free; a Job when that takes a while."""
        batch = await self._service.in_thread(caller, wanted.order, served.curator)
        return await self._plan_all(served, batch, caller)

    async def _plan_all(
        self, served: ServedDataset, batch: BatchOrder, caller: Caller
    ) -> PricedBatch | Job:
        """What was planned once is not planned again: a page comes back for the end of a job."""
        curator, key = served.curator, (served.name, batch)

        def priced(split: Split) -> PricedBatch:
            orders = batch.orders(split)
            plans = tuple(self._service.priced(served, order, caller) for order in orders)
            planned = PlannedBatch(curator, batch, tuple(orders), tuple(one.plan for one in plans))
            left = curator.left(caller.name)
            return PricedBatch(planned=planned, plans=plans, left=left)

        async def settled(offer: PricedBatch) -> PricedBatch | Job:
            """What stored answers tell takes nothing: the others share that."""
            stored = [one.plan.origin is not None for one in offer.plans]
            again = batch.telling(offer.planned.orders, stored)
            return offer if again is None else await self._plan_all(served, again, caller)

        def finish(made: Batch) -> PricedBatch:
            split = [(one.epsilon, one.within) for one in made.planned]
            for order, plan in zip(batch.orders(split), made.plans, strict=True):
                curator.remember(order, plan)
            return priced(self._splits.get(key, lambda: split))

        known = self._splits.peek(key)
        if known is not None and all(map(curator.is_planned, batch.orders(known))):
            return await settled(await self._service.in_thread(caller, priced, known))

        task = BatchTask(served.dataset, batch)
        job = self._service.jobs.submit(caller.name, JobKind.PLAN, task, finish)
        if not await job.wait(self._service.settings.patience):
            return job
        raise_failed(job)
        return await settled(job.result)

    async def ask(
        self, served: ServedDataset, wanted: BasketBody, key: str, caller: Caller
    ) -> list[Answer] | Job:
        """Ask several questions as they were planned together: one transaction pays for them all.

        Each is stored under the key with -1, -2, … behind it, so that the same key again brings the
        same answers back, free. Nothing is charged where a plan is not the one that was shown, or
        where all together are over budget. A Job means that planning takes a while and nothing was
        spent.
        """
        receipts = basket_receipts(caller, key, len(wanted.questions))
        planned = await self.plan(served, wanted, caller)
        if isinstance(planned, Job):
            return planned
        curator, who = served.curator, caller.name
        in_thread = self._service.in_thread
        if wanted.plans is not None:
            stored = [await in_thread(caller, curator.is_stored, one) for one in receipts]
            planned.check_shown(wanted.plans, stored)
        ask = partial(curator.ask_planned, planned.planned, receipt_of(caller, key), analyst=who)
        answers = await in_thread(caller, ask)
        self._service.asks[served.name] += sum(not one.free for one in answers)
        return [caller.view_of(one) for one in answers]


def basket_receipts(caller: Caller, key: str, many: int) -> list[str]:
    """Under what each of several questions that are paid together is stored."""
    receipt_of(caller, f"{key}-{many}")
    return [receipt_of(caller, f"{key}-{place}") for place in range(1, many + 1)]
