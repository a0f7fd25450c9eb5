"""Staircase noise on a grid (Geng & Viswanath 2014; 003 (20)), drawn exactly."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from discreet.errors import InvalidInput
from discreet.exact import RationalLike, enclosed, rational, show, uniform_below, uniform_below_many
from discreet.sampling.laplace import geometric
from discreet.sampling.tables import LazyTable, checked_count

_LARGEST = 2**62
_NATS = 128


@overload
def staircase_noise(epsilon: RationalLike, width: int, centre: int, count: None = None) -> int: ...
@overload
def staircase_noise(
    epsilon: RationalLike, width: int, centre: int, count: int
) -> npt.NDArray[np.int64]: ...
def staircase_noise(
    epsilon: RationalLike, width: int, centre: int, count: int | None = None
) -> int | npt.NDArray[np.int64]:
    """Integer noise that falls by e^ε at |k| = centre and then at every `width` steps.

    P(k) is the same for all |k| < centre, e^−ε times that for the next `width` values on each side,
    and so on: private at ε when one record moves the answer by at most `width` steps of the grid
    (docs/proofs/staircase.md). γ of the paper is centre/width.

    >>> abs(staircase_noise(100, width=10, centre=3)) < 3
    True
    >>> staircase_noise("0.1", 10, 3, count=5).shape
    (5,)
    """
    rate = epsilon if type(epsilon) is Fraction else rational(epsilon, "epsilon")
    width, centre = _whole_steps(width, "width"), _whole_steps(centre, "centre")
    stairs = _first_stair(rate.numerator, rate.denominator, width, centre)
    if count is not None:
        return _many(rate, width, centre, stairs, checked_count(count))
    if stairs.draw() == 0:
        return uniform_below(2 * centre - 1) - (centre - 1)
    side = uniform_below(2 * width)
    size = centre + geometric(rate) * width + side // 2
    return size if side % 2 else -size


def _whole_steps(number: int, name: str) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        raise InvalidInput(
            f"the {name} of a staircase must be a whole number of steps, got {show(number)}"
        )
    return int(number)


def _many(
    rate: Fraction, width: int, centre: int, stairs: LazyTable, count: int
) -> npt.NDArray[np.int64]:
    noise = np.empty(count, dtype=np.int64)
    outside = stairs.draw_many(count).astype(np.bool_)
    within = count - int(np.count_nonzero(outside))
    noise[~outside] = uniform_below_many(2 * centre - 1, within).astype(np.int64) - (centre - 1)
    steps = geometric(rate, count - within)
    if len(steps) and int(steps.max()) * width > _LARGEST:
        raise OverflowError("noise does not fit 64 bits; draw one value at a time")
    side = uniform_below_many(2 * width, count - within).astype(np.int64)
    noise[outside] = (centre + steps * width + side // 2) * (2 * (side % 2) - 1)
    return noise


@lru_cache(maxsize=256)
def _first_stair(numerator: int, denominator: int, width: int, centre: int) -> LazyTable:
    """Outcome 0 is |k| < centre: (2·centre − 1)(1 − β) of it against 2·width·β, β = e^−ε."""
    rate = Fraction(numerator, denominator)
    if not 1 <= centre <= width:
        raise InvalidInput(
            f"the centre of a staircase must be from 1 step to its width of {show(width)}, got "
            f"{show(centre)}"
        )
    if rate <= 0 or width * _NATS > rate * _LARGEST:
        raise InvalidInput(
            f"stairs of {show(width)} steps at epsilon {show(rate)} do not fit 64 bits; "
            "use a larger epsilon or a coarser grid"
        )

    def ends() -> Sequence[Any]:
        beta, rest = enclosed(-rate).exp(), -enclosed(-rate).expm1()
        inside = (2 * centre - 1) * rest
        return [inside / (inside + 2 * width * beta), 0 * beta + 1]

    return LazyTable.of_reals(ends)
