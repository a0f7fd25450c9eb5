"""Several quantiles of a column by one word: QUARTILES(age) asks for three statistics."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.statistics.rank import Rank
from discreet.statistics.registry import NAMES


@dataclass(frozen=True, kw_only=True)
class Several:
    """A word for several quantiles."""

    name: str
    """In Python and in forms."""
    title: str
    """In a sentence, before the column is known."""
    shares: tuple[Fraction, ...] = ()
    """Which quantiles; none where they are given."""

    @property
    def function(self) -> str:
        """What it is written as in SQL."""
        return self.name.upper()

    @property
    def example(self) -> str:
        """How it is asked in SQL, for messages and documents."""
        given = "" if self.shares else ", 0.1, 0.5, 0.9"
        return f"{self.function}(column{given})"

    @property
    def statistics(self) -> tuple[Rank, ...]:
        """The statistics that it asks for, where they are not given."""
        return tuple(map(Rank, self.shares))


def _parts(many: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(part, many) for part in range(1, many))


SEVERAL = {
    one.name: one
    for one in (
        Several(name="quantiles", title="quantiles"),
        Several(name="quartiles", title="the quartiles", shares=_parts(4)),
        Several(name="deciles", title="the deciles", shares=_parts(10)),
    )
}
"""All such words, by name."""

EXAMPLES = (
    *(words.example for words in NAMES.values()),
    *(several.example for several in SEVERAL.values()),
)
"""How everything that can be asked is written in SQL."""
