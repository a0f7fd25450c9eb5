"""The Ask form: what a query string says, as a question and as links that say it again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from starlette.datastructures import FormData, QueryParams

from discreet.errors import InvalidInput, in_python
from discreet.model import Requirement
from discreet.planning import About, IntervalRule
from discreet.questions import question_text
from discreet.tables import Dataset
from discreet.text import capital, one_line
from discreet.web.bodies import QuestionBody, check
from discreet.web.pages.sentence import Sentence, UnfinishedError

REQUIREMENTS: dict[str, str] = {
    Requirement.FAIR: Requirement.FAIR,
    Requirement.SYMMETRIC: Requirement.SYMMETRIC,
    Requirement.COLUMN_MONOTONE: Requirement.COLUMN_MONOTONE,
    Requirement.ROW_MONOTONE: Requirement.ROW_MONOTONE,
    Requirement.EVERY_OUTPUT: "every output possible",
}
"""What may be required of a mechanism, in words."""
FIRST_EPSILON = "0.1"
"""Where playing starts; what is spent is said again before it is spent."""
_FIELDS = {"epsilon": "ε", "total": "the total ε", "within": "the accuracy"}
"""What fields of a request are called on a page."""
_LONGEST = 10_000
_MOST_VALUES = 40


def told_on_page(problem: Exception) -> str:
    """What a page says of a problem: its fields are called as they are there."""
    message = problem.spelled(_as_there) if isinstance(problem, InvalidInput) else str(problem)
    return capital(one_line(message))


def _as_there(field: str, example: str | None) -> str:
    called = _FIELDS.get(field, in_python(field))
    return called if example is None else f"{called} = {example}"


@dataclass(frozen=True, kw_only=True)
class AskForm:
    """Everything the form holds: any text may stand in any field."""

    how: str
    sentence: Sentence
    sql: str
    aim: str
    epsilon: str
    within: str
    confidence: str
    loss: str
    prior: str
    require: tuple[str, ...]
    unbiased: bool
    consistent: bool
    clamp: bool
    interval: str
    about: str
    fresh: bool
    importance: str
    filled: bool
    """Whether anything was asked yet."""

    @classmethod
    def of(cls, given: Mapping[str, Sequence[str]], dataset: Dataset) -> "AskForm":
        """Read a form."""

        def first(name: str, default: str = "") -> str:
            values = given.get(name, ())
            return values[0][:_LONGEST] if values else default

        return cls(
            how="sql" if first("how") == "sql" else "sentence",
            sentence=Sentence.of(given, dataset),
            sql=first("sql"),
            aim="within" if first("aim") == "within" else "epsilon",
            epsilon=first("epsilon", FIRST_EPSILON).strip(),
            within=first("within").strip(),
            confidence=first("confidence", "95").strip(),
            loss=first("loss"),
            prior=first("prior"),
            require=tuple(given.get("require", ()))[:_MOST_VALUES],
            unbiased=bool(first("unbiased")),
            consistent=bool(first("consistent")),
            clamp=bool(first("clamp")),
            interval=first("interval", IntervalRule.USUAL),
            about=first("about", About.TABLE),
            fresh=bool(first("fresh")),
            importance=first("importance").strip(),
            filled="statistic" in given or bool(first("sql")),
        )

    def asked(self, dataset: Dataset) -> str:
        """The question in SQL; QuestionError when the sentence does not fit together."""
        if self.how == "sql":
            return self.sql
        return question_text(self.sentence.question(dataset), dataset)

    def wanted(self, dataset: Dataset) -> QuestionBody:
        """What to ask the service for; errors say in one sentence what does not fit."""
        asked = self.asked(dataset)
        aimed = self.within if self.aim == "within" else self.epsilon
        if not aimed:
            missing = {"within": "the accuracy", "epsilon": "ε"}
            raise UnfinishedError(f"enter {missing[self.aim]}")
        body = {
            "sql": asked,
            self.aim: aimed,
            "confidence": f"{self.confidence}%",
            "prior": None if self.prior == "worst" else self.prior or None,
            "worst_case": self.prior == "worst",
            "require": ",".join(self.require) or None,
            "loss": self.loss or None,
            "unbiased": self.unbiased,
            "consistent": self.consistent,
            "clamp": self.clamp,
            "interval": self.interval,
            "about": self.about,
            "fresh": self.fresh,
            "importance": self.importance or None,
        }
        return check(QuestionBody, body)

    @property
    def wishes_open(self) -> bool:
        """Whether anything but the usual is wished for."""
        return bool(
            self.require
            or self.unbiased
            or self.consistent
            or self.clamp
            or self.fresh
            or self.importance
            or self.interval != IntervalRule.USUAL
            or self.about != About.TABLE
            or self.loss
            or self.prior
            or self.confidence != "95"
        )

    def written_out(self, dataset: Dataset) -> "AskForm":
        """The same question in SQL."""
        return replace(self, how="sql", sql=self.asked(dataset))

    def fields(self) -> list[tuple[str, str]]:
        """The form as names and values, in the order of the page; only what differs from usual."""
        pairs: list[tuple[str, str]] = [("how", self.how)]
        pairs += [("sql", self.sql)] if self.how == "sql" else _of_sentence(self.sentence)
        pairs.append(("aim", self.aim))
        pairs.append((self.aim, self.within if self.aim == "within" else self.epsilon))
        usual = {
            "confidence": "95",
            "loss": "",
            "prior": "",
            "interval": IntervalRule.USUAL,
            "about": About.TABLE,
            "importance": "",
        }
        pairs += [
            (name, getattr(self, name))
            for name, same in usual.items()
            if getattr(self, name) != same
        ]
        pairs += [("require", name) for name in self.require]
        boxes = ("unbiased", "consistent", "clamp", "fresh")
        pairs += [(name, "1") for name in boxes if getattr(self, name)]
        return pairs


def _of_sentence(sentence: Sentence) -> list[tuple[str, str]]:
    pairs = [("statistic", sentence.statistic)]
    if sentence.column:
        pairs.append(("column", sentence.column))
    if sentence.second:
        pairs.append(("second", sentence.second))
    if sentence.parameter is not None:
        pairs.append((sentence.parameter.key, sentence.number))
    for clause in sentence.clauses:
        pairs += [("where", clause.column), ("is", clause.relation), ("value", clause.value)]
    pairs += [("by", one.column) for one in sentence.by]
    if any(one.width for one in sentence.by):
        pairs += [("width", one.width) for one in sentence.by]
    pairs += [(name, "1") for name in ("totals", "running") if getattr(sentence, name)]
    return pairs


def lists_of(given: QueryParams | FormData) -> dict[str, list[str]]:
    """Names and all their values, files left out."""
    lists: dict[str, list[str]] = {}
    for name, value in given.multi_items():
        if isinstance(value, str):
            lists.setdefault(name, []).append(value)
    return lists
