"""Weighted interval rays become an integer mechanism (docs/proofs/ray-integers.md)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar

import numpy as np

from discreet.designer.programs.program import Floats, Indices
from discreet.designer.request import Finding, Request
from discreet.errors import DesignError, MechanismError
from discreet.model import RayBlocks, RayMechanism

BITS = 62
MOST_DENSE = 4_200
"""Matrices with at most so many cells are written out: people may want to look at them."""

_HALF = np.uint64(31)
_LOW = np.uint64((1 << 31) - 1)
_ROUNDING = 1 + 2.0**-44
_FIRST_SPARE = 1 << 16
_LITTLE = 1 << 25
"""So much of 2^62 may be spared on a line of one answer, and less on longer ones."""


@dataclass(frozen=True, eq=False)
class WeightedRays:
    """Rays that are flat on [first, last], each with its weight and its output.

    The weights make the rays sum to 1 in every column, as nearly as floats can.
    """

    first: Indices
    last: Indices
    weight: Floats
    output: Indices


@dataclass(frozen=True, eq=False)
class RayWorth:
    """What a goal makes of rays, in floats."""

    cost: Floats
    """For each ray, Σ_j q_j·ℓ(output, j)·x_j for x = 1 on its interval."""
    constant: Floats
    """For each ray, the loss of always telling its output."""
    spare: Floats
    """For each answer, the prior times the loss of the spare row's output."""


