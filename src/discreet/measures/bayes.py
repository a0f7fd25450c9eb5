"""What a reader with a prior makes of an output (003 §3.1, formulas 25–26)."""

import numpy as np
import numpy.typing as npt

from discreet.model import (
    Labels,
    Loss,
    LossLike,
    LossName,
    Mechanism,
    Prior,
    PriorLike,
    Space,
    category_of,
)

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_TIE = 1e-12
"""Costs that agree to this share of the largest are equal up to the rounding of floats."""


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
