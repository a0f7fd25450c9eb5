"""How far off a mechanism is: its loss by answer, on average and at worst, and how errors spread.

Quantiles are exact: "within 3 with 95 % probability". And what a reader with a prior makes of an
output, to be less far off (003 §3.1, formulas 25-26).
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
    Labels,
    Loss,
    LossLike,
    LossName,
    Mechanism,
    Prior,
    PriorLike,
    Space,
    category_of,
    numbers_of,
)

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_WORD = 2**62
_TIE = 1e-12
"""Costs that agree to this share of the largest are equal up to the rounding of floats."""


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
    return tuple(unit * steps for steps in _quantiles(errors.ravel(), weights.ravel(), shares))


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
    return tuple(unit * max(steps) for steps in zip(*by_answer, strict=True))


def _confidence(confidence: RationalLike) -> Fraction:
    share = rational(confidence, "a confidence", GoalError)
    if not 0 < share <= 1:
        raise GoalError(f"a confidence must be above 0 and at most 1, got {show(confidence)}")
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


def bayes_loss(
    mechanism: Mechanism,
    prior: PriorLike = "uniform",
    loss: LossLike = LossName.ABSOLUTE,
    *,
    onto: Space | None = None,
) -> float:
    """The expected loss after each output is replaced by the best reply to it.

    Σ_r min_f Σ_f' Pr(f')·Pr(r|f')·loss(f, f'), where f ranges over the answers, or over `onto`.
    """
    return float(_costs(mechanism, prior, loss, onto).min(axis=0).sum())


def bayes_absolute_error(mechanism: Mechanism, prior: PriorLike = "uniform") -> float:
    """Σ_r min_f Σ_f' Pr(f')·Pr(r|f')·|f − f'| with f, f' among the answers (003 (25)).

    As printed, (25) weighs an unnormalised posterior by Pr(r) once more; this is the expected
    absolute error of a Bayesian reader, which the text around it describes.
    """
    return bayes_loss(mechanism, prior, LossName.ABSOLUTE)


def bayes_squared_error(mechanism: Mechanism, prior: PriorLike = "uniform") -> float:
    """Σ_r min_f Σ_f' Pr(f')·Pr(r|f')·(f − f')² with f, f' among the answers (003 (26)).

    Read like (25): see `bayes_absolute_error`.
    """
    return bayes_loss(mechanism, prior, LossName.SQUARED)


def bayes_remap(
    mechanism: Mechanism,
    prior: PriorLike = "uniform",
    loss: LossLike = LossName.ABSOLUTE,
    *,
    onto: Space | None = None,
) -> Mechanism:
    """The mechanism that replies with the best answer (or element of `onto`) to each output.

    Rows of integers are added, so every promise that was kept still is: docs/proofs/bayes-remap.md.
    Among equally good replies the one nearest the output is taken, then the one nearest the
    middle, then the lower.

    Args:
        mechanism: The matrix.
        prior: What is believed of the answers: `"uniform"` or a probability for each.
        loss: What an error costs.
        onto: The replies to choose from; the answers, if left out.

    Returns:
        A mechanism over the replies that were chosen.

    Raises:
        GoalError: The prior or the loss does not fit the spaces.

    >>> from discreet.model import AllPairs, Grid
    >>> space = Grid.between(0, 2)
    >>> vague = Mechanism.of(space, space, AllPairs(), [[5, 4, 4], [4, 5, 4], [4, 4, 5]])
    >>> bayes_remap(vague).weights.tolist()
    [[0, 0, 0], [13, 13, 13], [0, 0, 0]]
    """
    replies = mechanism.answers if onto is None else onto
    chosen = _best_replies(mechanism, _costs(mechanism, prior, loss, onto), replies)
    weights = np.zeros((len(replies), len(mechanism.answers)), dtype=mechanism.weights.dtype)
    np.add.at(weights, chosen, mechanism.weights)
    notes = {**mechanism.notes, "remapped": {"loss": Loss.of(loss).name, "from": mechanism.name}}
    return Mechanism.of(
        mechanism.answers,
        replies,
        mechanism.neighbours,
        weights,
        name=f"{mechanism.name}, remapped",
        notes=notes,
    )


def _costs(mechanism: Mechanism, prior: PriorLike, loss: LossLike, onto: Space | None) -> Floats:
    """What each reply (rows) to each output (columns) adds to the expected loss."""
    replies = mechanism.answers if onto is None else onto
    joint = mechanism.probabilities() * Prior.of(prior).probabilities(len(mechanism.answers))
    return Loss.of(loss).matrix(replies, mechanism.answers) @ joint.T


def _best_replies(mechanism: Mechanism, costs: Floats, replies: Space) -> Indices:
    """For each output the index of its reply, ties settled without a preference for one side."""
    places = np.arange(len(replies))
    away = np.abs(2 * places - (len(replies) - 1))
    own = _own_replies(mechanism.outputs, replies)
    best = costs.min(axis=0) + _TIE * costs.max(axis=0)
    chosen = np.empty(costs.shape[1], dtype=np.int64)
    for output in range(costs.shape[1]):
        tied = np.flatnonzero(costs[:, output] <= best[output])
        order = np.lexsort((tied, away[tied], np.abs(tied - own[output])))
        chosen[output] = tied[order[0]]
    return chosen


def _own_replies(outputs: Space, replies: Space) -> Indices:
    """The reply that says what the output says, or the middle where labels have none."""
    if not isinstance(outputs, Labels) and not isinstance(replies, Labels):
        return np.array(category_of(replies, outputs))
    known = {value: place for place, value in enumerate(replies.values())}
    middle = (len(replies) - 1) // 2
    return np.array([known.get(value, middle) for value in outputs.values()])
