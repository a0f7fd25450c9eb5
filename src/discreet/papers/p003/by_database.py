"""Beyond the paper: min, median and max of ten answers on its five-point scale, by database.

Variant 1 is the best mechanism that sees the true answer alone. One that sees the records knows
how many of them would have to change, and can do better: how much, the program of 002 says.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from discreet.databases import DatabaseGoal, Databases, design_by_database, maximum, median
from discreet.databases.statistics import truth_of
from discreet.designer.queries import median as median_query
from discreet.mechanisms import smooth_sensitivity
from discreet.mechanisms.path_length import PathLength, PathLengthMechanism
from discreet.model import AllPairs, Grid
from discreet.papers.item import Check, Figure, Outcome, Panel, PaperItem, Series, Step
from discreet.papers.p003.epsilons import AXIS
from discreet.papers.p003.lineup import (
    EXPLICIT_FAIR,
    LAPLACE,
    OURS,
    PAPER,
    STAIRCASE,
    VARIANT_1,
    VARIANT_2,
    LineupLosses,
)
from discreet.papers.p003.sweep import TINY, percent
from discreet.statistics import Rank

SCALE = Grid.between(1, 5)
RECORDS = 10
EPSILONS = ("0.1", "0.25", "0.5", "1", "2")
BY_ANSWER = (LAPLACE, STAIRCASE, VARIANT_1, VARIANT_2, EXPLICIT_FAIR)
BEST, PATH, SMOOTH = "best by database", "path length", "smooth sensitivity"
STATISTICS = (
    ("median", median(), PathLength.median()),
    ("max", maximum(), PathLength.maximum()),
)


def _seeing(name: str, statistic: Rank, path: PathLength, epsilon: str) -> dict[str, float]:
    """Expected absolute errors when answers, and histograms with one answer, are equally likely."""
    databases = Databases.of(RECORDS, SCALE)
    truth = truth_of(statistic, databases)
    weights = DatabaseGoal().weights(databases, truth)
    selection = PathLengthMechanism.of(path, epsilon)
    errors = selection.expected_errors(databases.counts)
    smooth = smooth_sensitivity(SCALE, AllPairs(), epsilon, statistic=name, records=RECORDS)
    places = [databases.column_of(column.split(",")) for column in smooth.answers.values()]  # type: ignore[union-attr]
    truths = truth.of_column[places]
    apart = np.abs(np.arange(len(SCALE))[:, None] - truths[None, :])
    by_column = (smooth.probabilities() * apart).sum(axis=0)
    return {
        BEST: design_by_database(statistic, RECORDS, SCALE, epsilon).value,
        PATH: float(weights @ errors),
        SMOOTH: float(weights[places] @ by_column),
    }


def run(epsilons: Sequence[str], step: Step) -> Outcome:
    """Errors of mechanisms that see the answer and of those that see the records."""
    query = median_query(1, 5)
    answers = {
        entrant.label: [
            LineupLosses.of(entrant.make(query, epsilon, None)).absolute for epsilon in epsilons
        ]
        for entrant in BY_ANSWER
    }
    panels: list[Panel] = []
    checks: list[Check] = []
    for number, (name, statistic, path) in enumerate(STATISTICS):
        seen: dict[str, list[float]] = {SMOOTH: [], PATH: [], BEST: []}
        for place, epsilon in enumerate(epsilons):
            step((number + place / len(epsilons)) / len(STATISTICS), f"{name}, ε = {epsilon}")
            for label, error in _seeing(name, statistic, path, epsilon).items():
                seen[label].append(error)
        panels.append(_panel(name, epsilons, answers, seen))
        checks.extend(_checks(name, epsilons, answers[VARIANT_1.label], seen))
    figure = Figure(
        "by-database",
        "A mechanism that sees ten records errs far less than the best that sees their median or "
        "max alone.",
        tuple(panels),
    )
    return Outcome(figures=(figure,), checks=tuple(checks))


def _panel(
    name: str,
    epsilons: Sequence[str],
    answers: dict[str, list[float]],
    seen: dict[str, list[float]],
) -> Panel:
    points = tuple(float(epsilon) for epsilon in epsilons)
    styles = {entrant.label: entrant.style for entrant in BY_ANSWER} | {SMOOTH: PAPER}
    series = tuple(
        Series(label, points, tuple(errors), styles.get(label, OURS))
        for label, errors in {**answers, **seen}.items()
    )
    return Panel(
        title=f"{name} of {RECORDS} answers from 1 to 5",
        x_label=AXIS,
        y_label="expected absolute error",
        series=series,
    )


def _checks(
    name: str, epsilons: Sequence[str], blind: list[float], seen: dict[str, list[float]]
) -> tuple[Check, ...]:
    last = epsilons[-1]
    return (
        Check(
            claim=f"ours: seeing the records never costs, and helps more as ε grows ({name})",
            printed=None,
            ours=f"Variant 1 loses {percent(blind[0] / seen[BEST][0])} on it at ε = {epsilons[0]}, "
            f"{percent(blind[-1] / seen[BEST][-1])} at ε = {last}",
            difference=None,
            holds=all(b >= s * (1 - TINY) for b, s in zip(blind, seen[BEST], strict=True))
            and blind[-1] / seen[BEST][-1] > blind[0] / seen[BEST][0],
        ),
        Check(
            claim=f"ours: no mechanism beats the best by database ({name})",
            printed=None,
            ours=f"path length at ε = {last}: {percent(seen[PATH][-1] / seen[BEST][-1])}; smooth "
            f"sensitivity {percent(seen[SMOOTH][-1] / seen[BEST][-1])}",
            difference=None,
            holds=all(
                seen[BEST][i] <= min(seen[PATH][i], seen[SMOOTH][i]) * (1 + TINY)
                for i in range(len(epsilons))
            ),
        ),
    )


ITEMS = (
    PaperItem(
        id="003/by-database",
        title="Beyond the paper: median and max of ten answers, by database",
        paper="003",
        claim="Seeing the records, not just the answer, pays.",
        run=partial(run, EPSILONS),
        seconds=60,
    ),
)
