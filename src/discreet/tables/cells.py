"""A cell as a reader hands it over: in its own type where that means something, and as text."""

from dataclasses import dataclass, replace
from enum import Enum, auto


class Kind(Enum):
    """What a cell is on its way in, whatever the engine: a number, a count of time, or text."""

    TEXT = auto()
    """Text without the blanks around it."""
    WHOLE = auto()
    """A whole number of 64 bits."""
    DOUBLE = auto()
    TRUTH = auto()
    """True or false."""
    DAY = auto()
    """A whole number of days from the start of 1970."""
    MOMENT = auto()
    """A whole number of microseconds from the start of 1970."""


FAR_DAYS = 10_000_000
"""More days than any calendar has: where what is before or after all time goes."""


@dataclass(frozen=True)
class Cell:
    """A cell as SQL: total functions of what the source holds, each of which is NULL for nothing.

    >>> Cell("CAST(age AS VARCHAR)", Kind.WHOLE, "age").as_kind(Kind.WHOLE)
    'age'
    """

    text: str
    """As text, in the form that its source gives it."""
    kind: Kind = Kind.TEXT
    native: str | None = None
    """In its own kind, unless that is text."""
    by_engine: bool = False
    """Whether an engine wrote the text of a number, with a point whatever people write."""

    def called(self, name: str) -> "Cell":
        """A cell whose name was left open as `{cell}`."""
        native = None if self.native is None else self.native.replace("{cell}", name)
        return replace(self, text=self.text.replace("{cell}", name), native=native)

    def as_kind(self, kind: Kind) -> str:
        """The cell in its own kind, or as text."""
        return self.text if kind is Kind.TEXT or self.native is None else self.native
