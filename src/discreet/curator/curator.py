"""The curator: plan, charge, draw, store, release, in this order and nowhere else.

Everything that can fail fails before the charge. What is drawn depends on the rows, and nothing
else does: neither plan nor message nor the shape of the answer.
"""

import os
from concurrent.futures import Future
from dataclasses import replace

from discreet.budget import ToldMeanwhile, Unless
from discreet.curator.answer import Answer
from discreet.curator.batches import PlannedBatch, asked_together
from discreet.curator.dataset_ledger import has_ledger, new_id
from discreet.curator.free import FreeAnswers, checked_id
from discreet.curator.opened import Opened
from discreet.curator.prepared import (
    Drawing,
    Due,
    KeptCounts,
    Prepared,
    PreparedOrders,
    Watcher,
    after,
    done,
)
from discreet.curator.shaping import shaped
from discreet.curator.stored import StoredPart
from discreet.errors import IdTaken, LedgerError, QuestionError
from discreet.lifetimes import Recent
from discreet.planning import Plan, ReadyPlan
from discreet.questions import Question, parse_sql
from discreet.requests import BatchOrder, Order, checked_order
from discreet.tables import Dataset

_QUESTIONS_BYTES = 1 << 20
_EXPLAINS = "EXPLAIN asks only for the plan: call plan, which is free"


