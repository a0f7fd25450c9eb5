"""Several questions in a text, each with what its comments say of it; and such as are expected."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.errors import DiscreetError, GoalError, InvalidInput, QuestionError, named, standing
from discreet.exact import Epsilon, show
from discreet.planning import Accuracy, Worth, price_of, typical_questions
from discreet.planning.batch import Wanted
from discreet.planning.wishes import read_importance
from discreet.planning.worth import USUAL_ACCURACY
from discreet.requests.batch import BatchOrder, read_own
from discreet.requests.comments import said_of, without_comments
from discreet.requests.order import read_question, read_wishes
from discreet.tables import Dataset

_BEGINS = re.compile(r"^(?=\s*SELECT\b)", re.I | re.M)
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class QuestionFile:
    """A text of questions, and what it is called in messages."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class AskedFor:
    """One of several questions, and what is said of it."""

    sql: str
    epsilon: Epsilon | None = None
    within: Accuracy | None = None
    importance: Fraction | None = None
    where: str = field(default="", compare=False)
    """The file and the line that it begins on, for messages."""


def read_batch(
    file: QuestionFile,
    dataset: Dataset,
    *,
    total: str | None,
    within: str | None,
    importance: str | None,
    **wishes: Any,
) -> BatchOrder:
    """The questions of a file, to be planned for a total, or at the least that they need."""
    asked = questions_in(file, None if within is None else Accuracy.of(within))
    usual = [Fraction(1)] * len(asked) if importance is None else read_importance(importance)
    if len(usual) != len(asked):
        raise GoalError(
            f"{named('importance')} must have one number for each of the {len(asked)} questions "
            f"of {show(file.name)}, got {show(importance)}"
        )
    wanted = [
        Wanted(
            question=read_question(one.sql, dataset, where=one.where),
            epsilon=one.epsilon,
            accuracy=one.within,
            importance=weight if one.importance is None else one.importance,
            where=one.where,
        )
        for one, weight in zip(asked, usual, strict=True)
    ]
    return BatchOrder.of(wanted, total=total, **wishes)


def read_expected(
    dataset: Dataset,
    questions: Sequence[str],
    within: Sequence[str],
    file: QuestionFile | None = None,
) -> list[AskedFor]:
    """Questions that are expected, each with how far off its answers may be."""
    if len(within) > 1 and len(within) != len(questions):
        raise InvalidInput(
            f"give {named('within')} once, or once for each question, got {len(within)} for "
            f"{len(questions)} questions"
        )
    usual = Accuracy.of(within[-1] if len(within) == 1 else USUAL_ACCURACY)
    accuracies = (
        [Accuracy.of(one) for one in within] if len(within) > 1 else [usual] * len(questions)
    )
    several = len(questions) > 1 or file is not None
    asked_for = [
        AskedFor(sql=sql, within=own, where=f"question {place}, {show(sql)}" if several else "")
        for place, (sql, own) in enumerate(zip(questions, accuracies, strict=True), 1)
    ]
    if file is not None:
        asked_for += questions_in(file, usual)
    if not asked_for:
        asked_for = [AskedFor(sql=sql, within=usual) for sql in typical_questions(dataset)]
    return asked_for


def worth_expected(asked: Sequence[AskedFor], dataset: Dataset, confidence: str) -> Worth:
    """What the declared budget buys of these questions, but for those that cannot be asked.

    Raises:
        DiscreetError: None of them can; what is wrong with the first is told.
    """
    wishes, prices, problems = read_wishes({"confidence": confidence}), [], []
    for one in asked:
        accuracy = one.within or Accuracy.of(USUAL_ACCURACY)
        try:
            question = read_question(one.sql, dataset, where=one.where)
            with standing(one.where):
                prices.append(price_of(question, dataset, accuracy, wishes))
        except DiscreetError as problem:
            problems.append(problem)
    if problems and not prices:
        raise problems[0]
    return Worth(tuple(prices), dataset.budget.total.billionths, tuple(map(str, problems)))


def questions_in(file: QuestionFile, usual: Accuracy | None = None) -> list[AskedFor]:
    """The questions of a text, with what their comments say of ε, accuracy and importance."""
    questions, line = [], 1
    for part in _BEGINS.split(file.text):
        begins = line + _SPACE.match(part)[0].count("\n")  # type: ignore[index]
        said = said_of(part, file.name, line)
        line += part.count("\n")
        sql = without_comments(part).strip().rstrip(";").strip()
        if sql:
            with standing(where := f"{show(file.name)}, line {begins}"):
                questions.append(_question(sql, said, usual, where))
    if not questions:
        raise QuestionError(
            f"there is no question in {show(file.name)}; each question must begin on a new line "
            "with SELECT"
        )
    return questions


def _question(sql: str, said: Mapping[str, str], usual: Accuracy | None, where: str) -> AskedFor:
    own, weight = read_own(said.get("epsilon"), said.get("within")), said.get("importance")
    if not said.keys() & {"epsilon", "within"}:
        own["accuracy"] = usual
    return AskedFor(
        sql=sql,
        epsilon=own["epsilon"],
        within=own["accuracy"],
        importance=None if weight is None else read_importance(weight)[0],
        where=where,
    )
