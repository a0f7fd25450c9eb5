"""How accurate answers are wished: said before anything is planned."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import GoalError, named
from discreet.exact import RationalLike, rational, show
from discreet.planning.settling import distance_of
from discreet.text import number_text


@dataclass(frozen=True)
class Accuracy:
    """How far off answers may be: a share such as "5%", or a distance in the answer's own unit.

    A share is one of all rows for a count, of the column's range for a mean, of the selected rows
    for a median: "5%" is a value between their 45th and 55th percentile.

    >>> Accuracy.of("5%"), Accuracy.of("2")
    (Accuracy('5%'), Accuracy('2'))
    """

    amount: Fraction
    is_share: bool

    @classmethod
    def of(cls, given: RationalLike) -> "Accuracy":
        """Read what people write; a GoalError says what would do."""
        is_share = isinstance(given, str) and given.strip().endswith("%")
        if not is_share:
            return cls(distance_of(given), False)
        number = str(given).strip().removesuffix("%")
        if rational(number, named("within"), GoalError) > 100:
            raise GoalError(f"{named('within')} must be at most 100 %, got {show(given)}")
        return cls(distance_of(number) / 100, True)

    def __str__(self) -> str:
        return f"{number_text(100 * self.amount)}%" if self.is_share else number_text(self.amount)

    def __repr__(self) -> str:
        return f"Accuracy({str(self)!r})"
