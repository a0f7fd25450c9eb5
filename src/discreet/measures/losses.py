"""How far off a mechanism is: its expected loss, answer by answer, on average and at worst."""

from typing import cast

import numpy as np
import numpy.typing as npt

from discreet.model import Goal, Loss, LossLike, LossName, Mechanism, PriorLike

Floats = npt.NDArray[np.float64]


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
