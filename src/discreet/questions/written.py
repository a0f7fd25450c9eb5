"""Questions read back from the plain JSON values that ledgers keep them in."""

from typing import Any

from discreet.errors import QuestionError
from discreet.questions.conditions import AllOf, AnyOf, Condition, InRange, Not, OneOf
from discreet.questions.question import Bins, Item, Question
from discreet.statistics import NAMES


def question_from_dict(data: Any) -> Question:
    """The question that `Question.to_dict` wrote; its statistics have no labels.

    Raises:
        ValueError: This is no such question, or one that this version would write otherwise.
    """
    try:
        question = Question(
            tuple(_item(one) for one in data["statistics"]),
            _condition(data["where"]),
            _groups(data["group_by"]),
            tuple(tuple(one) for one in data.get("totals", ())),
        )
    except (KeyError, TypeError, AttributeError, IndexError, QuestionError):
        raise ValueError("no question") from None
    if question.to_dict() != data:
        raise ValueError("a question in an older form")
    return question


def is_written(question: Question, data: Any) -> bool:
    """Whether plain JSON values are those of this question, by this version or an older one.

    Older ones wrote IN ('A') as any of one.
    """
    return bool(_plain(data) == _plain(question.to_dict()))


def _plain(data: Any) -> Any:
    """The values, with a condition in place of all or any of it alone."""
    match data:
        case {"any": [alone]} | {"all": [alone]}:
            return _plain(alone)
        case dict():
            return {key: _plain(one) for key, one in data.items()}
        case list():
            return [_plain(one) for one in data]
    return data


def _item(data: dict[str, Any]) -> Item:
    words = NAMES[data["kind"]]
    needed = words.parameter
    parameter = None if needed is None else needed.read(data[needed.key])
    return Item(
        statistic=words.make(parameter),
        column=data["column"],
        condition=_condition(data["condition"]),
        second=data.get("second"),
    )


def _condition(data: Any) -> Condition:
    match data:
        case {"within": [str(column), int(first), int(last)]}:
            return InRange(column, first, last)
        case {"one_of": [str(column), *indices]}:
            return OneOf(column, tuple(indices))
        case {"not": inner}:
            return Not(_condition(inner))
        case {"all": list(parts)}:
            return AllOf(tuple(map(_condition, parts)))
        case {"any": list(parts)}:
            return AnyOf(tuple(map(_condition, parts)))
    raise ValueError("no condition")


def _groups(data: Any) -> tuple[Bins, ...]:
    if data is None:
        return ()
    listed = [data] if isinstance(data[0], str) else data
    return tuple(_bins(*one) for one in listed)


def _bins(column: str, width: int, more: dict[str, Any] | None = None) -> Bins:
    known = more or {}
    return Bins(column, width, tuple(known.get("edges", ())), bool(known.get("running", False)))
