"""The promise a mechanism is asked to keep."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import InvalidInput
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy (001 Def. 1); pure when δ = 0.

    >>> print(Guarantee.of("0.5"), "|", Guarantee.of(1, "1e-6"))
    ε = 0.5 | ε = 1, δ = 1/1000000
    """

    epsilon: Epsilon
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise InvalidInput(f"delta must be at least 0 and below 1, got {show(self.delta)}")

    @classmethod
    def of(cls, epsilon: EpsilonLike, delta: RationalLike = 0) -> "Guarantee":
        """Read ε and δ exactly.

        Args:
            epsilon: ε, such as `1`, `"0.5"` or `"log 3"`.
            delta: δ; 0 is pure ε.

        Returns:
            The promise.

        Raises:
            EpsilonError: ε is not a positive, finite number.
            InvalidInput: δ does not lie from 0 to below 1.
        """
        return cls(Epsilon.of(epsilon), rational(delta, "delta"))

    def __str__(self) -> str:
        return f"ε = {self.epsilon}" + (f", δ = {self.delta}" if self.delta else "")
