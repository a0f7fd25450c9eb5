"""(ε, δ): how much probability escapes the ratios (001 Def. 1)."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.exact import Epsilon, EpsilonLike
from discreet.model import Mechanism


@dataclass(frozen=True)
class DeltaBounds:
    """The smallest δ for a given ε lies between `low` and `high`.

    The two are equal when e^ε is rational (ε = log 3) and agree to 40 digits otherwise.
    `likelier` and `rarer` are the answers that need it.
    """

    low: Fraction
    high: Fraction
    likelier: int | None
    rarer: int | None


def smallest_delta(mechanism: Mechanism, epsilon: EpsilonLike) -> DeltaBounds:
    """The smallest δ with which the mechanism is (ε, δ)-private, exactly.

    δ = max over neighbours j, k of Σ_i max(0, M[i,j] − e^ε·M[i,k]): the events that a test could
    single out add up output by output.

    Args:
        mechanism: The matrix.
        epsilon: ε, such as `1`, `"0.5"` or `"log 3"`.

    Returns:
        Two rationals with the smallest δ between them, and the answers that need it.

    Raises:
        EpsilonError: ε is not a positive, finite number.

    >>> from discreet.model import AllPairs, Labels
    >>> coins = Labels.of(["no", "yes"])
    >>> honest = Mechanism.of(coins, coins, AllPairs(), [[9, 1], [1, 9]])
    >>> smallest_delta(honest, "log 3").high
    Fraction(3, 5)
    """
    eps = Epsilon.of(epsilon)
    high, likelier, rarer = _escape(mechanism, eps.ratio_below)
    low = high if eps.log_of is not None else _escape(mechanism, eps.ratio_above)[0]
    return DeltaBounds(low, high, likelier, rarer)


def _escape(mechanism: Mechanism, ratio: Fraction) -> tuple[Fraction, int | None, int | None]:
    p, q = ratio.numerator, ratio.denominator
    weights = mechanism.weights.astype(object)
    worst: tuple[int, int | None, int | None] = (0, None, None)
    for one, other in mechanism.neighbours.pairs(len(mechanism.answers)):
        for j, k in ((one, other), (other, one)):
            excess = weights[:, j] * q - weights[:, k] * p
            escaped = int(excess[excess > 0].sum())
            if escaped > worst[0]:
                worst = (escaped, j, k)
    return Fraction(worst[0], q * mechanism.total), worst[1], worst[2]
