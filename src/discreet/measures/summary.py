"""Every measure of a mechanism on one page."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.certifier import tight_epsilon
from discreet.errors import SpaceError
from discreet.measures.information import min_entropy_leakage, mutual_information
from discreet.measures.losses import (
    bayes_loss,
    error_quantiles,
    expected_loss,
    worst_case_loss,
    worst_error_quantiles,
)
from discreet.measures.property_checks import Properties, properties
from discreet.measures.testing import total_variation
from discreet.model import Goal, Labels, LossName, Mechanism, Prior, PriorLike

CONFIDENCES = ("0.5", "0.9", "0.95", "0.99")
LOSSES = tuple(LossName)


@dataclass(frozen=True)
class Losses:
    """One loss, three ways: at face value, for the worst answer, after the Bayes remap."""

    expected: float
    worst_case: float
    bayes: float


@dataclass(frozen=True)
class ErrorQuantile:
    """With this probability the error is at most `within`, and `worst` whatever the answer is."""

    confidence: str
    within: Fraction
    worst: Fraction


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What can be measured of a mechanism; losses and quantiles that need numbers are left out."""

    losses: dict[str, Losses]
    error_quantiles: tuple[ErrorQuantile, ...]
    properties: Properties
    tight_epsilon: float
    """The smallest ε that the matrix keeps, to a float's precision; infinite when none will do."""
    total_variation: Fraction
    least_test_errors: Fraction
    """The least sum of both error rates of a test between neighbours: 1 − total variation."""
    mutual_information: float
    min_entropy_leakage: float

    def to_dict(self) -> dict[str, Any]:
        """The measures as plain JSON values; an infinite ε is null."""
        finite = self.tight_epsilon < float("inf")
        return {
            "losses": {
                name: {
                    "expected": loss.expected,
                    "worst_case": loss.worst_case,
                    "bayes": loss.bayes,
                }
                for name, loss in self.losses.items()
            },
            "error_quantiles": [
                {
                    "confidence": entry.confidence,
                    "within": str(entry.within),
                    "worst": str(entry.worst),
                }
                for entry in self.error_quantiles
            ],
            "properties": {
                name: {"holds": verdict.holds, "counterexample": verdict.counterexample}
                for name, verdict in self.properties.items()
            },
            "tight_epsilon": self.tight_epsilon if finite else None,
            "total_variation": float(self.total_variation),
            "least_test_errors": float(self.least_test_errors),
            "mutual_information_bits": self.mutual_information,
            "min_entropy_leakage_bits": self.min_entropy_leakage,
        }


def measure(mechanism: Mechanism, prior: PriorLike = "uniform") -> Measures:
    """Measure a mechanism under a prior.

    Args:
        mechanism: The matrix.
        prior: `"uniform"`, or a probability for each answer.

    Returns:
        Expected errors, worst cases and information.

    Raises:
        GoalError: The prior is not a distribution over the answers.

    >>> from discreet.model import AllPairs, Grid
    >>> coin = Mechanism.of(Grid.between(0, 1), Grid.between(0, 1), AllPairs(), [[3, 1], [1, 3]])
    >>> measure(coin).losses["absolute"]
    Losses(expected=0.25, worst_case=0.25, bayes=0.25)
    """
    known = Prior.of(prior)
    distance = total_variation(mechanism)
    return Measures(
        losses=_losses(mechanism, known),
        error_quantiles=_quantiles(mechanism, known),
        properties=properties(mechanism),
        tight_epsilon=float(tight_epsilon(mechanism)),
        total_variation=distance,
        least_test_errors=1 - distance,
        mutual_information=mutual_information(mechanism, known),
        min_entropy_leakage=min_entropy_leakage(mechanism, known),
    )


def _losses(mechanism: Mechanism, prior: Prior) -> dict[str, Losses]:
    losses: dict[str, Losses] = {}
    for loss in LOSSES:
        try:
            losses[loss] = Losses(
                expected_loss(mechanism, Goal.of(loss, prior)),
                worst_case_loss(mechanism, loss),
                bayes_loss(mechanism, prior, loss),
            )
        except SpaceError:
            continue
    return losses


def _quantiles(mechanism: Mechanism, prior: Prior) -> tuple[ErrorQuantile, ...]:
    if isinstance(mechanism.answers, Labels) or isinstance(mechanism.outputs, Labels):
        return ()
    within = error_quantiles(mechanism, CONFIDENCES, prior)
    worst = worst_error_quantiles(mechanism, CONFIDENCES)
    return tuple(map(ErrorQuantile, CONFIDENCES, within, worst))
