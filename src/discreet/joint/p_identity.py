"""Strategies that are found by descent: every cell, and a few weighted sums of all of them.

McKenna, Miklau, Hay & Machanavajjhala 2018 (HDMM), here rounded to whole numbers. Floats propose:
what was found is certified, and its error worked out, from the whole numbers.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
_Cost = Callable[[Floats], tuple[float, Floats]]

_FINE = 128
"""A column's weights sum to about this."""
_STEPS = 150
_MEMORY = 10
_STILL = 1e-9
_CURVED = 1e-12


def p_identity(gram: Floats, sums: int) -> Whole | None:
    """A matrix of whole numbers for a workload of this Gram matrix; None where rounding fails."""
    cells = len(gram)
    best = _descend(lambda roots: _cost(roots, gram), _start(sums, cells))
    weights = np.square(best)
    whole = np.rint(_FINE * np.vstack([np.eye(cells), weights]) / (1 + weights.sum(axis=0)))
    if (np.diag(whole) < 1).any():
        return None
    return np.asarray(whole, dtype=np.int64)


def _start(sums: int, cells: int) -> Floats:
    """Each sum begins with the cells of a block, and a little of all others."""
    middles = (np.arange(sums) + 0.5) * cells / sums
    away = (np.arange(cells) + 0.5 - middles[:, None]) * sums / (0.6 * cells)
    return np.asarray(np.exp(-(away**4) / 2) + 0.08)


def _cost(roots: Floats, gram: Floats) -> tuple[float, Floats]:
    """Σ of squared errors for a norm of 1, and its slope; weights are squares of the roots."""
    weights = np.square(roots)
    norms = 1 + weights.sum(axis=0)
    inner = np.linalg.inv(np.eye(len(weights)) + weights @ weights.T)
    inverse = np.eye(len(norms)) - weights.T @ inner @ weights
    scaled = norms[:, None] * gram * norms
    slope = -2 * weights @ (inverse @ scaled @ inverse) + 2 * (inverse * gram) @ norms
    return float((inverse * scaled).sum()), 2 * roots * slope


def _descend(cost: _Cost, place: Floats) -> Floats:
    """L-BFGS (Nocedal 1980), with steps halved until they help."""
    value, slope = cost(place)
    moves: list[tuple[Floats, Floats]] = []
    for _ in range(_STEPS):
        direction = _direction(slope, moves)
        step = 1.0
        while True:
            moved = place - step * direction
            after, bent = cost(moved)
            if after <= value - 1e-4 * step * float((slope * direction).sum()) or step < 1e-10:
                break
            step /= 2
        move, bend = moved - place, bent - slope
        if float((move * bend).sum()) > _CURVED:
            moves = [*moves, (move, bend)][-_MEMORY:]
        gained, place, value, slope = value - after, moved, after, bent
        if gained < _STILL * value:
            break
    return place


def _direction(slope: Floats, moves: list[tuple[Floats, Floats]]) -> Floats:
    if not moves:
        return slope * (0.01 / max(float(np.abs(slope).max()), 1e-300))
    direction, taken = slope.copy(), []
    for move, bend in reversed(moves):
        taken.append(float((move * direction).sum() / (move * bend).sum()))
        direction -= taken[-1] * bend
    move, bend = moves[-1]
    direction *= float((move * bend).sum() / np.square(bend).sum())
    for (move, bend), share in zip(moves, reversed(taken), strict=True):
        direction += (share - float((bend * direction).sum() / (move * bend).sum())) * move
    return direction
