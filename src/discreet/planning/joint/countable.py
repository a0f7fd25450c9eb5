"""Which statistics are counts that can be drawn together, and what each of them is told by."""

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.exact import Epsilon
from discreet.model import LossName
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    Task,
    figures_of_errors,
    loss_name,
)
from discreet.planning.candidates.population import about_population, of_table
from discreet.planning.joint.count_releases import CountsTogether, CountView, Draw
from discreet.planning.joint.joined import JointAnswer, Whole
from discreet.planning.releases.symmetric import Symmetric
from discreet.planning.subjects.priors import beliefs
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import About
from discreet.questions import EVERY_ROW, AllOf, Condition
from discreet.questions.conditions import OneOf
from discreet.statistics import Added, Linear

_ONE_OR_NONE = 2


def countable(whole: Whole) -> tuple[int, ...]:
    """The statistics to which every row adds 1 or nothing, and that nobody knows beforehand."""
    wishes = whole.wishes
    if wishes.requirements or wishes.remap is not None or whole.grouping.totals is not None:
        return ()
    return tuple(place for place, task in enumerate(whole.tasks) if _counts(task.subject))


def _counts(subject: Subject) -> bool:
    form = subject.form
    return (
        isinstance(form, Added)
        and form.size > 1
        and form.steps == 1
        and form.linear == Linear()
        and subject.values == _ONE_OR_NONE
    )


def counted_where(subject: Subject) -> Condition:
    """The rows that add 1."""
    item = subject.item
    own = item.condition if item.column is None else OneOf(item.column, (1,))
    parts = tuple(part for part in (subject.taken, own) if part != EVERY_ROW)
    return parts[0] if len(parts) == 1 else AllOf(parts)


def steps_within(subject: Subject, distance: Fraction) -> int:
    """How many rows a count may be off, for a distance in its own unit."""
    return int(distance / subject.unit)


def answer(
    whole: Whole,
    places: Sequence[int],
    epsilon: Epsilon,
    source: Draw,
    noises: Sequence[Symmetric],
    *,
    name: str,
    title: str,
    proof: str,
) -> JointAnswer:
    """Counts told from one draw, with the figures of each."""
    digest, started = source.certified.certificate.digest, time.perf_counter()
    tasks = [whole.tasks[place] for place in places]
    made = []
    for task, noise in zip(tasks, noises, strict=True):
        view = CountView(task.subject, noise, not task.wishes.unbiased, digest)
        plain = of_table(task) if task.wishes.about == About.POPULATION else task
        candidate = Candidate(
            name=name,
            title=title,
            citation="Hardt & Talwar 2010",
            epsilon=epsilon,
            figures=_figures(plain, view),
            properties=("unbiased",) if task.wishes.unbiased else (),
            seconds=time.perf_counter() - started,
            release=view,
            proof=proof,
        )
        if plain is not task:
            (candidate,) = about_population(task, (candidate,))
        made.append(candidate)
    release = CountsTogether(
        subjects=tuple(task.subject for task in tasks),
        views=tuple(one.release for one in made),
        source=source,
    )
    return JointAnswer(release, tuple(made))


def _figures(task: Task, view: CountView) -> Figures:
    subject, wishes, unit = task.subject, task.wishes, float(task.subject.unit)
    name, within = loss_name(subject, wishes), unit * view.reach(wishes.confidence)
    if wishes.unbiased:
        error = unit * view.noise.error
        (loss,) = view.losses_at(np.zeros(1, dtype=np.int64), name).tolist()
        return Figures(loss=loss, expected=error, worst=error, within=within)
    known = beliefs(subject, wishes.supposed)
    losses, errors = (view.losses_at(known.places, one) for one in (name, LossName.ABSOLUTE))
    return figures_of_errors(wishes, losses, errors, within, known)
