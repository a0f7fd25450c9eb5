"""Several questions: from the command line, from a file, or such as suit the columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.cli.parsing.files import text_of
from discreet.errors import (
    DiscreetError,
    FileError,
    GoalError,
    InvalidInput,
    QuestionError,
    named,
)
from discreet.exact import show
from discreet.planning import Accuracy, Wishes, Worth, price_of, typical_questions
from discreet.planning.batch import Wanted
from discreet.planning.pricing import standing
from discreet.planning.wishes import read_importance
from discreet.planning.worth import USUAL_ACCURACY
from discreet.questions import Question, parse_sql
from discreet.requests import BatchOrder
from discreet.tables import Dataset

_BEGINS = re.compile(r"^(?=\s*SELECT\b)", re.I | re.M)
_SAID = r"(?:\s*[=:]\s*|\s+)(\S+)"
"""What a comment says after a word: `within 5`, `within = 5` or `within: 5`."""
_WITHIN = re.compile(r"--.*?\bwithin" + _SAID, re.I)
_IMPORTANCE = re.compile(r"--.*?\bimportance" + _SAID, re.I)
_COMMENT = re.compile(r"--.*")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, kw_only=True)
class AskedFor:
    """One of several questions, and what is said of it."""

    sql: str
    within: Accuracy | None = None
    importance: Fraction | None = None
    where: str = field(default="", compare=False)
    """The file and the line that it begins on, for messages."""

    def read(self, dataset: Dataset) -> Question:
        """The question; an error says where it stands."""
        with standing(self.where):
            return parse_sql(self.sql, dataset)


def asked_for(
    dataset: Dataset, questions: Sequence[str], batch: str | None, within: Sequence[str]
) -> list[AskedFor]:
    """Questions in SQL, each with how far off its answers may be."""
    if len(within) > 1 and len(within) != len(questions):
        raise InvalidInput(
            f"give {named('within')} once, or once for each question, got {len(within)} for "
            f"{len(questions)} questions"
        )
    usual = Accuracy.of(within[-1] if len(within) == 1 else USUAL_ACCURACY)
    told = [Accuracy.of(one) for one in within] if len(within) > 1 else [usual] * len(questions)
    several = len(questions) > 1 or batch is not None
    found = [
        AskedFor(sql=sql, within=own, where=f"question {place}, {show(sql)}" if several else "")
        for place, (sql, own) in enumerate(zip(questions, told, strict=True), 1)
    ]
    if batch is not None:
        found += questions_in(batch, usual)
    if not found:
        found = [AskedFor(sql=sql, within=usual) for sql in typical_questions(dataset)]
    return found


def worth_asked(asked: Sequence[AskedFor], dataset: Dataset, wishes: Wishes | None = None) -> Worth:
    """What the declared budget buys of these questions, but for those that cannot be asked.

    Raises:
        DiscreetError: None of them can; what is wrong with the first is told.
    """
    prices, problems = [], []
    for one in asked:
        accuracy = one.within or Accuracy.of(USUAL_ACCURACY)
        try:
            with standing(one.where):
                question = parse_sql(one.sql, dataset)
                prices.append(price_of(question, dataset, accuracy, wishes or Wishes()))
        except DiscreetError as problem:
            problems.append(problem)
    if problems and not prices:
        raise problems[0]
    return Worth(tuple(prices), dataset.budget.total.billionths, tuple(map(str, problems)))


def batch_of(
    path: str,
    dataset: Dataset,
    *,
    total: str | None,
    within: str | None,
    importance: str | None,
    **wishes: Any,
) -> BatchOrder:
    """The questions of a file, to be planned for a total, or at the least that they need."""
    asked = questions_in(path, None if within is None else Accuracy.of(within))
    usual = [Fraction(1)] * len(asked) if importance is None else read_importance(importance)
    if len(usual) != len(asked):
        raise GoalError(
            f"{named('importance')} must have one number for each of the {len(asked)} questions "
            f"of {show(path)}, got {show(importance)}"
        )
    wanted = [
        Wanted(
            question=one.read(dataset),
            accuracy=one.within,
            importance=weight if one.importance is None else one.importance,
            where=one.where,
        )
        for one, weight in zip(asked, usual, strict=True)
    ]
    return BatchOrder.of(wanted, total=total, **wishes)


def check_batch(question: str | None, epsilon: str | None) -> None:
    """Refuse what is for one question alone."""
    if question is not None:
        raise QuestionError(
            f"give a question or {named('batch')} FILE, not both: put {show(question)} in the file"
        )
    if epsilon is not None:
        raise QuestionError(
            f"{named('epsilon')} is for one question; with {named('batch')} give {named('total')}"
        )


def questions_in(path: str, usual: Accuracy | None = None) -> list[AskedFor]:
    """The questions of a file, with what their comments say of accuracy and importance."""
    if not path.strip():
        raise FileError(f"{named('batch')} needs the name of a file, got an empty one")
    text = text_of(path, "questions", holds="questions", encoding="utf-8-sig")
    found, line = [], 1
    for part in _BEGINS.split(text):
        begins = line + _SPACE.match(part)[0].count("\n")  # type: ignore[index]
        line += part.count("\n")
        sql = _COMMENT.sub("", part).strip().rstrip(";").strip()
        if sql:
            with standing(where := f"{show(path)}, line {begins}"):
                found.append(_question(sql, part, usual, where))
    if not found:
        raise QuestionError(
            f"there is no question in {show(path)}; each question must begin on a new line with "
            "SELECT"
        )
    return found


def _question(sql: str, text: str, usual: Accuracy | None, where: str) -> AskedFor:
    within, importance = _WITHIN.search(text), _IMPORTANCE.search(text)
    return AskedFor(
        sql=sql,
        within=usual if within is None else Accuracy.of(within[1]),
        importance=None if importance is None else read_importance(importance[1])[0],
        where=where,
    )
