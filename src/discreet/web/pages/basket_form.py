"""A basket: questions to be planned together, as a query string says them and says them again."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from discreet.errors import DiscreetError
from discreet.questions import Question, question_text
from discreet.requests import read_number, read_question
from discreet.tables import Dataset
from discreet.text import decimal_text
from discreet.web.bodies import BasketBody, check
from discreet.web.pages.sentence import UnfinishedError

MOST_LINES = 30
"""More questions than this are a program's work."""
FIRST_TOTAL = "0.5"
EACH, TOTAL = "each", "total"
"""How ε is split: each question has the one that it was given, or all share a total."""
USUAL_WEIGHT = "3"
"""In the middle of a slider from 1 to 5: a question may matter less or more than others."""
_MOST_WEIGHT = 5
_LONGEST = 10_000


@dataclass(frozen=True)
class BasketLine:
    """One question of a basket."""

    sql: str
    within: str = ""
    """How far off it may be; empty where its ε or a share of the total decides."""
    weight: str = USUAL_WEIGHT
    """How much its error counts beside those of the others."""
    epsilon: str = ""
    """What it was given; it counts where no total is shared."""

    @property
    def most_weight(self) -> int:
        """Where the slider ends: farther out for questions that were put together."""
        return max(_MOST_WEIGHT, round(_number(self.weight)))


@dataclass(frozen=True)
class BasketForm:
    """What a basket holds: any text may stand in any field."""

    lines: tuple[BasketLine, ...] = ()
    total: str = FIRST_TOTAL
    """What all may cost, where it is shared; else what was given to each, together."""
    shared: bool = False
    """Whether all share a total; if not, each has the ε that it was given."""
    confidence: str = "95"

    @classmethod
    def of(cls, given: Mapping[str, Sequence[str]]) -> "BasketForm":
        """Read a query string or a form."""

        def every(name: str) -> list[str]:
            return [one.strip()[:_LONGEST] for one in given.get(name, ())[:MOST_LINES]]

        def first(name: str, default: str) -> str:
            return next(iter(given.get(name, ())), default).strip()[:400]

        each = zip_longest(every("q"), every("w"), every("i"), every("e"), fillvalue="")
        entered = (
            BasketLine(sql, within, weight or USUAL_WEIGHT, epsilon)
            for sql, within, weight, epsilon in each
        )
        lines = tuple({one.sql: one for one in entered if one.sql}.values())
        usual = TOTAL if "total" in given and not any(one.epsilon for one in lines) else EACH
        shared = first("split", usual) == TOTAL
        total = first("total", FIRST_TOTAL)
        return cls(
            lines=lines,
            total=total if shared or not lines else _given_to(lines) or total,
            shared=shared,
            confidence=first("confidence", "95"),
        )

    def fields(self) -> list[tuple[str, str]]:
        """The basket as names and values."""
        pairs = [
            pair
            for one in self.lines
            for pair in (("q", one.sql), ("w", one.within), ("i", one.weight), ("e", one.epsilon))
        ]
        pairs += [("split", TOTAL), ("total", self.total)] if self.shared else [("split", EACH)]
        return pairs + ([("confidence", self.confidence)] if self.confidence != "95" else [])

    def with_question(self, sql: str, *, epsilon: str = "", within: str = "") -> "BasketForm":
        """With one more question, and its ε in the total; the same one is not put in twice."""
        if any(one.sql == sql for one in self.lines) or len(self.lines) >= MOST_LINES:
            return self
        sharing = any(not one.within for one in self.lines)
        total = self.total if within else _sum(self.total if sharing else "0", epsilon)
        line = BasketLine(sql, within, epsilon=epsilon)
        return replace(self, lines=(*self.lines, line), total=total or self.total)

    def without(self, place: str) -> "BasketForm":
        """Without the question at a place, counted from 1; of no place, as it is."""
        kept = tuple(one for at, one in enumerate(self.lines, start=1) if str(at) != place)
        return replace(self, lines=kept)

    def joined(self, places: str, dataset: Dataset) -> "BasketForm":
        """With the questions at some places asked as one, where they can be.

        It has the ε, or the share of the total, that they had together: shares go by the roots of
        weights (docs/proofs/sharing.md).
        """
        chosen = set(places.split(","))
        together = [one for at, one in enumerate(self.lines, start=1) if str(at) in chosen]
        asked = [_question(one.sql, dataset) for one in together]
        one = _as_one([question for question in asked if question is not None])
        if one is None or len(together) < 2 or None in asked:
            return self
        kept = [line for line in self.lines if line not in together]
        first = self.lines.index(together[0])
        weight = round(sum(math.sqrt(_number(line.weight)) for line in together) ** 2)
        line = BasketLine(
            question_text(one, dataset), together[0].within, str(weight), _given_to(together)
        )
        kept.insert(min(first, len(kept)), line)
        return replace(self, lines=tuple(kept))

    def joinable(self, dataset: Dataset) -> list[str]:
        """Places of questions about the same rows and groups, which one draw could answer."""
        alike: dict[object, list[tuple[str, Question]]] = {}
        for place, line in enumerate(self.lines, start=1):
            question = _question(line.sql, dataset)
            if question is not None and question.view is None and not line.within:
                key = (question.where, question.group_by, question.totals)
                alike.setdefault(key, []).append((str(place), question))
        return [
            ",".join(place for place, _ in several)
            for several in alike.values()
            if len(several) > 1 and _as_one([question for _, question in several]) is not None
        ]

    def wanted(self, plans: Sequence[str] | None = None) -> BasketBody:
        """What to ask the service for; errors say in one sentence what does not fit."""
        if not self.lines:
            raise UnfinishedError("put a question into the basket first")
        sharing = self.shared and any(not one.within for one in self.lines)
        if sharing and not self.total:
            raise UnfinishedError("enter the total ε")
        for place, one in enumerate(self.lines, start=1):
            if not (self.shared or one.within or one.epsilon):
                raise UnfinishedError(f"enter the ε of question {place}, or share a total")
        body = {
            "questions": [
                {
                    "sql": one.sql,
                    "epsilon": None if self.shared or one.within else one.epsilon,
                    "within": one.within or None,
                    "importance": one.weight,
                }
                for one in self.lines
            ],
            "total": self.total if sharing else None,
            "confidence": f"{self.confidence}%",
        }
        return check(BasketBody, body if plans is None else {**body, "plans": list(plans)})


def _given_to(lines: Sequence[BasketLine]) -> str:
    """What lines were given together, but for accuracies; empty where one has no plain number."""
    total = "0"
    for one in lines:
        total = total if one.within else total and _sum(total, one.epsilon)
    return "" if total == "0" else total


def _sum(total: str, more: str) -> str:
    """Both together; empty where one of them is no plain number."""
    try:
        return decimal_text(read_number(total, "total") + read_number(more, "epsilon"))
    except DiscreetError:
        return ""


def _number(weight: str) -> float:
    """A weight as a number; the usual one where it is none."""
    try:
        return max(0.0, float(read_number(weight, "importance")))
    except (DiscreetError, OverflowError):
        return float(USUAL_WEIGHT)


def _question(sql: str, dataset: Dataset) -> Question | None:
    try:
        return read_question(sql, dataset)
    except DiscreetError:
        return None


def _as_one(questions: Sequence[Question]) -> Question | None:
    """The same statistics in one question; None where that cannot be asked."""
    if not questions:
        return None
    items = dict.fromkeys(item for question in questions for item in question.items)
    try:
        return replace(questions[0], items=tuple(items))
    except DiscreetError:
        return None