def ladders_of(tops: Indices, ratio: Fraction, most: int) -> Indices:
    """Ladders that fall from these tops as fast as p/q allows, with at most so many rungs.

    v(z + 1) = ⌈v(z)·A/2^62⌉ with A = ⌈2^62·q/p⌉, in two halves of 31 bits. A ladder ends where no
    rung falls any more.

    >>> ladders_of(np.array([16, 5]), Fraction(2), 9).tolist()
    [[16, 8, 4, 2, 1], [5, 3, 2, 1, 1]]
    """
    decay = -(-(ratio.denominator << BITS) // ratio.numerator)
    high, low = np.uint64(decay >> 31), np.uint64(decay & (2**31 - 1))
    rungs = [tops.astype(np.uint64)]
    while len(rungs) < most:
        upper, lower = rungs[-1] >> _HALF, rungs[-1] & _LOW
        least = lower * low
        middle = upper * low + lower * high + (least >> _HALF)
        rest = (middle & _LOW) | (least & _LOW)
        below = upper * high + (middle >> _HALF) + (rest > 0)
        if (below == rungs[-1]).all():
            break
        rungs.append(below)
    return np.stack(rungs, axis=1).astype(np.int64)


class HasSpare(Protocol):
    """Integer rays of any kind that know what they leave of each column."""

    @property
    def spare(self) -> Indices:
        """The spare row."""


Made = TypeVar("Made", bound=HasSpare)


def settled(tried: Callable[[int], Made | None], ratio: Fraction, rays: int) -> Made:
    """Integer rays whose spare row is as small as may be.

    The spare row takes what rounding and the errors of the weights leave of each column; its
    largest entry may be at most e^ε times its smallest, and no more is given to it than that asks.
    `tried` makes rays that leave about so much to the spare row, or None when it would run dry.
    """
    spare = more = max(_FIRST_SPARE, 4 * rays)
    for _ in range(12):
        made = tried(spare)
        if made is None:
            spare, more = spare + more, 16 * more
            continue
        least, most = int(made.spare.min()), int(made.spare.max())
        wanted = math.ceil(1.02 * (most - least) / (float(ratio) - 1)) + 1
        little = _LITTLE // len(made.spare)
        if wanted <= least <= max(1.5 * wanted + 64, little):
            return made
        spare += math.ceil(1.2 * wanted) - least
    made = tried(abs(spare) + _FIRST_SPARE)
    if made is None:
        raise DesignError("the weights of the rays leave columns that differ too much")
    return made


def tops_of(weight: Floats, spare: int) -> Indices:
    """Where ladders start for these weights, when about so much of 2^62 is left to spare."""
    tops = np.floor(weight * 2.0**BITS).astype(np.int64)
    return np.maximum(tops - np.ceil(weight * float(spare)).astype(np.int64), 1)


def integer_rays(
    request: Request, rays: WeightedRays, spare_output: int, name: str
) -> RayMechanism:
    """Interval rays in integers with a total of 2^62, as near their weights as may be."""
    return settled(
        lambda spare: _tried(request, rays, spare, spare_output, name),
        request.epsilon.ratio_below,
        len(rays.first),
    )


def finding(
    request: Request,
    rays: WeightedRays,
    lower_bound: float,
    *,
    spare_output: int,
    name: str,
    worth: RayWorth | None = None,
    absolute: RayWorth | None = None,
) -> Finding:
    """Rays in integers, small ones as a matrix; with their value where `worth` is given.

    `absolute` says the same of the expected absolute error under a uniform prior.
    """
    made = integer_rays(request, rays, spare_output, name)
    rows, columns = request.shape
    if rows * columns <= MOST_DENSE:
        return Finding(made.dense(), lower_bound)
    return Finding(
        made,
        lower_bound,
        None if worth is None else _value(request, made, rays, worth),
        None if absolute is None else _value(request, made, rays, absolute),
    )


def _value(request: Request, made: RayMechanism, rays: WeightedRays, worth: RayWorth) -> float:
    """The expected loss of integer rays, or a hair more (docs/proofs/ray-integers.md).

    A rung lies above its real value by less than 1/(1 − q/p), the most that rounding up adds; this
    is counted in full, at every answer.
    """
    excess = 2.0**-BITS / (1 - 1 / float(request.epsilon.ratio_below))
    of_rays = float((rays.weight * worth.cost).sum()) + excess * float(worth.constant.sum())
    return (of_rays + float(made.spare / 2.0**BITS @ worth.spare)) * _ROUNDING


def _tried(
    request: Request, rays: WeightedRays, spare: int, spare_output: int, name: str
) -> RayMechanism | None:
    distinct, which = _distinct(tops_of(rays.weight, spare))
    steps = request.steps
    assert steps is not None
    most = -(-(len(request.answers) - 1) // steps) + 1
    ladders = ladders_of(distinct, request.epsilon.ratio_below, most)
    blocks = blocks_of(rays.first, rays.last, which, rays.output)
    try:
        return RayMechanism.of(
            request.answers,
            request.outputs,
            request.neighbours,
            ladders,
            blocks,
            spare_output=spare_output,
            name=name,
        )
    except MechanismError:
        return None


def _distinct(values: Indices) -> tuple[Indices, Indices]:
    """The different values, and for each place which one stands there; quick on long runs."""
    heads = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    distinct, which = np.unique(values[heads], return_inverse=True)
    return distinct, np.repeat(which, np.diff(np.append(heads, len(values))))


def blocks_of(first: Indices, last: Indices, ladder: Indices, output: Indices) -> RayBlocks:
    """Rays gathered into blocks where they follow one another with one ladder and one stride.

    Rays are left in the order in which they are given.

    >>> one = np.array([0, 1, 2, 5])
    >>> blocks_of(one, one, np.zeros(4, dtype=np.int64), one).to_lists()
    [[0, 1, 3, 0, 0, 1], [5, 1, 1, 0, 5, 0]]
    """
    length = last - first + 1
    stride = np.diff(output)
    follows = (
        (np.diff(first) == 1)
        & (np.diff(length) == 0)
        & (np.diff(ladder) == 0)
        & ((stride == 0) | (stride == 1))
    )
    kind = np.where(follows, stride, -1)
    turns = np.concatenate([[False], kind[1:] != kind[:-1]]) if len(kind) else follows
    before = np.concatenate([[False], kind[:-1] >= 0]) if len(kind) else follows
    begins = np.concatenate([[True], (kind < 0) | (turns & before)])[: len(first)]
    starts = np.flatnonzero(begins)
    counts = np.diff(np.append(starts, len(first)))
    strides = np.where(counts > 1, np.append(stride, 0)[starts], 0)
    return RayBlocks.of(
        first=first[starts],
        length=length[starts],
        count=counts,
        ladder=ladder[starts],
        output=output[starts],
        stride=strides,
    )
