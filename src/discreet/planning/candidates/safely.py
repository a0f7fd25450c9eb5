"""The safe rule: what errs much more than a plain candidate on any public shape is left out.

Of the rest, the least geometric mean over all shapes comes first (docs/proofs/safe-rule.md).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from discreet.model import LossName
from discreet.planning.candidates.candidate import Candidate, Task, error_name, loss_name
from discreet.planning.judging import CAP, judging_of
from discreet.planning.reasons import Best, Misfit, Sense, Unsuitable
from discreet.planning.releases.law import judged, true_places
from discreet.planning.subjects.priors import Floats
from discreet.statistics import Placed


@dataclass(frozen=True, eq=False)
class Verdict:
    """A candidate with the figures that the public shapes give it, and its losses on them."""

    candidate: Candidate
    losses: Floats


def verdict(task: Task, candidate: Candidate) -> Verdict:
    """What the public shapes say of a candidate."""
    judging, name = judging_of(task.subject), loss_name(task.subject, task.wishes)
    losses = judging.losses(candidate.release, name)
    errors = losses
    if name != error_name(task.subject):
        errors = judging.losses(candidate.release, error_name(task.subject))
    known = candidate.figures
    figures = replace(
        known,
        loss=judging.mean(losses, name),
        expected=known.expected if known.same_everywhere else None,
        typical=judging.typical(errors),
        worst_shape=float(judging.by_shape(errors).max()),
        standard_error=None,
    )
    return Verdict(replace(candidate, figures=figures), losses)


def errs_more(task: Task, one: Verdict, plain: Verdict) -> Unsuitable | None:
    """Why the safe rule leaves a candidate out, held against a plain one."""
    judging, name = judging_of(task.subject), loss_name(task.subject, task.wishes)
    worst = float(judging.ratios(one.losses, plain.losses, name).max())
    if worst <= CAP:
        return None
    return Unsuitable(Misfit.ERRS_MORE, names=(plain.candidate.name,), ratio=worst)


def hopeless_by_answer(task: Task, plain: Verdict) -> Unsuitable | None:
    """Why no mechanism that looks at the answer alone can keep the cap, where all are neighbours.

    On two tables with answers y and z its errors add up to at least e^(−ε)·|y − z|
    (docs/proofs/safe-rule.md).
    """
    subject, name = task.subject, loss_name(task.subject, task.wishes)
    if not isinstance(subject.form, Placed) or name == LossName.SQUARED:
        return None
    judging = judging_of(subject)
    places = float(subject.unit) * true_places(subject, judging.tables).astype(np.float64)
    apart = judged(name, np.abs(places[:, None] - places[None, :]))
    shapes = len(judging.weights)
    between = apart.reshape(shapes, -1, shapes, apart.shape[1] // shapes).mean(axis=(1, 3))
    theirs = judging.by_shape(plain.losses) + judging.quarter(name)
    least = math.exp(-float(task.epsilon)) * between + 2 * judging.quarter(name)
    worst = float((least / (theirs[:, None] + theirs[None, :])).max())
    if worst <= CAP:
        return None
    return Unsuitable(Misfit.ERRS_MORE, names=(plain.candidate.name,), ratio=worst)


def sense_of(task: Task, plain: str | None = None) -> Sense:
    """In which sense the first candidate is best."""
    wishes = task.wishes
    if wishes.mechanism is not None:
        return Sense(Best.ASKED_FOR)
    if wishes.worst_case:
        return Sense(Best.WORST_CASE)
    if not wishes.safe:
        return Sense(Best.STATED_PRIOR)
    return Sense(Best.SAFE, shapes=len(judging_of(task.subject).weights), plain=plain)
