"""Names and lines: printable, short, and on one line."""

from fractions import Fraction

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
