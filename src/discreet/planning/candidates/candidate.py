"""A way to answer one statistic, and how far off it may be: known beforehand, from public facts."""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from types import UnionType
from typing import TYPE_CHECKING, Any

from discreet.certifier import Certified
from discreet.designer import Progress
from discreet.exact import Epsilon
from discreet.exact.numbers import LARGEST
from discreet.measures import expected_loss, loss_by_answer, worst_error_quantile
from discreet.model import Goal, Labels, LossName
from discreet.planning.reasons import OTHER_STATISTIC, Unsuitable
from discreet.planning.releases.release import Release
from discreet.planning.releases.sums import AskedTotals
from discreet.planning.subjects.priors import Beliefs, Floats, beliefs, told_prior
from discreet.planning.subjects.subject import ONE_GROUP, Sharing, Spread, Subject
from discreet.planning.wishes import IntervalRule, Wishes
from discreet.statistics import Rank
from discreet.text import BILLION, IF_PRIOR, ON_SHAPES, WITHOUT_GAPS

if TYPE_CHECKING:
    from discreet.designer.entry import CacheLike

_ITSELF = 1 << 14
"""What a candidate takes in memory beside what it is drawn from: measured."""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The errors of a candidate, in the answer's own units.

    `loss` is what candidates are compared by: what the goal speaks of or, where no prior is stated,
    the geometric mean over the public shapes. `expected` is under the stated prior; without one it
    is told only where it is the same for every table, else None. `worst` holds whatever the true
    answer is. So does `within`, the error at the wished confidence and half the width of the
    intervals that are told, unless it is `supposed`. For words an error is being wrong, there is no
    distance, and it is None.
    """

    loss: float
    expected: float | None
    worst: float
    within: float | None
    typical: tuple[float, float] | None = None
    """Where 80 % of the errors on tables of the public shapes lie (10 % below, 10 % above)."""
    worst_shape: float | None = None
    """The expected error on the public shape that fares worst."""
    supposed: bool = False
    """Whether `within` rests on how rows are supposed to be spread."""
    gapless: bool = False
    """Whether `within` is that of a table without gaps, however its rows are spread."""
    standard_error: float | None = None
    """Of `loss` and `expected`, where they are simulated."""
    rows_off: int | None = None
    """With the wished confidence, at most so many rows would have to change for the answer to be
    exact, whatever they are; told of values that are chosen by the table."""
    rows_behind: int | None = None
    """With the wished confidence, no word that is left out of a top is more rows ahead of one that
    is told, whatever the rows are."""

    @property
    def same_everywhere(self) -> bool:
        """Whether the expected error is that of every table: then its average is the worst."""
        return self.expected is not None and self.expected >= self.worst * (1 - 1e-12)

    @property
    def by_rows(self) -> bool:
        """Whether a promise is made in rows: how many an answer is off, or behind."""
        return self.rows_off is not None or self.rows_behind is not None

    @property
    def rests_on(self) -> str:
        """What `within` rests on; empty where it holds for any data."""
        if self.gapless:
            return WITHOUT_GAPS
        if not self.supposed or self.within is None:
            return ""
        return IF_PRIOR if self.typical is None else ON_SHAPES

    @property
    def simulated(self) -> bool:
        """Whether these figures come from simulated tables."""
        return self.supposed or self.standard_error is not None

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return {
            "loss": self.loss,
            "expected_error": self.expected,
            "typical_error": None if self.typical is None else list(self.typical),
            "worst_shape_error": self.worst_shape,
            "worst_case_error": self.worst,
            "error_at_confidence": self.within,
            "rests_on": self.rests_on or None,
            "simulated": self.simulated,
            "standard_error": self.standard_error,
            "rows_off": self.rows_off,
        }


def loss_name(subject: Subject, wishes: Wishes) -> LossName:
    """The loss that is meant: absolute for numbers, zero-one for words, unless one is said."""
    return wishes.loss or (LossName.ZERO_ONE if subject.labels is not None else LossName.ABSOLUTE)


def error_name(subject: Subject) -> LossName:
    """What an error is: a distance between numbers, or a wrong word."""
    return LossName.ZERO_ONE if subject.labels is not None else LossName.ABSOLUTE


def goal_of(subject: Subject, wishes: Wishes) -> Goal:
    """The goal of a design by answer."""
    if wishes.worst_case:
        return Goal.of(loss_name(subject, wishes), worst_case=True)
    return Goal.of(loss_name(subject, wishes), told_prior(subject, wishes.supposed))


def figures_of_matrix(subject: Subject, wishes: Wishes, certified: Certified) -> Figures:
    """The figures of a mechanism whose answers are the subject's, from its integers."""
    mechanism = certified.mechanism
    loss = expected_loss(mechanism, goal_of(subject, wishes))
    by_answer = loss_by_answer(mechanism, error_name(subject))
    weights = beliefs(subject, wishes.supposed).weights
    words = isinstance(mechanism.answers, Labels)
    return Figures(
        loss=loss,
        expected=float(weights @ by_answer),
        worst=float(by_answer.max()),
        within=None if words else float(worst_error_quantile(mechanism, wishes.confidence)),
    )


