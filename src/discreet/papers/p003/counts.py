"""Counts, by ε and by size: the question the paper takes from its forerunners (§2, §3.4)."""

from collections.abc import Sequence
from functools import partial

from discreet.designer import count
from discreet.mechanisms import build
from discreet.papers.item import Check, Figure, Outcome, PaperItem, Step
from discreet.papers.p003.epsilons import EPSILONS, by_epsilon
from discreet.papers.p003.lineup import (
    EXPLICIT_FAIR,
    FOR_SQUARES,
    MEASURES,
    OURS,
    THE_PAPERS,
    UNIFORM,
    VARIANT_1,
    VARIANT_2,
    WORST_CASE,
    Entrant,
    LineupLosses,
)
from discreet.papers.p003.sweep import TINY, Sweep, percent, swept

GEOMETRIC = Entrant(
    "geometric, truncated",
    OURS,
    lambda query, epsilon, outputs: build(
        "geometric", query.answers, query.neighbours, epsilon, outputs=outputs
    ),
)
ENTRANTS = (*THE_PAPERS, UNIFORM, GEOMETRIC, EXPLICIT_FAIR, FOR_SQUARES)
RECORDS = 10
SIZES = (2, 3, 5, 7, 10, 20, 30, 50, 100, 200)
EPSILON = "0.5"
FOUR = ("absolute", "bayes_absolute", "squared", "bayes_squared")
MOST_FOR_WORST_CASE = 20


def by_size(sizes: Sequence[int], step: Step) -> Sweep:
    """Every mechanism for counts of so many records."""

    def losses_at(entrant: Entrant, records: float) -> LineupLosses | None:
        if entrant is WORST_CASE and records > MOST_FOR_WORST_CASE:
            return None
        return LineupLosses.of(entrant.make(count(int(records)), EPSILON, None))

    points = [float(size) for size in sizes]
    return swept("records", points, (*ENTRANTS, WORST_CASE), losses_at, step)


def run(epsilons: Sequence[str], sizes: Sequence[int], step: Step) -> Outcome:
    """Both sweeps, and what the paper reports about counts from others."""
    by_e = by_epsilon(
        count(RECORDS), epsilons, (*ENTRANTS, WORST_CASE), lambda done, word: step(0.5 * done, word)
    )
    by_n = by_size(sizes, lambda done, word: step(0.5 + 0.5 * done, word))
    return Outcome(
        figures=(
            Figure(
                "count-epsilon",
                "For a count, the truncated geometric mechanism is best once a reader remaps.",
                by_e.panels(FOUR),
            ),
            Figure(
                "count-size",
                "Gains are largest for small counts.",
                by_n.relative(VARIANT_1, ("absolute", "bayes_absolute"), log_x=True),
            ),
        ),
        checks=(_universal(by_e), _universal(by_n), _fair(by_e), _small(by_n)),
    )


def _universal(sweep: Sweep) -> Check:
    """[24], reported in §2: geometric loses least for every Bayesian reader."""
    everyone = [line.label for line in sweep.lines if line.label != WORST_CASE.label]
    worst, where = sweep.worst_ratio([GEOMETRIC], everyone, ("bayes_absolute", "bayes_squared"))
    return Check(
        claim="a geometric mechanism minimises the expected loss for all users who apply Bayesian "
        f"post-processing, when applied to counting queries (by {sweep.axis})",
        printed=None,
        ours=f"at worst {percent(worst)} ({where})",
        difference=None,
        holds=worst <= 1 + TINY,
    )


def _fair(sweep: Sweep) -> Check:
    """[7] gives explicit fair the properties of Variant 2; the program can only be better."""
    least = min(sweep.ratio(EXPLICIT_FAIR, VARIANT_2, "absolute", point) for point in sweep.points)
    most = max(sweep.ratio(EXPLICIT_FAIR, VARIANT_2, "absolute", point) for point in sweep.points)
    return Check(
        claim="ours: explicit fair has the properties of Variant 2, so Variant 2 loses no more "
        f"({MEASURES['absolute']})",
        printed=None,
        ours=f"explicit fair from {percent(least)} to {percent(most)} on Variant 2",
        difference=None,
        holds=least >= 1 - TINY,
    )


def _small(sweep: Sweep) -> Check:
    gains = {point: sweep.ratio(GEOMETRIC, VARIANT_1, "absolute", point) for point in sweep.points}
    peak, last = max(gains, key=lambda point: gains[point]), max(sweep.points)
    return Check(
        claim="improvements in utility from other ways to keep to the range are most prominent for "
        "counting queries on small databases",
        printed=None,
        ours=f"truncated geometric loses most on Variant 1 at {peak:g} records, "
        f"{percent(gains[peak])}; "
        f"at {last:g} {percent(gains[last])}",
        difference=None,
        holds=peak <= 10 and gains[last] < gains[peak],
    )


ITEMS = (
    PaperItem(
        id="003/count",
        title="Loss of a count, against ε and against the number of records",
        paper="003",
        claim="Counts have a mechanism that is best for every Bayesian reader.",
        run=partial(run, EPSILONS, SIZES),
        seconds=20,
    ),
)
