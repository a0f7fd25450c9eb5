"""How answers and outputs are written for people, in tables and pictures."""

from fractions import Fraction

_DIGITS = 6
_LONGEST = 24


def label(value: Fraction | str) -> str:
    """A number as a short decimal where it is one, else as a fraction; a name on one line.

    >>> label(Fraction(5, 2)), label(Fraction(3)), label(Fraction(1, 3)), label("north")
    ('2.5', '3', '1/3', 'north')
    """
    if isinstance(value, str):
        return shortened(printable(value))
    whole = value * 10**_DIGITS
    if whole.denominator != 1:
        return shortened(str(value))
    digits = f"{abs(int(whole)):0{_DIGITS + 1}d}"
    text = f"{digits[:-_DIGITS]}.{digits[-_DIGITS:]}".rstrip("0").rstrip(".")
    return shortened(f"-{text}" if value < 0 else text)


def printable(text: str) -> str:
    r"""The text with everything a terminal might act upon written out.

    >>> printable("red \x1b[31m")
    'red \\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in text)


def shortened(text: str, longest: int = _LONGEST) -> str:
    """The text, its middle left out when it is too long for a heading."""
    if len(text) <= longest:
        return text
    kept = (longest - 1) // 2
    return f"{text[: longest - 1 - kept]}…{text[len(text) - kept :]}"


def ticks(size: int, most: int) -> list[int]:
    """At most `most` indices, evenly spread over 0 … size − 1, both ends among them.

    >>> ticks(5, 9), ticks(101, 6)
    ([0, 1, 2, 3, 4], [0, 20, 40, 60, 80, 100])
    """
    if size <= most:
        return list(range(size))
    return [round(i * (size - 1) / (most - 1)) for i in range(most)]
