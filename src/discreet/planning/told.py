"""What is told of an answer besides its value: what an interval is about, and when it holds."""

from collections.abc import Iterable

from discreet.errors import GoalError, QuestionError, named
from discreet.statistics import STATISTICS, Adding, Rank, Statistic
from discreet.text import Word, show


class IntervalRule(Word):
    """Which interval of values is wished."""

    USUAL = "usual"
    """What comes with the mechanism; order statistics are told by percentiles."""
    EVERY_TABLE = "every-table"
    """One that holds for every table: order statistics buy two private bounds."""


class About(Word):
    """What an interval is about."""

    TABLE = "table"
    """The rows that were counted."""
    POPULATION = "population"
    """Those they were drawn from at random: the error of sampling is added."""


def read_interval(given: object) -> IntervalRule:
    """The rule that people write.

    >>> read_interval("every table")
    'every-table'
    """
    found = IntervalRule.read(given.replace(" ", "-") if isinstance(given, str) else given)
    if found is None:
        raise GoalError(f"{named('interval')} is {_either(IntervalRule)}, got {show(given)}")
    return found


def read_about(given: object) -> About:
    """What an interval is about, as people write it."""
    found = About.read(given)
    if found is None:
        raise GoalError(f"{named('about')} is {_either(About)}, got {show(given)}")
    return found


def check_statistics(
    wishes: Iterable[IntervalRule | About], statistics: Iterable[Statistic], *, within: bool
) -> None:
    """QuestionError where no such interval is known, or none of a width that is said before."""
    unusual = [wish for wish in wishes if wish not in (IntervalRule.USUAL, About.TABLE)]
    for statistic in statistics:
        for wish in unusual:
            _check(statistic, wish, within=within)


def _check(statistic: Statistic, wish: IntervalRule | About, *, within: bool) -> None:
    option = named("interval" if isinstance(wish, IntervalRule) else "about", wish)
    called = statistic.words.function
    if not isinstance(statistic, Rank | Adding):
        known = [
            words.function
            for one in STATISTICS
            if issubclass(one, Rank | Adding)
            for words in one.names
        ]
        raise QuestionError(
            f"{option} is known for {', '.join(known)}, not for {called}; leave it out"
        )
    if within and isinstance(statistic, Rank):
        raise QuestionError(
            f"{option} cannot be had with {named('within')} for {called}: how far values lie apart "
            f"depends on the rows; say {named('epsilon', 1)} instead"
        )


def _either(words: type[Word]) -> str:
    return " or ".join(words)
