"""The chance of every outcome of one finite choice, in whole numbers, from what is drawn from.

A table's ends are words of 63 bits, and a draw compares a random word with them. That this is what
its draw code does is tried, with scripted words on both sides of every end, before the ends are
believed.
"""

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from flint import fmpz, fmpz_poly

from discreet.errors import MechanismError
from discreet.exact import integer_ends, working_precision
from discreet.sampling import LazyTable, tables
from discreet.sampling.weights import SCALE, Weights

_DRAW, _DRAW_MANY, _DRAW_EVENLY = LazyTable.draw, LazyTable.draw_many, LazyTable.draw_evenly
_DRAW_FEW = LazyTable.draw_few
_SHIFT = np.uint64(64 - tables.BITS)
"""Of random words the lowest bit is not used."""
MORE = 128
"""Ends are looked at with so many bits more than a word has."""
_FINE, _DEEPEST = 192, 2_000
_TRUSTED_WORDS = 36
_EXACT = 12
"""Up to so many coins are added up in whole numbers."""
_FLOAT_BITS, _FLOAT_ERROR = 900, Fraction(1, 10**10)
_MOST_KEPT = 4_096
_MOST_PROBED = 64


@dataclass(frozen=True)
class Chances:
    """Outcome i has a chance of low[i]/whole at least and high[i]/whole at most."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    whole: int
    trusted: int = 1 << 20
    """Outcomes rarer than 2^−trusted are told too roughly to be compared."""


class _Remembered(OrderedDict[Any, Chances]):
    """The chances that were worked out last."""

    def keep(self, key: Any, chances: Chances) -> Chances:
        self[key] = chances
        if len(self) > _MOST_KEPT:
            self.popitem(last=False)
        return chances


_tables, _flips = _Remembered(), _Remembered()


def of_table(table: LazyTable) -> Chances:
    """The chances of a table's outcomes: of the random words that lead to each.

    Where words of 63 bits leave ends open, by the finer ends that then decide.
    """
    key = table.ends.tobytes(), table.slack
    if key in _tables:
        return _tables[key]
    check_draws(table)
    ends, slack = table.ends.tolist(), 0
    if table.slack:
        finer = table.refine(MORE)
        check_finer(table, [low for low, _ in finer])
        ends, slack = [low for low, _ in finer], max(high - low for low, high in finer)
    steps = [end - start for start, end in pairwise([0, *ends])]
    last = ends[-1]
    low = tuple(max(0, step - slack) * last for step in steps)
    high = tuple((step + slack) * (last + slack) for step in steps)
    return _tables.keep(key, Chances(low, high, last * (last + slack)))


def check_finer(table: LazyTable, finer: Sequence[int]) -> None:
    """Refuse finer ends that are not those of the table's words."""
    pairs = zip(table.ends.tolist(), finer, strict=True)
    if any(not 0 <= (end >> MORE) - word <= table.slack for word, end in pairs):
        raise MechanismError("the finer ends of a table are not those of its words")


