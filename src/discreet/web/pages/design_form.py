"""The workbench's form: what a query string says, as a design to ask for and as a link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import NeighboursError
from discreet.exact import show
from discreet.model import LossName
from discreet.web.bodies import DesignBody, check

LOSSES = {
    LossName.ABSOLUTE: "absolute error",
    LossName.SQUARED: "squared error",
    LossName.ZERO_ONE: "zero-one (right or wrong)",
}
_LONGEST = 2_000


@dataclass(frozen=True, kw_only=True)
class DesignForm:
    """A space, a relation, an ε, a goal and requirements, as text."""

    kind: str = "numbers"
    low: str = "1"
    high: str = "5"
    step: str = "1"
    labels: str = "no, yes"
    relation: str = "all"
    steps: str = "1"
    epsilon: str = "1"
    loss: str = LossName.ABSOLUTE
    goal: str = "uniform"
    prior: str = ""
    require: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Sequence[str]]) -> "DesignForm":
        """Read a form; what it leaves out is the median of a Likert question."""
        usual = cls()
        texts = {
            name: given[name][0][:_LONGEST].strip()
            for name in _FIELDS
            if given.get(name) and name != "require"
        }
        return cls(
            **{**{name: getattr(usual, name) for name in _FIELDS if name != "require"}, **texts},
            require=tuple(given.get("require", ()))[:10],
        )

    @property
    def is_words(self) -> bool:
        """Whether the answers are words."""
        return self.kind == "labels"

    def wanted(self) -> DesignBody:
        """What to ask the service for; errors say in one sentence what does not fit."""
        body: dict[str, Any] = {
            "epsilon": self.epsilon,
            "neighbours": "all" if self.relation == "all" or self.is_words else self._steps(),
            "loss": LossName.ZERO_ONE if self.is_words else self.loss,
            "worst_case": self.goal == "worst",
            "require": ",".join(self.require),
        }
        if self.goal == "prior":
            body["prior"] = [word.strip() for word in self.prior.split(",") if word.strip()]
        if self.is_words:
            body["labels"] = [word.strip() for word in self.labels.split(",") if word.strip()]
        else:
            body |= {"low": self.low, "high": self.high, "step": self.step}
        return check(DesignBody, body)

    def fields(self) -> list[tuple[str, str]]:
        """Everything as names and values: a link that says it all."""
        fields = [(name, getattr(self, name)) for name in _FIELDS if name != "require"]
        return [*fields, *(("require", name) for name in self.require)]

    def _steps(self) -> int:
        word = self.steps
        if not (word.isascii() and word.isdigit() and 1 <= len(word) <= 9 and int(word) >= 1):
            raise NeighboursError(f"steps must be a whole number, at least 1, got {show(word)}")
        return int(word)


_FIELDS = tuple(DesignForm.__dataclass_fields__)
