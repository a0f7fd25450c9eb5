"""The mechanisms of 003 §4.1 and ours beside them, each made for any question, ε and outputs."""

from collections.abc import Callable
from dataclasses import dataclass

from discreet.designer import Query, design
from discreet.measures import (
    bayes_absolute_error,
    bayes_squared_error,
    expected_absolute_error,
    expected_squared_error,
    worst_case_loss,
)
from discreet.mechanisms import build
from discreet.model import Goal, Mechanism, Space

Make = Callable[[Query, str, Space | None], Mechanism]

PAPER, OURS = "paper", "ours"


@dataclass(frozen=True)
class Entrant:
    """A mechanism under the name that figures give it."""

    label: str
    style: str
    make: Make


@dataclass(frozen=True, kw_only=True)
class LineupLosses:
    """003 (23) to (26), and the absolute error of the answer that fares worst."""

    absolute: float
    bayes_absolute: float
    squared: float
    bayes_squared: float
    worst: float

    @classmethod
    def of(cls, mechanism: Mechanism) -> "LineupLosses":
        """Measure a mechanism under a uniform prior."""
        return cls(
            absolute=expected_absolute_error(mechanism),
            bayes_absolute=bayes_absolute_error(mechanism),
            squared=expected_squared_error(mechanism),
            bayes_squared=bayes_squared_error(mechanism),
            worst=worst_case_loss(mechanism),
        )


MEASURES = {
    "absolute": "expected absolute error",
    "bayes_absolute": "expected absolute error, Bayesian reader",
    "squared": "expected squared error",
    "bayes_squared": "expected squared error, Bayesian reader",
    "worst": "absolute error of the worst answer",
}
"""What each loss is called; the first four are 003 (23), (25), (24), (26)."""

FACE_VALUE = ("absolute", "squared")
POST_PROCESSED = ("bayes_absolute", "bayes_squared")
PRINTED = ("absolute", "bayes_absolute")
"""The measures that the paper's figures show; it leaves the squared ones out."""


def _family(name: str) -> Make:
    return lambda query, epsilon, outputs: build(
        name, query.answers, query.neighbours, epsilon, outputs=outputs
    )


def _designed(goal: Goal | None = None, requirements: str | None = None) -> Make:
    return lambda query, epsilon, outputs: (
        design(
            query.answers, query.neighbours, epsilon, goal, requirements, outputs=outputs
        ).mechanism
    )


LAPLACE = Entrant("Laplace, snapped", PAPER, _family("laplace"))
STAIRCASE = Entrant("staircase, snapped", PAPER, _family("staircase"))
NORMALIZED = Entrant("normalized Laplace", PAPER, _family("normalized-laplace"))
VARIANT_1 = Entrant("LP Variant 1", PAPER, _designed())
VARIANT_2 = Entrant("LP Variant 2", PAPER, _designed(requirements="all"))
UNIFORM = Entrant("uniform", PAPER, _family("uniform"))
EXPLICIT_FAIR = Entrant("explicit fair", OURS, _family("explicit-fair"))
FOR_SQUARES = Entrant("best for squared error", OURS, _designed(Goal.of("squared")))
WORST_CASE = Entrant("best worst case", OURS, _designed(Goal.of("absolute", worst_case=True)))

SNAPPED = (LAPLACE, STAIRCASE)
RIVALS = (LAPLACE, STAIRCASE, NORMALIZED)
"""What the paper compares its programs with."""
THE_PAPERS = (*RIVALS, VARIANT_1, VARIANT_2)
