"""How far rows drawn at random lie from those they were drawn from (docs/proofs/population.md).

Nothing is approximated by a normal law: every bound is at least as wide as it must be.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.exact import log_upper

EXACT_ROWS = 100_000
"""Up to so many rows binomial chances are summed up; beyond, Chernoff's bound is used."""
_ROUNDING = 1 + 1e-8
"""More than what floats lose on the way."""
_PARTS = 10**6


def at_most(rows: int, share: Fraction, held: int) -> float:
    """At least the chance that at most `held` of `rows` meet what a `share` of all do.

    >>> round(at_most(10, Fraction(1, 2), 2), 6)
    0.054688
    """
    if held >= rows or share <= 0:
        return float(held >= 0)
    if held < 0 or share >= 1:
        return 0.0
    if rows > EXACT_ROWS:
        return chernoff(rows, float(share), held / rows)
    if held > share * rows:
        above = _tail(rows, float(1 - share), rows - held - 1) / _ROUNDING**2
        return min(1.0, 1 - above + 1e-12)
    return _tail(rows, float(share), held)


def _tail(rows: int, share: float, held: int) -> float:
    """The lower tail of a binomial law, rounded up: its last term, times ratios of the others."""
    last = (
        math.lgamma(rows + 1)
        - math.lgamma(held + 1)
        - math.lgamma(rows - held + 1)
        + held * math.log(share)
        + (rows - held) * math.log1p(-share)
    )
    places = np.arange(held, 0, -1)
    ratios = places * (1 - share) / ((rows - places + 1) * share)
    return float(math.exp(last) * (1 + np.cumprod(ratios).sum()) * _ROUNDING)


def chernoff(rows: int, share: float, mean: float) -> float:
    """At least the chance that numbers from 0 to 1 with mean `share` have at most this mean.

    Hoeffding 1963, Theorem 1: whatever their law is.
    """
    if mean >= share:
        return 1.0
    return math.exp(-rows * _divergence(mean, share)) * (1 + 1e-9)


def _divergence(one: float, other: float) -> float:
    """Of two coins; 0·log 0 is 0."""
    divergence = 0.0
    for p, q in ((one, other), (1 - one, 1 - other)):
        if p > 0:
            divergence += p * math.log(p / q) if q > 0 else math.inf
    return max(divergence, 0.0)


@lru_cache(maxsize=4096)
def share_bounds(rows: int, fewest: int, most: int, failure: Fraction) -> tuple[Fraction, Fraction]:
    """Where a share lies of which `rows` draws held between `fewest` and `most`.

    Clopper and Pearson 1934, half of the failure on either side.

    >>> [round(float(end), 4) for end in share_bounds(10, 3, 3, Fraction(1, 20))]
    [0.0667, 0.6525]
    """
    half = float(failure) / 2
    upper = _largest(lambda share: at_most(rows, share, most) >= half)
    lower = 1 - _largest(lambda share: at_most(rows, share, rows - fewest) >= half)
    return lower, upper


@lru_cache(maxsize=4096)
def mean_bounds(
    rows: int, low: Fraction, high: Fraction, failure: Fraction
) -> tuple[Fraction, Fraction]:
    """Where the mean of numbers from 0 to 1 lies of which `rows` draws had one from low to high.

    >>> [round(float(end), 3) for end in mean_bounds(100, *[Fraction(1, 10)] * 2, Fraction(1, 20))]
    [0.038, 0.2]
    """
    if rows < 1:
        return Fraction(0), Fraction(1)
    half = float(failure) / 2
    upper = _largest(lambda share: chernoff(rows, float(share), float(high)) >= half)
    lower = 1 - _largest(lambda share: chernoff(rows, float(share), float(1 - low)) >= half)
    return lower, upper


def _largest(likely: Callable[[Fraction], bool]) -> Fraction:
    """The largest share that is likely enough, or at most a millionth more.

    Likelihood falls as the share grows.
    """
    low, high = 0, _PARTS
    if likely(Fraction(1)):
        return Fraction(1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if likely(Fraction(middle, _PARTS)) else (low, middle)
    return Fraction(high, _PARTS)


def mean_reach(rows: int, failure: Fraction) -> float:
    """How far the mean of numbers from 0 to 1 may be off at most, as a share of the range.

    Hoeffding's bound, which no interval above is wider than.
    """
    return math.sqrt(math.log(2 / float(failure)) / (2 * rows)) * (1 + 1e-9)


def sure_rank(rows: int, share: Fraction, failure: Fraction, *, public: bool) -> int:
    """The largest place among `rows` in order that is surely not above the quantile of all.

    0 where there is none. Of a private number of rows it is a simpler place, a little lower, that
    moves by 0 or 1 with each row: privacy rests on that (docs/proofs/population.md, Claim 2).

    >>> sure_rank(100, Fraction(1, 2), Fraction(1, 80), public=True)
    39
    >>> sure_rank(100, Fraction(1, 2), Fraction(1, 80), public=False)
    36
    """
    if share in (0, 1):
        return rows * int(share)
    if public:
        return _exact_rank(rows, share, failure)
    return max(_hoeffding_rank(rows, share, failure), _bernstein_rank(rows, share, failure), 0)


@lru_cache(maxsize=1024)
def _exact_rank(rows: int, share: Fraction, failure: Fraction) -> int:
    low, high = 0, rows + 1
    while high - low > 1:
        middle = (low + high) // 2
        if at_most(rows, share, middle - 1) <= float(failure):
            low = middle
        else:
            high = middle
    return low


def _hoeffding_rank(rows: int, share: Fraction, failure: Fraction) -> int:
    """⌊pm − √(m·log(1/failure)/2)⌋ + 1, in integers; of no rows, none."""
    return 0 if rows == 0 else _floor_less_root(share * rows, rows * _doubt(failure) / 2) + 1


def _bernstein_rank(rows: int, share: Fraction, failure: Fraction) -> int:
    """⌊pm − l/3 − √(l²/9 + 2m·p(1 − p)·l)⌋ + 1 with l = log(1/failure), in integers."""
    doubt = _doubt(failure)
    spread = doubt**2 / 9 + 2 * rows * share * (1 - share) * doubt
    return _floor_less_root(share * rows - doubt / 3, spread) + 1


@lru_cache(maxsize=256)
def _doubt(failure: Fraction) -> Fraction:
    """log(1/failure), or a little more."""
    return Fraction(math.ceil(log_upper(1 / failure) * 2**40), 2**40)


def _floor_less_root(number: Fraction, square: Fraction) -> int:
    """⌊number − √square⌋, exactly.

    >>> _floor_less_root(Fraction(5), Fraction(4)), _floor_less_root(Fraction(5), Fraction(5))
    (3, 2)
    """
    parts = math.lcm(number.denominator, square.denominator)
    whole, inside = int(number * parts), int(square * parts**2)
    root = math.isqrt(inside)
    root += root * root < inside
    return (whole - root) // parts
