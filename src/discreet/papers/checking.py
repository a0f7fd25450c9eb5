"""Checks of what a paper says: printed numbers to their last digit, bounds, and chances."""

import math
from decimal import Decimal

from discreet.papers.item import Check

ALARM = 1e-9
"""How likely chance alone may break a random check, so that all together stay far below 1e-6."""


def brief(number: float) -> str:
    """A number in six digits.

    >>> brief(12.206072645530174), brief(3.0)
    ('12.2061', '3')
    """
    return f"{number:.6g}"


def printed_number(claim: str, printed: str, ours: float, note: str = "") -> Check:
    """Whether our number rounds to the printed one.

    >>> printed_number("π", "3.14", 3.14159).holds, printed_number("π", "3.15", 3.14159).holds
    (True, False)
    """
    digits = Decimal(printed)
    unit = 10.0 ** int(digits.as_tuple().exponent)
    apart = ours - float(digits)
    holds = bool(abs(apart) <= 0.5 * unit * (1 + 1e-9))
    return Check(
        claim=claim,
        printed=printed,
        ours=brief(ours),
        difference=f"{apart:+.1e}",
        holds=holds,
        note=note,
    )


def equal(
    claim: str,
    ours: float,
    other: float,
    *,
    within: float = 1e-9,
    printed: str | None = None,
    note: str = "",
) -> Check:
    """Whether two numbers agree up to a share of the larger one."""
    apart = abs(ours - other)
    holds = bool(apart <= within * max(abs(ours), abs(other), 1e-300))
    figures = f"{brief(ours)} and {brief(other)}"
    return Check(
        claim=claim,
        printed=printed,
        ours=figures,
        difference=f"{apart:.1e}",
        holds=holds,
        note=note,
    )


def at_most(
    claim: str, smaller: float, larger: float, *, printed: str | None = None, note: str = ""
) -> Check:
    """Whether one number is at most another, up to the rounding of floats."""
    holds = bool(smaller <= larger + 1e-12 * max(abs(smaller), abs(larger)))
    figures = f"{brief(smaller)} {'≤' if holds else '>'} {brief(larger)}"
    return Check(
        claim=claim,
        printed=printed,
        ours=figures,
        difference=f"{larger - smaller:.3g} to spare",
        holds=holds,
        note=note,
    )


def statement(
    claim: str, holds: bool, ours: str, *, printed: str | None = None, note: str = ""
) -> Check:
    """A claim that is no comparison of two numbers."""
    return Check(claim=claim, printed=printed, ours=ours, difference=None, holds=holds, note=note)


def chance_of_at_least(successes: int, trials: int, probability: float) -> float:
    """P(X ≥ successes) of a binomial X, summed term by term.

    >>> chance_of_at_least(2, 2, 0.5), chance_of_at_least(0, 5, 0.3)
    (0.25, 1.0)
    """
    if successes <= 0:
        return 1.0
    if not 0 < probability < 1:
        return float(probability >= 1 and successes <= trials)
    odds, rest = math.log(probability), math.log1p(-probability)
    ways = math.lgamma(trials + 1)
    terms = (
        ways - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * odds + (trials - k) * rest
        for k in range(successes, trials + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


def chance_of_as_odd(successes: int, trials: int, probability: float) -> float:
    """Twice the smaller tail of a binomial: how likely so many or so few are.

    >>> round(chance_of_as_odd(0, 3, 0.5), 9)
    0.25
    """
    more = chance_of_at_least(successes, trials, probability)
    fewer = chance_of_at_least(trials - successes, trials, 1 - probability)
    return min(1.0, 2 * more, 2 * fewer)


def not_more_often(
    claim: str,
    successes: int,
    trials: int,
    probability: float,
    *,
    printed: str | None = None,
    note: str = "",
) -> Check:
    """Whether so many successes can be chance if each has at most this probability."""
    chance = chance_of_at_least(successes, trials, probability)
    figures = f"{_share(successes, trials)}, allowed {probability:.4f}"
    return _by_chance(claim, figures, chance, printed, note)


def as_often(
    claim: str,
    successes: int,
    trials: int,
    probability: float,
    *,
    printed: str | None = None,
    note: str = "",
) -> Check:
    """Whether so many successes can be chance if each has just this probability."""
    chance = chance_of_as_odd(successes, trials, probability)
    figures = f"{_share(successes, trials)}, expected {probability:.4f}"
    return _by_chance(claim, figures, chance, printed, note)


def _share(successes: int, trials: int) -> str:
    return f"{successes:,} of {trials:,} = {successes / trials:.4f}"


def _by_chance(claim: str, figures: str, chance: float, printed: str | None, note: str) -> Check:
    """A check that holds unless chance can hardly explain what was counted."""
    return Check(
        claim=claim,
        printed=printed,
        ours=figures,
        difference=f"probability {chance:.2g}",
        holds=chance >= ALARM,
        note=note,
    )
