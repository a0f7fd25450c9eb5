"""Numbers as people write them: exact, measured, shares, counted things, and amounts of ε.

Whatever was given in place of one, quoted for a message. And names and lines: fixed sets of words,
printable, short, on one line, and marks on an axis.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from difflib import get_close_matches
from enum import StrEnum
from fractions import Fraction
from numbers import Rational
from typing import Self

BILLION = 10**9
"""ε is kept in whole billionths."""

_DIGITS = 6
_LONGEST_LABEL = 24
_MOST_NAMES = 16
_NEAR = 0.75
"""How alike two words are that may be one, of 1."""
_LONGEST_LINE = 600
_NEXT_TO_NOTHING = 1e-6
_LARGEST_DENOMINATOR = 10**12
"""Beyond this a fraction is easier to read than its decimals."""


def decimal_text(number: Fraction) -> str:
    """An exact number: a decimal where that is exact, else a fraction.

    >>> decimal_text(Fraction(7, 2)), decimal_text(Fraction(1, 3)), decimal_text(Fraction(-4))
    ('3.5', '1/3', '-4')
    """
    if number.denominator == 1:
        return str(number.numerator)
    places = _decimal_places(number.denominator)
    if places is None or number.denominator > _LARGEST_DENOMINATOR:
        return str(number)
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


def placed_text(number: Fraction, places: int, towards: int = 0) -> str:
    """A number to so many decimals: the nearest, or towards −1 or 1 one that is not beyond.

    >>> [placed_text(Fraction(2, 3), 2, towards) for towards in (0, -1, 1)]
    ['0.67', '0.66', '0.67']
    """
    rounded = (round, math.ceil, math.floor)[towards](number * 10**places)
    digits = f"{abs(rounded):0{places + 1}d}"
    whole, part = (digits[:-places], f".{digits[-places:]}") if places else (digits, "")
    return f"{'-' if rounded < 0 else ''}{whole}{part}"


def common_places(
    numbers: "Sequence[Fraction | int]", widths: "Sequence[Fraction | int]", digits: int = 3
) -> int | None:
    """How many decimals figures have that stand below one another.

    Args:
        numbers: The figures, their intervals' ends among them.
        widths: How wide the intervals are.
        digits: With how many digits the narrowest of them is told, at least.

    Returns:
        No more than write all of them exactly; None where they are whole, or no interval is known.
    """
    exact = [_decimal_places(Fraction(one).denominator) for one in numbers]
    known = [one for one in widths if one > 0]
    if not known or not any(one != 0 for one in exact):
        return None
    wanted = min(12, max(0, digits - 1 - math.floor(math.log10(min(known)))))
    return max(wanted if one is None else min(one, wanted) for one in exact)


def value_text(
    value: "int | Fraction | str | date | tuple[tuple[str, int], ...]", digits: int = 6
) -> str:
    """The value of an answer: a number, a word, a date, or words with their counts.

    >>> value_text(3), value_text("North"), value_text((("tea", 12), ("milk", 3)))
    ('3', 'North', 'tea: 12, milk: 3')
    """
    if isinstance(value, Fraction):
        return number_text(value, digits)
    if isinstance(value, tuple):
        return ", ".join(f"{word}: {many}" for word, many in value)
    if isinstance(value, date):
        return moment_text(value)
    return str(value)


_LONG_NUMBER = re.compile(r"(?<![\w.,/:])(?<!\w-)(\d{4,})(?![\w/:-])")


def grouped_digits(text: str) -> str:
    """A text for people whose long numbers have one thousands separator; dates stay as they are.

    >>> grouped_digits("-12345 … 1234567.25"), grouped_digits("2023-05-01 … 2024-01-31")
    ('-12,345 … 1,234,567.25', '2023-05-01 … 2024-01-31')
    """
    return _LONG_NUMBER.sub(lambda match: f"{int(match[1]):,}", text)


def moment_text(moment: date) -> str:
    """A date, or a date and time.

    >>> moment_text(date(2023, 5, 1)), moment_text(datetime(2023, 5, 1, 18, 30))
    ('2023-05-01', '2023-05-01 18:30:00')
    """
    if isinstance(moment, datetime):
        return moment.isoformat(sep=" ", timespec="seconds")
    return moment.isoformat()


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


def year_text(year: float) -> str:
    """A year of the calendar, which has no separator.

    >>> year_text(1994.0)
    '1994'
    """
    return f"{year:.4g}" if year != round(year) else f"{year:.0f}"


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


def perhaps(given: object, known: Sequence[str]) -> str:
    """What a slip of the pen may have meant, to stand behind it; nothing where nothing is near.

    >>> perhaps("intrest", ["grade", "interest"]), perhaps("tx", ["TX", "NY"]), perhaps("x", ["a"])
    (", perhaps 'interest' is meant", ", perhaps 'TX' is meant", '')
    """
    lowered = {name.lower(): name for name in reversed(known)}
    near = get_close_matches(str(given).lower()[:_LONGEST_LABEL], lowered, n=1, cutoff=_NEAR)
    return f", perhaps {show(lowered[near[0]])} is meant" if near else ""


def set_apart(name: str) -> str:
    """A name that stands in a list: in quotes where it holds a comma of its own.

    >>> set_apart("grey"), set_apart("auburn, grey")
    ('grey', "'auburn, grey'")
    """
    return show(name) if "," in name else name


def first_of(names: Sequence[str]) -> str:
    """Names for a message: the first of them where there are many, in quotes where they need them.

    >>> first_of(["a", "b"]), first_of([str(place) for place in range(99)])[-22:]
    ('a, b', '13, 14, 15 and 83 more')
    >>> first_of(["auburn", "auburn, grey"])
    "auburn, 'auburn, grey'"
    """
    more = len(names) - _MOST_NAMES
    kept = names[:_MOST_NAMES] if more > 1 else names
    listed = ", ".join(map(set_apart, kept))
    return f"{listed} and {more:,} more" if more > 1 else listed


def all_of(names: Sequence[str]) -> str:
    """Several names in a sentence.

    >>> all_of(["a"]), all_of(["a", "b"]), all_of(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), *names[-1:]] if len(names) > 1 else names)


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
        return amount_text(self.billionths)

    def __repr__(self) -> str:
        return f"Amount({str(self)!r})"


