"""What texts in cells mean, as data: every engine reads the same, and a reference in tests too.

Patterns are in the syntax that RE2, PostgreSQL and Java share, and stand for a whole text: no `^`,
`$`, `.` or class of an engine's own, for in these engines differ.
"""

CLEANING = 3
"""The version of the function from cells to values: part of every plan's digest."""
NONE = "none"
"""A gap where nothing else is declared; as often it is an answer."""
GAPS = ("", "null", NONE, "na", "n/a", "nan", "-", "?")
"""How people and programs write that a cell holds nothing, in small letters of ASCII."""
BLANKS = "".join(map(chr, (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))
"""What is taken away around a cell's text: the space separators of Unicode."""
CAPITALS, SMALL = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
"""Letters whose case does not matter where words are folded; engines differ on all others."""
LONGEST_NUMBER = 100
"""A text of more characters is no number: all others can be read without running out of range."""

_SPACE = "[ \t\n\x0b\x0c\r]*"
_DIGITS = "([0-9]+[.]?[0-9]*|[.][0-9]+)"
PLAIN = f"{_SPACE}[-+]?{_DIGITS}([eE][-+]?0*[0-9]{{1,2}})?{_SPACE}"
"""A number with at most two digits in its exponent: what engines read alike."""
FAR = f"{_SPACE}[-+]?{_DIGITS}[eE][-+]?[0-9]+{_SPACE}"
"""A number with a longer exponent: nought, or beyond all bounds."""
NOUGHT = "[^1-9eE]*[eE][^eE]*|[^eE]*[eE]-[^eE]*"
"""Of those, the ones that are nought: by their digits, or by an exponent below nought."""
BELOW = f"{_SPACE}-[^eE]*[eE][^eE]*"
"""Of those, the ones below nought."""
INFINITE = ("inf", "+inf", "infinity", "+infinity")
BELOW_ALL = ("-inf", "-infinity")
"""The numbers that are beyond all bounds, as words in small letters."""
THOUSANDS = "[-+]?[0-9]{1,3}([.][0-9]{3})+(,[0-9]*)?"
"""A number with a decimal comma in which points part thousands."""
