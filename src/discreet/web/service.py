"""The state of a server: datasets, accounts, jobs; how questions are planned and answered."""

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from discreet.accounts import Account, Accounts, NewToken, Role, read_expiry
from discreet.budget import ToldMeanwhile
from discreet.connection import Connection
from discreet.curator import Answer, Order
from discreet.errors import DiscreetError, IdTaken, InvalidInput
from discreet.exact import show
from discreet.planning import Plan
from discreet.requests import read_epsilon
from discreet.web.accounts_place import accounts_place
from discreet.web.baskets import Baskets
from discreet.web.bodies import AccountBody, DesignBody, QuestionBody, read
from discreet.web.designing import Designed
from discreet.web.identity import Caller, receipt_of
from discreet.web.job import DesignTask, Job, JobKind, PlanTask
from discreet.web.jobs import Jobs, Patience, raise_failed
from discreet.web.limits import Limits, Turns
from discreet.web.problems import Forbidden, NotFound
from discreet.web.publishing import Publishing
from discreet.web.scratch import Scratch
from discreet.web.served import MARK, PricedPlan, ServedDataset
from discreet.web.settings import Settings, dataset_names
from discreet.web.setup.desk import Desk

log = logging.getLogger("discreet.web")
_LOOK_SECONDS = 0.5
_QUESTIONS_KEPT = 4096
_SHORT = 4096
_Given = ParamSpec("_Given")
_Done = TypeVar("_Done")


