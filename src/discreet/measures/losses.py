"""How far off a mechanism is: its loss by answer, on average and at worst, and how errors spread.

Quantiles are exact: "within 3 with 95 % probability".
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import cast

import numpy as np
import numpy.typing as npt

from discreet.errors import GoalError
from discreet.exact import RationalLike, rational, show
from discreet.model import (
    Goal,
    Integers,
    Loss,
    LossLike,
    LossName,
    Mechanism,
    Prior,
    PriorLike,
    numbers_of,
)

Floats = npt.NDArray[np.float64]

_WORD = 2**62


def loss_by_answer(mechanism: Mechanism, loss: LossLike = LossName.ABSOLUTE) -> Floats:
    """The expected loss for each true answer, in the order of the answers.

    >>> from discreet.model import AllPairs, Grid
    >>> coin = Mechanism.of(Grid.between(0, 1), Grid.between(0, 1), AllPairs(), [[3, 1], [1, 3]])
    >>> loss_by_answer(coin).tolist()
    [0.25, 0.25]
    """
    costs = Loss.of(loss).matrix(mechanism.outputs, mechanism.answers)
    return cast("Floats", np.einsum("ij,ij->j", mechanism.probabilities(), costs))


def expected_loss(mechanism: Mechanism, goal: Goal | None = None) -> float:
    """The loss a goal speaks of: the mean under its prior, or that of the worst answer.

    Without a goal: the mean absolute error under a uniform prior.
    """
    wanted = Goal() if goal is None else goal
    losses = loss_by_answer(mechanism, wanted.loss)
    if wanted.worst_case:
        return float(losses.max())
    return float(wanted.prior.probabilities(len(losses)) @ losses)


def worst_case_loss(mechanism: Mechanism, loss: LossLike = LossName.ABSOLUTE) -> float:
    """The expected loss of the true answer that fares worst (minimax designs minimise it)."""
    return float(loss_by_answer(mechanism, loss).max())


def expected_absolute_error(mechanism: Mechanism, prior: PriorLike = "uniform") -> float:
    """Σ_f Pr(f) Σ_r Pr(r|f)·|r − f|, taking outputs at face value (003 (23))."""
    return expected_loss(mechanism, Goal.of(LossName.ABSOLUTE, prior))


def expected_squared_error(mechanism: Mechanism, prior: PriorLike = "uniform") -> float:
    """Σ_f Pr(f) Σ_r Pr(r|f)·(r − f)², taking outputs at face value (003 (24))."""
    return expected_loss(mechanism, Goal.of(LossName.SQUARED, prior))


def error_quantile(
    mechanism: Mechanism, confidence: RationalLike = "0.95", prior: PriorLike = "uniform"
) -> Fraction:
    """The smallest t with Pr(|output − answer| ≤ t) ≥ confidence, for an answer from the prior.

    >>> from discreet.model import AllPairs, Grid
    >>> coin = Mechanism.of(Grid.between(0, 1), Grid.between(0, 1), AllPairs(), [[3, 1], [1, 3]])
    >>> error_quantile(coin, "0.75"), error_quantile(coin, "0.76")
    (Fraction(0, 1), Fraction(1, 1))
    """
    return error_quantiles(mechanism, [confidence], prior)[0]


def error_quantiles(
    mechanism: Mechanism, confidences: Iterable[RationalLike], prior: PriorLike = "uniform"
) -> tuple[Fraction, ...]:
    """The `error_quantile` of each confidence, for the work of one."""
    shares = [_confidence(confidence) for confidence in confidences]
    errors, unit = _errors(mechanism)
    weights = mechanism.weights.astype(object) * _whole(prior, len(mechanism.answers))
    return tuple(unit * found for found in _quantiles(errors.ravel(), weights.ravel(), shares))


def worst_error_quantile(mechanism: Mechanism, confidence: RationalLike = "0.95") -> Fraction:
    """The smallest t with Pr(|output − answer| ≤ t) ≥ confidence whatever the true answer is."""
    return worst_error_quantiles(mechanism, [confidence])[0]


def worst_error_quantiles(
    mechanism: Mechanism, confidences: Iterable[RationalLike]
) -> tuple[Fraction, ...]:
    """The `worst_error_quantile` of each confidence, for the work of one."""
    shares = [_confidence(confidence) for confidence in confidences]
    errors, unit = _errors(mechanism)
    weights = mechanism.weights.astype(object)
    by_answer = [
        _quantiles(errors[:, j], weights[:, j], shares) for j in range(len(mechanism.answers))
    ]
    return tuple(unit * max(found) for found in zip(*by_answer, strict=True))


def _confidence(confidence: RationalLike) -> Fraction:
    share = rational(confidence, "a confidence", GoalError)
    if not 0 < share <= 1:
        raise GoalError(f"a confidence lies above 0 and is at most 1, got {show(confidence)}")
    return share


def _errors(mechanism: Mechanism) -> tuple[Integers, Fraction]:
    """|output − answer| in whole units, and the unit."""
    outputs = numbers_of(mechanism.outputs, "an error quantile").values()
    answers = numbers_of(mechanism.answers, "an error quantile").values()
    parts = math.lcm(*(value.denominator for value in outputs + answers))
    rows = np.array([int(value * parts) for value in outputs], dtype=object)
    columns = np.array([int(value * parts) for value in answers], dtype=object)
    errors: Integers = np.abs(rows[:, None] - columns[None, :])
    return (errors.astype(np.int64) if errors.max() < _WORD else errors), Fraction(1, parts)


def _whole(prior: PriorLike, size: int) -> Integers:
    """The prior as whole numbers in exact proportion to its floats."""
    weights = Prior.of(prior)
    if weights.is_uniform:
        return np.ones(size, dtype=object)
    shares = [Fraction(float(share)) for share in weights.probabilities(size)]
    parts = math.lcm(*(share.denominator for share in shares))
    return np.array([int(share * parts) for share in shares], dtype=object)


def _quantiles(errors: Integers, weights: Integers, shares: list[Fraction]) -> list[int]:
    order = np.argsort(errors, kind="stable")
    reached = np.add.accumulate(weights[order])
    wanted = [math.ceil(share * reached[-1]) for share in shares]
    return [int(errors[order[np.searchsorted(reached, least)]]) for least in wanted]
