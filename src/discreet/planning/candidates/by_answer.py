"""Candidates that are certified matrices over the answers: designs, and snapped classics."""

import math
import time

import numpy as np

from discreet.certifier import Certified, certify
from discreet.designer import design
from discreet.errors import DesignError, SpaceError
from discreet.measures import bayes_remap, properties, worst_error_quantile
from discreet.mechanisms import FAMILIES
from discreet.model import Grid, Mechanism, Within
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.figures import (
    Figures,
    figures_of_errors,
    figures_of_matrix,
    goal_of,
    judged,
    loss_name,
)
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.subjects.priors import Floats, beliefs, told_prior
from discreet.statistics import Added, Placed

MOST_BY_PROGRAM = 64
"""Up to so many answers, a program over all of them takes a few seconds at most."""
MOST_QUICKLY = 1001
"""Up to so many where a closed form or rays find the optimum: counts, all pairs, uniform priors."""
_LEAST_QUICKLY = 1000
"""For ε below a millionth closed forms and rays lose their digits, and only programs are left."""
MOST_CLASSIC = 201
_KEPT = 61
"""How many columns are kept when answers share them."""


def _design_why_not(task: Task) -> str | None:
    subject, wishes = task.subject, task.wishes
    if wishes.unbiased:
        return "its answers stay in the range, so they are biased"
    if not isinstance(subject.form, Added | Placed) or subject.size < 2:
        return "only for counts, sums, order statistics and modes"
    most = MOST_QUICKLY if _is_quick(task) else MOST_BY_PROGRAM
    return None if subject.size <= most else f"{subject.size:,} answers, at most {most} are solved"


def _is_quick(task: Task) -> bool:
    subject, wishes = task.subject, task.wishes
    if wishes.worst_case or wishes.requirements or task.epsilon.billionths < _LEAST_QUICKLY:
        return False
    return isinstance(subject.form, Placed) or subject.steps == 1 or wishes.prior == "uniform"


def _designed(task: Task) -> Candidate:
    subject, wishes = task.subject, task.wishes
    assert subject.answers is not None
    found = design(
        subject.answers, subject.neighbours, task.epsilon, goal_of(subject, wishes),
        wishes.requirements, cache=task.cache, progress=task.progress,
    )  # fmt: skip
    return candidate_of(
        task, found.certified, "by answer", "the best mechanism that knows the answer alone",
        "003 §3.4; Ghosh, Roughgarden & Sundararajan 2009", found.seconds,
    )  # fmt: skip


def candidate_of(  # noqa: PLR0917
    task: Task,
    certified: Certified,
    name: str,
    title: str,
    citation: str,
    seconds: float,
    proof: str | None = None,
) -> Candidate:
    """A candidate from a certified matrix over the subject's answers."""
    return Candidate(
        name, title, citation, task.epsilon,
        figures_of_matrix(task.subject, task.wishes, certified),
        property_names(certified.mechanism), seconds,
        MatrixRelease(task.subject, certified), proof,
    )  # fmt: skip


def property_names(mechanism: Mechanism) -> tuple[str, ...]:
    """The properties of 003 that a matrix has."""
    held = properties(mechanism).items()
    return tuple(name.replace("_", "-") for name, verdict in held if verdict.holds)


def _classic_why_not(task: Task) -> str | None:
    subject = task.subject
    if task.wishes.unbiased:
        return "its answers stay in the range, so they are biased"
    if not isinstance(subject.form, Added | Placed) or subject.size < 2:
        return "only for counts, sums, order statistics and modes"
    if subject.size > MOST_CLASSIC:
        return f"{subject.size:,} answers, at most {MOST_CLASSIC} are written out"
    return None


def _classic(family: str) -> Maker:
    known = FAMILIES[family]

    def why_not(task: Task) -> str | None:
        if known.needs == "numbers" and task.subject.labels is not None:
            return "needs numbers"
        return _classic_why_not(task)

    def make(task: Task) -> Candidate:
        started = time.perf_counter()
        certified = _built(task, family)
        return candidate_of(
            task, certified, family, known.title, known.citation,
            time.perf_counter() - started, known.proof,
        )  # fmt: skip

    return Maker(family, why_not, make)


def _built(task: Task, family: str) -> Certified:
    subject = task.subject
    assert subject.answers is not None
    try:
        mechanism = FAMILIES[family].build(subject.answers, subject.neighbours, task.epsilon)
    except SpaceError as problem:
        raise DesignError(str(problem)) from None
    return certify(mechanism, task.epsilon)


def _remapped(task: Task) -> Candidate:
    started = time.perf_counter()
    certified = remapped(task, _built(task, "geometric"), task.wishes.prior)
    return candidate_of(
        task, certified, "geometric, remapped",
        "two-sided geometric, read as someone with the goal's prior would",
        "Ghosh, Roughgarden & Sundararajan 2009", time.perf_counter() - started,
        "docs/proofs/bayes-remap.md",
    )  # fmt: skip


def remapped(task: Task, certified: Certified, prior: str | tuple[float, ...]) -> Certified:
    """The mechanism after a Bayes remap, certified again."""
    told, loss = told_prior(task.subject, prior), loss_name(task.subject, task.wishes)
    return certify(bayes_remap(certified.mechanism, told, loss), task.epsilon)


def _remap_why_not(task: Task) -> str | None:
    if task.subject.labels is not None or task.wishes.worst_case:
        return "needs numbers and a prior"
    return _classic_why_not(task)


def _coarse_why_not(task: Task) -> str | None:
    subject, wishes = task.subject, task.wishes
    if wishes.unbiased or wishes.requirements:
        return "nothing can be required of shared columns"
    if not isinstance(subject.form, Added) or _design_why_not(task) is None:
        return "every answer can have a column of its own"
    return None


def _coarse(task: Task) -> Candidate:
    """A design in which neighbouring answers share a column (docs/proofs/groups.md)."""
    subject, wishes = task.subject, task.wishes
    merged = math.ceil((subject.size - 1) / (_KEPT - 1))
    kept = math.ceil((subject.size - 1) / merged) + 1
    answers = Grid(subject.start, subject.unit * merged, kept)
    known = beliefs(subject, wishes.prior)
    columns = (2 * known.places + merged) // (2 * merged)
    prior = np.bincount(columns, known.weights, minlength=kept)
    goal = goal_of(subject, wishes)
    if not wishes.worst_case:
        goal = type(goal).of(goal.loss, prior.tolist())
    steps = Within(math.ceil(max(1, subject.steps) / merged))
    found = design(answers, steps, task.epsilon, goal, cache=task.cache, progress=task.progress)
    return Candidate(
        "by answer, coarse", f"the best mechanism on {kept} of the answers", "003 §4.3.2",
        task.epsilon, _coarse_figures(task, found.certified, merged),
        property_names(found.mechanism), found.seconds,
        MatrixRelease(subject, found.certified, merged), "docs/proofs/groups.md",
    )  # fmt: skip


def _coarse_figures(task: Task, certified: Certified, merged: int) -> Figures:
    subject, wishes, mechanism = task.subject, task.wishes, certified.mechanism
    known = beliefs(subject, wishes.prior)
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


BY_ANSWER = Maker("by answer", _design_why_not, _designed)
COARSE = Maker("by answer, coarse", _coarse_why_not, _coarse)
REMAPPED = Maker("geometric, remapped", _remap_why_not, _remapped)
CLASSICS = tuple(
    _classic(family)
    for family in ("geometric", "laplace", "staircase", "explicit-fair", "randomized-response")
)
"""The classics that know nothing but the answer."""
