"""What a plan promises of an answer for any data, and what its interval costs: in words."""

from discreet.planning.candidates.bounds import rows_needed
from discreet.planning.candidates.candidate import Candidate
from discreet.planning.percentiles import percentiles_of, rows_behind
from discreet.planning.releases.bounds import Bound, BoundedRelease
from discreet.planning.subjects.subject import Subject
from discreet.planning.told import About
from discreet.planning.wishes import Wishes
from discreet.text import (
    IF_SAMPLE,
    Amount,
    behind_text,
    off_text,
    percentiles_text,
    plural,
)


def promise_text(subject: Subject, wishes: Wishes, chosen: Candidate) -> str:
    """Where an order statistic or a mode will lie at the confidence, whatever the rows are.

    Empty where the figures tell it in values.
    """
    promise = _promise(subject, wishes, chosen)
    if promise and chosen.release.tells_runs:
        return f"one of a run of values, some value of which is {promise}"
    return promise


def _promise(subject: Subject, wishes: Wishes, chosen: Candidate) -> str:
    figures = chosen.figures
    percentiles, behind = percentiles_of(subject, wishes, chosen), rows_behind(subject, figures)
    if percentiles is not None and wishes.about == About.POPULATION:
        return f"{percentiles_text(*percentiles, 'the population')}, {IF_SAMPLE}"
    if percentiles is not None:
        return percentiles_text(*percentiles)
    if behind is not None:
        return behind_text(behind)
    return "" if figures.rows_off is None else off_text(figures.rows_off)


def interval_remarks(subject: Subject, wishes: Wishes, chosen: Candidate) -> list[str]:
    """What the interval costs, from how many rows on it says anything, and what it is about."""
    told = []
    if isinstance(chosen.release, BoundedRelease) and chosen.epsilon is not None:
        ends = {"lower": chosen.release.lower, "upper": chosen.release.upper}
        sides = [_side(name, bound, subject) for name, bound in ends.items()]
        bought = chosen.epsilon.billionths // 4 * 2
        told.append(
            f"an interval that holds for any data takes ε = {Amount(bought)} of "
            f"{chosen.epsilon}, so the estimate has {Amount(chosen.epsilon.billionths - bought)}: "
            + "; ".join(sides)
        )
    if wishes.about == About.POPULATION:
        told.append(f"intervals are about the population, {IF_SAMPLE}")
    return told


def _side(name: str, bound: Bound | None, subject: Subject) -> str:
    if bound is None:
        return f"the {name} end is the declared one"
    least = f"of fewer than {plural(rows_needed(bound), 'row')} the {name} end is the declared one"
    if subject.fixed_size:
        return f"the {name} end is {plural(bound.shift, 'row')} further out, or more"
    return least
