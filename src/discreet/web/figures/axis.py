"""Axes: from numbers to places, and round numbers to mark them with."""

import math
from dataclasses import dataclass

from discreet.text import brief
from discreet.web.figures.marks import line, text

_NOTHING = 1e-290
"""Stretches shorter than this have no digits left for ticks."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A stretch of numbers laid out between two places; evenly, or by their logarithms."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Where a number is; one outside lies at the nearer end."""
        low, high, here = (self._lay(one) for one in (self.low, self.high, value))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def _lay(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self.logarithmic else value

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers inside the stretch, `most` of them or fewer."""
        if self.logarithmic:
            return _round_powers(self.low, self.high, most)
        return _round_steps(self.low, self.high, most)


def bottom_axis(axis: Axis, y: float, name: str, most: int = 6) -> list[str]:
    """A horizontal axis with its ticks and its name below."""
    marks = [line(axis.start, y, axis.end, y, "axis")]
    for tick in axis.ticks(most):
        at = axis.at(tick)
        marks += [line(at, y, at, y + 4, "axis"), text(at, y + 17, brief(tick), "tick", "middle")]
    middle = (axis.start + axis.end) / 2
    return [*marks, text(middle, y + 34, name, "label", "middle")] if name else marks


def left_axis(axis: Axis, x: float, far: float, most: int = 5) -> list[str]:
    """The numbers of a vertical axis, with a faint line across for each."""
    marks = []
    for tick in axis.ticks(most):
        at = axis.at(tick)
        marks += [line(x, at, far, at, "rule"), text(x - 6, at + 4, brief(tick), "tick", "end")]
    return marks


def _round_steps(low: float, high: float, most: int) -> list[float]:
    if not high - low > _NOTHING:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10, 20) if power * times >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


def _round_powers(low: float, high: float, most: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**power for power in powers for digit in digits]
        inside = [tick for tick in found if low * 0.999 <= tick <= high * 1.001]
        if len(inside) <= most:
            return inside
    return inside[:: -(-len(inside) // most)]
