"""The best mechanism for a space and a goal: the one public door to all methods."""

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import Any, overload

from discreet.certifier import Certified, certify
from discreet.designer.cache import Cache
from discreet.designer.refusing import refusal
from discreet.designer.request import (
    PATIENCE,
    Finding,
    Method,
    Progress,
    Request,
    absolute_error_of,
    out_of_time,
    patience,
    relative_gap,
    stopped_gently,
    value_above,
)
from discreet.errors import DesignError, NotCertified
from discreet.exact import EpsilonLike, RationalLike, show
from discreet.measures import properties
from discreet.model import (
    Goal,
    Mechanism,
    Neighbours,
    Requirement,
    Requirements,
    Space,
)

CacheLike = Cache | str | PathLike[str] | None
"""A cache, its folder, "default" (see `Cache.of`), or None and "off" for none."""
SIMPLE = "simple"
"""What found a design when time was up and no method had anything yet."""
_HOMES = (
    "counts.COUNTS",
    "all_pairs.ALL_PAIRS",
    "tight.TIGHT",
    "rays.RAYS",
    "rays.TURNPIKE",
    "variant2.VARIANT2",
    "near.NEAR_REQUIRED",
    "variant2.LEAN",
    "rays.WORST_CASE",
    "all_pairs.WORST_OF_ALL_PAIRS",
    "near.NEAR_DELTA",
    "plain.PLAIN",
    "tight.TIGHT_ANYWAY",
)


class _Methods(Sequence[Method]):
    """Each method is loaded when a search comes to it: the first few suit most requests."""

    @overload
    def __getitem__(self, place: int) -> Method: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Method, ...]: ...
    def __getitem__(self, place: int | slice) -> Method | tuple[Method, ...]:
        if isinstance(place, slice):
            return tuple(map(_loaded, _HOMES[place]))
        return _loaded(_HOMES[place])

    def __len__(self) -> int:
        return len(_HOMES)


def _loaded(home: str) -> Method:
    file, _, name = home.partition(".")
    method: Method = getattr(importlib.import_module(f"discreet.designer.{file}"), name)
    return method


METHODS: Sequence[Method] = _Methods()
"""What `design` tries, the quickest first; the plain program takes what is left, and what is too
large for it is told with its gap where weights allow."""


@dataclass(frozen=True)
class Attempt:
    """A method that was tried, and its outcome."""

    method: str
    outcome: str


