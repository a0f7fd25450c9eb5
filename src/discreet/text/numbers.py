"""Numbers as people write them: exact, measured, shares, counted things, and amounts of ε."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.text.quoting import show

BILLION = 10**9
"""ε is kept in whole billionths."""

_NEXT_TO_NOTHING = 1e-6
_LARGEST_DENOMINATOR = 10**12
"""Beyond this a fraction is easier to read than its decimals."""


def decimal_text(number: Fraction) -> str:
    """An exact number: a decimal where that is exact, else a fraction.

    >>> decimal_text(Fraction(7, 2)), decimal_text(Fraction(1, 3)), decimal_text(Fraction(-4))
    ('3.5', '1/3', '-4')
    """
    places = _decimal_places(number.denominator)
    if places is None or number.denominator > _LARGEST_DENOMINATOR:
        return str(number)
    if places == 0:
        return str(number.numerator)
    digits = f"{abs(int(number * 10**places)):0{places + 1}d}"
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def number_text(number: Fraction, digits: int = 6) -> str:
    """An answer: exact when that is short, else to so many digits.

    >>> number_text(Fraction(7, 2)), number_text(Fraction(13, 24)), number_text(Fraction(123456789))
    ('3.5', '0.541667', '123456789')
    """
    text = decimal_text(number)
    short = number.denominator == 1 or (len(text) <= digits + 2 and "/" not in text)
    return text if short else f"{float(number):.{digits}g}"


def value_text(value: "int | Fraction | str | tuple[tuple[str, int], ...]", digits: int = 6) -> str:
    """The value of an answer: a number, a word, or words with their counts.

    >>> value_text(3), value_text("North"), value_text((("tea", 12), ("milk", 3)))
    ('3', 'North', 'tea: 12, milk: 3')
    """
    if isinstance(value, tuple):
        return ", ".join(f"{word}: {many}" for word, many in value)
    return value if isinstance(value, str) else number_text(Fraction(value), digits)


def brief(value: float | None, digits: int = 4) -> str:
    """A measured figure, with a proper minus and no needless digits; a dash where there is none.

    >>> brief(0.25), brief(12345.678), brief(-3.0), brief(0.00001234)
    ('0.25', '12,346', '−3', '0.00001234')
    """
    if value is None:
        return "–"
    if not math.isfinite(value):
        raise ValueError(f"a figure is a finite number, got {show(value)}")
    size = abs(value)
    if size == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{size:,.{places}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"−{text}" if value < 0 and text != "0" else text


def span_text(ends: "Sequence[float] | None", digits: int = 3) -> str:
    """Two figures and what lies between; one where they are alike, a dash where there are none.

    What is nothing beside the larger figure is told as 0, and no figure has more than six noughts.

    >>> span_text((0.5, 2.0)), span_text((1.0, 1.0)), span_text(None), span_text((1e-9, 2.0))
    ('0.5–2', '1', '–', '0–2')
    >>> span_text((0.0, 3e-14))
    'under 0.000001'
    """
    if ends is None:
        return brief(None)
    if 0 < ends[1] < _NEXT_TO_NOTHING:
        return f"under {brief(_NEXT_TO_NOTHING)}"
    least = 0.0 if abs(ends[0]) < ends[1] / 1000 else ends[0]
    low, high = brief(least, digits), brief(ends[1], digits)
    return low if low == high else f"{low}–{high}"


def percent(share: Fraction | float) -> str:
    """A share in hundredths.

    >>> percent(Fraction(19, 20)), percent(Fraction(999, 1000))
    ('95', '99.9')
    """
    return f"{float(100 * share):g}"


def plural(count: int, one: str, several: str | None = None) -> str:
    """So many things, with the noun that fits.

    >>> plural(1, "entry", "entries"), plural(1234, "row")
    ('1 entry', '1,234 rows')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _decimal_places(denominator: int) -> int | None:
    """How many decimals write a fraction with this denominator exactly; None where none do."""
    powers = []
    for factor in (2, 5):
        power = 0
        while denominator % factor == 0:
            denominator //= factor
            power += 1
        powers.append(power)
    return max(powers) if denominator == 1 else None


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
