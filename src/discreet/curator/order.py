"""An order: a question with the ε (or the accuracy) and the wishes it is asked with."""

from dataclasses import dataclass, field
from typing import Any

from discreet.curator.arguments import fitting
from discreet.errors import QuestionError
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.planning import Wishes
from discreet.questions import Question

_NO_WISHES = Wishes()


@dataclass(frozen=True)
class Order:
    """What an analyst wants: exactly one of `epsilon` and `within` is said."""

    question: Question
    epsilon: Epsilon | None = None
    within: str | None = None
    wishes: Wishes = field(default_factory=Wishes)

    @classmethod
    @fitting
    def of(
        cls,
        question: Question,
        *,
        epsilon: "EpsilonLike | None" = None,
        within: "RationalLike | None" = None,
        **wishes: Any,
    ) -> "Order":
        """Read and check what people write; the wishes are those of `Wishes.of`.

        Args:
            question: What is asked.
            epsilon: ε to spend on the whole question.
            within: How far off answers may be, instead of an ε.
            wishes: What `Wishes.of` takes.

        Returns:
            The order.

        Raises:
            QuestionError: Not exactly one of ε and `within` is given.
        """
        if not isinstance(question, Question):
            raise QuestionError(
                f"an order has a question, got {show(question)}; read one with Curator.question"
            )
        if epsilon is not None and within is not None:
            raise QuestionError("say epsilon or within, not both: each follows from the other")
        if epsilon is None and within is None:
            raise QuestionError(
                "ε is never assumed: say epsilon, or within (how far off an answer may be)"
            )
        return cls(
            question,
            None if epsilon is None else Epsilon.of(epsilon),
            None if within is None else _distance(within),
            Wishes.of(**wishes) if wishes else _NO_WISHES,
        )

    def request(self) -> dict[str, Any]:
        """What was asked for besides the question, as plain JSON values."""
        epsilon = None if self.epsilon is None else str(self.epsilon)
        return {"epsilon": epsilon, "within": self.within, "wishes": self.wishes.to_dict()}


def _distance(within: RationalLike) -> str:
    exact = rational(within, "within")
    try:
        return str(exact)
    except ValueError:
        raise QuestionError(
            f"within is how far off an answer may be, got {show(within)}; say less"
        ) from None


def checked_order(given: Order) -> Order:
    """An order, or a QuestionError that says how to make one."""
    if not isinstance(given, Order):
        raise QuestionError(
            f"a curator takes an order, got {show(given)}; make one with "
            'Order.of(question, epsilon="0.5")'
        )
    return given
