"""Every statistic that can be asked for: the one list of them.

To add one: docs/how-to/add-a-statistic.md.
"""

from discreet.errors import QuestionError
from discreet.model import Grid, Labels
from discreet.statistics.answers import Values
from discreet.statistics.count import Count
from discreet.statistics.covariance import Correlation, Covariance, Intercept, Slope
from discreet.statistics.distinct import Distinct, People
from discreet.statistics.mean import Mean
from discreet.statistics.mode import Mode
from discreet.statistics.quartile_range import QuartileRange
from discreet.statistics.range import Range
from discreet.statistics.rank import Rank
from discreet.statistics.share import Share
from discreet.statistics.statistic import OfDates, Statistic, Takes, Words
from discreet.statistics.sum import Sum
from discreet.statistics.top import Top
from discreet.statistics.variance import Deviation, Variance

STATISTICS: tuple[type[Statistic], ...] = (
    Count,
    Share,
    Sum,
    Mean,
    Deviation,
    Variance,
    Rank,
    Range,
    QuartileRange,
    Mode,
    Top,
    Distinct,
    People,
    Correlation,
    Slope,
    Intercept,
    Covariance,
)
"""All that can be asked for, in the order in which people are told of them."""

NAMES: dict[str, Words] = {
    words.name: words for statistic in STATISTICS for words in statistic.names
}
"""What can be asked, by name."""

FUNCTIONS: dict[str, Words] = {
    function: words for words in NAMES.values() for function in words.functions
}
"""What can be asked, by what it may be called in SQL."""

_YES_OR_NO = ("false", "true")
"""What a boolean column's values are called."""


def check_dates(statistic: Statistic, column: str) -> None:
    """QuestionError where a statistic of dates says nothing."""
    if statistic.of_dates is OfDates.NOTHING:
        raise QuestionError(
            f"{statistic.words.function} has no meaning for dates, and {column} holds dates; ask "
            "for AVG, MEDIAN, MIN, MAX or counts of it"
        )


def check_column(statistic: Statistic, column: str, values: Values) -> None:
    """QuestionError where a statistic cannot be taken of a column with these values."""
    words = statistic.words
    if words.takes in (Takes.NUMBERS, Takes.PAIRS) and isinstance(values, Labels):
        if values.names == _YES_OR_NO:
            raise QuestionError(
                f"{words.name} needs numbers, but {column} is true or false; ask for SHARE or "
                "COUNT of it"
            )
        others = (one.function for one in NAMES.values() if one.takes.suits(values))
        raise QuestionError(
            f"{words.name} needs numbers, but {column} holds words; ask for {', '.join(others)} "
            "or counts of it"
        )
    if words.takes is Takes.WORDS and isinstance(values, Grid):
        raise QuestionError(
            f"{words.function} counts words, but {column} holds numbers; group by bins"
        )
    statistic.check(column, values)
