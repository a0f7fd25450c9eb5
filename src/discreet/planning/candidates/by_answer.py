"""Candidates that are certified matrices over the answers: designs, and snapped classics."""

import math
import time

import numpy as np

from discreet import mechanisms
from discreet.certifier import Certified, certify
from discreet.designer import design
from discreet.errors import DesignError, SpaceError
from discreet.measures import bayes_remap, properties, worst_error_quantile
from discreet.model import Grid, Mechanism, Within
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    Maker,
    Task,
    figures_of_errors,
    figures_of_matrix,
    goal_of,
    loss_name,
)
from discreet.planning.reasons import (
    BIASED,
    PROPERTIES_UNKNOWN,
    Misfit,
    Unsuitable,
)
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.releases.release import judged
from discreet.planning.subjects.priors import Floats, beliefs, told_prior
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Added, Placed

MOST_BY_PROGRAM = 64
"""Up to so many answers, a program over all of them takes a few seconds at most."""
MOST_QUICKLY = 1001
"""Up to so many where a closed form or rays find the optimum: counts, all pairs, uniform priors."""
_LEAST_QUICKLY = 1000
"""For ε below a millionth closed forms and rays lose their digits, and only programs are left."""
MOST_CLASSIC = 201
"""Up to so many a classic is written out as a matrix where a prior or the classic is named."""
_MOST_UNASKED, _MOST_IN_SEARCH = 101, 61
"""Up to so many where nobody named one, and at every ε that a search tries.

With more answers the ends of the range hardly matter, and clamped noise errs as little."""
_LEAST_ACROSS = 0.1
"""With less, the best of all mechanisms is a tenth better than a constant at most."""
_KEPT = 61
"""How many columns are kept when answers share them."""


def _design_why_not(task: Task) -> Unsuitable | None:
    subject, wishes = task.subject, task.wishes
    if wishes.unbiased:
        return BIASED
    most = MOST_QUICKLY if _is_quick(task) else MOST_BY_PROGRAM
    if wishes.safe:
        most = min(most, _most_safely(task))
    return None if subject.size <= most else _too_many(subject, most)


def _most_safely(task: Task) -> int:
    """Up to how many answers it is tried where no prior is stated.

    Beyond, it errs too much on some shape, or next to nothing is gained; and where ε hardly tells
    one end of the range from the other, a program of many answers may take for ever.
    """
    subject = task.subject
    if isinstance(subject.form, Placed) or _across(task) < _LEAST_ACROSS:
        return MOST_BY_PROGRAM
    return MOST_CLASSIC


def _across(task: Task) -> float:
    """ε times as many records as lead from one end of the range to the other."""
    return float(task.epsilon) * (task.subject.size - 1) / max(1, task.subject.steps)


def _most_classic(task: Task) -> int:
    """Up to how many answers a classic is written out."""
    if not task.wishes.safe:
        return MOST_CLASSIC
    if task.wishes.mechanism is not None or task.wishes.requirements:
        return _most_safely(task)
    unasked = _MOST_IN_SEARCH if task.quick else _MOST_UNASKED
    return min(unasked, _most_safely(task))


def _too_many(subject: Subject, most: int) -> Unsuitable:
    return Unsuitable(Misfit.TOO_MANY_ANSWERS, size=subject.size, most=most)


def _is_quick(task: Task) -> bool:
    subject, wishes = task.subject, task.wishes
    if wishes.worst_case or wishes.requirements or task.epsilon.billionths < _LEAST_QUICKLY:
        return False
    return isinstance(subject.form, Placed) or subject.steps == 1 or wishes.supposed == "uniform"


def _designed(task: Task) -> Candidate:
    subject, wishes = task.subject, task.wishes
    assert subject.answers is not None
    designed = design(
        subject.answers,
        subject.neighbours,
        task.epsilon,
        goal_of(subject, wishes),
        wishes.requirements,
        cache=task.cache,
        progress=task.progress,
    )
    return candidate_of(
        task,
        designed.certified,
        name="by answer",
        title="optimal for this answer range",
        citation="003 §3.4; Ghosh, Roughgarden & Sundararajan 2009",
        seconds=designed.seconds,
    )


def candidate_of(
    task: Task,
    certified: Certified,
    *,
    name: str,
    title: str,
    citation: str,
    seconds: float,
    proof: str | None = None,
) -> Candidate:
    """A candidate from a certified matrix over the subject's answers."""
    return Candidate(
        name=name,
        title=title,
        citation=citation,
        epsilon=task.epsilon,
        figures=figures_of_matrix(task.subject, task.wishes, certified),
        properties=property_names(certified.mechanism),
        seconds=seconds,
        release=MatrixRelease(task.subject, certified),
        proof=proof,
    )


def property_names(mechanism: Mechanism) -> tuple[str, ...]:
    """The properties of 003 that a matrix has."""
    held = properties(mechanism).items()
    return tuple(name.replace("_", "-") for name, verdict in held if verdict.holds)


def _classic_why_not(task: Task) -> Unsuitable | None:
    if task.wishes.unbiased:
        return BIASED
    most = _most_classic(task)
    return None if task.subject.size <= most else _too_many(task.subject, most)


