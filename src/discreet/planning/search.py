"""The smallest ε that achieves a wished accuracy."""

from dataclasses import replace
from fractions import Fraction

from discreet.errors import DesignError, QuestionError
from discreet.exact import Epsilon
from discreet.planning.candidates.baselines import constant
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.candidates.choice import choose
from discreet.statistics import Placed

_LEAST, _MOST = -4, 1
"""Powers of ten between which ε is looked for: 0.0001 to 99.9."""


def smallest_epsilon(task: Task, within: Fraction) -> Epsilon | None:
    """The smallest ε of three significant digits at which some candidate comes close enough.

    Close enough: its figures tell an error of at most `within` with the wished confidence. None
    where a constant comes as close: nothing need be spent. Where it does not, errors shrink as ε
    grows, and the first digit string that will do is found by halving. (Next to nothing of ε is as
    good as a constant, and a little more can be worse.)
    """
    if isinstance(task.subject.form, Placed) and task.subject.labels is not None:
        raise QuestionError(
            f"{task.subject.statistic.name} is a word, and words have no distance; give epsilon"
        )
    if task.totals is None and comes_within(constant(task.subject, task.wishes), within):
        return None
    ladder = [
        digits * 10 ** (power + 7)
        for power in range(_LEAST, _MOST + 1)
        for digits in range(100, 1000)
    ]
    low, high = -1, len(ladder) - 1
    if not _achieves(task, within, ladder[high]):
        raise DesignError(
            f"no ε up to {Epsilon(ladder[high])} brings {task.subject.statistic.name} within "
            f"{float(within):g} with confidence {float(task.wishes.confidence):g}; allow a "
            "larger error"
        )
    while high - low > 1:
        middle = (low + high) // 2
        if _achieves(task, within, ladder[middle]):
            high = middle
        else:
            low = middle
    return Epsilon(ladder[high])


def _achieves(task: Task, within: Fraction, billionths: int) -> bool:
    at = replace(task, epsilon=Epsilon(billionths))
    return any(comes_within(one, within) for one in choose(at).candidates)


def comes_within(candidate: Candidate, within: Fraction) -> bool:
    """Whether a candidate's error at the wished confidence is small enough."""
    reach = candidate.figures.within
    return reach is not None and reach <= float(within) * (1 + 1e-9)
