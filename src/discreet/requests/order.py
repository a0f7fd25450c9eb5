"""An order: a question with the ε (or the accuracy) and the wishes it is asked with.

What belongs to a question is read here too: SQL, conditions, columns, shares of quantiles, numbers.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeGuard

from discreet.errors import InvalidInput, QuestionError, named, standing
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.lifetimes import HashedOnce
from discreet.planning import Accuracy, Wishes
from discreet.planning.settling import distance_of
from discreet.planning.wishes import read_confidence
from discreet.questions import (
    EVERY_ROW,
    Bins,
    Condition,
    Question,
    parse_columns,
    parse_condition,
    parse_sql,
    without_explain,
)
from discreet.requests.spaces import read_prior
from discreet.statistics import Rank
from discreet.tables import Dataset, Facts

_NO_WISHES = Wishes()
_KNOWN = tuple(inspect.signature(Wishes.of).parameters)


@dataclass(frozen=True)
class Order(HashedOnce):
    """What an analyst wants: exactly one of `epsilon` and `within` is given."""

    question: Question
    _: KW_ONLY
    epsilon: Epsilon | None = None
    within: Fraction | None = None
    wishes: Wishes = field(default_factory=Wishes)
    fresh: bool = field(default=False, compare=False)
    """Whether a new draw is paid for even where a stored release tells the answer."""
    explains: bool = field(default=False, compare=False)
    """Whether the plan alone is wanted, as EXPLAIN says: then nothing is charged."""

    __hash__ = HashedOnce.__hash__

    @classmethod
    def of(
        cls,
        question: Question,
        *,
        epsilon: "EpsilonLike | None" = None,
        within: RationalLike | None = None,
        fresh: bool = False,
        explains: bool = False,
        **wishes: Any,
    ) -> "Order":
        """Read and check what people write; the options are those of `Wishes.of`.

        Args:
            question: What is asked.
            epsilon: ε to spend on the whole question.
            within: How far off answers may be, instead of an ε.
            fresh: Whether to pay for a new draw even if a stored release contains the answer.
            explains: Whether the plan alone is wanted; such an order is never charged.
            wishes: What `Wishes.of` takes.

        Returns:
            The order.

        Raises:
            QuestionError: Not exactly one of ε and `within` is given.
            TypeError: There is no option of that name.
        """
        if not isinstance(question, Question):
            raise QuestionError(
                f"an order needs a question, got {show(question)}; make one with Curator.question"
            )
        wished = at_once(read_wishes(wishes) if wishes else _NO_WISHES, question)
        if epsilon is not None and within is not None:
            raise QuestionError(
                f"give {named('epsilon')} or {named('within')}, not both: each determines the other"
            )
        if epsilon is None and within is None:
            raise QuestionError(
                f"{named('epsilon')} is required, for example {named('epsilon', 1)}; or how "
                f"accurate the answer must be, for example {named('within', 5)}"
            )
        return cls(
            question,
            epsilon=None if epsilon is None else Epsilon.of(epsilon),
            within=None if within is None else _distance(within),
            wishes=wished,
            fresh=_flag(fresh),
            explains=explains,
        )

    @property
    def confidence(self) -> Fraction:
        """The requested confidence: with which probability each bound shown holds."""
        many = 1 if self.question.view is None else self.question.view.at_once
        return 1 - many * (1 - self.wishes.confidence)

    def request(self) -> dict[str, Any]:
        """What was asked for besides the question, as plain JSON values."""
        return {
            "epsilon": None if self.epsilon is None else str(self.epsilon),
            "within": None if self.within is None else str(self.within),
            "wishes": self.wishes.to_dict(),
        }


def at_once(wishes: Wishes, question: Question) -> Wishes:
    """The wishes with a confidence at which all bounds hold at once that one shown is made of."""
    many = 1 if question.view is None else question.view.at_once
    if many == 1:
        return wishes
    sure = 1 - (1 - wishes.confidence) / many
    return replace(wishes, confidence=read_confidence(sure))


def read_order(
    sql: str | None, facts: Facts, *, total: "EpsilonLike | None" = None, **given: Any
) -> Order:
    """The order that a question in SQL and fields of a request describe, as `Order.of` names them.

    EXPLAIN before it asks for the plan alone. An accuracy may be a share such as 5%: the order then
    has the ε that it costs. A total is for several questions, which are read elsewhere.
    """
    if total is not None:
        raise QuestionError(
            f"{named('total')} is for all questions of a file: add {named('batch')} FILE, or "
            f"give {named('epsilon')}"
        )
    if sql is None:
        raise QuestionError(
            f"a question is required, for example 'SELECT COUNT(*)'; or {named('batch')} FILE"
        )
    explains, question = read_explained(sql, lambda select: read_question(select, facts))
    within = given.get("within")
    if _is_share(within) and isinstance(facts, Dataset) and given.get("epsilon") is None:
        from discreet.planning import price_of  # noqa: PLC0415  it plans, as few orders need

        wishes = {name: one for name, one in given.items() if name in _KNOWN}
        price = price_of(question, facts, Accuracy.of(within), read_wishes(wishes))
        given = {**given, "within": None, "epsilon": Epsilon(max(price.cost, 1))}
    return Order.of(question, explains=explains, **given)


def checked_order(given: Order) -> Order:
    """An order, or a QuestionError that says how to make one."""
    if not isinstance(given, Order):
        raise QuestionError(
            f"a curator needs an order, got {show(given)}; make one with Order.of(question, "
            'epsilon="0.5")'
        )
    return given


def read_wishes(given: dict[str, Any]) -> Wishes:
    """The wishes; a prior may be text such as 0.2,0.8 wherever it comes from."""
    for name in given:
        if name not in _KNOWN:
            known = ", ".join(("epsilon", "within", *_KNOWN))
            raise TypeError(f"unexpected keyword argument {name!r}; arguments: {known}")
    for name in ("prior", "remap"):
        text = given.get(name)
        if isinstance(text, str) and "," in text:
            given = {**given, name: read_prior(text)}
    return Wishes.of(**given)


def _flag(fresh: object) -> bool:
    if not isinstance(fresh, bool):
        raise QuestionError(f"{named('fresh')} must be True or False, got {show(fresh)}")
    return fresh


def _is_share(within: object) -> TypeGuard[str]:
    return isinstance(within, str) and within.strip().endswith("%")


def _distance(within: RationalLike) -> Fraction:
    if _is_share(within):
        raise QuestionError(
            f"{named('within')} must be a distance here, such as {named('within', 5)}, got "
            f"{show(within)}; shares work on the command line and in batches"
        )
    return distance_of(within)


def read_number(given: object, field: str, error: type[InvalidInput] = InvalidInput) -> Fraction:
    """A number of a request, exactly; an error names its field.

    >>> read_number("0.1", "within")
    Fraction(1, 10)
    """
    return rational(given, named(field), error)


def read_question(sql: str, facts: Facts, *, where: str = "") -> Question:
    """A question in SQL; an error says where it stands, if it has a place."""
    with standing(where):
        return parse_sql(sql, facts)


def read_explained(sql: str, read: Callable[[str], Question]) -> tuple[bool, Question]:
    """Whether a line of SQL asks for the plan alone, as EXPLAIN does, and the question in it."""
    explains, select = without_explain(sql)
    return explains, read(select)


def read_condition(given: str | None, facts: Facts) -> Condition:
    """A condition in SQL; none is met by every row."""
    if given is None:
        return EVERY_ROW
    if not isinstance(given, str):
        raise QuestionError(
            f'a condition must be text in SQL, such as "age >= 18", got {show(given)}'
        )
    return parse_condition(given, facts)


def read_columns(text: str, facts: Facts) -> tuple[Bins, ...]:
    """Columns as GROUP BY takes them, such as `clinic, BIN(age, 10)`."""
    return parse_columns(text, facts)


def read_quantile(given: RationalLike) -> Rank:
    """The quantile at or below which this share of the rows lies."""
    return Rank(rational(given, "the p of a quantile", QuestionError))


def read_quantiles(given: "Sequence[RationalLike]") -> tuple[Rank, ...]:
    """One quantile for each share of a list."""
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise QuestionError(f"quantiles needs shares, such as [0.25, 0.5, 0.75], got {show(given)}")
    return tuple(map(read_quantile, given))
