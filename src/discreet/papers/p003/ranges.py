"""Figures 6 and 7: a range of outputs three times as wide as the answers' (§4.3.4)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from discreet.designer import Query
from discreet.model import extended
from discreet.papers.item import Check, Outcome, PaperItem, Step
from discreet.papers.p003.epsilons import AXIS, EPSILONS, MAX, MEAN
from discreet.papers.p003.lineup import (
    FACE_VALUE,
    LAPLACE,
    MEASURES,
    NORMALIZED,
    POST_PROCESSED,
    STAIRCASE,
    VARIANT_1,
    VARIANT_2,
    Entrant,
    LineupLosses,
)
from discreet.papers.p003.sweep import (
    ON_PAR,
    SUBSTANTIAL,
    Sweep,
    figures,
    high,
    percent,
    swept,
)

WIDTH, WIDER = 300, 500
"""Percent of the answers' range: what the paper widens to, and further."""
LITTLE = 0.1
SAME = 1e-3
"""Less than a plot can show."""
NOT_PROGRAMS = (STAIRCASE, NORMALIZED, LAPLACE)
PROGRAMS = (VARIANT_1, VARIANT_2)


def _widened(entrant: Entrant, width: int = WIDTH) -> Entrant:
    def make(query: Query, epsilon: str, _: object) -> object:
        return entrant.make(query, epsilon, extended(query.answers, width))

    suffix = "(ext)" if width == WIDTH else f"({width} %)"
    return replace(entrant, label=f"{entrant.label} {suffix}", make=make)  # type: ignore[arg-type]


WIDENED = {one.label: _widened(one) for one in (*NOT_PROGRAMS, *PROGRAMS)}


def _ext(entrant: Entrant) -> Entrant:
    return WIDENED[entrant.label]


def by_range(query: Query, epsilons: Sequence[str], step: Step) -> Sweep:
    """Every mechanism within the range and beyond it, at every ε."""
    entrants = [*NOT_PROGRAMS, *PROGRAMS, *WIDENED.values()]
    points = [float(epsilon) for epsilon in epsilons]

    def losses_at(entrant: Entrant, epsilon: float) -> LineupLosses:
        return LineupLosses.of(entrant.make(query, f"{epsilon:g}", None))

    return swept(AXIS, points, entrants, losses_at, step)


def checks(query: Query, sweep: Sweep) -> tuple[Check, ...]:
    """The sentences of §4.3.4."""
    return (
        *(_worse_at_face_value(sweep, one) for one in NOT_PROGRAMS),
        *(_on_par_after(sweep, one) for one in NOT_PROGRAMS),
        *(_no_difference(sweep, one) for one in PROGRAMS),
        *_alike(sweep),
        _wider_still(query, sweep),
    )


def _worse_at_face_value(sweep: Sweep, one: Entrant) -> Check:
    private = high(sweep.points)
    least = min(sweep.ratio(_ext(one), one, m, p) for m in FACE_VALUE for p in private)
    most = max(sweep.ratio(_ext(one), one, m, p) for m in FACE_VALUE for p in private)
    return Check(
        claim=f"{one.label}: the range-extended variant shows substantially worse utility in the "
        "non-post-processing measures at high levels of privacy",
        printed=None,
        ours=f"from {percent(least)} to {percent(most)} at ε ≤ 0.2",
        difference=None,
        holds=least >= 1 + SUBSTANTIAL,
        note=f"Substantially: at least {SUBSTANTIAL:.0%} more.",
    )


def _on_par_after(sweep: Sweep, one: Entrant) -> Check:
    worst, where = sweep.worst_ratio([_ext(one)], [one], POST_PROCESSED)
    best, _ = sweep.worst_ratio([one], [_ext(one)], POST_PROCESSED)
    return Check(
        claim=f"{one.label}: after post-processing the range-extended variant performs on par with "
        "or "
        "marginally better than its range-adherent counterpart",
        printed=None,
        ours=f"at worst {percent(worst)} ({where}), at best {percent(1 / best)}",
        difference=None,
        holds=worst <= 1 + ON_PAR and 1 / best >= 1 - LITTLE,
        note=f"On par: at most {ON_PAR:.0%} more; marginally: at most {LITTLE:.0%} less.",
    )


