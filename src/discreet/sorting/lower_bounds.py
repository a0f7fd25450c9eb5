"""What nobody can beat when the largest counts are released (002 Theorem 3).

The theorem names three regimes without constants; `least_error` gives the constants, by Assouad's
lemma, and holds for every ε: docs/proofs/sorting.md.
"""

import math
from dataclasses import dataclass

from discreet.errors import InvalidInput
from discreet.exact import Epsilon, EpsilonLike, show
from discreet.model.neighbours import Relation


@dataclass(frozen=True, kw_only=True)
class Regime:
    """One line of Theorem 3: where it applies, and how the least error grows there."""

    number: int
    condition: str
    holds: bool
    rate: str
    """The error grows at least like this; the paper states no constant."""
    value: float


def theorem_3(total: int, largest: int, epsilon: EpsilonLike) -> tuple[Regime, ...]:
    """The regimes of 002 Theorem 3 for counts of a total up to N, the r largest, ε ≤ 1/8.

    As printed the second regime has no upper end, and would contradict the O(r/ε) of §6 for large
    N; here it ends where the third begins.

    >>> [regime.rate for regime in theorem_3(10_000, 10, "0.1") if regime.holds]
    ['r/ε']
    """
    n, r = _size(total, "the total"), _size(largest, "the number of counts")
    eps = float(Epsilon.of(epsilon))
    small, third = eps <= 1 / 8, r * (r + 1) / (4 * eps) + r
    return (
        Regime(
            number=1,
            condition="N ≤ 1 + 1/(4ε)",
            holds=small and n <= 1 + 1 / (4 * eps),
            rate="N",
            value=float(n),
        ),
        Regime(
            number=2,
            condition="1/(2ε) ≤ N < r(r + 1)/(4ε) + r",
            holds=small and 1 / (2 * eps) <= n < third,
            rate="√(N/ε)",
            value=math.sqrt(n / eps),
        ),
        Regime(
            number=3,
            condition="N ≥ r(r + 1)/(4ε) + r",
            holds=small and n >= third,
            rate="r/ε",
            value=r / eps,
        ),
    )


def least_error(total: int, largest: int, epsilon: EpsilonLike, relation: Relation | str) -> float:
    """Every ε-private release of the r largest counts errs by as much in all (L₁) for some table.

    The largest of q·m/(e^(εm) + 1) over whole q and m for which q counts fit, m apart: in all
    m·q(q + 1)/2 ≤ N and q ≤ r where records are added or removed; m·q(q + 3)/2 ≤ N and
    q ≤ max(1, r − 1) where one changes and the total is public (two values or more).

    >>> round(least_error(10_000, 10, "0.1", "add-or-remove"), 3)
    27.841
    """
    n, r = _size(total, "the total"), _size(largest, "the number of counts")
    eps = float(Epsilon.of(epsilon))
    differ, bounds = Relation.of(relation), []
    if differ != Relation.CHANGE:
        bounds.append(_most(n, r, 1, eps))
    if differ != Relation.ADD_OR_REMOVE:
        bounds.append(_most(n, max(1, r - 1), 3, eps))
    return max(bounds)


def _most(total: int, entries: int, extra: int, eps: float) -> float:
    """The best q ≤ entries, with gaps m such that m·q(q + extra)/2 ≤ total."""
    best = 0.0
    for q in range(1, entries + 1):
        apart = 2 * total // (q * (q + extra))
        if apart < 1:
            break
        best = max(best, q * _best_gap(apart, eps))
    return best


def _best_gap(most: int, eps: float) -> float:
    """max m/(e^(εm) + 1) over m = 1, …, most: it rises up to about 1.278/ε, then falls."""
    peak = 1.2784645427610738 / eps
    around = {1, most, *(min(max(1, math.floor(peak) + step), most) for step in (0, 1))}
    return max(m / (math.exp(min(eps * m, 700.0)) + 1) for m in around) * (1 - 1e-12)


def _size(number: int, what: str) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 10**12:
        raise InvalidInput(f"{what} must be a whole number from 1 to 10^12, got {show(number)}")
    return number