def _classic(family: str) -> Maker:
    def why_not(task: Task) -> Unsuitable | None:
        if mechanisms.FAMILIES[family].needs == "numbers" and task.subject.labels is not None:
            return Unsuitable(Misfit.NEEDS_NUMBERS)
        return _classic_why_not(task)

    def make(task: Task) -> Candidate:
        started, known = time.perf_counter(), mechanisms.FAMILIES[family]
        certified = _built(task, family)
        return candidate_of(
            task,
            certified,
            name=family,
            title=known.title,
            citation=known.citation,
            seconds=time.perf_counter() - started,
            proof=known.proof,
        )

    return Maker(family, Added | Placed, why_not, make, by_answer=True)


def _built(task: Task, family: str) -> Certified:
    subject = task.subject
    assert subject.answers is not None
    try:
        known = mechanisms.FAMILIES[family]
        mechanism = known.build(subject.answers, subject.neighbours, task.epsilon)
    except SpaceError as problem:
        raise DesignError(str(problem)) from None
    return certify(mechanism, task.epsilon)


def _remapped(task: Task) -> Candidate:
    started = time.perf_counter()
    certified = remapped(task, _built(task, "geometric"), task.wishes.supposed)
    return candidate_of(
        task,
        certified,
        name="geometric, remapped",
        title="two-sided geometric, with a Bayes remap for the goal's prior",
        citation="Ghosh, Roughgarden & Sundararajan 2009",
        seconds=time.perf_counter() - started,
        proof="docs/proofs/bayes-remap.md",
    )


def remapped(task: Task, certified: Certified, prior: str | tuple[float, ...]) -> Certified:
    """The mechanism after a Bayes remap, certified again."""
    stated, loss = told_prior(task.subject, prior), loss_name(task.subject, task.wishes)
    return certify(bayes_remap(certified.mechanism, stated, loss), task.epsilon)


def _remap_why_not(task: Task) -> Unsuitable | None:
    reason = _classic_why_not(task)
    if reason is None and (task.subject.labels is not None or task.wishes.worst_case):
        return Unsuitable(Misfit.NEEDS_PRIOR)
    return reason


def _coarse_why_not(task: Task) -> Unsuitable | None:
    if task.wishes.unbiased or task.wishes.requirements:
        return PROPERTIES_UNKNOWN
    return Unsuitable(Misfit.NOT_NEEDED) if _design_why_not(task) is None else None


def _coarse(task: Task) -> Candidate:
    """A design in which neighbouring answers share a column (docs/proofs/groups.md)."""
    subject, wishes = task.subject, task.wishes
    merged = math.ceil((subject.size - 1) / (_KEPT - 1))
    kept = math.ceil((subject.size - 1) / merged) + 1
    answers = Grid(subject.start, subject.unit * merged, kept)
    known = beliefs(subject, wishes.supposed)
    columns = (2 * known.places + merged) // (2 * merged)
    prior = np.bincount(columns, known.weights, minlength=kept)
    goal = goal_of(subject, wishes)
    if not wishes.worst_case:
        goal = type(goal).of(goal.loss, prior.tolist())
    steps = Within(math.ceil(max(1, subject.steps) / merged))
    designed = design(answers, steps, task.epsilon, goal, cache=task.cache, progress=task.progress)
    return Candidate(
        name="by answer, coarse",
        title=f"optimal for {kept} of the answers",
        citation="003 §4.3.2",
        epsilon=task.epsilon,
        figures=_coarse_figures(task, designed.certified, merged),
        properties=property_names(designed.mechanism),
        seconds=designed.seconds,
        release=MatrixRelease(subject, designed.certified, merged),
        proof="docs/proofs/groups.md",
    )


def _coarse_figures(task: Task, certified: Certified, merged: int) -> Figures:
    subject, wishes, mechanism = task.subject, task.wishes, certified.mechanism
    known = beliefs(subject, wishes.supposed)
    unit, start = float(subject.unit), float(subject.start)
    answers = start + unit * known.places
    outputs = np.minimum(start + unit * merged * np.arange(mechanism.shape[0]), float(subject.last))
    columns = (2 * known.places + merged) // (2 * merged)
    chances = mechanism.probabilities()[:, columns]
    errors = np.abs(outputs[:, None] - answers[None, :])
    losses: Floats = (chances * judged(loss_name(subject, wishes), errors)).sum(axis=0)
    reach = worst_error_quantile(mechanism, wishes.confidence) + subject.unit * merged / 2
    within = float(min(reach, subject.last - subject.start))
    return figures_of_errors(wishes, losses, (chances * errors).sum(axis=0), within, known)


BY_ANSWER = Maker("by answer", Added | Placed, _design_why_not, _designed, by_answer=True)
COARSE = Maker("by answer, coarse", Added, _coarse_why_not, _coarse)
REMAPPED = Maker("geometric, remapped", Added | Placed, _remap_why_not, _remapped, by_answer=True)
CLASSICS = tuple(
    _classic(family)
    for family in ("geometric", "laplace", "staircase", "explicit-fair", "randomized-response")
)
"""The classics that know nothing but the answer."""
