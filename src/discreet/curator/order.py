"""An order: a question with the ε (or the accuracy) and the wishes it is asked with."""

from dataclasses import dataclass, field
from typing import Any

from discreet.errors import QuestionError
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational
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
    def of(
        cls,
        question: Question,
        *,
        epsilon: "EpsilonLike | None" = None,
        within: "RationalLike | None" = None,
        **wishes: Any,
    ) -> "Order":
        """Read and check what people write; the wishes are those of `Wishes.of`."""
        if epsilon is not None and within is not None:
            raise QuestionError("say epsilon or within, not both: each follows from the other")
        if epsilon is None and within is None:
            raise QuestionError(
                "ε is never assumed: say epsilon, or within (how far off an answer may be)"
            )
        return cls(
            question,
            None if epsilon is None else Epsilon.of(epsilon),
            None if within is None else str(rational(within, "within")),
            Wishes.of(**wishes) if wishes else _NO_WISHES,
        )

    def request(self) -> dict[str, Any]:
        """What was asked for besides the question, as plain JSON values."""
        epsilon = None if self.epsilon is None else str(self.epsilon)
        return {"epsilon": epsilon, "within": self.within, "wishes": self.wishes.to_dict()}