@dataclass(frozen=True, kw_only=True)
class Design:
    """A certified mechanism with a proof of how good it is.

    `value` is the goal's loss, rounded up; no mechanism that the request allows has a loss below
    `lower_bound`. `expected_absolute_error` is in answer units under a uniform prior, whatever the
    goal was; None where answers are not numbers.
    """

    request: Request
    certified: Certified
    value: float
    lower_bound: float
    method: str
    tried: tuple[Attempt, ...]
    seconds: float
    expected_absolute_error: float | None
    from_cache: bool = False

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that was certified."""
        return self.certified.mechanism

    @property
    def gap(self) -> float:
        """How far the value may lie above the optimum, as a share of the value."""
        return relative_gap(self.value, self.lower_bound)

    def to_dict(self) -> dict[str, Any]:
        """What was found as plain JSON values, without the matrix."""
        return {
            "method": self.method,
            "value": self.value,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "expected_absolute_error": self.expected_absolute_error,
            "seconds": self.seconds,
            "from_cache": self.from_cache,
            "tried": [{"method": one.method, "outcome": one.outcome} for one in self.tried],
            "certificate": self.certified.certificate.to_dict(),
        }


def design(
    answers: Space,
    neighbours: Neighbours,
    epsilon: EpsilonLike,
    goal: Goal | None = None,
    requirements: Requirements | str | None = None,
    *,
    outputs: Space | None = None,
    delta: RationalLike = 0,
    method: str | None = None,
    cache: CacheLike = "default",
    progress: Callable[[Progress], None] | None = None,
    seconds: float = PATIENCE,
) -> Design:
    """The private mechanism with the least expected (or worst-case) loss, certified.

    Without a goal: the expected absolute error under a uniform prior. Without outputs: the answers
    themselves. What cannot be certified is never returned. 003 §3.4; a lower bound is proved with
    every design.

    Args:
        answers: The possible true answers.
        neighbours: Which true answers one person's change can exchange.
        epsilon: ε, such as `1`, `"0.5"` or `"log 3"`.
        goal: What an error costs, and how likely each answer is.
        requirements: Names such as `"fair, symmetric"`, or `"all"`.
        outputs: The possible outputs.
        delta: δ of the promise; 0 is pure ε.
        method: The name of one method; without it, the first that suits is taken.
        cache: A folder for designs, `"default"`, or None for none.
        progress: Called with a `Progress` now and then.
        seconds: After this time a search ends with the best so far and its gap.

    Returns:
        The certified mechanism, its loss, and a proven lower bound on the loss of any other.

    Raises:
        DesignError: No method suits the request, or none succeeds.
        GoalError: Goal or requirements do not fit the spaces.
        EpsilonError: ε is not a positive, finite number.

    >>> from discreet.designer.queries import count
    >>> asked = count(5)
    >>> best = design(asked.answers, asked.neighbours, "0.5", cache=None)
    >>> round(best.value, 4), best.gap < 1e-9, best.certified.guarantee.epsilon
    (1.0605, True, Epsilon('0.5'))
    """
    started = time.perf_counter()
    request = Request.of(
        answers,
        neighbours,
        epsilon,
        goal,
        requirements,
        outputs=outputs,
        delta=delta,
        progress=progress,
    )
    methods = _chosen(method)
    shelf = Cache.of(cache)
    if request.goal.situations is not None:
        from discreet.designer.situations import with_references  # noqa: PLC0415  seldom asked for

        with patience(seconds):
            request = with_references(request, partial(_finding, methods=methods))
    known = None if shelf is None else shelf.load(request, method)
    if known is not None:
        accepted = _accepted(request, known.finding)
        if isinstance(accepted, Design):
            tried = tuple(Attempt(*one) for one in known.tried)
            return replace(
                accepted,
                method=known.method,
                tried=tried,
                from_cache=True,
                seconds=time.perf_counter() - started,
            )
    with patience(seconds):
        best = _found(request, methods)
    if shelf is not None and best.method != SIMPLE:
        shelf.store(request, method, best)
    return replace(best, seconds=time.perf_counter() - started)


def _found(request: Request, methods: Sequence[Method]) -> Design:
    """By the first method that suits; over situations one prior at a time."""
    if request.goal.situations is None:
        return _first_found(request, methods)
    from discreet.designer.situations import NAME, over_situations  # noqa: PLC0415

    outcome = _accepted(request, over_situations(request, partial(_finding, methods=methods)))
    if isinstance(outcome, str):
        raise DesignError(f"no mixture of mechanisms serves these situations: {outcome}")
    tried = (Attempt(NAME, f"gap {outcome.gap:.1e}"),)
    return replace(outcome, method=NAME, tried=tried)


def _finding(request: Request, methods: Sequence[Method]) -> Finding:
    best = _first_found(request, methods)
    return Finding(best.mechanism, best.lower_bound, best.value)


def _chosen(name: str | None) -> Sequence[Method]:
    if name is None:
        return METHODS
    chosen = tuple(method for method in METHODS if method.name == name)
    if not chosen:
        known = ", ".join(method.name for method in METHODS)
        raise DesignError(f"unknown method {show(name)}; methods: {known}")
    return chosen


def _first_found(request: Request, methods: Sequence[Method]) -> Design:
    tried: list[Attempt] = []
    unsuited: list[Attempt] = []
    for method in methods:
        reason = method.why_not(request)
        if reason is not None:
            tried.append(Attempt(method.name, reason))
            unsuited.append(tried[-1])
            continue
        request.report(Progress(method.name, "started"))
        outcome = _run(request, method.run)
        if isinstance(outcome, Design):
            tried.append(Attempt(method.name, f"gap {outcome.gap:.1e}"))
            return replace(outcome, method=method.name, tried=tuple(tried))
        tried.append(Attempt(method.name, outcome))
        if out_of_time():
            from discreet.designer.simplest import simplest  # noqa: PLC0415  loads every family

            outcome = _run(request, simplest)
            if isinstance(outcome, Design):
                tried.append(Attempt(SIMPLE, f"gap {outcome.gap:.1e}"))
                return replace(outcome, method=SIMPLE, tried=tuple(tried))
            tried.append(Attempt(SIMPLE, outcome))
            break
    asked_for_all = len(methods) == len(METHODS)
    ran = [one for one in tried if one not in unsuited]
    why = [one.outcome for one in ran[-1:]] if asked_for_all else [_words(one) for one in tried]
    raise DesignError(refusal(request, why), tried=[(one.method, one.outcome) for one in tried])


def _run(request: Request, find: Callable[[Request], Finding]) -> Design | str:
    """What a method makes of a request, or why it makes nothing; Ctrl-C ends it where it may."""
    try:
        return _accepted(request, find(request))
    except DesignError as problem:
        return str(problem)
    except KeyboardInterrupt:
        if not stopped_gently():
            raise
        return "stopped"


def _accepted(request: Request, finding: Finding) -> Design | str:
    """A finding that is certified and has all that is required, or what it lacks."""
    try:
        certified = certify(finding.mechanism, request.epsilon, request.guarantee.delta)
    except NotCertified as problem:
        return str(problem)
    if request.requirements:
        from discreet.designer.programs.written_out import is_honest  # noqa: PLC0415

        missing = properties(finding.mechanism).missing(request.requirements)
        if missing or not is_honest(request, finding.mechanism):
            return f"the integer matrix is not {', '.join(missing) or Requirement.EVERY_OUTPUT}"
    value, error = finding.value, finding.expected_absolute_error
    if value is None:
        value = value_above(request, finding.mechanism)
    if error is None:
        error = absolute_error_of(finding.mechanism)
    if finding.lower_bound > value:
        return f"its lower bound {finding.lower_bound!r} lies above its value {value!r}"
    return Design(
        request=request,
        certified=certified,
        value=value,
        lower_bound=finding.lower_bound,
        method="",
        tried=(),
        seconds=0.0,
        expected_absolute_error=error,
    )


def _words(attempt: Attempt) -> str:
    return f"{attempt.method}: {attempt.outcome}"
