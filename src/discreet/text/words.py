"""Fixed sets of words: what files, SQL, HTTP, options and messages call a thing."""

from enum import StrEnum
from typing import Self


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
