"""The smallest ε that achieves a wished accuracy."""

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.errors import DesignError, QuestionError
from discreet.exact import Epsilon
from discreet.planning.candidates.baselines import constant
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.candidates.choice import choose
from discreet.statistics import Placed
from discreet.text import MAY_NEED_LESS, ON_SHAPES, resting_text

_LEAST, _MOST = -4, 1
"""Powers of ten between which ε is looked for: 0.0001 to 99.9."""
_FIRST = 10**9
"""The ε in billionths that is tried first."""
_STEEPEST, _FLATTEST = 3.0, 0.3
"""By which powers of 1/ε an error is thought to fall."""
_FARTHEST = 1000.0
"""How many times smaller ε is tried next, at most."""
_SHRUNK = 0.75
"""What is left of the places is at most so much of them, or the middle is tried."""
_TRUSTED = 8
"""After so many sizes a next one is always in the middle."""


def smallest_epsilon(task: Task, within: Fraction, near: Epsilon | None = None) -> Epsilon | None:
    """The smallest ε of three significant digits at which some candidate comes close enough.

    Close enough: its figures tell an error of at most `within` with the wished confidence. None
    where a constant comes as close: nothing need be spent. Where it does not, errors shrink as ε
    grows, and the first digit string that will do is closed in on. (Next to nothing of ε is as
    good as a constant, and a little more can be worse.) Another statistic of the same column may
    say `near` which ε it is.
    """
    if isinstance(task.subject.form, Placed) and task.subject.labels is not None:
        raise QuestionError(
            f"{task.subject.statistic.name} is a word, and words have no distance; give epsilon"
        )
    if task.totals is None and comes_within(constant(task.subject, task.wishes), within):
        return None
    every = short_numbers(3, 10 ** (_LEAST + 9), 10 ** (_MOST + 10) - 1)

    rests_on = ""

    def reach(place: int) -> float:
        """The least error that some candidate tells; where there is none, beyond all bounds."""
        nonlocal rests_on
        try:
            candidates = choose(replace(task, epsilon=Epsilon(every[place]))).candidates
        except DesignError:
            if place == len(every) - 1:
                raise
            return math.inf
        nearest = min(candidates, key=reach_of, default=None)
        rests_on = "" if nearest is None else nearest.figures.rests_on
        return math.inf if nearest is None else reach_of(nearest)

    start = _FIRST if near is None else near.billionths
    place = first_within(every, reach, allowed(within), bisect_left(every, start))
    if place == len(every):
        raise DesignError(
            f"no ε up to {Epsilon(every[-1])} brings {task.subject.statistic.name} within "
            f"{float(within):g} with confidence {float(task.wishes.confidence):g} "
            f"{resting_text(rests_on)}; {larger_text(rests_on)}"
        )
    return Epsilon(every[place])


def larger_text(rests_on: str) -> str:
    """What to do where no ε is enough for an accuracy.

    >>> larger_text("if no cell is empty")
    'allow a larger error'
    """
    allow = "allow a larger error"
    return f"{MAY_NEED_LESS}; or {allow}" if rests_on == ON_SHAPES else allow


def short_numbers(digits: int, least: int, most: int) -> list[int]:
    """All whole numbers between two of at most so many digits that count.

    >>> short_numbers(1, 8, 30)
    [8, 9, 10, 20, 30]
    """
    numbers = []
    for power in range(len(str(most))):
        scale, first = 10**power, 10 ** (digits - 1) if power else 1
        numbers += [one * scale for one in range(first, 10**digits) if least <= one * scale <= most]
    return numbers


def first_within(
    sizes: Sequence[int],
    reach: Callable[[int], float],
    wanted: float,
    start: int,
    near: int = 0,
) -> int:
    """The place of the first of rising sizes whose error is no more than wanted, or their number.

    Errors are taken to fall as sizes rise, much like a power of them: a next size is where the
    errors known so far say, brought between the largest that failed and the smallest that did not;
    where that gains too little, in the middle. What is found came close enough, and the size before
    it, or one that is less by no more than `near`, did not.

    >>> tried = []
    >>> def reach(place):
    ...     tried.append(place)
    ...     return 7000 / (place + 1)
    >>> first_within(range(1, 10_000), reach, 10, 5_000), len(tried) < 7
    (699, True)
    """
    low, high, place = -1, len(sizes), start
    known: dict[int, float] = {}
    while high - low > 1 and (high == len(sizes) or sizes[high] - _size(sizes, low) > near):
        before = high - low
        error = known[place] = max(reach(place), wanted / _FARTHEST)
        low, high = (low, place) if error <= wanted else (place, high)
        slow = len(known) > 2 and (high - low > _SHRUNK * before or len(known) > _TRUSTED)
        ends = {one: known[one] for one in (low, high) if one in known}
        likely = None if slow and len(ends) == 2 else _likely(sizes, ends, wanted)
        least = near if len(ends) == 2 else max(near, sizes[place] // (2 if slow else 20))
        if likely is None:
            place = (low + high) // 2
        else:
            place = min(max(likely, _beyond(sizes, low, least, 1)), _beyond(sizes, high, least, -1))
            place = min(max(place, low + 1), high - 1)
    return high


def _beyond(sizes: Sequence[int], end: int, least: int, way: int) -> int:
    """The place that is at least so much nearer to what is looked for than an end is."""
    if not 0 <= end < len(sizes):
        return end
    return bisect_left(sizes, sizes[end] + way * least)


def _size(sizes: Sequence[int], place: int) -> int:
    return sizes[place] if place >= 0 else 0


def _likely(sizes: Sequence[int], known: Mapping[int, float], wanted: float) -> int | None:
    """Where errors at one place, or at two, say that the wanted one is: as a power of the size."""
    ends = [(sizes[one], error) for one, error in known.items() if math.isfinite(error)]
    if not ends:
        return None
    steep = 1.0
    if len(ends) == 2:
        (size, error), (other, least) = ends
        steep = math.log(error / least) / math.log(other / size)
        steep = min(max(steep, _FLATTEST), _STEEPEST)
    size, error = min(ends, key=lambda one: abs(math.log(one[1] / wanted)))
    return bisect_left(sizes, size * (error / wanted) ** (1 / steep))


def reach_of(candidate: Candidate) -> float:
    """How far off it may be at the wished confidence; beyond all bounds where nothing says so."""
    return math.inf if candidate.figures.within is None else candidate.figures.within


def allowed(within: Fraction) -> float:
    """The error that still counts as within a distance, for all that floats can tell."""
    return float(within) * (1 + 1e-9)


def comes_within(candidate: Candidate, within: Fraction) -> bool:
    """Whether a candidate's error at the wished confidence is small enough."""
    return reach_of(candidate) <= allowed(within)