class Curator(Opened):
    """A dataset file, its rows and its ledger, and who asks.

    One curator may serve many threads and many analysts; `analyst` is who asks unless another
    is named with the question.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        analyst: str | None = None,
        *,
        dataset: Dataset | None = None,
    ) -> None:
        """Read a dataset file; of a `dataset` whose facts are in no file, `path` is the ledger."""
        super().__init__(path, analyst, dataset=dataset)
        self._free = FreeAnswers(self.dataset, lambda: self.ledger)
        self._ready = PreparedOrders(self.dataset)
        self._counts = KeptCounts()
        self._questions = Recent[str, Question](_QUESTIONS_BYTES, lambda sql, _: len(sql))

    def question(self, sql: str) -> Question:
        """A question in SQL.

        Args:
            sql: One SELECT.

        Returns:
            The question.

        Raises:
            QuestionError: It cannot be asked of this dataset; the message says what can.
        """
        if not isinstance(sql, str):
            return parse_sql(sql, self.dataset)
        return self._questions.get(sql, lambda: parse_sql(sql, self.dataset))

    def plan(
        self, order: Order, progress: Watcher | None = None, *, analyst: str | None = None
    ) -> Plan:
        """How a question would be answered: from public facts alone, free of charge.

        Args:
            order: The question, with its ε and options.
            progress: Called now and then while a mechanism is designed.
            analyst: Who would ask; the curator's own analyst, if left out.

        Returns:
            The plan, with the error of every candidate and the cost; that is nothing where a
            release to this analyst contains the answer, which the plan names.

        Raises:
            QuestionError: There is nothing to plan with these options.
            DesignError: No mechanism can be designed.
        """
        made = self._ready.of(order, progress).plan
        if made.question.view != order.question.view:
            made = replace(made, question=replace(made.question, view=order.question.view))
        try:
            part = self.stored_part(order, analyst)
        except LedgerError:  # whoever asks is told
            return made
        if part is None:
            return made
        return replace(made, origin=part.origin, known=self._free.exactness(part, order))

    def plan_batch(self, batch: BatchOrder) -> PlannedBatch[Plan]:
        """How several questions would be answered, each at its share or at its accuracy's price.

        Args:
            batch: The questions, with what they may cost together.

        Returns:
            A plan for each, as `plan` makes it; what a stored release contains costs nothing.

        Raises:
            QuestionError: One of them cannot be planned; the message says which.
            BudgetError: What does not share the total costs more than it.
        """
        planned = batch.plan(self.dataset)
        orders = batch.orders([(one.epsilon, one.within) for one in planned.planned])
        for order, made in zip(orders, planned.plans, strict=True):
            self.remember(order, made)
        plans = tuple(self.plan(order) for order in orders)
        again = batch.telling(orders, [one.origin is not None for one in plans])
        if again is not None:
            return self.plan_batch(again)
        return PlannedBatch(self, batch, tuple(orders), plans)

    def stored_part(
        self, order: Order, analyst: str | None = None, *, shown: str | None = None
    ) -> StoredPart | None:
        """The stored release that contains the answer, free of charge.

        Args:
            order: The question, with its ε and options.
            analyst: Who asks; the curator's own analyst, if left out.
            shown: The digest of the plan that was shown; any, if left out.

        Returns:
            The newest one to this analyst under the facts of today, or the one that was shown; None
            where the answer must be drawn, or `fresh` says so.
        """
        opened = self._ledger is not None
        if not self.dataset.confirmed or not (opened or has_ledger(self.dataset, self.path)):
            return None
        return self._free.part(checked_order(order), self._asker(analyst), shown)

    def is_planned(self, order: Order) -> bool:
        """Whether the plan is in memory, so that asking needs no planning.

        Args:
            order: The question, with its ε and options.

        Returns:
            True when `plan` would return at once.
        """
        return order in self._ready

    def remember(self, order: Order, made: Plan) -> None:
        """Keep a plan of this order that was made elsewhere, such as by another process.

        Args:
            order: The question, with its ε and options.
            made: Its plan.
        """
        self._ready.remember(order, made)

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

        What a stored release to the same analyst contains is not drawn again, unless the order says
        `fresh`: it is read from there, free of charge.

        Args:
            order: The question, with its ε and options.
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
        if checked_order(order).explains:
            raise QuestionError(_EXPLAINS)
        if question_id is not None and (plan is not None or not self.is_planned(order)):
            known = self._free.known(checked_id(question_id), order, asker)
            if known is not None:
                return self._shown(known, order)
        while True:
            unless = self._unless_told(order, plan)
            served = self._served(order, plan, question_id, asker)
            if served is not None:
                return self._shown(served, order)
            ready = self._ready.confirmed(order, plan, progress)
            if ready.is_public:
                self._refuse_draft()
                return self._shown(self._free.public(ready, order, question_id, asker), order)
            try:
                return self._drawn(ready, order, question_id, asker, unless)
            except ToldMeanwhile:  # by one who asked the same at this moment, and paid
                continue

    def _drawn(
        self,
        ready: Prepared,
        order: Order,
        question_id: str | None,
        asker: str,
        unless: Unless | None,
    ) -> Answer:
        """Charge, draw and store; under an id that is taken, what was stored of this order."""
        due = self._counted(ready, order, self._receipt(question_id))
        try:
            charge = self.ledger.answered(
                due.question, due.claim, due.draw, analyst=asker, unless=unless
            )
            return self._shown(due.release(charge), order)
        except IdTaken:
            known = None if question_id is None else self._free.known(question_id, order, asker)
            if known is None:
                raise
            return self._shown(known, order)

    def ask_planned(
        self,
        planned: PlannedBatch[Plan],
        id: str | None = None,
        *,
        analyst: str | None = None,
    ) -> list[Answer]:
        """Charge, draw and store several questions in one transaction, then release: all or none.

        Args:
            planned: The questions, each with its plan.
            id: Answers are stored under this id with -1, -2, … behind it; under new ones without.
            analyst: Whose budget is charged; the curator's own analyst, if left out.

        Returns:
            The answers, in order; those that were stored under their ids before are free, and so is
            a question that was there before in the batch.

        Raises:
            PlanChanged: One is planned in another way by now; nothing was charged.
            OverBudget: Together they cost more than is left; nothing was charged.
            IdTaken: An id was used for another question; nothing was charged.
            LedgerError: The ledger cannot be trusted or written; nothing was answered.
        """
        self._refuse_draft()
        asker = self._asker(analyst)
        ids, earlier = planned.ids(id), planned.repeats
        paying = [place for place, first in enumerate(earlier) if first is None]

        def dues() -> list[Due | Answer]:
            each = list(zip(planned.orders, planned.digests, ids, strict=True))
            shares = planned.wanted.sharing
            return [self._due(*each[place], asker, shares=shares[place]) for place in paying]

        answers = dict(zip(paying, asked_together(dues, self.ledger, asker), strict=True))
        for place, first in enumerate(earlier):
            if first is not None:
                order = planned.orders[place]
                answers[place] = self._repeated(answers[first], order, ids[place], asker)
        return [self._shown(answers[place], one) for place, one in enumerate(planned.orders)]

    def _repeated(self, answer: Answer, order: Order, name: str | None, asker: str) -> Answer:
        """The answer to the same question again: from what was just stored, at no charge."""
        part = self.stored_part(order, asker)
        if part is None:
            return replace(answer, free=True)
        return self._free.serve(part, order, None if name is None else checked_id(name), asker)

    def _due(
        self, order: Order, plan: str, name: str | None, asker: str, *, shares: bool
    ) -> Due | Answer:
        """What is to be paid for a question and drawn, or the answer that costs nothing."""
        if checked_order(order).explains:
            raise QuestionError(_EXPLAINS)
        known = None
        if name is not None:
            known = self._free.known(checked_id(name), order, asker, shares=shares)
        if known is not None:
            return known
        part = self.stored_part(order, asker, shown=plan)
        if part is not None and name is None:
            return self._free.serve(part, order, None, asker)
        if part is not None and name is not None:
            return self._free.due(part, order, name)
        ready = self._ready.confirmed(order, plan, None)
        if ready.is_public:
            return self._free.public(ready, order, name, asker)
        return self._counted(ready, order, self._receipt(name))

    def _counted(self, ready: Prepared, order: Order, name: str) -> Due:
        """Rows are looked at here: whatever can fail, fails before the charge."""
        waiting = self._counts.waiting(ready, lambda: self.table_for(order.question))
        return self._to_draw(ready, waiting, order, name)

    def _to_draw(self, ready: Prepared, waiting: ReadyPlan, order: Order, name: str) -> Due:
        drawing = Drawing(ready, waiting)
        return Due(name, ready.claim_of(order, self.dataset), drawing, drawing.released)

    def _unless_told(self, order: Order, shown: "Plan | str | None") -> Unless | None:
        """What would make a charge needless; a plan that was confirmed is carried out as it is."""
        return self._free.unless_told(order) if shown is None and self.dataset.confirmed else None

    def _shown(self, answer: Answer, order: Order) -> Answer:
        """An answer in the view that was asked for."""
        view = order.question.view
        return answer if view is None else shaped(answer, order.question, self.dataset)

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
            order: The question, with its ε and options.
            plan: The digest of the plan that was shown.
            question_id: An id under which the answer is stored; a new one, if left out.
            analyst: Whose budget is charged; the curator's own analyst, if left out.

        Returns:
            A future that holds the answer, or raises what `ask` raises, or ToldMeanwhile where the
            same was asked at this moment; None where that would take a while, because a plan must
            be made or rows must be counted first, and where another plan was shown: then `ask` does
            it, in a thread that may wait.
        """
        ready = self._ready.peek(order)
        if ready is not None and plan is not None and ready.plan.digest != plan:
            return None
        if ready is not None and ready.is_public:
            self._refuse_draft()
            public = self._free.public(ready, order, question_id, self._asker(analyst))
            return done(self._shown(public, order))
        unless = self._unless_told(order, plan)
        if plan is None and not self._free.must_be_drawn(order, self._asker(analyst)):
            return None
        waiting = None if ready is None else self._counts.waiting_at_hand(ready)
        if ready is None or waiting is None:
            return None
        due = self._to_draw(ready, waiting, order, self._receipt(question_id))
        return after(
            self.ledger.answered_soon(
                due.question, due.claim, due.draw, analyst=self._asker(analyst), unless=unless
            ),
            lambda charge: self._shown(due.release(charge), order),
        )

    def _served(
        self, order: Order, shown: "Plan | str | None", question_id: str | None, analyst: str
    ) -> Answer | None:
        """What a stored release tells, where no plan was shown or that of telling it."""
        if shown is not None and not isinstance(shown, str):
            shown = shown.digest
        part = self.stored_part(order, analyst, shown=shown)
        if part is None:
            return None
        name = None if question_id is None else checked_id(question_id)
        return self._free.serve(part, order, name, analyst)

    def _receipt(self, question_id: str | None) -> str:
        """The id of a question; whether it may be answered at all is known afterwards."""
        self._refuse_draft()
        return new_id() if question_id is None else checked_id(question_id)

    def stored(self, receipt: str, analyst: str | None = None) -> Answer:
        """The answer with a receipt: of this analyst, or of anyone.

        Args:
            receipt: The id under which it was answered.
            analyst: Whose answer it must be; anyone's, if left out.

        Returns:
            The answer as it was released.

        Raises:
            UnknownReceipt: Nothing was answered under this receipt.
        """
        return self._free.stored(checked_id(receipt), analyst, self._asker(analyst))

    def is_stored(self, question_id: str) -> bool:
        """Whether there is an answer under this id, which would be free.

        Args:
            question_id: The id.

        Returns:
            True when asking again is free.
        """
        return self.ledger.answer(checked_id(question_id)) is not None

    def close(self) -> None:
        """Forget the rows and close the ledger."""
        super().close()
        self._counts.clear()