def check_draws(table: LazyTable) -> None:
    """Refuse a table whose outcomes do not change just where its ends say."""
    ends, slack = table.ends.tolist(), table.slack
    below = [(end - 1, place, False) for place, end in enumerate(ends) if end > 0]
    above = [(end + slack, place, True) for place, end in enumerate(ends[:-1])]
    probes = [one for one in below + above if one[0] < ends[-1]]
    words = np.array([word for word, _, _ in probes], dtype=np.uint64)
    outcomes = _with_words(words, lambda: _DRAW_MANY(table, len(words))).tolist()
    with patch.object(tables, "uniform_few", lambda _: (words << _SHIFT).tolist()):
        few = _DRAW_FEW(table, len(words))
    for (_, place, beyond), one in zip(probes, few, strict=True):
        _check(one, place, beyond=beyond)
    every = max(1, len(probes) // _MOST_PROBED)
    for (word, place, beyond), many in list(zip(probes, outcomes, strict=True))[::every]:
        with patch.object(tables, "uniform_bits", lambda _, word=word: word):
            one = _DRAW(table)
        evenly = _with_words(
            np.array([word], dtype=np.uint64), lambda: np.array([_DRAW_EVENLY(table)])
        )
        _check(one, place, beyond=beyond)
        _check(int(evenly[0]), place, beyond=beyond)
        _check(many, place, beyond=beyond)
    for (_, place, beyond), many in zip(probes, outcomes, strict=True):
        _check(many, place, beyond=beyond)


def _with_words(words: npt.NDArray[np.uint64], draw: Any) -> npt.NDArray[np.int64]:
    """What is drawn when the random words are these; their lowest bit is not used."""
    with patch.object(tables, "uniform_words", lambda count: (words << _SHIFT)[:count]):
        drawn: npt.NDArray[np.int64] = draw()
    return drawn


def _check(outcome: int, place: int, *, beyond: bool) -> None:
    if (outcome > place) != beyond:
        raise MechanismError(
            f"a draw beside end {place} of its table gives outcome {outcome}: the sampler does not "
            "follow its table"
        )


def of_flips(weights: Weights) -> Chances:
    """Permute-and-flip: coins of these weights, and one of the heads.

    P(i) = w_i·∫ Π (1 − w_j + w_j·x) dx over the others j, for x from 0 to 1. Where every weight may
    be more by s, the integral falls by s for each at most, in proportion.
    """
    key = weights.low.tobytes(), weights.slack, weights.rate, bytes(np.asarray(weights.scores))
    if key in _flips:
        return _flips[key]
    if len(weights) > _EXACT:
        return _flips.keep(key, _of_many_flips(weights))
    bits = _FINE + min(_DEEPEST, int(1.5 * float(weights.rate) * _span(weights.scores)))
    lows, slack = _enclosed(weights, bits)
    size, one = len(lows), 1 << bits
    product = fmpz_poly([1])
    for low in lows:
        product *= fmpz_poly([one - low, low])
    common = lcm(*range(1, size + 1))
    integrals = {low: _integral(product, one - low, low, common) for low in set(lows)}
    less, more = one - size * slack, one + size * slack
    found_low = tuple(low * integrals[low] * less for low in lows)
    found_high = tuple((low + slack) * integrals[low] * more for low in lows)
    whole = common * one ** (size + 1)
    return _flips.keep(key, Chances(found_low, found_high, whole, bits - _FINE // 2))


def _of_many_flips(weights: Weights) -> Chances:
    """The same in floating point: sums of products of numbers that are never below 0."""
    most = max(map(int, weights.scores))
    gaps = [float(weights.rate) * (int(one) - most) for one in weights.scores]
    coins = [math.exp(one) for one in gaps]
    by_coin = {coin: coin * _mean_share(coins, coin) for coin in set(coins)}
    numbers = [by_coin[coin] for coin in coins]
    return Chances(
        tuple(int(Fraction(one) * (1 - _FLOAT_ERROR) * (1 << _FLOAT_BITS)) for one in numbers),
        tuple(int(Fraction(one) * (1 + _FLOAT_ERROR) * (1 << _FLOAT_BITS)) + 1 for one in numbers),
        1 << _FLOAT_BITS,
        _FLOAT_BITS - 200,
    )


def _mean_share(coins: Sequence[float], left_out: float) -> float:
    """E 1/(1 + heads) of all coins but one."""
    others = list(coins)
    others.remove(left_out)
    heads = np.ones(1)
    for coin in others:
        heads = np.convolve(heads, [-math.expm1(math.log(coin)) if coin else 1.0, coin])
    return float((heads / np.arange(1, len(heads) + 1)).sum())


def _span(scores: Sequence[int] | npt.NDArray[np.int64]) -> int:
    whole = [int(one) for one in scores]
    return max(whole) - min(whole)


def _integral(product: Any, tails: int, heads: int, common: int) -> int:
    others = product // fmpz_poly([tails, heads] if heads else [tails])
    terms = enumerate(others.coeffs())
    return int(sum((term * (common // (power + 1)) for power, term in terms), fmpz(0)))


def _enclosed(weights: Weights, bits: int) -> tuple[list[int], int]:
    """Weights more finely than the words that they are drawn by, which must enclose them."""
    with working_precision(2 * bits):
        ends = [integer_ends(ball, bits) for ball in weights.balls()]
    finer = [min(first, 1 << bits) for first, _ in ends]
    pairs = zip(finer, weights.low.tolist(), strict=True)
    if any(not -1 <= (fine >> (bits - SCALE)) - word <= weights.slack for fine, word in pairs):
        raise MechanismError("the weights of a choice are not those of its words")
    return finer, max(last - first for first, last in ends)


def of_weights(low: npt.NDArray[np.uint64], slack: int) -> Chances:
    """A choice in proportion to weights of low … low + slack, as machine words have them."""
    lows = [int(one) for one in low]
    least, most = sum(lows), sum(lows) + len(lows) * slack
    return Chances(
        tuple(one * least for one in lows),
        tuple((one + slack) * most for one in lows),
        least * most,
        trusted=_TRUSTED_WORDS,
    )
