"""Amounts of ε: what is charged, allowed, spent and left, in whole billionths."""

from dataclasses import dataclass
from fractions import Fraction

BILLION = 10**9
"""ε is kept in whole billionths."""


@dataclass(frozen=True, order=True)
class Amount:
    """An amount of ε; unlike ε itself it may be zero, or negative where a budget is overdrawn.

    >>> Amount(1_500_000_000) - Amount(500_000_000), str(Amount(500_000_000)), str(Amount(0))
    (Amount('1'), '0.5', '0')
    """

    billionths: int

    @property
    def value(self) -> Fraction:
        """The amount as a fraction."""
        return Fraction(self.billionths, BILLION)

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.billionths + other.billionths)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.billionths - other.billionths)

    def __bool__(self) -> bool:
        return self.billionths != 0

    def __str__(self) -> str:
        whole, rest = divmod(abs(self.billionths), BILLION)
        text = f"{whole}.{rest:09d}".rstrip("0").rstrip(".")
        return f"-{text}" if self.billionths < 0 else text

    def __repr__(self) -> str:
        return f"Amount({str(self)!r})"
