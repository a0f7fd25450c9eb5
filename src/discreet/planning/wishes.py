"""What an analyst wants of an answer, besides the question: all of it public."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.errors import GoalError, QuestionError, named
from discreet.errors import about as concerning
from discreet.exact import RationalLike, rational, show
from discreet.lifetimes import HashedOnce
from discreet.model import Loss, LossName, Prior, PriorLike, Requirements
from discreet.model.goal import check_one_aim
from discreet.statistics import STATISTICS, Adding, Rank, Statistic
from discreet.text import Word

DATABASES = "databases"
UNIFORM = "uniform"
_LEAST_DOUBT = Fraction(1, 10**9)
_LEAST_WEIGHT = 10**6


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


@dataclass(frozen=True, kw_only=True)
class Wishes(HashedOnce):
    """How answers are judged, and what they must look like.

    Without a prior, and unless the worst case is meant, the choice is the safe one: judged on a
    public family of tables (docs/proofs/safe-rule.md). A stated prior is "uniform" over the
    possible answers, "databases" (every row drawn uniformly from the declared values), or one
    probability for each possible answer. Without a loss, numbers are judged by their absolute
    error and words by being right.

    >>> Wishes.of(confidence="90%", require="fair").to_dict()["confidence"]
    '9/10'
    """

    loss: LossName | None = None
    prior: str | tuple[float, ...] | None = None
    """None where none was stated."""
    worst_case: bool = False
    requirements: Requirements = field(default_factory=Requirements)
    unbiased: bool = False
    confidence: Fraction = Fraction(19, 20)
    remap: str | tuple[float, ...] | None = None
    """Reply to what was drawn as a reader with this prior would (post-processing)."""
    consistent: bool = False
    """Make counts by group whole, not negative, and add up to the size when that is public."""
    mechanism: str | None = None
    """The one candidate that may answer, by its name."""
    interval: IntervalRule = IntervalRule.USUAL
    """Which interval of values is told."""
    about: About = About.TABLE
    """What intervals are about."""
    clamp: bool = False
    """Whether a mean is taken of values clamped at a private threshold."""
    importance: tuple[Fraction, ...] | None = None
    """What the error of each statistic counts for; None where all are as important."""

    __hash__ = HashedOnce.__hash__

    @property
    def safe(self) -> bool:
        """Whether neither a prior nor the worst case was stated: then the safe rule chooses."""
        return self.prior is None and not self.worst_case

    @property
    def supposed(self) -> str | tuple[float, ...]:
        """The prior that designs are made for: uniform where none was stated."""
        return UNIFORM if self.prior is None else self.prior

    @classmethod
    def of(
        cls,
        *,
        loss: str | None = None,
        prior: "PriorLike | None" = None,
        worst_case: bool = False,
        require: Requirements | str | None = None,
        unbiased: bool = False,
        confidence: RationalLike = "95%",
        remap: "PriorLike | None" = None,
        consistent: bool = False,
        mechanism: str | None = None,
        interval: str = IntervalRule.USUAL,
        about: str = About.TABLE,
        clamp: bool = False,
        importance: "str | Sequence[RationalLike] | None" = None,
    ) -> "Wishes":
        """Read and check what people write.

        Args:
            loss: What an error costs: `"absolute"`, `"squared"` or `"zero-one"`.
            prior: How likely answers are assumed to be; without one the choice is made on public
                shapes of tables.
            worst_case: Whether the worst answer counts instead of the mean.
            require: Properties of the matrix, such as `"fair"`.
            unbiased: Whether answers must be right on average.
            confidence: The probability with which an interval holds.
            remap: A prior under which replies are improved after the draw.
            consistent: Whether the counts of groups are made to fit together.
            mechanism: The one mechanism to use, as plans name it, such as `"by rank"`.
            interval: `"every-table"` for intervals of values that hold for every table: of order
                statistics they cost half of ε.
            about: `"population"` for intervals that also hold the error of sampling.
            clamp: Whether rows above a private threshold count as the threshold, for means of
                columns whose bounds are loose.
            importance: What the error of each statistic counts for, such as `"4,1,1"`: ε is
                shared by it.

        Returns:
            The options.

        Raises:
            GoalError: An option makes no sense, or two contradict each other.
        """
        flags = {
            "worst_case": worst_case,
            "unbiased": unbiased,
            "consistent": consistent,
            "clamp": clamp,
        }
        for name, given in flags.items():
            if not isinstance(given, bool):
                raise GoalError(f"{named(name)} must be True or False, got {show(given)}")
        with concerning("require"):
            wanted = Requirements() if require is None else Requirements.of(require)
        with concerning("loss"):
            known_loss = None if loss is None else Loss.of(loss).named
            if loss is not None and known_loss is None:
                raise GoalError(
                    f"the loss of a question must be one of {LossName.listed()}, got {show(loss)}"
                )
        with concerning("prior"):
            known = None if prior is None else _prior(prior)
        with concerning("remap"):
            remapped = None if remap is None else _prior(remap)
        with concerning("confidence"):
            sure = read_confidence(confidence)
        if mechanism is not None and not isinstance(mechanism, str):
            raise GoalError(
                f"{named('mechanism')} must be the name of a mechanism, got {show(mechanism)}"
            )
        check_one_aim(prior=known not in (None, UNIFORM), worst_case=worst_case)
        if unbiased and wanted:
            raise GoalError(
                "unbiased answers may leave the range, so no other requirement can hold; leave "
                "out unbiased or the requirements"
            )
        if unbiased and consistent:
            raise GoalError(
                "consistent counts are moved into their range, so they are not unbiased; leave "
                "out unbiased or consistent"
            )
        return cls(
            loss=known_loss,
            prior=known,
            worst_case=worst_case,
            requirements=wanted,
            unbiased=unbiased,
            confidence=sure,
            remap=remapped,
            consistent=consistent,
            mechanism=None if mechanism is None else mechanism.strip(),
            interval=read_interval(interval),
            about=read_about(about),
            clamp=clamp,
            importance=None if importance is None else read_importance(importance),
        )

    def to_dict(self) -> dict[str, Any]:
        """The options as plain JSON values.

        Options that were added later are there only if they were given, so that questions stored
        before are the same questions now.
        """
        options: dict[str, Any] = {
            "loss": self.loss,
            "prior": _told(self.supposed),
            "worst_case": self.worst_case,
            "requirements": list(self.requirements.names()),
            "unbiased": self.unbiased,
            "confidence": str(self.confidence),
            "remap": None if self.remap is None else _told(self.remap),
            "consistent": self.consistent,
        }
        if self.prior == UNIFORM and not self.worst_case:
            options["prior_stated"] = True
        if self.mechanism is not None:
            options["mechanism"] = self.mechanism
        if self.interval != IntervalRule.USUAL:
            options["interval"] = self.interval
        if self.about != About.TABLE:
            options["about"] = self.about
        if self.clamp:
            options["clamp"] = True
        if self.importance is not None:
            options["importance"] = [str(one) for one in self.importance]
        return options


def read_importance(given: "str | Sequence[RationalLike]") -> tuple[Fraction, ...]:
    """What each statistic counts for: numbers above 0, in a list or with commas between them.

    >>> read_importance("4, 1")
    (Fraction(4, 1), Fraction(1, 1))
    """
    parts = given.split(",") if isinstance(given, str) else given
    if not isinstance(parts, Sequence):
        raise GoalError(f"{named('importance')} must be a list such as 4,1,1, got {show(given)}")
    weights = tuple(rational(part, named("importance"), GoalError) for part in parts)
    if any(not 1 <= weight * _LEAST_WEIGHT <= _LEAST_WEIGHT**2 for weight in weights):
        raise GoalError(
            f"{named('importance')} must be numbers from 0.000001 to 1,000,000, one for each "
            f"statistic, got {show(given)}"
        )
    return weights


def read_confidence(given: RationalLike) -> Fraction:
    """A confidence from 0 to 1, both excluded; "95%" is read as 0.95."""
    share: Fraction
    if isinstance(given, str) and given.strip().endswith("%"):
        share = rational(given.strip()[:-1], "a confidence", GoalError) / 100
    else:
        share = rational(given, "a confidence", GoalError)
    if 1 - _LEAST_DOUBT < share < 1:
        raise GoalError(f"a confidence must be at most 99.9999999 %, got {show(given)}")
    if not 0 < share < 1:
        raise GoalError(f"a confidence must lie between 0 and 1 (such as 95%), got {show(given)}")
    return share


def _prior(given: PriorLike) -> str | tuple[float, ...]:
    if isinstance(given, str) and given.strip().lower() == DATABASES:
        return DATABASES
    weights = Prior.of(given).weights
    return UNIFORM if weights is None else weights


def _told(prior: str | tuple[float, ...]) -> Any:
    return prior if isinstance(prior, str) else list(prior)


def read_interval(given: object) -> IntervalRule:
    """The rule that people write.

    >>> read_interval("every table")
    'every-table'
    """
    rule = IntervalRule.read(given.replace(" ", "-") if isinstance(given, str) else given)
    if rule is None:
        raise GoalError(f"{named('interval')} must be {_either(IntervalRule)}, got {show(given)}")
    return rule


def read_about(given: object) -> About:
    """What an interval is about, as people write it."""
    about = About.read(given)
    if about is None:
        raise GoalError(f"{named('about')} must be {_either(About)}, got {show(given)}")
    return about


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
            f"{option} is available for {', '.join(known)}, not for {called}; leave it out"
        )
    if within and isinstance(statistic, Rank):
        raise QuestionError(
            f"{option} is not available with {named('within')} for {called}: how far apart values "
            f"lie depends on the rows; use {named('epsilon', 1)} instead"
        )


def _either(words: type[Word]) -> str:
    return " or ".join(words)
