"""What becomes of a plan when the prior is wrong: a warning from public facts."""

from functools import lru_cache
from typing import Any

import numpy as np

from discreet.measures import loss_by_answer
from discreet.model import Loss
from discreet.planning.candidates.by_database import Tables
from discreet.planning.candidates.candidate import Candidate, error_name
from discreet.planning.candidates.constant import always, constant
from discreet.planning.reasons import Caution, Note
from discreet.planning.releases.by_database import DatabaseRelease
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.releases.release import Release
from discreet.planning.subjects.priors import beliefs
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import DATABASES, UNIFORM, Wishes


@lru_cache(maxsize=256)
def expected_under(subject: Subject, release: Release[Any], prior: str) -> float | None:
    """The expected error of a matrix when answers come from another prior; None for samplers."""
    if isinstance(release, MatrixRelease) and release.merged == 1:
        by_answer = loss_by_answer(release.certified.mechanism, error_name(subject))
        return float(beliefs(subject, prior).weights @ by_answer)
    if not isinstance(release, DatabaseRelease) or subject.answers is None:
        return None
    mechanism = release.certified.mechanism
    errors = Loss.of(error_name(subject)).matrix(mechanism.outputs, subject.answers)
    by_table = mechanism.probabilities().T @ errors
    return float(np.sum(Tables(subject, release.blocks).joint(prior) * by_table))


def warning(subject: Subject, chosen: Candidate, wishes: Wishes) -> Note | None:
    """A note when, for evenly spread rows, a constant errs less than what was chosen.

    Designs for a prior over answers make no use of what is known of rows; this says when that
    would matter.
    """
    if wishes.prior != UNIFORM or wishes.worst_case or chosen.epsilon is None:
        return None
    if subject.labels is not None:
        return None
    ours = expected_under(subject, chosen.release, DATABASES)
    if ours is None:
        return None
    baseline = constant(subject, Wishes(prior=DATABASES))
    errs = baseline.figures.expected
    if errs is None or ours <= errs:
        return None
    return Note(
        kind=Caution.PRIOR_MATTERS,
        statistic=subject.statistic.name,
        always=always(baseline),
        error=errs,
        ours=ours,
    )
