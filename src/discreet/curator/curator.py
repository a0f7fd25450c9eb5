"""The curator: plan, charge, draw, store, release, in this order and nowhere else.

Everything that can fail fails before the charge. What is drawn depends on the rows, and nothing
else does: neither plan nor message nor the shape of the answer.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from discreet.budget import Charge, Ledger, analyst_name, id_taken
from discreet.closing import Closing
from discreet.curator.answer import Answer
from discreet.curator.books import (
    checked_id,
    default_analyst,
    new_id,
    notices,
    open_key,
    open_ledger,
)
from discreet.curator.prepared import (
    Drawing,
    KeptCounts,
    Prepared,
    PublicAnswers,
    after,
    check_plan,
    done,
    least,
    released,
    requested,
)
from discreet.curator.storing import Drawn
from discreet.designer import Progress
from discreet.errors import DatasetError, IdTaken, PlanChanged, UnknownReceipt
from discreet.exact import show
from discreet.planning import Plan, ReadyPlan, Recent, plan
from discreet.questions import Question, parse_sql
from discreet.requests import Order, checked_order
from discreet.tables import Dataset, Table, read_dataset

Watcher = Callable[[Progress], None]
_PLANS_BYTES = 256 << 20


class Curator(Closing):
    """A dataset file, its rows and its ledger; the last two are opened when first needed.

    One curator may serve many threads and many analysts; `analyst` is who asks unless another
    is named with the question.
    """

    def __init__(self, path: str | os.PathLike[str], analyst: str | None = None) -> None:
        if not isinstance(path, str | os.PathLike):
            raise DatasetError(f"a dataset file is named by its path, got {show(path)}")
        self.path = Path(path)
        self.dataset: Dataset = read_dataset(path)
        self.analyst = default_analyst() if analyst is None else analyst_name(analyst)
        self._opening = threading.RLock()
        self._closed = False
        self._table: Table | None = None
        self._ledger: Ledger | None = None
        self._public_answers = PublicAnswers()
        self._ready = Recent[Order, Prepared](_PLANS_BYTES, lambda _, known: known.plan.bytes)
        self._counts = KeptCounts()

    def question(self, sql: str) -> Question:
        """A question in SQL.

        Args:
            sql: One SELECT.

        Returns:
            The question.

        Raises:
            QuestionError: It cannot be asked of this dataset; the message says what can.
        """
        return parse_sql(sql, self.dataset)

    @property
    def table(self) -> Table:
        """The rows, read once."""
        with self._opening:
            self._refuse_closed()
            if self._table is None:
                self._table = Table(self.dataset, open_key(self.dataset, self.path))
            return self._table

    @property
    def ledger(self) -> Ledger:
        """The ledger beside the dataset file, made with the file's budgets if there is none."""
        known = self._ledger
        if known is not None:  # without the lock, which is held while rows are read
            return known
        with self._opening:
            self._refuse_closed()
            if self._ledger is None:
                self._ledger = open_ledger(self.dataset, self.path)
            return self._ledger

    def plan(self, order: Order, progress: Watcher | None = None) -> Plan:
        """How a question would be answered: from public facts alone, free of charge.

        Args:
            order: The question, with its ε and wishes.
            progress: Called now and then while a mechanism is designed.

        Returns:
            The plan, with the error of every candidate and the cost.

        Raises:
            QuestionError: There is nothing to plan with these wishes.
            DesignError: No mechanism can be designed.
        """
        return self._prepared(order, progress).plan

    def is_planned(self, order: Order) -> bool:
        """Whether the plan is in memory, so that asking takes no time to speak of.

        Args:
            order: The question, with its ε and wishes.

        Returns:
            True when `plan` would return at once.
        """
        return checked_order(order) in self._ready

    def remember(self, order: Order, made: Plan) -> None:
        """Keep a plan of this order that was made elsewhere, such as by another process.

        Args:
            order: The question, with its ε and wishes.
            made: Its plan.
        """
        self._ready.get(order, lambda: Prepared.of(order, made, self.dataset))

    def ask(
        self,
        order: Order,
        *,
        plan: "Plan | str | None" = None,
        question_id: str | None = None,
        analyst: str | None = None,
        progress: Watcher | None = None,
    ) -> Answer:
        """Charge, draw, store and release; the same id again returns what was stored, free.

        Args:
            order: The question, with its ε and wishes.
            plan: The plan that was shown, or its digest: what was confirmed is what is asked. If
                left out, the order is planned first.
            question_id: An id under which the answer is stored; a new one, if left out.
            analyst: Whose budget is charged; the curator's own analyst, if left out.
            progress: Called now and then while a mechanism is designed.

        Returns:
            The answer, on the disk before it is returned.

        Raises:
            QuestionError: It cannot be answered, or the plan is that of another order.
            PlanChanged: The order is planned in another way by now; nothing was charged.
            OverBudget: It would cost more than is left; nothing was charged.
            IdTaken: The id was used for another question.
            LedgerError: The ledger cannot be trusted or written; nothing was answered.
        """
        asker = self._asker(analyst)
        if question_id is not None and (plan is not None or not self.is_planned(order)):
            known = self._known(checked_id(question_id), order, asker)
            if known is not None:
                return known
        ready = self._confirmed(order, plan, progress)
        if ready.is_public:
            return self._public(ready, order, question_id, asker)
        try:
            name = self._receipt(question_id)
            drawing = Drawing(ready, self._waiting(ready))
            charge = self.ledger.answered(name, ready.claim, drawing, analyst=asker)
            return drawing.released(charge)
        except IdTaken:
            known = None if question_id is None else self._known(question_id, order, asker)
            if known is None:
                raise
            return known

    def asked_at_once(
        self,
        order: Order,
        *,
        plan: str | None = None,
        question_id: str | None = None,
        analyst: str | None = None,
    ) -> "Future[Answer] | None":
        """The same without waiting: the future is done when the answer may be released.

        Args:
            order: The question, with its ε and wishes.
            plan: The digest of the plan that was shown.
            question_id: An id under which the answer is stored; a new one, if left out.
            analyst: Whose budget is charged; the curator's own analyst, if left out.

        Returns:
            A future that holds the answer, or raises what `ask` raises; None where that would take
            a while, because a plan must be made or rows must be counted first, and where another
            plan was shown: then `ask` does it, in a thread that may wait.
        """
        ready = self._ready.peek(checked_order(order))
        if ready is not None and plan is not None and ready.plan.digest != plan:
            return None
        if ready is not None and ready.is_public:
            return done(self._public(ready, order, question_id, self._asker(analyst)))
        waiting = None if ready is None else self._at_hand(ready)
        if ready is None or waiting is None:
            return None
        name, drawing = self._receipt(question_id), Drawing(ready, waiting)
        return after(
            self.ledger.answered_soon(name, ready.claim, drawing, analyst=self._asker(analyst)),
            drawing.released,
        )

    def _public(
        self, ready: Prepared, order: Order, question_id: str | None, analyst: str
    ) -> Answer:
        """What public facts answer is never written down; what was, or another's id, stays."""
        self._refuse_draft()
        if question_id is not None:
            known = self._known(checked_id(question_id), order, analyst)
            if known is not None:
                return known
        receipt, drawn = self._public_answers.give(ready)
        return self._free(receipt, ready.asked, drawn, analyst)

    def _free(self, receipt: str, asked: str, drawn: Drawn, analyst: str) -> Answer:
        total, own = self.ledger.balance(""), self.ledger.balance(analyst)
        nothing = Charge(
            question=receipt, billionths=0, answer=None, new=True, total=total, own=own
        )
        return released(nothing, asked, drawn)

    def _receipt(self, question_id: str | None) -> str:
        """The id of a question; whether it may be answered at all is known afterwards."""
        self._refuse_draft()
        return new_id() if question_id is None else checked_id(question_id)

    def stored(self, receipt: str, analyst: str | None = None) -> Answer:
        """The answer under a receipt: of this analyst, or of anybody.

        Args:
            receipt: The id under which it was answered.
            analyst: Whose answer it must be; anybody's, if left out.

        Returns:
            The answer as it was released.

        Raises:
            UnknownReceipt: Nothing was answered under this receipt.
        """
        charge = self._charged(checked_id(receipt), analyst)
        public = self._public_answers.find(receipt) if charge is None else None
        if public is not None:
            return replace(self._free(receipt, *public, self._asker(analyst)), free=True)
        if charge is None or charge.answer is None:
            raise UnknownReceipt(
                f"nothing was answered under the receipt {show(receipt)}", receipt=receipt
            )
        entry = self.ledger.charged(receipt)
        return released(charge, str(entry.facts().get("asked", "")) if entry else "")

    def notices(self) -> list[str]:
        """What the custodian should know: other dataset files that spend on the same rows."""
        return notices(self.dataset, self.path)

    def check_ready(self) -> None:
        """Open everything that an answer needs: what is wrong with it is said before spending."""
        self._refuse_draft()
        self.ledger.check_premises()
        self.table  # noqa: B018

    def is_stored(self, question_id: str) -> bool:
        """Whether there is an answer under this id, which would be free.

        Args:
            question_id: The id.

        Returns:
            True when asking again is free.
        """
        return self.ledger.answer(checked_id(question_id)) is not None

    def left(self, analyst: str | None = None) -> int:
        """What an analyst may still spend, in billionths: their own, or what is left for all.

        Args:
            analyst: Whose budget; the curator's own analyst, if left out.

        Returns:
            Billionths of ε.
        """
        return least(self.ledger.balance("").left, self.ledger.balance(self._asker(analyst)).left)

    def _asker(self, analyst: str | None) -> str:
        return self.analyst if analyst is None else analyst_name(analyst)

    def _prepared(self, order: Order, progress: Watcher | None) -> Prepared:
        return self._ready.get(checked_order(order), lambda: self._prepare(order, progress))

    def _confirmed(
        self, order: Order, shown: "Plan | str | None", progress: Watcher | None
    ) -> Prepared:
        """The order made ready by the plan that was shown, where one was."""
        if isinstance(shown, Plan):
            check_plan(shown, checked_order(order), self.dataset)
            ready = self._ready.get(order, lambda: Prepared.of(order, shown, self.dataset))
            same = ready.plan.digest == shown.digest
            return ready if same else Prepared.of(order, shown, self.dataset)
        ready = self._prepared(order, progress)
        if shown is not None and ready.plan.digest != shown:
            raise PlanChanged(
                "the plan is not the one that was shown; plan the question again and confirm that"
            )
        return ready

    def _prepare(self, order: Order, progress: Watcher | None) -> Prepared:
        made = plan(
            order.question,
            self.dataset,
            epsilon=order.epsilon,
            within=order.within,
            wishes=order.wishes,
            progress=progress,
        )
        return Prepared.of(order, made, self.dataset)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise DatasetError(f"{self.path.name} was closed; open it again to ask")

    def _refuse_draft(self) -> None:
        if not self.dataset.confirmed:
            raise DatasetError(
                f"{self.path.name} is a draft: the custodian must confirm its bounds and set "
                "confirmed = true before anything is answered"
            )

    def _known(self, name: str, order: Order, analyst: str) -> Answer | None:
        """The stored answer under this id, without planning or reading a row."""
        charge = self._charged(name, None)
        if charge is None or charge.answer is None:
            return None
        entry = self.ledger.charged(name)
        assert entry is not None
        facts, wanted = entry.facts(), requested(order, self.dataset)
        same = all(facts.get(key) == value for key, value in wanted.items())
        if not same or entry.analyst != analyst:
            raise id_taken(name)
        return released(charge, wanted["asked"])

    def _charged(self, name: str, analyst: str | None) -> Charge | None:
        """The charge under an id, with its answer: of this analyst, or of anybody."""
        entry = self.ledger.charged(name)
        if entry is None or (analyst is not None and entry.analyst != analyst):
            return None
        return Charge(
            question=name,
            billionths=entry.billionths,
            answer=self.ledger.answer(name),
            new=False,
            total=self.ledger.balance(""),
            own=self.ledger.balance(entry.analyst),
        )

    def _waiting(self, ready: Prepared) -> ReadyPlan:
        """Answers that wait to be drawn: what the rows have to say is worked out here."""
        return ready.plan.ready(self._counts.of(ready.readings, lambda: self.table))

    def _at_hand(self, ready: Prepared) -> ReadyPlan | None:
        """The same, if all counts are kept and public facts say that it takes no time."""
        kept = self._counts.at_hand(ready.readings)
        return None if kept is None else ready.plan.ready(kept)

    def close(self) -> None:
        """Forget the rows and let go of the ledger."""
        with self._opening:
            if self._table is not None:
                self._table.close()
            if self._ledger is not None:
                self._ledger.close()
            self._table = self._ledger = None
            self._counts.clear()
            self._closed = True