def surely_above(shares: Floats) -> float:
    """What the mean of simulated shares lies above but for chance: two standard errors less."""
    return float(shares.mean() - 2 * shares.std() / math.sqrt(len(shares)))


def figures_of_errors(
    wishes: Wishes, loss: Floats, expected: Floats, within: float, known: Beliefs
) -> Figures:
    """The figures from losses and errors answer by answer."""
    weights = known.weights
    return Figures(
        loss=float(loss.max()) if wishes.worst_case else float(weights @ loss),
        expected=float(weights @ expected),
        worst=float(expected.max()),
        within=within,
    )


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A mechanism for one statistic: who it is, how good it is, and how it is drawn."""

    name: str
    title: str
    citation: str
    epsilon: Epsilon | None
    """What the mechanism itself is run at; None for answers that tell nothing of the rows."""
    figures: Figures
    properties: tuple[str, ...]
    seconds: float
    release: Release[Any]
    proof: str | None = None

    @property
    def certificate(self) -> str | None:
        """The digest of its certificate, when it is a matrix."""
        return self.release.certificate

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return _ITSELF + self.release.bytes

    def to_dict(self) -> dict[str, Any]:
        """The candidate as plain JSON values."""
        return {
            "name": self.name,
            "title": self.title,
            "citation": self.citation,
            "epsilon": None if self.epsilon is None else str(self.epsilon),
            **self.figures.to_dict(),
            "properties": list(self.properties),
            "seconds": self.seconds,
            "certificate": self.certificate,
            "proof": self.proof,
        }


@dataclass(frozen=True)
class Task:
    """What a maker is asked for: everything in it is public."""

    subject: Subject
    wishes: Wishes
    epsilon: Epsilon
    _: KW_ONLY
    cache: "CacheLike" = "default"
    progress: Callable[[Progress], None] | None = None
    quick: bool = False
    """Whether many tasks follow one another, so that none may take long."""
    sharing: Sharing = ONE_GROUP
    """What it costs to run a mechanism at ε in every group."""
    cells: int | None = None
    """Into how many cells all rows fall, the groups and the rest, where a row that changes leaves
    one cell and enters another; None where it does not."""
    spread: Spread | None = None
    """Where a person has rows in different groups, and no two in one: in how many of them."""
    totals: AskedTotals | None = None
    """What is told where totals of groups are: sums of them."""
    among: int = 1
    """How many statistics of its question are answered: programs for all of them share the time."""
    offered: int | None = None
    """What it may cost in all groups, in billionths; None for what ε in each comes to."""

    @property
    def whole(self) -> Epsilon:
        """ε for all groups together: what one draw for all of them may cost.

        ε in each group is rounded down, and one draw need not lose what that leaves; none has more
        than the largest ε there is.
        """
        offered = self.offered
        if offered is None or self.sharing.epsilon_for(offered) != self.epsilon:
            offered = self.sharing.cost(self.epsilon).total
        return Epsilon(min(offered, LARGEST * BILLION))

    @property
    def wants_bounds(self) -> bool:
        """Whether an order statistic is asked for with an interval that holds for every table."""
        every = self.wishes.interval == IntervalRule.EVERY_TABLE
        return every and isinstance(self.subject.statistic, Rank)


@dataclass(frozen=True)
class Maker:
    """One kind of candidate: whom it is for, why it does not suit a task, and how to make it.

    `why_not` is asked of the statistics or forms of answers that it is for, and is None where it
    suits. `make` may raise DesignError; what it returns is drawn from certified integers or by an
    exact sampler with a proof.
    """

    name: str
    of: type | UnionType
    why_not: Callable[[Task], Unsuitable | None]
    make: Callable[[Task], Candidate]
    _: KW_ONLY
    plain: bool = False
    """Whether others are held against it where no prior is stated: it errs much nowhere."""
    by_answer: bool = False
    """Whether all that it looks at is the true answer."""
    by_cells: bool = False
    """Whether it is for groups alone between which a row that changes may move."""
    by_spread: bool = False
    """Whether it is for groups alone in each of which a person has at most one row."""

    def unsuited(self, task: Task) -> Unsuitable | None:
        """Why it cannot be had, and whether anybody would have expected it; None where it can."""
        subject = task.subject
        suited = isinstance(subject.statistic, self.of) or isinstance(subject.form, self.of)
        cells, spread = self.by_cells and task.cells is None, self.by_spread and task.spread is None
        if not suited or cells or spread:
            return OTHER_STATISTIC
        return self.why_not(task)
