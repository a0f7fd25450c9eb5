"""R.1 and R.3 of a mechanism kept as rays, in integers (docs/proofs/ray-integers.md).

A ray at an answer d steps from its interval stands on rung ⌈d/Δ⌉ of its ladder, and answers within
Δ steps of one another stand on the same rung or on the next: so the rows keep every ratio when each
rung is at most e^ε times the next one, and the spare row does when its windows do.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.certifier.conditions import is_sealed, sliding
from discreet.errors import MechanismError
from discreet.model import Graph, RayBlocks, RayMechanism, Within
from discreet.model.ray_mechanism import Words

_HALF = 31
_LOW = (1 << _HALF) - 1
_WORD = (1 << 32) - 1
_LADDERS = 4_096
_CELLS = 2_000_000
_MOST_RAYS = 1 << 30
"""So many halves of a word, of 32 bits at most, add up to less than a machine word."""
_MOST_FALLS = 1 << 31
"""So many falls from rung to rung, in halves of 31 bits, add up to at most 2^62."""


def check_ray_columns(mechanism: RayMechanism) -> None:
    """Raise MechanismError unless every column is a distribution over frozen whole numbers."""
    blocks = mechanism.blocks
    if type(blocks) is not RayBlocks:
        raise MechanismError(f"{mechanism!r} has an unknown kind of rays; use RayMechanism.of")
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
        raise MechanismError("rays need neighbours within a number of steps, or all pairs")
    if not 0 <= mechanism.spare_output < len(mechanism.outputs):
        raise MechanismError(f"{mechanism!r} has no spare row; use RayMechanism.of")
    spare = _left_over(mechanism)
    if spare is None or not np.array_equal(spare, mechanism.spare):
        raise MechanismError(
            f"{mechanism!r} has columns that do not sum to the total; use RayMechanism.of"
        )


def ray_fault(mechanism: RayMechanism, ratio: Fraction) -> str | None:
    """What may break R.1 for ratio = p/q, in a few words; None when every ratio is kept."""
    p, q = ratio.numerator, ratio.denominator
    for begin in range(0, len(mechanism.ladders), _LADDERS):
        rungs = mechanism.ladders[begin : begin + _LADDERS]
        upper, lower = rungs[:, :-1], rungs[:, 1:]
        for ladder, rung in np.argwhere(
            (lower > upper) | ~_surely_long_enough(upper, lower, ratio)
        ):
            high, low = int(upper[ladder, rung]), int(lower[ladder, rung])
            if high * q > low * p or low * q > high * p:
                return f"ladder {begin + ladder} has too long a step from rung {rung} to the next"
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


def _surely_long_enough(upper: Words, lower: Words, ratio: Fraction) -> npt.NDArray[np.bool_]:
    """Where machine words already show that lower·p ≥ upper·q.

    With A = ⌈2^62·q/p⌉ it is enough that lower ≥ ⌈upper·A/2^62⌉, a product of 124 bits taken in
    parts of 32; upper is below 2^62 wherever a column sums to no more than that.
    """
    factor = -((-ratio.denominator << 62) // ratio.numerator)
    factor_high, factor_low = np.uint64(factor >> 32), np.uint64(factor & _WORD)
    high, low = upper.astype(np.uint64) >> np.uint64(32), upper.astype(np.uint64) & np.uint64(_WORD)
    least = low * factor_low
    middle = high * factor_low + low * factor_high + (least >> np.uint64(32))
    rest = (middle & np.uint64((1 << 30) - 1)) | (least & np.uint64(_WORD))
    needed = high * factor_high * np.uint64(4) + (middle >> np.uint64(30)) + (rest > 0)
    return np.asarray((upper < 1 << 62) & (lower.astype(np.uint64) >= needed))


def _surely_kept(largest: Words, smallest: Words, ratio: Fraction) -> npt.NDArray[np.bool_]:
    """Where machine words already show it: largest ≤ (1 + 1/m)·smallest for 1 + 1/m ≤ ratio."""
    over = ratio.numerator - ratio.denominator
    part = -(-ratio.denominator // over)
    return largest - smallest <= smallest // min(part, 2**62)


def _left_over(mechanism: RayMechanism) -> Words | None:
    """What the rays leave of the total, column by column; None when they ask for more than it.

    Weights are added in two halves of 31 bits, so no sum can overflow.
    """
    size = len(mechanism.answers)
    ladder, length, first, count = _runs(mechanism)
    changes = np.zeros((2, size + 1), dtype=np.int64)
    for run in np.flatnonzero(count > 1):
        where = (int(first[run]), int(length[run]), int(count[run]))
        _add_run(changes, mechanism, mechanism.ladders[ladder[run]], where)
    single = np.flatnonzero(count == 1)
    if len(single) * mechanism.ladders.shape[1] > _MOST_FALLS:
        raise MechanismError(f"{mechanism!r} has more rays and rungs than can be added up")
    for some in np.array_split(single, 1 + len(single) * mechanism.ladders.shape[1] // _CELLS):
        rungs = mechanism.ladders[ladder[some]]
        _add_single_rays(changes, mechanism, rungs, first[some], length[some])
    tails = sum(
        int(rung) * int(many)
        for rung, many in zip(mechanism.ladders[ladder, -1], count, strict=True)
    )
    high, low = np.cumsum(changes[:, :size], axis=1)
    room = mechanism.total - tails
    if not 0 < mechanism.total <= 1 << 62 or high.max() > 1 << _HALF or room < 0:
        return None
    sums = (high << _HALF) + low
    return None if (sums > room).any() else room - sums


def _add_run(
    changes: Words, mechanism: RayMechanism, rungs: Words, where: tuple[int, int, int]
) -> None:
    """Equal rays, one step apart each, above their last rung.

    They add up to the running sum of the first one's profile minus that of the one after the last.
    """
    size, (first, length, count) = len(mechanism.answers), where
    above = rungs[:-1] - rungs[-1]
    if not len(above):
        return
    wing = np.repeat(above[1:], _steps(mechanism))
    profile = np.concatenate([wing[::-1], np.full(length, above[0]), wing])
    both = np.stack([profile >> _HALF, profile & _LOW])
    for begin, sign in ((first - len(wing), 1), (first + count - len(wing), -1)):
        hidden = min(max(0, -begin), len(profile))
        shown = both[:, hidden : max(hidden, size - begin)]
        at = begin + hidden
        changes[:, 0] += sign * both[:, :hidden].sum(axis=1)
        changes[:, at : at + shown.shape[1]] += sign * shown


def _add_single_rays(
    changes: Words, mechanism: RayMechanism, rungs: Words, first: Words, length: Words
) -> None:
    """Rays above their last rung: each fall from a rung to the next begins and ends once."""
    size = len(mechanism.answers)
    falls = rungs[:, :-1] - rungs[:, 1:]
    reach = np.arange(falls.shape[1]) * _steps(mechanism)
    begin = np.maximum(first[:, None] - reach, 0)
    end = np.minimum((first + length)[:, None] + reach, size)
    for half, part in ((0, falls >> _HALF), (1, falls & _LOW)):
        np.add.at(changes[half], begin, part)
        np.subtract.at(changes[half], end, part)


def _runs(mechanism: RayMechanism) -> tuple[Words, Words, Words, Words]:
    """Ladder, length, first and count of the longest runs of equal rays one step apart."""
    blocks = mechanism.blocks
    order = np.lexsort((blocks.first, blocks.length, blocks.ladder))
    ladder, length, first, count = (
        array[order] for array in (blocks.ladder, blocks.length, blocks.first, blocks.count)
    )
    if not len(order):
        return ladder, length, first, count
    goes_on = (
        (ladder[1:] == ladder[:-1])
        & (length[1:] == length[:-1])
        & (first[1:] == first[:-1] + count[:-1])
    )
    starts = np.flatnonzero(np.concatenate([[True], ~goes_on]))
    return ladder[starts], length[starts], first[starts], np.add.reduceat(count, starts)
