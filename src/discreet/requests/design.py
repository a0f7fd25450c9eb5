"""A request for the best mechanism on a space of answers."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.designer import Progress, Request, queries
from discreet.designer.situations.records import read_names, situations_of
from discreet.errors import InvalidInput, SpaceError, about, named
from discreet.exact import EpsilonLike, RationalLike, show
from discreet.model import (
    Goal,
    Grid,
    LossName,
    Neighbours,
    PriorLike,
    Requirements,
    Situations,
    Space,
    Yardstick,
)
from discreet.requests.spaces import (
    SAME,
    LossGiven,
    Names,
    Numbers,
    read_answers,
    read_delta,
    read_epsilon,
    read_grid,
    read_loss,
    read_neighbours,
    read_outputs,
    read_prior,
    read_whole,
)
from discreet.statistics import MAXIMUM, MEDIAN, MINIMUM, Count, Mean, Rank, Sum

if TYPE_CHECKING:
    from discreet.designer import Design
    from discreet.designer.entry import CacheLike

CUSTOM = "custom"
COUNT, QUANTILE = Count().name, Rank(Fraction(1, 2)).name
_ADDED = {Sum().name: queries.total, Mean().name: queries.mean}
_ORDERED = {
    MINIMUM.name: queries.minimum,
    MAXIMUM.name: queries.maximum,
    MEDIAN.name: queries.median,
}
RANKED = (*_ORDERED, QUANTILE)
STATISTICS = (COUNT, *_ADDED, *RANKED, CUSTOM)
"""What a design may be for: a statistic by its name, or any space."""


@dataclass(frozen=True)
class AnswerSpace:
    """A named space: what may be true, and which truths one record can lead between."""

    name: str
    answers: Space
    neighbours: Neighbours
    query: queries.Query | None = None
    """The statistic behind it, where there is one."""


@dataclass(frozen=True)
class DesignRequest:
    """A design to make: what it is called, and everything that defines it in exact values."""

    title: str
    wanted: Request

    def design(
        self,
        *,
        cache: "CacheLike" = "default",
        progress: Callable[[Progress], None] | None = None,
    ) -> "Design":
        """The best mechanism, certified."""
        from discreet.designer import design  # noqa: PLC0415  a server reads, its workers design

        wanted = self.wanted
        return design(
            wanted.answers,
            wanted.neighbours,
            wanted.epsilon,
            wanted.goal,
            wanted.requirements,
            outputs=wanted.outputs,
            delta=wanted.guarantee.delta,
            cache=cache,
            progress=progress,
        )


def read_design(
    *,
    statistic: str,
    epsilon: "EpsilonLike | None",
    n: str | int | None = None,
    low: RationalLike | None = None,
    high: RationalLike | None = None,
    step: RationalLike | None = None,
    share: RationalLike | None = None,
    numbers: Numbers | None = None,
    labels: Names | None = None,
    neighbours: str | int | None = None,
    outputs: str = SAME,
    delta: RationalLike = 0,
    loss: LossGiven = LossName.ABSOLUTE,
    prior: PriorLike = "uniform",
    worst_case: bool = False,
    situations: str | None = None,
    minimax: str | None = None,
    require: str = "none",
) -> DesignRequest:
    """Everything that defines a design.

    >>> read_design(statistic="count", n="5", epsilon="0.5").wanted.shape
    (6, 6)
    """
    records = n
    if situations is not None and statistic.strip().lower() in RANKED:
        n = None  # the answers do not depend on it, only how likely they are
    space = read_answer_space(
        statistic,
        n=n,
        low=low,
        high=high,
        step=step,
        share=share,
        numbers=numbers,
        labels=labels,
        neighbours=neighbours,
    )
    with about("require"):
        requirements = Requirements.of(require)
    if minimax is not None and situations is None:
        raise InvalidInput(f"{named('minimax')} needs {named('situations')}")
    wanted = Request.of(
        space.answers,
        space.neighbours,
        read_epsilon(epsilon),
        Goal.of(
            read_loss(loss),
            read_prior(prior),
            worst_case=worst_case,
            situations=_situations(space, records, situations, minimax),
        ),
        requirements,
        outputs=read_outputs(outputs, space.answers),
        delta=read_delta(delta),
    )
    return DesignRequest(space.name, wanted)


def _situations(
    space: AnswerSpace, records: str | int | None, names: str | None, minimax: str | None
) -> Situations | None:
    """The named situations of a statistic, for so many records."""
    if names is None:
        return None
    if space.query is None:
        raise InvalidInput(
            f"{named('situations')} needs a statistic; from Python, a {CUSTOM} space takes "
            "situations of its own"
        )
    with about("situations"):
        known = read_names(names)
    many = read_records(records, "what records are like")
    return Situations.of(situations_of(space.query, many, known), minimax or Yardstick.RATIO)


def read_answer_space(
    statistic: str,
    *,
    n: str | int | None = None,
    low: RationalLike | None = None,
    high: RationalLike | None = None,
    step: RationalLike | None = None,
    share: RationalLike | None = None,
    numbers: Numbers | None = None,
    labels: Names | None = None,
    neighbours: str | int | None = None,
) -> AnswerSpace:
    """The space of a named statistic, or a custom one."""
    name = statistic.strip().lower()
    if name not in STATISTICS:
        raise InvalidInput(
            f"{show(statistic)} is not a statistic; choose from {', '.join(STATISTICS)}",
            field="statistic",
        )
    if share is not None and name != QUANTILE:
        raise InvalidInput(f"{named('share')} is for {QUANTILE} only")
    if name == CUSTOM:
        _leave_out(f"is not used for a {CUSTOM} space", n=n)
        answers = read_answers(low=low, high=high, step=step, numbers=numbers, labels=labels)
        given = "all" if neighbours is None else neighbours
        return AnswerSpace(name, answers, read_neighbours(given, answers))
    _leave_out(f"is for {CUSTOM} only", numbers=numbers, labels=labels, neighbours=neighbours)
    if name == COUNT:
        bound = low if low is not None else high
        _leave_out("is not used for a count, which goes from 0 to n", range=bound, step=step)
        query = queries.count(read_records(n, "a count"))
    else:
        query = _query(name, n, read_grid(low, high, step, f"a {name}"), share)
    return AnswerSpace(name, query.answers, query.neighbours, query)


def read_records(given: str | int | None, what: str) -> int:
    """How many records there are."""
    if given is None:
        raise SpaceError(
            f"{named('n')} is required for {what}: the number of records, "
            f"for example {named('n', 10)}"
        )
    return read_whole(given, "n")


def _query(
    name: str, n: str | int | None, values: Grid, share: RationalLike | None
) -> queries.Query:
    ends = values.start, values.last, values.step
    if name in _ADDED:
        return _ADDED[name](read_records(n, f"a {name}"), *ends)
    _leave_out(f"is not used for a {name}, which does not depend on it", n=n)
    if name != QUANTILE:
        return _ORDERED[name](*ends)
    if share is None:
        raise SpaceError(f"{named('share')} is required for a quantile: {named('share', 0.9)}")
    return queries.quantile(share, *ends)


def _leave_out(why: str, **given: object) -> None:
    """Refuse the first field that was given and has no meaning here."""
    for field, value in given.items():
        if value is not None:
            raise InvalidInput(f"{named(field)} {why}; leave it out")
