"""Whether statistics are better answered together: by their errors, weighted by importance.

The errors that are compared are those that a plan shows, for the same ε in all; or, where an
accuracy is wished, what it costs.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.errors import DiscreetError
from discreet.exact import Epsilon
from discreet.planning.candidates.candidate import Candidate, Task, loss_name
from discreet.planning.joint.joined import Joined, Joiner, Whole
from discreet.planning.joint.registry import JOINERS
from discreet.planning.judging import CAP, judging_of, verdict
from discreet.planning.search import (
    allowed,
    comes_within,
    first_within,
    reach_of,
    short_numbers,
)
from discreet.planning.subjects.priors import Floats

_NOTICEABLE = 1e-9
"""How much better, at least, what is preferred to separate answers."""
_STEPS = 128
"""To one part in so many of a cost the least cost of a set below it is found."""
_LIKELY = 5 / 8
"""It is looked for from so much of it on."""
_DIGITS, _LEAST = 4, 1000
"""It has so many digits that count, and is no less than one part in so many."""


@dataclass(frozen=True)
class Alone:
    """A statistic answered by itself: what it costs in billionths, and what it is told by."""

    cost: int
    candidate: Candidate


def better_together(
    whole: Whole, alone: Mapping[int, Alone], importance: Sequence[Fraction]
) -> list[Joined]:
    """The sets that err less than separate answers at the same cost; no statistic is in two.

    Args:
        whole: The question.
        alone: For every statistic that is paid for, what it is without the others.
        importance: What the error of each statistic counts for.

    Returns:
        Those that gain most, in the order in which they were found to.
    """
    gains = []
    for joiner, places in _proposed(whole, alone):
        cost = sum(alone[place].cost for place in places)
        made = _made(joiner, whole, places, Epsilon(cost))
        if made is None:
            continue
        weights = [float(importance[place]) for place in places]
        ratios = [
            _ratio(whole.tasks[place], candidate, alone[place].candidate)
            for place, candidate in zip(places, made.candidates, strict=True)
        ]
        together = sum(weight * ratio for weight, ratio in zip(weights, ratios, strict=True))
        better = together < sum(weights) * (1 - _NOTICEABLE)
        if not better and joiner.name != whole.wishes.mechanism:
            continue
        if not (joiner.capped and whole.wishes.safe and _breaks_cap(whole, made, alone, weights)):
            saved = sum(weights) / max(together, _NOTICEABLE)
            gains.append((sum(weights) - together, replace(made, saved=saved)))
    return _apart(gains)


def cheaper_together(whole: Whole, alone: Mapping[int, Alone], distance: Fraction) -> list[Joined]:
    """The sets that come within a distance for less than separate answers."""
    savings = []
    for joiner, places in _proposed(whole, alone):
        for made in _within(joiner, whole, places, distance, alone):
            cost = sum(alone[place].cost for place in made.places)
            saving = cost - made.epsilon.billionths
            if saving > 0 or joiner.name == whole.wishes.mechanism:
                savings.append((float(saving), _cheaper(made, cost)))
    return _apart(savings)


def _within(
    joiner: Joiner,
    whole: Whole,
    places: tuple[int, ...],
    distance: Fraction,
    alone: Mapping[int, Alone],
) -> list[Joined]:
    """Sets that come within a distance: at the least ε where that is known, else by halving."""
    if joiner.least is None:
        cost = sum(alone[place].cost for place in places)
        made = _cheapest(joiner, whole, places, distance, cost)
        return [] if made is None else [made]
    try:
        least = joiner.least(whole, places, distance)
    except DiscreetError:
        return []
    joined = [_made(joiner, whole, some, epsilon) for some, epsilon in least if len(some) > 1]
    return [
        one
        for one in joined
        if one is not None and all(comes_within(each, distance) for each in one.candidates)
    ]


def _cheaper(made: Joined, cost: int) -> Joined:
    return replace(made, saved=cost / made.epsilon.billionths, cheaper=True)


def _proposed(whole: Whole, alone: Mapping[int, Alone]) -> list[tuple[Joiner, tuple[int, ...]]]:
    named, proposals = whole.wishes.mechanism, []
    for joiner in JOINERS:
        for proposed in joiner.sets(whole) if named in (None, joiner.name) else ():
            places = tuple(place for place in proposed if place in alone)
            if places == proposed or (joiner.any_of and len(places) > 1):
                proposals.append((joiner, places))
    return list(dict.fromkeys(proposals))


def _made(joiner: Joiner, whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> Joined | None:
    """The set at ε, with the figures that candidates have; None where it cannot be had."""
    try:
        made = joiner.make(whole, places, epsilon)
    except DiscreetError:
        return None
    if not made.release.drawable:
        return None
    candidates = tuple(
        _judged(whole.tasks[place], candidate)
        for place, candidate in zip(places, made.candidates, strict=True)
    )
    return Joined(
        name=joiner.name,
        places=places,
        epsilon=epsilon,
        candidates=candidates,
        release=made.release,
    )


def _judged(task: Task, candidate: Candidate) -> Candidate:
    return verdict(task, candidate).candidate if task.wishes.safe else candidate


def _ratio(task: Task, ours: Candidate, theirs: Candidate) -> float:
    """How many times their error ours is; less than a quarter of a step matters to nobody."""
    least = judging_of(task.subject).quarter(loss_name(task.subject, task.wishes))
    return (ours.figures.loss + least) / (theirs.figures.loss + least)


def _breaks_cap(
    whole: Whole, made: Joined, alone: Mapping[int, Alone], weights: Sequence[float]
) -> bool:
    """Whether on some public shape the set errs too much more than an answer for each.

    Ratios are averaged over the statistics as they are over shapes: docs/proofs/safe-rule.md. A
    shape that is failed on its few tables is looked at on many.
    """
    most = sum(weights) * math.log(CAP)

    def logs(shape: int | None) -> Floats:
        summed = np.zeros(1)
        for place, candidate, weight in zip(made.places, made.candidates, weights, strict=True):
            task = whole.tasks[place]
            judging, name = judging_of(task.subject), loss_name(task.subject, task.wishes)
            if shape is not None:
                judging = judging.closely(shape)
            ours, theirs = (
                judging.losses(one.release, name) for one in (candidate, alone[place].candidate)
            )
            summed = summed + weight * np.log(judging.ratios(ours, theirs, name))
        return summed

    failed = np.flatnonzero(logs(None) > most).tolist()
    return any(logs(shape).max() > most for shape in failed)


def _cheapest(
    joiner: Joiner, whole: Whole, places: tuple[int, ...], distance: Fraction, cost: int
) -> Joined | None:
    """The set at the least ε that comes close enough for all, if that is below a cost."""
    sizes = [*short_numbers(_DIGITS, cost // _LEAST, cost - 2), cost - 1]
    made: dict[int, Joined] = {}

    def reach(place: int) -> float:
        """The largest error of the statistics; where the set cannot be had, beyond all bounds."""
        one = _made(joiner, whole, places, Epsilon(sizes[place])) if sizes[place] else None
        if one is None:
            return math.inf
        errors = [reach_of(each) for each in one.candidates]
        if max(errors) <= allowed(distance):
            made.clear()
            made[place] = one
        return max(errors)

    start = min(bisect_left(sizes, cost * _LIKELY), len(sizes) - 1)
    return made.get(first_within(sizes, reach, allowed(distance), start, cost // _STEPS))


def _apart(gains: list[tuple[float, Joined]]) -> list[Joined]:
    """Of sets with their gains, the best that have nothing in common."""
    kept: list[Joined] = []
    for _, one in sorted(gains, key=lambda pair: -pair[0]):
        if not any(set(one.places) & set(other.places) for other in kept):
            kept.append(one)
    return kept