class Service:
    """Datasets, accounts, jobs and limits of one server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings.checked()
        self.limits = Limits(settings)
        self.jobs = Jobs(
            settings.workers,
            settings.most_jobs,
            Patience(settings.quick_seconds, settings.job_seconds),
            warm=settings.warm,
        )
        self._turns = Turns(settings.most_at_once)
        self.asks: Counter[str] = Counter()
        """Answers released since the start, by dataset."""
        self.baskets = Baskets(self)
        self.publishing = Publishing(self)
        self._accounts: Accounts | None = None
        self._looked = 0.0
        self._lock = threading.Lock()
        self._served: dict[str, ServedDataset] = {}
        self._orders: dict[tuple[str, bytes], Order] = {}
        self.desk = None if settings.setup is None else Desk(settings.setup)
        """Where a custodian sets up tables; None on a server without."""
        self.scratch = Scratch()
        """Made-up tables, each for one caller: tours and rehearsals."""
        try:
            for name, file in dataset_names(settings.files).items():
                self._served[name] = ServedDataset.open(name, file)
            self.accounts_place = accounts_place(
                settings.files,
                [served.dataset for served in self._served.values()],
                settings.accounts_given,
            )
        except DiscreetError:
            self.close()
            raise

    # Accounts

    @property
    def accounts(self) -> Accounts:
        """The accounts, whose file is made when there is none."""
        with self._lock:
            if self._accounts is None:
                self._accounts = Accounts(self.accounts_place)
            return self._accounts

    @property
    def accounts_are_far(self) -> bool:
        """Whether looking at them may take a while."""
        return isinstance(self.accounts_place, Connection)

    @property
    def has_accounts(self) -> bool:
        """Whether anybody has an account; once somebody has, nobody comes in without."""
        if self._looked == float("inf"):
            return True
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return False
        place = self.accounts_place
        exist = (isinstance(place, Connection) or place.is_file()) and self.accounts.any()
        self._looked = float("inf") if exist else time.monotonic()
        return exist

    def accounts_list(self, caller: Caller) -> list[Account]:
        """Every account, for custodians."""
        caller.require_custodian()
        return self.accounts.accounts() if self.has_accounts else []

    def accounts_create(self, wanted: AccountBody, caller: Caller) -> NewToken:
        """A new account; its ε is written into the ledger of each of its datasets."""
        caller.require_custodian()
        self._require_change()
        unknown = [name for name in wanted.datasets if name not in self._served]
        if unknown:
            raise InvalidInput(
                f"there is no dataset {show(unknown[0])}; datasets: {', '.join(self._served)}"
            )
        if caller.is_local and wanted.role != Role.CUSTODIAN:
            raise InvalidInput(
                "the first account must be a custodian's: from then on everyone needs an account"
            )
        allowed = None if wanted.epsilon is None else read_epsilon(wanted.epsilon)
        expires = read_expiry(wanted.expires, datetime.now(UTC))
        token = self.accounts.create(wanted.name, wanted.role, wanted.datasets, expires)
        if allowed is not None:
            try:
                for name in token.account.datasets:
                    self._served[name].curator.ledger.allow(wanted.name, allowed)
            except DiscreetError:
                self.accounts.revoke(wanted.name)
                raise
        self._looked = float("inf")
        return token

    def accounts_revoke(self, name: str, caller: Caller) -> Account:
        """End an account."""
        caller.require_custodian()
        if not self.has_accounts or all(one.name != name for one in self.accounts.accounts()):
            raise NotFound("there is no such account")
        self._require_change()
        return self.accounts.revoke(name)

    def _require_change(self) -> None:
        """Where accounts are shared, a server's role may look them up and no more."""
        if self.accounts_are_far and not self.accounts.may_change():
            raise Forbidden(
                "this server may only read accounts; the custodian creates and revokes them: "
                "discreet token --help",
                "read-only-accounts",
            )

    # Datasets

    def datasets(self, caller: Caller) -> list[ServedDataset]:
        """The datasets that a caller may ask."""
        return [served for served in self._served.values() if caller.may_ask(served.name)]

    def every_dataset(self) -> list[ServedDataset]:
        """All that is served: for the server's own health and figures."""
        return list(self._served.values())

    def dataset(self, name: str, caller: Caller) -> ServedDataset:
        """One of them; NotFound for unknown ones and for those of others alike."""
        made_up = name.startswith(MARK)
        served = self.scratch.find(name, caller.name) if made_up else self._served.get(name)
        if served is None or not (made_up or caller.may_ask(name)):
            raise NotFound("there is no such dataset")
        return served

    def open_dataset(self, name: str, file: Path, caller: Caller) -> ServedDataset:
        """Serve a dataset file that was confirmed just now."""
        caller.require_set_up()
        with self._lock:
            if name not in self._served:
                self._served[name] = ServedDataset.open(name, file)
            return self._served[name]

    # Questions

    def order(self, served: ServedDataset, wanted: QuestionBody) -> Order:
        """What is wanted, read by the dataset's public facts."""
        return wanted.order(served.curator)

    async def plan(
        self,
        served: ServedDataset,
        wanted: QuestionBody,
        caller: Caller,
    ) -> PricedPlan | Job:
        """How a question would be answered, free; a Job when that takes longer than a moment."""
        order = await self.in_thread(caller, self.order, served, wanted)
        return await self._explained(served, order, caller)

    async def _explained(
        self, served: ServedDataset, order: Order, caller: Caller
    ) -> PricedPlan | Job:
        waiting = await self._plan(served, order, caller)
        if waiting is not None:
            return waiting
        return await self.in_thread(caller, self.priced, served, order, caller)

    async def ask(
        self,
        served: ServedDataset,
        wanted: QuestionBody,
        key: str,
        caller: Caller,
        *,
        plan: str | None = None,
    ) -> Answer | PricedPlan | Job:
        """Charge, draw, store, release; the same key returns the same answer, free.

        `plan` is the digest of the one that was confirmed. A Job means that planning takes a while
        and nothing was spent: ask again with this key.
        """
        order = await self.in_thread(caller, self.order, served, wanted)
        return await self.ask_order(served, order, key, caller, plan=plan)

    async def order_of(self, served: ServedDataset, body: bytes, caller: Caller) -> Order:
        """What the body of a request asks; one that was read before is not read again.

        Of a made-up table it is: under one name callers have others, and later ones other facts.
        """
        order = self._orders.get((served.name, body))
        if order is None:
            wanted = read(QuestionBody, body)
            order = await self.in_thread(caller, self.order, served, wanted)
            if len(body) <= _SHORT and not served.is_made_up:
                if len(self._orders) >= _QUESTIONS_KEPT:
                    self._orders.clear()
                self._orders[served.name, body] = order
        return order

    async def ask_order(
        self,
        served: ServedDataset,
        order: Order,
        key: str,
        caller: Caller,
        *,
        plan: str | None = None,
    ) -> Answer | PricedPlan | Job:
        """The same for a question that was read already; of EXPLAIN, the plan alone."""
        receipt = receipt_of(caller, key)
        if order.explains:
            return await self._explained(served, order, caller)
        if not served.curator.is_planned(order):
            known = await self.in_thread(caller, self._known, served, order, receipt, caller, plan)
            if known is not None:
                return caller.view_of(known)
            waiting = await self._plan(served, order, caller)
            if waiting is not None:
                return waiting
        answer = await self._answered(served, order, receipt, caller, plan)
        self.asks[served.name] += not answer.free
        return caller.view_of(answer)

    async def _answered(
        self, served: ServedDataset, order: Order, receipt: str, caller: Caller, plan: str | None
    ) -> Answer:
        """Charge, draw and store: in a thread where rows must be counted, never in the loop."""
        curator, who = served.curator, caller.name
        soon = curator.asked_at_once(order, plan=plan, question_id=receipt, analyst=who)
        if soon is not None:
            try:
                return await asyncio.wrap_future(soon)
            except (IdTaken, ToldMeanwhile):
                pass  # it is stored already: that is read where one may wait
        ask = partial(curator.ask, order, plan=plan, question_id=receipt, analyst=who)
        return await self.in_thread(caller, ask)

    async def in_thread(
        self,
        caller: Caller,
        work: Callable[_Given, _Done],
        *given: _Given.args,
        **named: _Given.kwargs,
    ) -> _Done:
        """Do what may take a while in a thread, a few at once for one caller."""
        async with self._turns.of(caller.name):
            return await asyncio.to_thread(work, *given, **named)

    def _known(
        self, served: ServedDataset, order: Order, receipt: str, caller: Caller, plan: str | None
    ) -> Answer | None:
        """What needs no plan: the answer under a key, or a part of a stored release."""
        curator, who = served.curator, caller.name
        if curator.is_stored(receipt):
            return curator.ask(order, question_id=receipt, analyst=who)
        part = curator.stored_part(order, who, shown=plan)
        if part is None:
            return None
        return curator.ask(order, plan=part.digest, question_id=receipt, analyst=who)

    async def _plan(self, served: ServedDataset, order: Order, caller: Caller) -> Job | None:
        """See that the plan is in memory; a Job when it takes longer than a moment."""
        if served.curator.is_planned(order):
            return None

        def finish(made: Plan) -> PricedPlan:
            served.curator.remember(order, made)
            return self.priced(served, order, caller)

        task = PlanTask(served.dataset, order)
        job = self.jobs.submit(caller.name, JobKind.PLAN, task, finish)
        if not await job.wait(self.settings.patience):
            return job
        raise_failed(job)
        return None

    def priced(self, served: ServedDataset, order: Order, caller: Caller) -> PricedPlan:
        """The plan of an order, with what it would leave of the caller's budget."""
        made = served.curator.plan(order, analyst=caller.name)
        return PricedPlan.of(served, order, made, served.curator.left(caller.name))

    # Jobs

    async def design(
        self, wanted: DesignBody, caller: Caller, patience: float | None = None
    ) -> Designed | Job:
        """The best mechanism for a space and a goal; a Job when that takes longer than a moment."""
        request = await asyncio.to_thread(wanted.request)
        task = DesignTask(request, wanted.model_dump())
        job = self.jobs.submit(caller.name, JobKind.DESIGN, task, lambda done: done)
        if not await job.wait(self.settings.patience if patience is None else patience):
            return job
        raise_failed(job)
        done: Designed = job.result
        return done

    def job(self, id: str, caller: Caller) -> Job:
        """A job of the caller's own."""
        return self.jobs.find(id, caller.name)

    def cancel(self, id: str, caller: Caller) -> Job:
        """Stop one of the caller's own."""
        return self.jobs.cancel(id, caller.name)

    def start(self) -> None:
        """Start the workers and read the tables, beside whatever is asked meanwhile."""
        self.jobs.start()
        threading.Thread(target=self._read_tables, name="discreet-tables", daemon=True).start()

    def _read_tables(self) -> None:
        for served in list(self._served.values()):
            try:
                served.curator.check_ready()
            except DiscreetError as problem:
                log.error("table", extra={"facts": {"dataset": served.name, "why": str(problem)}})

    def close(self) -> None:
        """Stop the workers and let go of ledgers, tables and accounts."""
        self.jobs.stop()
        for served in self._served.values():
            served.curator.close()
        self.scratch.close()
        if self.desk is not None:
            self.desk.close()
        if self._accounts is not None:
            self._accounts.close()
        self.publishing.close()
