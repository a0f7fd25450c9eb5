"""Sums of the noises of several cells: a marginal, a roll-up, a prefix (docs/proofs/workloads.md).

Noises are two-sided geometric with ratio a, independent or given that all of them cancel. Every
bound is enclosed: what is cut off only makes an interval wider.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError
from discreet.exact import enclosed, working_precision

Floats = npt.NDArray[np.float64]

_BITS = 128
_LONGEST = 1 << 14
"""Longer laws than this are bounded, not worked out."""
_NATS = 40
"""e^−40: what is rarer is in no figure."""
_LONGEST_SERIES = 1 << 20
_WIDEST = 1 << 21
_MANY_SIZES = 128
"""With more sizes than this, larger ones share the reach of the next size of five binary digits."""
_DIGITS = 5


def sum_reach(many: int, rate: Fraction, confidence: Fraction, *, of: int | None = None) -> int:
    """A t with P(|sum| ≤ t) at least the confidence: the least, or a little more.

    Args:
        many: How many noises are summed.
        rate: That of one noise, which is t with weight e^(−rate·|t|).
        confidence: How often the sum is to be within t, at least.
        of: How many noises there are, given that all of them cancel; None where all are
            independent.
    """
    fewer = many if of is None else min(many, of - many)
    return 0 if fewer == 0 else _reach(fewer, rate, confidence, of)


def sum_reaches(
    sizes: Iterable[int], rate: Fraction, confidence: Fraction, *, of: int | None = None
) -> dict[int, int]:
    """The same for sums of many sizes at once: where they are very many, at most 4 % more.

    A sum of more noises is further off (docs/proofs/workloads.md, Claim 9), so what holds of one
    size holds of all that are smaller.
    """
    fewer = {many: many if of is None else min(many, of - many) for many in set(sizes)}
    apart = set(fewer.values())
    most = max(apart, default=0)
    if len(apart) <= _MANY_SIZES:
        raised = {size: size for size in apart}
    else:
        raised = {size: min(_few_digits(size), most) for size in apart}
    reaches = {size: sum_reach(size, rate, confidence, of=of) for size in set(raised.values())}
    return {many: reaches[raised[size]] for many, size in fewer.items()}


def _few_digits(size: int) -> int:
    """The least number of five binary digits, and noughts, that is not below."""
    unit = 1 << max(0, size.bit_length() - _DIGITS)
    return -(-size // unit) * unit


def sum_error(many: int, rate: Fraction, *, of: int | None = None) -> float:
    """The mean absolute value of such a sum: exact to the last digits, or near where many are."""
    fewer = many if of is None else min(many, of - many)
    return 0.0 if fewer == 0 else _error(fewer, rate, of)


@lru_cache(maxsize=8192)
def _error(many: int, rate: Fraction, of: int | None) -> float:
    if _length(of or many, rate) <= _LONGEST:
        chances = _chances(many, rate, of)
        return float(2 * chances @ np.arange(len(chances)))
    return math.sqrt(2 / math.pi * sum_variance(many, rate, of=of))


def sum_chances(many: int, rate: Fraction, *, of: int | None = None) -> Floats:
    """P(sum = t) for t = 0, 1, …, for figures; where very long, of plain noise of that spread.

    Raises:
        DesignError: The noise is too wide for figures.
    """
    fewer = many if of is None else min(many, of - many)
    return _chances(fewer, rate, of) if fewer else np.ones(1)


def cancelling_chance(many: int, rate: Fraction) -> float:
    """P(sum = 0), to the last digit, however wide the noises are.

    >>> [round(cancelling_chance(2, Fraction(rate)), 9) for rate in ("1", "0.00001")]
    [0.280401662, 2.5e-06]
    """
    with working_precision(_BITS):
        ratio = (-enclosed(rate)).exp()
        return float((1 - ratio) ** (2 * many) * _cancelling(many, rate))


def sum_variance(many: int, rate: Fraction, *, of: int | None = None) -> float:
    """The variance of such a sum: exact to the last digits, or near where noises are many."""
    ratio = math.exp(-rate)
    alone = 2 * ratio / (1 - ratio) ** 2
    if of is None:
        return many * alone
    if of < 2:
        return 0.0
    if _length(of, rate) <= _LONGEST:
        chances = _chances(1, rate, of)
        cell = float(2 * chances @ np.square(np.arange(len(chances))))
    else:
        cell = alone * (of - 1) * (2 * of - 1) / (2 * of * (of + 1))
    return cell * many * (of - many) / (of - 1)


@lru_cache(maxsize=4096)
def _reach(many: int, rate: Fraction, confidence: Fraction, of: int | None) -> int:
    bound = math.ceil(weighted_reach([(np.ones(many), rate)], confidence))
    if _length(of or many, rate) > _LONGEST:
        return bound
    with working_precision(_BITS):
        within, wanted = flint.arb(0), enclosed(confidence)
        for far, chance in enumerate(islice(_law(many, rate, of), bound)):
            within += chance if far == 0 else 2 * chance
            if within >= wanted:
                return far
    return bound


def weighted_reach(sums: Sequence[tuple[Floats, Fraction]], confidence: Fraction) -> Fraction:
    """A t with P(|Σ cᵢzᵢ| ≤ t) at least the confidence, by Markov's inequality.

    It holds for independent noises, and for those given that they cancel.

    Args:
        sums: Weights c, with the rate of the noises that have them.
        confidence: How often the sum is to be within t, at least.
    """
    grouped = [
        (*np.unique(np.abs(weights[weights != 0]), return_counts=True), rate)
        for weights, rate in sums
    ]
    grouped = [one for one in grouped if len(one[0])]
    if not grouped:
        return Fraction(0)
    steepest = min(float(rate) / weights[-1] for weights, _, rate in grouped)
    failure = float(1 - confidence)

    def needed(slope: float) -> float:
        grown = sum(_log_growth(slope * c, n, float(rate)) for c, n, rate in grouped)
        return (math.log(2 / failure) + grown) / slope

    best = _least(needed, steepest)
    with working_precision(_BITS):
        slope, total = flint.arb(best), enclosed(2 / (1 - confidence)).log()
        for weights, many, rate in grouped:
            ratio = (-enclosed(rate)).exp()
            for weight, times in zip(weights.tolist(), many.tolist(), strict=True):
                grown = (slope * flint.arb(weight)).exp()
                inner = ((1 - ratio * grown) * (1 - ratio / grown)).log()
                total += times * (2 * (1 - ratio).log() - inner)
        low, power = (total / slope).upper().man_exp()
        return Fraction(int(low)) * Fraction(2) ** int(power)


def _log_growth(slopes: Floats, many: npt.NDArray[np.intp], rate: float) -> float:
    """Σ log E e^(slope·z)."""
    ratio = math.exp(-rate)
    inner = np.log1p(-ratio * np.exp(slopes)) + np.log1p(-ratio * np.exp(-slopes))
    return float(many @ (2 * math.log1p(-ratio) - inner))


def _least(cost: Callable[[float], float], most: float) -> float:
    """Where a cost that falls and then rises on (0, most) is least, about; any place would do."""
    low, high = most * 1e-9, most * (1 - 1e-9)
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if cost(left) < cost(right) else (left, high)
    return (low + high) / 2


def _window(many: int, rate: Fraction) -> tuple[int, int]:
    """Where a sum of one-sided geometric noises is, but for what no figure shows."""
    ratio = math.exp(-rate)
    mean, spread = many * ratio / (1 - ratio), math.sqrt(many * ratio) / (1 - ratio)
    return max(math.floor(mean - 12 * spread), 0), math.ceil(mean + 12 * spread + 45 / rate) + 2


def _length(many: int, rate: Fraction) -> int:
    first, last = _window(many, rate)
    return last - first


def _law(many: int, rate: Fraction, of: int | None) -> Iterator[Any]:
    """P(sum = t) for t = 0, 1, 2, …, in balls; what is cut off is missing, and nothing else."""
    ratio = (-enclosed(rate)).exp()
    inner = _differences(many, ratio, *_window(many, rate))
    if of is None:
        whole = (1 - ratio) ** (2 * many)
        yield from (whole * one for one in inner)
        return
    outer = _differences(of - many, ratio, *_window(of - many, rate))
    every = _cancelling(of, rate)
    yield from (one * other / every for one, other in zip(inner, outer, strict=False))


def _differences(many: int, ratio: Any, first: int, last: int) -> list[Any]:
    """Σ_j C(m−1+j+t, j+t)·C(m−1+j, j)·a^(2j+t) for t = 0, 1, …, over a window of j and j + t."""
    ways = flint.arb(many + first).lgamma() - flint.arb(many).lgamma()
    term = (ways - flint.arb(first + 1).lgamma()).exp() * ratio**first
    terms = []
    for j in range(first, last):
        terms.append(term)
        term = term * ratio * (many + j) / (j + 1)
    product = flint.arb_poly(terms) * flint.arb_poly(terms[::-1])
    return [product[last - first - 1 + t] for t in range(last - first)]


@lru_cache(maxsize=64)
def _cancelling(of: int, rate: Fraction) -> Any:
    """How likely so many noises cancel, but for a factor that all laws of their sums have."""
    square = (-2 * enclosed(rate)).exp()
    return (1 - square) ** (1 - 2 * of) * _squared_binomials(of - 1, square)


def _squared_binomials(n: int, square: Any) -> Any:
    """Σ C(n, i)²·α^i."""
    term, total = flint.arb(1), flint.arb(0)
    for i in range(n + 1):
        total += term
        term = term * square * ((n - i) * (n - i)) / ((i + 1) * (i + 1))
    return total


@lru_cache(maxsize=256)
def _chances(many: int, rate: Fraction, of: int | None) -> Floats:
    """By Fourier series: what falls below the last digit of a float is lost, and in no figure."""
    slope = float(rate)
    far = math.ceil(_NATS / slope + 12 * math.sqrt(2 * many) / slope)
    if far > _WIDEST:
        raise DesignError(f"noise of rate {rate} is too wide to compute its errors; spend more")
    points = 1 << math.ceil(math.log2(2 * far + 24 * math.sqrt(2 * (of or many)) / slope))
    steps = np.arange(far)
    chances = np.exp(-slope * steps) if many == 1 else _series(many, slope, points)[:far]
    if of is not None and points <= _LONGEST_SERIES:
        chances = chances * _series(of - many, slope, points)[:far]
    return np.asarray(chances / (2 * chances.sum() - chances[0]))


def _series(many: int, rate: float, points: int) -> Floats:
    """P(a sum of so many independent noises = t) for t = 0, 1, …"""
    turn = np.cos(2 * np.pi * np.arange(points // 2 + 1) / points)
    ratio = math.exp(-rate)
    logs = 2 * math.log1p(-ratio) - np.log1p(ratio * ratio - 2 * ratio * turn)
    return np.maximum(np.fft.irfft(np.exp(many * logs), points), 0.0)
