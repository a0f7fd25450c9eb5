"""The curator: plan, charge, draw, store, release, in this order and nowhere else.

Everything that can fail fails before the charge. What is drawn depends on the rows, and nothing
else does: neither plan nor message nor the shape of the answer.
"""

import getpass
import os
import secrets
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any

from discreet.budget import Charge, Ledger
from discreet.curator.answer import Answer, Result
from discreet.curator.books import ledger_path, open_ledger
from discreet.curator.order import Order
from discreet.curator.storing import restored, stored
from discreet.design import Progress
from discreet.errors import BudgetError, DatasetError
from discreet.exact import Epsilon, show
from discreet.planning import Histogram, Plan, counting_select, histograms_of, plan
from discreet.questions import Question, Statistic, parse_sql, question_text, statistic_text
from discreet.tables import Dataset, Table, read_dataset, rendered

Watcher = Callable[[Progress], None]


class Curator:
    """A dataset file, its rows and its ledger; the last two are opened when first needed."""

    def __init__(self, path: str | os.PathLike[str], analyst: str | None = None) -> None:
        self.path = Path(path)
        self.dataset: Dataset = read_dataset(path)
        self.analyst = analyst or default_analyst()
        self._table: Table | None = None
        self._ledger: Ledger | None = None
        self._parsed = lru_cache(maxsize=1024)(partial(parse_sql, dataset=self.dataset))

    def question(self, sql: str) -> Question:
        """A question in SQL; one that was read before is not read again."""
        return self._parsed(sql) if isinstance(sql, str) else parse_sql(sql, self.dataset)

    @property
    def table(self) -> Table:
        """The rows, read once."""
        if self._table is None:
            self._table = Table(self.dataset)
        return self._table

    @property
    def ledger(self) -> Ledger:
        """The ledger beside the dataset file, made with the file's budgets if there is none."""
        if self._ledger is None:
            self._ledger = open_ledger(self.dataset, ledger_path(self.path))
        return self._ledger

    def plan(self, order: Order, progress: Watcher | None = None) -> Plan:
        """How a question would be answered: from public facts alone, free of charge."""
        return plan(
            order.question,
            self.dataset,
            epsilon=order.epsilon,
            within=order.within,
            wishes=order.wishes,
            progress=progress,
        )

    def ask(
        self, order: Order, *, question_id: str | None = None, progress: Watcher | None = None
    ) -> Answer:
        """Charge, draw, store and release; the same id again returns what was stored, free."""
        self._refuse_draft()
        name = new_id() if question_id is None else checked_id(question_id)
        if question_id is not None:
            known = self._known(name, order)
            if known is not None:
                return known
        made = self.plan(order, progress)
        counted = self._histograms(made)
        charge = self.ledger.charge(
            name, made.cost, analyst=self.analyst, facts=self._facts(order, made)
        )
        if charge.answer is not None:
            return self._released(charge, charge.answer, order)
        drawn = _results(made, counted, self.dataset)
        body = stored(drawn, made.wishes.confidence, made.digest)
        return self._released(charge, self.ledger.store_answer(name, body), order)

    def check_ready(self) -> None:
        """Open everything that an answer needs: what is wrong with it is said before spending."""
        self._refuse_draft()
        self.ledger.balance()
        self.table  # noqa: B018

    def is_stored(self, question_id: str) -> bool:
        """Whether there is an answer under this id, which would be free."""
        return self.ledger.answer(checked_id(question_id)) is not None

    def _refuse_draft(self) -> None:
        if not self.dataset.confirmed:
            raise DatasetError(
                f"{self.path.name} is a draft: the custodian must confirm its bounds and set "
                "confirmed = true before anything is answered"
            )

    def _known(self, name: str, order: Order) -> Answer | None:
        """The stored answer under this id, without planning or reading a row."""
        charged = self.ledger.charged(name)
        answer = self.ledger.answer(name)
        if charged is None or answer is None:
            return None
        facts = charged.facts()
        same = all(facts.get(key) == value for key, value in self._request(order).items())
        if not same or charged.analyst != self.analyst:
            raise BudgetError(
                f"question id {show(name)} was used for another question; choose a new id"
            )
        return self._released(Charge(name, charged.billionths, answer, new=False), answer, order)

    def _request(self, order: Order) -> dict[str, Any]:
        return {
            "question": order.question.to_dict(),
            "asked": question_text(order.question, self.dataset),
            "request": order.request(),
        }

    def _facts(self, order: Order, made: Plan) -> dict[str, Any]:
        """What the charge's entry says was asked: public facts only."""
        return {
            **self._request(order),
            "plan": made.digest,
            "epsilon": _decimal(made.cost.total),
            "mechanisms": [part.chosen.title for part in made.parts],
        }

    def _histograms(self, made: Plan) -> list[list[Histogram]]:
        seen: dict[str, list[Histogram]] = {}
        found = []
        for statistic in made.question.statistics:
            text = _counting_sql(made.question, statistic)
            if text not in seen:
                seen[text] = histograms_of(self.table.rows(text), len(made.groups))
            found.append(seen[text])
        return found

    def _released(self, charge: Charge, body: dict[str, Any], order: Order) -> Answer:
        results, confidence, digest = restored(body)
        return Answer(
            charge.question,
            question_text(order.question, self.dataset),
            results,
            confidence,
            _decimal(charge.billionths),
            _decimal(self.ledger.balance().spent),
            _decimal(self.left()),
            not charge.new,
            digest,
        )

    def left(self) -> int:
        """What this analyst may still spend, in billionths: their own, or what is left for all."""
        limits = (self.ledger.balance(name).left for name in ("", self.analyst))
        return min((limit for limit in limits if limit is not None), default=0)

    def close(self) -> None:
        """Forget the rows and let go of the ledger."""
        if self._table is not None:
            self._table.close()
        if self._ledger is not None:
            self._ledger.close()
        self._table = self._ledger = None

    def __enter__(self) -> "Curator":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@lru_cache(maxsize=1024)
def _counting_sql(question: Question, statistic: Statistic) -> str:
    return rendered(counting_select(question, statistic))


def default_analyst() -> str:
    """Who asks unless somebody is named: DISCREET_ANALYST, or the name of the login."""
    try:
        return os.environ.get("DISCREET_ANALYST") or getpass.getuser()
    except (KeyError, OSError):
        return "analyst"


def new_id() -> str:
    """A fresh question id."""
    return "q-" + secrets.token_hex(6)


def checked_id(given: str) -> str:
    """A question id as people may choose it: short, printable."""
    if not isinstance(given, str) or not 1 <= len(given) <= 200 or not given.isprintable():
        raise BudgetError(f"a question id has 1 to 200 printable characters, got {show(given)}")
    return given


def _results(made: Plan, counted: list[list[Histogram]], dataset: Dataset) -> tuple[Result, ...]:
    answers = made.answers(counted)
    grouped = made.question.group_by is not None
    return tuple(
        Result(
            _label(part.subject.statistic, dataset),
            name if grouped else None,
            answers[which][place].value,
            answers[which][place].interval,
            part.chosen.figures.expected,
            part.chosen.title,
            part.chosen.certificate,
        )
        for place, name in enumerate(made.groups)
        for which, part in enumerate(made.parts)
    )


def _label(statistic: Statistic, dataset: Dataset) -> str:
    told = statistic.label or statistic_text(statistic, dataset)
    return "".join(letter if letter.isprintable() else " " for letter in told)


def _decimal(billionths: int) -> str:
    return str(Epsilon(billionths)) if billionths else "0"
