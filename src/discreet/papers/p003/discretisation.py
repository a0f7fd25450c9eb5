"""Figure 3: loss against ε for categories finer and coarser than the answers (§4.3.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

from discreet.model import Grid, scaled
from discreet.papers.item import Check, Figure, Outcome, Panel, PaperItem, Step
from discreet.papers.p003.epsilons import AXIS, EPSILONS, MEAN
from discreet.papers.p003.lineup import (
    LAPLACE,
    MEASURES,
    POST_PROCESSED,
    STAIRCASE,
    UNIFORM,
    VARIANT_1,
    VARIANT_2,
    Entrant,
    LineupLosses,
)
from discreet.papers.p003.sweep import TINY, Sweep, high, percent, swept

SCALES = ("1/2", "1", "2", "5", "10", "20")
"""How many steps between answers a category is wide."""
NEGLIGIBLE = 0.02
"""What the width of a line in a plot hides."""
FINEST = 3


@dataclass(frozen=True)
class ScaledFamily:
    """One mechanism at every scale, and uniform beside it."""

    entrant: Entrant
    sweep: Sweep
    scales: tuple[str, ...]

    def loss(self, scale: str, point: float, measure: str = "absolute") -> float:
        """One number."""
        return self.sweep.loss(_name(self.entrant, scale), measure, point)


def _name(entrant: Entrant, scale: str) -> str:
    return f"{entrant.label} × {scale}"


def tiled(answers: Grid, scale: str) -> Grid:
    """Categories that tile the range from its lowest to its highest answer.

    So the outer midpoints move inwards as categories widen, which is what the paper's account of
    coarse categories rests on. Categories of one step or less are centred on the answers (§4.3).

    >>> tiled(Grid.between(0, 40), "5").floats().tolist()
    [2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 32.5, 37.5]
    """
    times = Fraction(scale)
    if times <= 1:
        return scaled(answers, times)
    width = answers.step * times
    return Grid(answers.start + width / 2, width, int((answers.size - 1) / times))


def family_of(
    entrant: Entrant,
    scales: Sequence[str],
    epsilons: Sequence[str],
    step: Step,
    place: Callable[[Grid, str], Grid] = tiled,
) -> ScaledFamily:
    """Losses of one mechanism with categories of every scale."""
    scaled_ones = {_name(entrant, scale): scale for scale in scales}

    def losses_at(one: Entrant, epsilon: float) -> LineupLosses:
        outputs = place(MEAN.answers, scaled_ones.get(one.label, "1"))
        return LineupLosses.of(one.make(MEAN, f"{epsilon:g}", outputs))

    entrants = [replace(entrant, label=label) for label in scaled_ones]
    points = [float(epsilon) for epsilon in epsilons]
    return ScaledFamily(
        entrant, swept(AXIS, points, [*entrants, UNIFORM], losses_at, step), tuple(scales)
    )


def checks(snapped: ScaledFamily, designed: ScaledFamily) -> tuple[Check, ...]:
    """The sentences of §4.3.2."""
    return (_coarser_is_better(snapped), _uniform_wins(snapped), *_coarser_is_worse(designed))


def _coarser_is_better(family: ScaledFamily) -> Check:
    private = high(family.sweep.points)
    coarse = [scale for scale in family.scales if scale != "1/2"]
    falls = all(
        family.loss(finer, point) >= family.loss(coarser, point)
        for point in private
        for finer, coarser in pairwise(coarse)
    )
    least = min(private)
    losses = ", ".join(f"× {scale}: {family.loss(scale, least):.3f}" for scale in family.scales)
    best = {
        point: min(family.scales, key=lambda scale, at=point: family.loss(scale, at))  # type: ignore[misc]
        for point in private
    }
    return Check(
        claim=f"the {family.entrant.label} mechanism achieves better utility with a coarser "
        "granularity "
        "in high privacy settings",
        printed=None,
        ours=f"at ε = {least:g}: {losses}",
        difference=None,
        holds=all(family.loss("1", point) > family.loss("5", point) for point in private),
        note="Decided by categories five times as wide against the answers' own. Best scale: "
        + ", ".join(f"ε = {point:g}: × {scale}" for point, scale in best.items())
        + ("" if falls else "; not every step of coarsening helps."),
    )


def _uniform_wins(family: ScaledFamily) -> Check:
    wins = [
        point
        for point in family.sweep.points
        if family.sweep.loss(UNIFORM, "absolute", point) < family.loss("1", point)
    ]
    private = high(family.sweep.points)
    above = [point for point in private if point not in wins]
    return Check(
        claim=f"in the high privacy setting even the uniform mechanism performs better than the "
        f"{family.entrant.label} mechanism",
        printed=None,
        ours=f"uniform is better at ε = {', '.join(f'{point:g}' for point in wins) or 'none'}; at "
        "the "
        f"smallest ε: {family.loss('1', min(private)):.4f} against "
        f"{family.sweep.loss(UNIFORM, 'absolute', min(private)):.4f}",
        difference=None,
        holds=bool(wins),
        note=""
        if not above
        else f"Not yet at ε = {', '.join(f'{point:g}' for point in above)}, though ε ≤ 0.2 is high "
        "privacy elsewhere.",
    )


def _coarser_is_worse(family: ScaledFamily) -> tuple[Check, ...]:
    whole = [scale for scale in family.scales if scale != "1/2"]
    rises = [
        (finer, coarser, point)
        for point in family.sweep.points
        for finer, coarser in pairwise(family.scales)
        if family.loss(coarser, point) < family.loss(finer, point) * (1 - 1e-7)
    ]
    finest = family.scales[:FINEST]
    spread = max(
        max(family.loss(scale, point) for scale in finest)
        / min(family.loss(scale, point) for scale in finest)
        for point in family.sweep.points
    )
    example = ""
    if rises:
        finer, coarser, point = rises[0]
        example = (
            f"; × {coarser} beats × {finer} at ε = {point:g} "
            f"({family.loss(coarser, point):.6f} against {family.loss(finer, point):.6f})"
        )
    name = family.entrant.label
    return (
        Check(
            claim=f"{name}: coarser granularity leads to worse levels of utility",
            printed=None,
            ours=f"{len(rises)} of {len(family.sweep.points) * (len(family.scales) - 1)} steps of "
            f"coarsening help{example}",
            difference=None,
            holds=not rises,
            note=""
            if not rises
            else f"From × 1 to × {whole[-1]} it holds at every ε: "
            + str(
                all(family.loss(whole[-1], p) > family.loss("1", p) for p in family.sweep.points)
            ).lower()
            + ". Categories that do not nest can sit better by chance.",
        ),
        Check(
            claim=f"{name}: for the three finest levels the differences are almost negligible",
            printed=None,
            ours=f"at most {percent(spread)} between × {', × '.join(finest)}",
            difference=None,
            holds=spread <= 1 + NEGLIGIBLE,
            note=f"Negligible: at most {NEGLIGIBLE:.0%}.",
        ),
    )


def run(scales: Sequence[str], epsilons: Sequence[str], step: Step) -> Outcome:
    """Figure 3, with the staircase, Variant 2 and another way to place categories beside it."""
    plan = (
        (LAPLACE, tiled),
        (VARIANT_1, tiled),
        (STAIRCASE, tiled),
        (VARIANT_2, tiled),
        (LAPLACE, scaled),
        (VARIANT_1, scaled),
    )

    def part(number: int) -> Step:
        return lambda done, word: step((number + done) / len(plan), word)

    families = [
        family_of(one, scales, epsilons, part(number), place)
        for number, (one, place) in enumerate(plan)
    ]
    laplace, designed, _, variant_2, on_ends, _ = families
    hidden = ("bayes_absolute", "squared", "bayes_squared")
    return Outcome(
        figures=(
            _figure(
                "figure-3",
                families[:2],
                ("absolute",),
                "At high privacy snapped Laplace does better with coarse categories, and worse "
                "than uniform; the designed mechanism is hardly affected.",
            ),
            _figure(
                "figure-3-beyond",
                families[2:4],
                ("absolute",),
                "Snapped staircase behaves as snapped Laplace does; coarse categories hurt Variant "
                "2 more than Variant 1.",
            ),
            _figure(
                "figure-3-measures", families[:2], hidden, "The measures that the paper leaves out."
            ),
            _figure(
                "figure-3-on-the-ends",
                families[4:],
                ("absolute",),
                "With the outer categories centred on the ends of the range, coarse ones no "
                "longer help snapped Laplace.",
            ),
        ),
        checks=(
            *checks(laplace, designed),
            *(_check_like(family, name) for family in (laplace, designed) for name in hidden),
            _not_on_the_ends(on_ends),
        ),
        notes=(
            "The paper does not say where coarse categories lie. Its account of them (finer ones "
            "put pooled mass nearer the extremities) fits categories that tile the range, which "
            "the first figures use.",
            f"Coarse categories hurt Variant 2 more than Variant 1: "
            f"{_coarser_is_worse(variant_2)[1].ours}.",
        ),
    )


def _not_on_the_ends(family: ScaledFamily) -> Check:
    theirs = _coarser_is_better(family)
    return replace(
        theirs,
        claim="ours: with the outer categories centred on the ends of the range, coarse ones do "
        "not help at high privacy",
        holds=not theirs.holds,
        note="",
    )


def _figure(
    name: str, families: Sequence[ScaledFamily], measures: Sequence[str], message: str
) -> Figure:
    panels = tuple(_panel(family, measure) for measure in measures for family in families)
    return Figure(name, message, panels)


def _check_like(family: ScaledFamily, measure: str) -> Check:
    """ "We omit graphs for the other measures as they display similar trends"."""

    def better(name: str) -> list[bool]:
        return [
            family.loss("5", point, name) < family.loss("1", point, name) * (1 - TINY)
            for point in family.sweep.points
        ]

    alike = sum(a == b for a, b in zip(better("absolute"), better(measure), strict=True))
    count = len(family.sweep.points)
    return Check(
        claim=f"{family.entrant.label}: the other measures display similar trends: "
        f"{MEASURES[measure]}",
        printed=None,
        ours=f"coarse (× 5) against own (× 1) has the same winner at {alike} of {count} values of "
        "ε",
        difference=None,
        holds=alike == count,
        note="Coarse categories that tile fine ones are post-processing: after it they cannot help."
        if measure in POST_PROCESSED and alike < count
        else "",
    )


def _panel(family: ScaledFamily, measure: str) -> Panel:
    panel = family.sweep.panels((measure,))[0]
    series = tuple(
        replace(one, label=one.label.removeprefix(f"{family.entrant.label} "))
        for one in panel.series
    )
    return replace(panel, title=f"{family.entrant.label}: {MEASURES[measure]}", series=series)


ITEMS = (
    PaperItem(
        id="003/figure-3",
        title="Loss against ε by discretisation, mean of ten records of 0 to 4",
        paper="003",
        claim="At high privacy boundary-snapping does better with coarser categories, and worse "
        "than "
        "uniform.",
        run=partial(run, SCALES, EPSILONS),
        version=3,
        seconds=20,
    ),
)
