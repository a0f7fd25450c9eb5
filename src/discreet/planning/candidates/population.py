"""Candidates for answers about a population: the same mechanisms, in wider intervals.

Docs: docs/proofs/population.md.
"""

from dataclasses import replace

from discreet.planning.candidates.candidate import Candidate, Figures, Task
from discreet.planning.releases.population import PopulationRelease, halved, rounded_to
from discreet.planning.sampling_error import mean_reach
from discreet.planning.wishes import About
from discreet.statistics import Added, Placed


def of_table(task: Task) -> Task:
    """The same about the table, as sure as the noise must be."""
    wishes = replace(task.wishes, about=About.TABLE, confidence=halved(task.wishes.confidence))
    return replace(task, wishes=wishes)


def about_population(task: Task, made: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Every candidate with what is told of a population."""
    return tuple(
        replace(
            one,
            figures=_figures(task, one.figures),
            release=PopulationRelease(task.subject, one.release),
        )
        for one in made
    )


def _figures(task: Task, figures: Figures) -> Figures:
    """As far off as noise and sampling may be together; order statistics have percentiles."""
    if figures.within is None or not isinstance(task.subject.form, Added):
        placed = isinstance(task.subject.form, Placed)
        return replace(figures, within=None) if placed else figures
    failure = 1 - halved(task.wishes.confidence)
    width = float(task.subject.last - task.subject.start)
    reach = width * mean_reach(task.subject.most_rows, failure) + float(rounded_to(task.subject))
    return replace(figures, within=min(figures.within + reach, width))
