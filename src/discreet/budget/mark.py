"""How far a ledger had come, in the one line that its anchors keep."""

from typing import NamedTuple

from discreet.budget.entries import Head

_LONGEST = 19
"""Digits of a number that SQLite can hold."""


class Mark(NamedTuple):
    """The newest entry of a ledger, and what all entries had spent by then."""

    head: Head
    spent: int | None = None
    """In billionths of ε; None where an earlier version wrote it, which did not say."""

    def __str__(self) -> str:
        amount = "" if self.spent is None else f" {self.spent}"
        return f"{self.head.seq} {self.head.hash}{amount}"

    @classmethod
    def parsed(cls, text: str) -> "Mark | None":
        """What `str` wrote; None for anything else.

        >>> str(Mark.parsed("3 " + 64 * "a" + " 500"))[-5:], Mark.parsed("3 abc")
        ('a 500', None)
        """
        words = text.split()
        if len(words) not in (2, 3) or not all(map(_is_number, (words[0], *words[2:]))):
            return None
        if len(words[1]) != 64 or set(words[1]) - set("0123456789abcdef"):
            return None
        spent = int(words[2]) if len(words) == 3 else None
        return cls(Head(int(words[0]), words[1]), spent)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _LONGEST
