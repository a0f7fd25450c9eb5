"""R.1 and R.3 of a mechanism kept as rays, in integers (docs/proofs/ray-integers.md).

A ray at an answer d steps from its interval stands on rung ⌈d/Δ⌉ of its ladder, and answers within
Δ steps of one another stand on the same rung or on the next: so the rows keep every ratio when each
rung is at most e^ε times the next one, and the spare row does when its windows do.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.certify.columns import is_sealed
from discreet.certify.windows import sliding
from discreet.errors import MechanismError
from discreet.model import Graph, RayBlocks, RayMechanism, Within
from discreet.model.ray_blocks import Words

_HALF = 31
_LOW = (1 << _HALF) - 1
_MOST_RAYS = 1 << 30
"""So many halves of a word, of 32 bits at most, add up to less than a machine word."""


def check_ray_columns(mechanism: RayMechanism) -> None:
    """Raise MechanismError unless every column is a distribution over frozen whole numbers."""
    blocks = mechanism.blocks
    if type(blocks) is not RayBlocks:
        raise MechanismError(f"{mechanism!r} has rays of no known kind; use RayMechanism.of")
    arrays = [mechanism.ladders, *(getattr(blocks, name) for name in vars(blocks))]
    if not all(is_sealed(array) for array in (*arrays, mechanism.spare)):
        raise MechanismError(f"the rays of {mechanism!r} can still change; use RayMechanism.of")
    inside = (
        (blocks.first >= 0)
        & (blocks.length >= 1)
        & (blocks.count >= 1)
        & (blocks.first + blocks.length + blocks.count - 1 <= len(mechanism.answers))
        & (blocks.output >= 0)
        & (blocks.stride >= 0)
        & (blocks.output + (blocks.count - 1) * blocks.stride < len(mechanism.outputs))
        & (blocks.ladder >= 0)
        & (blocks.ladder < len(mechanism.ladders))
    )
    if not inside.all() or (mechanism.ladders < 0).any():
        raise MechanismError(f"{mechanism!r} has rays that leave the line; use RayMechanism.of")
    if int(blocks.count.sum()) > _MOST_RAYS:
        raise MechanismError(f"{mechanism!r} has more than 2^30 rays; use fewer")
    if isinstance(mechanism.neighbours, Graph):
        raise MechanismError("rays need neighbours within some steps, or all pairs")
    if not 0 <= mechanism.spare_output < len(mechanism.outputs):
        raise MechanismError(f"{mechanism!r} has its spare row nowhere; use RayMechanism.of")
    spare = _left_over(mechanism)
    if spare is None or not np.array_equal(spare, mechanism.spare):
        raise MechanismError(f"{mechanism!r} has columns with another sum; use RayMechanism.of")


def ray_fault(mechanism: RayMechanism, ratio: Fraction) -> str | None:
    """What may break R.1 for ratio = p/q, in a few words; None when every ratio is kept."""
    p, q = ratio.numerator, ratio.denominator
    rungs = mechanism.ladders.astype(object)
    upper, lower = rungs[:, :-1], rungs[:, 1:]
    if (upper * q > lower * p).any() or (lower * q > upper * p).any():
        ladder, rung = np.argwhere((upper * q > lower * p) | (lower * q > upper * p))[0]
        return f"ladder {ladder} has too long a step from rung {rung} to the next"
    spare = mechanism.spare
    width = min(_steps(mechanism), len(spare) - 1) + 1
    largest = sliding(spare[None, :], width, np.maximum)[0]
    smallest = sliding(spare[None, :], width, np.minimum)[0]
    doubtful = ~_surely_kept(largest, smallest, ratio)
    broken = largest[doubtful].astype(object) * q > smallest[doubtful].astype(object) * p
    if broken.any():
        return f"the spare row breaks a ratio near answer {np.flatnonzero(doubtful)[broken][0]}"
    return None


def _steps(mechanism: RayMechanism) -> int:
    most = max(1, len(mechanism.answers) - 1)
    relation = mechanism.neighbours
    return min(relation.steps, most) if isinstance(relation, Within) else most


def _surely_kept(largest: Words, smallest: Words, ratio: Fraction) -> npt.NDArray[np.bool_]:
    """Where machine words already show it: largest ≤ (1 + 1/m)·smallest for 1 + 1/m ≤ ratio."""
    over = ratio.numerator - ratio.denominator
    part = -(-ratio.denominator // over)
    return largest - smallest <= smallest // min(part, 2**62)


def _left_over(mechanism: RayMechanism) -> Words | None:
    """What the rays leave of the total, column by column; None when they ask for more than it.

    A run of equal rays, one step apart each, adds up to the running sum of the first one's profile
    minus that of the one after the last. Weights are added in two halves, so no sum can overflow.
    """
    size, steps = len(mechanism.answers), _steps(mechanism)
    halves = np.zeros((2, size + 1), dtype=np.int64)
    tails = 0
    for ladder, length, first, count in _runs(mechanism):
        rungs = mechanism.ladders[ladder]
        tails += int(rungs[-1]) * count
        above = rungs[:-1] - rungs[-1]
        wing = np.repeat(above[1:], steps)
        middle = np.full(length if len(above) else 0, above[0] if len(above) else 0)
        profile = np.concatenate([wing[::-1], middle, wing])
        both = np.stack([profile >> _HALF, profile & _LOW])
        for begin, sign in ((first - len(wing), 1), (first + count - len(wing), -1)):
            hidden = min(max(0, -begin), len(profile))
            shown = both[:, hidden : max(hidden, size - begin)]
            at = begin + hidden
            halves[:, 0] += sign * both[:, :hidden].sum(axis=1)
            halves[:, at : at + shown.shape[1]] += sign * shown
    high, low = np.cumsum(halves[:, :size], axis=1)
    room = mechanism.total - tails
    if not 0 < mechanism.total <= 1 << 62 or high.max() > 1 << _HALF or room < 0:
        return None
    sums = (high << _HALF) + low
    return None if (sums > room).any() else room - sums


def _runs(mechanism: RayMechanism) -> list[tuple[int, int, int, int]]:
    """Ladder, length, first and count of the longest runs of equal rays one step apart."""
    blocks = mechanism.blocks
    order = np.lexsort((blocks.first, blocks.length, blocks.ladder))
    ladder, length, first, count = (
        array[order] for array in (blocks.ladder, blocks.length, blocks.first, blocks.count)
    )
    goes_on = (
        (ladder[1:] == ladder[:-1])
        & (length[1:] == length[:-1])
        & (first[1:] == first[:-1] + count[:-1])
    )
    starts = np.flatnonzero(np.concatenate([[True], ~goes_on])) if len(order) else order
    counts = np.add.reduceat(count, starts) if len(order) else count
    kept = np.stack([ladder[starts], length[starts], first[starts], counts], axis=1)
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in kept]
