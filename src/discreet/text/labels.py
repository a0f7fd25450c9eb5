"""Names and lines: fixed sets of words, printable, short, on one line, and marks on an axis."""

from enum import StrEnum
from fractions import Fraction
from typing import Self

from discreet.text.numbers import decimal_text

_DIGITS = 6
_LONGEST_LABEL = 24
_LONGEST_LINE = 600


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
