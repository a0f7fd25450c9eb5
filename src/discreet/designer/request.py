"""What is asked of a design, how long it may take, what a method is, and what its finding is worth.

Nothing here runs without end: solvers are told how many seconds are left, and searches stop with
the best they have.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.errors import DesignError, GoalError, NeighboursError
from discreet.exact import Epsilon, EpsilonLike, RationalLike, show
from discreet.measures import expected_absolute_error
from discreet.model import (
    AllPairs,
    Goal,
    Graph,
    Grid,
    Guarantee,
    Labels,
    LossName,
    Mechanism,
    Neighbours,
    Requirements,
    Space,
    Within,
    category_of,
)
from discreet.model.ray_mechanism import MOST_CELLS

Floats = npt.NDArray[np.float64]

_ROUNDING = 1 + 2.0**-44
"""More than all the roundings of products and sums of non-negative floats can take away."""


@dataclass(frozen=True)
class Progress:
    """How far a method has come: shown to people while they wait, and never relied on."""

    method: str
    stage: str
    value: float | None = None
    lower_bound: float | None = None

    @property
    def gap(self) -> float | None:
        """The relative distance between value and bound, when both are known."""
        if self.value is None or self.lower_bound is None:
            return None
        return relative_gap(self.value, self.lower_bound)


@dataclass(frozen=True, kw_only=True)
class Request:
    """Everything that defines a design: all of it public."""

    answers: Space
    outputs: Space
    neighbours: Neighbours
    guarantee: Guarantee
    goal: Goal = field(default_factory=Goal)
    requirements: Requirements = field(default_factory=Requirements)
    progress: Callable[[Progress], None] | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls,
        answers: Space,
        neighbours: Neighbours,
        epsilon: EpsilonLike,
        goal: Goal | None = None,
        requirements: Requirements | str | None = None,
        *,
        outputs: Space | None = None,
        delta: RationalLike = 0,
        progress: Callable[[Progress], None] | None = None,
    ) -> "Request":
        """Read and check a request; without outputs, the answers are the outputs.

        >>> from discreet.model import Grid
        >>> Request.of(Grid.between(0, 5), Within(1), "0.5").shape
        (6, 6)
        """
        request = cls(
            answers=answers,
            outputs=answers if outputs is None else outputs,
            neighbours=neighbours,
            guarantee=Guarantee.of(epsilon, delta),
            goal=Goal() if goal is None else goal,
            requirements=Requirements() if requirements is None else Requirements.of(requirements),
            progress=progress,
        )
        request._check()
        return request

    def _check(self) -> None:
        if isinstance(self.neighbours, Graph) and self.neighbours.size != len(self.answers):
            raise NeighboursError(
                f"these neighbours are for {self.neighbours.size} answers, but the space has "
                f"{len(self.answers)}"
            )
        self.goal.prior.check(len(self.answers))
        for one in () if self.goal.situations is None else self.goal.situations.each:
            one.prior.check(len(self.answers), f"the prior of situation {show(one.name)}")
        unordered = isinstance(self.answers, Labels) or isinstance(self.outputs, Labels)
        if unordered and self.goal.loss.named in (LossName.ABSOLUTE, LossName.SQUARED):
            raise GoalError(
                f"the {self.goal.loss.name} loss needs numbers, got labels; use zero-one or a "
                f"table of losses"
            )

        wanted = self.requirements
        placed = wanted.column_monotone or wanted.row_monotone or wanted.fair
        if wanted.symmetric and placed and not _mirrored(self.outputs, self.answers):
            raise GoalError(
                "a symmetric matrix that is also monotone or fair needs evenly spaced outputs "
                "centred on the answers; use the answers, scaled or extended"
            )

    @property
    def epsilon(self) -> Epsilon:
        """ε of the guarantee."""
        return self.guarantee.epsilon

    @property
    def shape(self) -> tuple[int, int]:
        """How many outputs and how many answers."""
        return len(self.outputs), len(self.answers)

    @property
    def is_plain(self) -> bool:
        """Pure ε, a prior, and nothing required: Variant 1 of 003, for any loss and outputs."""
        goal = self.goal
        special = goal.worst_case or goal.situations is not None
        return not (self.guarantee.delta or special or self.requirements)

    @property
    def steps(self) -> int | None:
        """How many places apart neighbours may be on a line; None for an explicit graph."""
        most = max(1, len(self.answers) - 1)
        if isinstance(self.neighbours, AllPairs):
            return most
        return min(self.neighbours.steps, most) if isinstance(self.neighbours, Within) else None

    @property
    def all_are_neighbours(self) -> bool:
        """Whether one record can lead from any answer to any other."""
        return self.steps is not None and self.steps >= len(self.answers) - 1

    @property
    def first_output(self) -> int | None:
        """Which output the first answer is, when all answers are outputs in a row; else None."""
        answers, outputs = self.answers, self.outputs
        if answers == outputs:
            return 0
        if not isinstance(answers, Grid) or not isinstance(outputs, Grid):
            return None
        places = (answers.start - outputs.start) / answers.step
        fits = answers.step == outputs.step and places.denominator == 1
        inside = 0 <= places <= outputs.size - answers.size
        return int(places) if fits and inside else None

    @cached_property
    def prior(self) -> Floats:
        """The probability of each true answer."""
        return self.goal.prior.probabilities(len(self.answers))

    @cached_property
    def loss(self) -> Floats:
        """The loss of every output (rows) for every answer (columns), where that fits."""
        rows, columns = self.shape
        if rows * columns > MOST_CELLS:
            raise DesignError(
                f"{rows:,} outputs by {columns:,} answers are too many to write out cell by "
                "cell; use a larger step"
            )
        return self.goal.loss.matrix(self.outputs, self.answers)

    def report(self, progress: Progress) -> None:
        """Tell whoever waits how far a method has come."""
        if self.progress is not None:
            self.progress(progress)


@dataclass(frozen=True)
class Finding:
    """What a method hands over: integers still to be certified, and what it proved of them.

    `lower_bound` holds for the loss of every mechanism that the request allows. `value` and
    `expected_absolute_error` may be left out: they are then measured on the matrix.
    """

    mechanism: Mechanism
    lower_bound: float
    value: float | None = None
    expected_absolute_error: float | None = None


@dataclass(frozen=True, kw_only=True)
class Method:
    """One way: whether it suits a request, and how it answers one.

    `why_not` says in a few words why the method does not suit a request, or returns None when it
    does; it must be quick and never raise. `run` finds integers and proves a bound, or raises
    DesignError; whatever it returns is certified before anyone sees it.
    """

    name: str
    title: str
    citation: str
    why_not: Callable[[Request], str | None]
    run: Callable[[Request], Finding]


def _mirrored(outputs: Space, answers: Space) -> bool:
    """Whether turned half round, each answer's own output is the turned answer's own.

    An answer in the very middle may lie between two outputs.
    """
    if outputs == answers:
        return True
    home = category_of(outputs, answers)
    last = len(home) - 1
    sums = [home[j] + home[last - j] for j in range(len(home))]
    middle = sums.pop(last // 2) if last % 2 == 0 else len(outputs) - 1
    even = set(sums) <= {len(outputs) - 1}
    return even and middle in (len(outputs) - 1, len(outputs) - 2)


def relative_gap(value: float, lower_bound: float) -> float:
    """How far the value may lie above the optimum, as a share of the value.

    >>> relative_gap(2.0, 1.5), relative_gap(0.0, 0.0)
    (0.25, 0.0)
    """
    return (value - lower_bound) / value if value > 0 else 0.0


def value_above(request: Request, mechanism: Mechanism) -> float:
    """The loss that the request's goal speaks of, or a hair more; never less.

    Every product has non-negative factors and numpy adds in pairs, so that rounding loses a share
    of at most 2⁻⁴⁴, which is added back.
    """
    terms = mechanism.probabilities() * request.loss
    situations = request.goal.situations
    if situations is not None:
        losses = situations.priors(terms.shape[1]) @ terms.sum(axis=0)
        return float(situations.standings(losses * _ROUNDING).max())
    if request.goal.worst_case:
        return float(terms.T.copy().sum(axis=1).max()) * _ROUNDING
    return float((terms * request.prior).sum()) * _ROUNDING


def constant_output(request: Request) -> int:
    """The output that is best told when nothing may be: where repair puts what columns lack."""
    if request.goal.worst_case:
        return int(request.loss.max(axis=1).argmin())
    costs: Floats = request.loss @ request.prior
    tied = np.flatnonzero(costs <= costs.min() * (1 + 1e-12))
    return int(tied[len(tied) // 2])


def absolute_error_of(mechanism: Mechanism) -> float | None:
    """The expected absolute error under a uniform prior, where answers and outputs are numbers."""
    if isinstance(mechanism.answers, Labels) or isinstance(mechanism.outputs, Labels):
        return None
    error = expected_absolute_error(mechanism)
    return error if math.isfinite(error) else None


PATIENCE = 900.0
"""Seconds that a design may take unless somebody says otherwise."""

_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)
_gently: ContextVar[bool] = ContextVar("gently", default=False)


@contextmanager
def patience(seconds: float, *, gently: bool = False) -> Iterator[None]:
    """Whatever is designed inside stops after so many seconds, or when one around it stops.

    Where a search may stop `gently`, Ctrl-C ends it with the best it has.

    >>> with patience(5):
    ...     4 < seconds_left() <= 5
    True
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise GoalError(f"patience must be a positive number of seconds, got {show(seconds)}")
    token = _deadline.set(min(_deadline.get(), time.monotonic() + seconds))
    manner = _gently.set(gently or _gently.get())
    try:
        yield
    finally:
        _gently.reset(manner)
        _deadline.reset(token)


def stopped_gently() -> bool:
    """To ask when Ctrl-C was pressed: whether to stop with what there is, and by now to do so."""
    if _gently.get():
        _deadline.set(-math.inf)
    return _gently.get()


def may_end(met: BaseException) -> bool:
    """Whether a search ends with what it has: time is up, or Ctrl-C may stop it."""
    return stopped_gently() if isinstance(met, KeyboardInterrupt) else out_of_time()


def seconds_left() -> float:
    """How many seconds are left; endless where nobody set a limit."""
    return _deadline.get() - time.monotonic()


def out_of_time() -> bool:
    """Whether it is time to stop."""
    return seconds_left() <= 0


def raise_when_out_of_time() -> None:
    """To ask before a long step that has no limit of its own."""
    if out_of_time():
        raise DesignError("time ran out")
