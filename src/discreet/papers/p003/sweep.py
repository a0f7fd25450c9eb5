"""Losses of many mechanisms along an axis: how they are computed, drawn and asked about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from discreet.papers.item import Figure, Panel, Series, Step
from discreet.papers.p003.lineup import MEASURES, OURS, Entrant, LineupLosses

TINY = 1e-9
"""What floats may differ by when nothing differs."""
ON_PAR = 0.05
"""Losses within 5 % of one another are on par."""
SUBSTANTIAL = 0.25
"""A quarter more loss is substantially worse."""
HIGH_PRIVACY = 0.2
"""Up to this ε privacy is high: the smaller of the two that 003 §4.3.1 fixes."""


@dataclass(frozen=True)
class LossLine:
    """One mechanism's losses by point; a point may be missing where it was not computed."""

    label: str
    style: str
    losses: Mapping[float, LineupLosses]


@dataclass(frozen=True)
class Sweep:
    """Lines over the same points."""

    axis: str
    points: tuple[float, ...]
    lines: tuple[LossLine, ...]

    def loss(self, entrant: Entrant | str, measure: str, point: float) -> float:
        """One number."""
        label = entrant if isinstance(entrant, str) else entrant.label
        line = next(line for line in self.lines if line.label == label)
        return float(getattr(line.losses[point], measure))

    def ratio(
        self, above: Entrant | str, below: Entrant | str, measure: str, point: float
    ) -> float:
        """How many times the loss of one the other has."""
        return self.loss(above, measure, point) / self.loss(below, measure, point)

    def worst_ratio(
        self,
        above: Sequence[Entrant | str],
        below: Sequence[Entrant | str],
        measures: Sequence[str],
        points: Sequence[float] | None = None,
    ) -> tuple[float, str]:
        """The largest ratio of any above to any below, and where it is."""
        worst = max(
            (self.ratio(one, other, measure, point), one, other, measure, point)
            for one in map(_label, above)
            for other in map(_label, below)
            for measure in measures
            for point in (self.points if points is None else points)
            if one != other
        )
        ratio, one, other, measure, point = worst
        return ratio, f"{one} / {other}, {MEASURES[measure]}, {self.axis} = {point:g}"

    def panels(self, measures: Sequence[str], *, log_x: bool = False) -> tuple[Panel, ...]:
        """A panel for each measure with every line that has it."""
        return tuple(
            Panel(
                title=MEASURES[measure],
                x_label=self.axis,
                y_label="loss",
                series=self._series(measure),
                log_x=log_x,
            )
            for measure in measures
        )

    def _series(self, measure: str) -> tuple[Series, ...]:
        series = []
        for line in self.lines:
            points = tuple(point for point in self.points if point in line.losses)
            values = tuple(float(getattr(line.losses[point], measure)) for point in points)
            series.append(Series(line.label, points, values, line.style))
        return tuple(series)

    def relative(self, to: Entrant, measures: Sequence[str], *, log_x: bool) -> tuple[Panel, ...]:
        """Panels of every line's loss as a multiple of one entrant's."""
        return tuple(
            Panel(
                title=f"{panel.title}, as a multiple of {to.label}",
                x_label=panel.x_label,
                y_label="multiple",
                series=tuple(
                    Series(
                        one.label,
                        one.x,
                        tuple(
                            y / self.loss(to, measure, x) for x, y in zip(one.x, one.y, strict=True)
                        ),
                        one.style,
                    )
                    for one in panel.series
                ),
                log_x=log_x,
            )
            for measure, panel in zip(measures, self.panels(measures), strict=True)
        )


def swept(
    axis: str,
    points: Sequence[float],
    entrants: Sequence[Entrant],
    losses_at: Callable[[Entrant, float], LineupLosses | None],
    step: Step,
) -> Sweep:
    """Losses of every entrant at every point; None leaves a point out."""
    by_entrant: dict[str, dict[float, LineupLosses]] = {entrant.label: {} for entrant in entrants}
    for place, point in enumerate(points):
        for entrant in entrants:
            step(place / len(points), f"{axis} = {point:g}, {entrant.label}")
            losses = losses_at(entrant, point)
            if losses is not None:
                by_entrant[entrant.label][point] = losses
    lines = tuple(LossLine(one.label, one.style, by_entrant[one.label]) for one in entrants)
    return Sweep(axis, tuple(points), lines)


def with_line(sweep: Sweep, label: str, losses: Mapping[float, LineupLosses]) -> Sweep:
    """The sweep with one more line of ours."""
    return Sweep(sweep.axis, sweep.points, (*sweep.lines, LossLine(label, OURS, losses)))


def figures(
    sweep: Sweep, name: str, message: str, beyond: str, to: Entrant, *, log_x: bool = False
) -> tuple[Figure, Figure]:
    """The paper's figure with all four losses, and ours: multiples of one, and the worst answer."""
    four = ("absolute", "bayes_absolute", "squared", "bayes_squared")
    return (
        Figure(name, message, sweep.panels(four, log_x=log_x)),
        Figure(
            f"{name}-beyond",
            beyond,
            sweep.relative(to, ("absolute",), log_x=log_x) + sweep.panels(("worst",), log_x=log_x),
        ),
    )


def high(points: Sequence[float]) -> tuple[float, ...]:
    """The points of high privacy."""
    return tuple(point for point in points if point <= HIGH_PRIVACY)


def percent(ratio: float) -> str:
    """A ratio as what it adds: "+12.3 %".

    >>> percent(1.123), percent(0.95)
    ('+12.3 %', '-5.0 %')
    """
    return f"{100 * (ratio - 1):+.1f} %"


def _label(entrant: Entrant | str) -> str:
    return entrant if isinstance(entrant, str) else entrant.label