def amount_text(billionths: int) -> str:
    """An amount of ε in whole billionths, as a decimal.

    >>> amount_text(1_250_000_000), amount_text(-7)
    ('1.25', '-0.000000007')
    """
    whole, rest = divmod(abs(billionths), BILLION)
    text = f"{whole}.{rest:09d}".rstrip("0").rstrip(".") if rest else str(whole)
    return f"-{text}" if billionths < 0 else text


def show(value: object, longest: int = 60) -> str:
    """Any value, quoted for an error message: short, on one line, never failing.

    >>> show("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"
    >>> show(Fraction(1, 3))
    '1/3'
    """
    try:
        text = str(value) if isinstance(value, (Fraction, Decimal)) else repr(value)
    except Exception:
        text = "a very long number" if isinstance(value, Rational) else f"a {type(value).__name__}"
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    closing = text[-1] if text[-1] in "'\")]}" else ""
    return text[: longest - 4] + "..." + closing


def label(value: Fraction | str) -> str:
    """A number as a short decimal where it is one, else as a fraction; a name on one line.

    >>> label(Fraction(5, 2)), label(Fraction(3)), label(Fraction(1, 3)), label("north")
    ('2.5', '3', '1/3', 'north')
    """
    if isinstance(value, str):
        return shortened(printable(value))
    is_short = 10**_DIGITS % value.denominator == 0
    return shortened(decimal_text(value) if is_short else str(value))


def printable(text: str) -> str:
    r"""The text with everything a terminal might act upon written out.

    >>> printable("red \x1b[31m")
    'red \\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in text)


def blanked(text: str) -> str:
    r"""The text with a blank for everything that does not print.

    >>> blanked("two\nlines")
    'two lines'
    """
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else " " for mark in text)


def shortened(text: str, longest: int = _LONGEST_LABEL) -> str:
    """The text, its middle left out when it is too long for its place."""
    if len(text) <= longest:
        return text
    kept = (longest - 1) // 2
    return f"{text[: longest - 1 - kept]}…{text[len(text) - kept :]}"


def one_line(message: str) -> str:
    r"""A message as one printable line of bearable length.

    >>> one_line("two\nlines")
    'two lines'
    """
    return shortened(printable(" ".join(message.split())), _LONGEST_LINE)


def ticks(size: int, most: int) -> list[int]:
    """At most `most` indices, evenly spread over 0 … size − 1, both ends among them.

    >>> ticks(5, 9), ticks(101, 6)
    ([0, 1, 2, 3, 4], [0, 20, 40, 60, 80, 100])
    """
    if size <= most:
        return list(range(size))
    return [round(i * (size - 1) / (most - 1)) for i in range(most)]


class Word(StrEnum):
    """A word of a fixed set, as a value: equal to its text, and shown as it; compare it with `==`.

    >>> class Side(Word):
    ...     LEFT = "left"
    ...     RIGHT = "right"
    >>> Side.LEFT, Side.LEFT == "left", Side.listed(), Side.read(" Right"), Side.read("up")
    ('left', True, 'left, right', 'right', None)
    """

    def __repr__(self) -> str:
        return repr(self.value)

    @classmethod
    def read(cls, given: object) -> Self | None:
        """The word that was given, in any case; None where it is none of the set."""
        text = given.strip().lower() if isinstance(given, str) else None
        return next((word for word in cls if word.value == text), None)

    @classmethod
    def listed(cls) -> str:
        """Every word of the set, for a message."""
        return ", ".join(cls)


def moment(at: str) -> str:
    """A time of the ledger as people write it.

    >>> moment("2026-03-01T09:30:12+00:00")
    '1 Mar 2026, 09:30 UTC'
    """
    when = datetime.fromisoformat(at).astimezone(UTC)
    return f"{when.day} {when:%b %Y, %H:%M} UTC"
