"""One line of the report: a question, and how far off each way to answer it is."""

from dataclasses import dataclass, field

CLOSE = 0.05
"""How far a simulated error may be from what was expected."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """Mean absolute errors of the answers to one question, each in its own unit."""

    question: str
    apart: float | None
    """With an answer for each; None where that is no question of ours."""
    now: float
    wanted: float
    """What theory or an earlier measurement says."""
    exact: bool
    """Whether the errors are read from laws; else they are means over draws."""
    within: tuple[int, int] | None = None
    """The half-width at 95 %, and what was wanted."""
    peers: dict[str, float] = field(default_factory=dict)
    rounded: bool = False
    """Whether what was wanted was measured, and told to two digits."""
    remark: str = ""
    """What a reader should know of it, below the table."""

    @property
    def reached(self) -> bool:
        """Whether it is as good as wanted: to the digits given, or within 5 % where drawn."""
        exact = self.exact and not self.rounded
        close = 0.006 if exact else max(0.006, CLOSE * self.wanted)
        near = self.now <= self.wanted + close
        return near and (self.within is None or self.within[0] <= self.within[1])
