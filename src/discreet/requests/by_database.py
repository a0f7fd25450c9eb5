"""A request for the best mechanism that sees the whole (small) table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from discreet.databases import (
    CountAbove,
    DatabaseDesign,
    DatabaseGoal,
    Mean,
    Mode,
    Range,
    Statistic,
    Sum,
    Together,
    design_by_database,
    maximum,
    median,
    minimum,
    quantile,
)
from discreet.databases.goal import ANSWERS, PRIORS, DatabasePrior
from discreet.databases.statistics import Alone
from discreet.designer import Progress
from discreet.errors import InvalidInput, SpaceError, named
from discreet.exact import Epsilon, EpsilonLike, RationalLike, rational, show
from discreet.model import ONE_RECORD, LossName, PriorLike, Relation, Space
from discreet.requests.design import QUANTILE, read_records
from discreet.requests.spaces import (
    SAME,
    LossGiven,
    Names,
    Numbers,
    read_answers,
    read_epsilon,
    read_loss,
    read_outputs,
    read_prior,
)

COUNT_ABOVE = CountAbove.name
_MAKERS: tuple[Callable[[], Alone], ...] = (minimum, maximum, median, Mode, Range, Mean, Sum)
_PLAIN = {make().name: make for make in _MAKERS}
STATISTICS = (*_PLAIN, QUANTILE, COUNT_ABOVE)


@dataclass(frozen=True, kw_only=True)
class DatabaseRequest:
    """A design by database to make, in exact values."""

    statistic: Statistic
    records: int
    values: Space
    relation: Relation
    epsilon: Epsilon
    goal: DatabaseGoal
    outputs: Callable[[Space], Space]
    """The outputs, from the answers that the tables have."""

    @property
    def title(self) -> str:
        """What the design is called."""
        return f"{self.statistic.name} by database"

    def design(self, *, progress: Callable[[Progress], None] | None = None) -> DatabaseDesign:
        """The best mechanism, certified."""
        return design_by_database(
            self.statistic,
            self.records,
            self.values,
            self.epsilon,
            self.goal,
            relation=self.relation,
            outputs=self.outputs,
            progress=progress,
        )


def read_database_design(
    *,
    statistic: str,
    epsilon: "EpsilonLike | None",
    n: str | int | None = None,
    low: RationalLike | None = None,
    high: RationalLike | None = None,
    step: RationalLike | None = None,
    share: RationalLike | None = None,
    threshold: RationalLike | None = None,
    numbers: Numbers | None = None,
    labels: Names | None = None,
    neighbours: str | None = None,
    outputs: str = SAME,
    loss: LossGiven = LossName.ABSOLUTE,
    prior: "PriorLike | str" = ANSWERS,
    worst_case: bool = False,
    situations: str | None = None,
    minimax: str | None = None,
) -> DatabaseRequest:
    """Everything that defines a design by database."""
    chosen = _statistics(statistic, share, threshold)
    if isinstance(chosen, Together) and outputs.strip().lower() != SAME:
        raise SpaceError(
            f"{named('outputs', outputs.strip())} is for one statistic; the outputs of "
            f"{chosen.name} are the combinations that tables have; leave {named('outputs')} out"
        )
    return DatabaseRequest(
        statistic=chosen,
        records=read_records(n, f"a {chosen.name} by database"),
        values=read_answers(low=low, high=high, step=step, numbers=numbers, labels=labels),
        relation=Relation.of(neighbours or Relation.CHANGE, ONE_RECORD),
        epsilon=read_epsilon(epsilon),
        goal=DatabaseGoal.of(
            read_loss(loss),
            _prior(prior),
            worst_case=worst_case,
            situations=situations,
            minimax=minimax,
        ),
        outputs=partial(read_outputs, outputs),
    )


def _prior(given: "PriorLike | str") -> DatabasePrior:
    """A prior over tables by its name; uniform means every answer as likely as any other."""
    if isinstance(given, str):
        word = given.strip().lower()
        if word in (*PRIORS, "uniform"):
            return ANSWERS if word == "uniform" else word
    return read_prior(given)


def _statistics(
    names: str, share: RationalLike | None, threshold: "RationalLike | None"
) -> Statistic:
    """One statistic, or several that are told at once: median,max."""
    if "," not in names:
        return _statistic(names, share, threshold)
    words = [name.strip().lower() for name in names.split(",")]
    for owner, field, given in ((QUANTILE, "share", share), (COUNT_ABOVE, "threshold", threshold)):
        if given is not None and owner not in words:
            raise InvalidInput(f"{named(field)} is for {owner} only")
    return Together(
        tuple(
            _statistic(
                word,
                share if word == QUANTILE else None,
                threshold if word == COUNT_ABOVE else None,
            )
            for word in words
        )
    )


def _statistic(name: str, share: RationalLike | None, threshold: "RationalLike | None") -> Alone:
    word = name.strip().lower()
    own = {QUANTILE: ("share", share, 0.9), COUNT_ABOVE: ("threshold", threshold, 3)}
    for owner, (field, given, example) in own.items():
        if given is not None and word != owner:
            raise InvalidInput(f"{named(field)} is for {owner} only")
        if given is None and word == owner:
            raise SpaceError(f"{named(field)} is required for {owner}: {named(field, example)}")
    if word == QUANTILE:
        assert share is not None
        return quantile(share)
    if word == COUNT_ABOVE:
        return CountAbove(rational(threshold, named("threshold"), SpaceError))
    if word not in _PLAIN:
        raise InvalidInput(
            f"{show(name)} is not a statistic by database; choose from {', '.join(STATISTICS)}",
            field="statistic",
        )
    return _PLAIN[word]()