def _no_difference(sweep: Sweep, one: Entrant) -> Check:
    differences = []
    holds = True
    for measure in (*FACE_VALUE, *POST_PROCESSED):
        up, where = sweep.worst_ratio([_ext(one)], [one], (measure,))
        down, where_down = sweep.worst_ratio([one], [_ext(one)], (measure,))
        apart, at = max((up - 1, where), (down - 1, where_down))
        holds = holds and apart <= SAME
        differences.append(
            f"{MEASURES[measure]}: {apart:.1e}" + (f" ({at})" if apart > 1e-6 else "")
        )
    return Check(
        claim=f"{one.label} shows no differences in any measure between its range-adherent and its "
        "extended range variant",
        printed=None,
        ours="; ".join(differences),
        difference=None,
        holds=holds,
        note=f"No difference: at most {SAME:.1%}. The measure that is designed for agrees to a "
        "float's "
        "precision; where several optima share it, others may differ a little.",
    )


def _alike(sweep: Sweep) -> tuple[Check, ...]:
    """Figures 6 and 7 leave two mechanisms out, for they behave as two others do."""
    return tuple(_behaves_as(sweep, *pair) for pair in ((LAPLACE, STAIRCASE), PROGRAMS[::-1]))


def _behaves_as(sweep: Sweep, left_out: Entrant, shown: Entrant) -> Check:
    apart = []
    for measure in (*FACE_VALUE, *POST_PROCESSED):
        for point in sweep.points:
            one = sweep.ratio(_ext(left_out), left_out, measure, point)
            other = sweep.ratio(_ext(shown), shown, measure, point)
            apart.append(max(one / other, other / one))
    return Check(
        claim=f"the behaviour of the extended range version of {left_out.label} (left out of the "
        "paper's "
        f"graph) matched that of {shown.label}",
        printed=None,
        ours=f"what widening multiplies their losses by is at most {percent(max(apart))} apart",
        difference=None,
        holds=max(apart) <= 1 + LITTLE,
        note=f"Matching: at most {LITTLE:.0%} apart.",
    )


def _wider_still(query: Query, sweep: Sweep) -> Check:
    """ "Any further widening of the range beyond 300 % has little impact"."""
    ratios = []
    for point in sweep.points[:: max(1, len(sweep.points) // 4)]:
        for one in NOT_PROGRAMS:
            wider = LineupLosses.of(_widened(one, WIDER).make(query, f"{point:g}", None))
            ratio = wider.absolute / sweep.loss(_ext(one), "absolute", point)
            ratios.append((ratio, one.label, point))
    ratio, label, point = max(ratios)
    ends = [r for r, _, p in ratios if p == max(sweep.points)]
    return Check(
        claim="any further widening of the range beyond 300 % has little impact",
        printed=None,
        ours=f"{WIDER} %: expected absolute error up to {percent(ratio)} ({label}, ε = {point:g}); "
        "at "
        f"the largest ε at most {percent(max(ends or [1.0]))}",
        difference=None,
        holds=ratio <= 1 + LITTLE,
        note=f"Little: at most {LITTLE:.0%}.",
    )


def run(query: Query, number: int, epsilons: Sequence[str], step: Step) -> Outcome:
    """Figure 6 or 7."""
    sweep = by_range(query, epsilons, lambda done, word: step(0.9 * done, word))
    step(0.9, "wider still")
    return Outcome(
        figures=figures(
            sweep,
            f"figure-{number}",
            "Given a wider range, a program keeps to the answers; other mechanisms pay for it "
            "at face value and not after post-processing.",
            "As multiples of Variant 1, and the answer that fares worst.",
            VARIANT_1,
        ),
        checks=checks(query, sweep),
        notes=(
            "The paper leaves Laplace and Variant 2 out of this graph for clarity; they are here.",
        ),
    )


ITEMS = (
    PaperItem(
        id="003/figure-6",
        title="Loss against ε with an extended range, mean of ten records",
        paper="003",
        claim="Adherence to the range matters at face value; programs adhere by themselves.",
        run=partial(run, MEAN, 6, EPSILONS),
        seconds=20,
    ),
    PaperItem(
        id="003/figure-7",
        title="Loss against ε with an extended range, max of values 0 to 9",
        paper="003",
        claim="Adherence to the range matters at face value; programs adhere by themselves.",
        run=partial(run, MAX, 7, EPSILONS),
        seconds=5,
    ),
)
