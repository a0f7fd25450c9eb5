"""Counts of several groups added up: the noise of sums has a law of its own
(docs/proofs/workloads.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from discreet.curator.result import Result
from discreet.joint.cells import CANCELLING
from discreet.joint.sums import sum_error, sum_reach
from discreet.joint.tables import INDEPENDENT


@dataclass(frozen=True)
class NoiseOfSums:
    """Noises of one rate on the cells of a table."""

    rate: Fraction
    cells: int | None
    """How many of them cancel; None where each is drawn by itself."""

    @classmethod
    def of(cls, together: Sequence[dict[str, Any]], statistic: int) -> "NoiseOfSums | None":
        """The noise of a count by group, as its entry tells; None where sums have no known law."""
        bodies = [one["body"] for one in together if one["parts"] == [statistic]]
        if len(bodies) != 1 or bodies[0] is None:
            return None
        (body,) = bodies
        rate, cells = Fraction(body["rate"]), int(body["dimension"])
        known = {CANCELLING: cls(rate / 2, cells), INDEPENDENT: cls(rate, None)}
        return known.get(body["gauge"])

    def reach(self, many: int, confidence: Fraction) -> int:
        """How far the sum of so many cells is off at most, at the confidence."""
        return sum_reach(many, self.rate, confidence, of=self.cells)

    def error(self, many: int) -> float:
        """How far it is off on average."""
        return sum_error(many, self.rate, of=self.cells)


@dataclass(frozen=True)
class SumReading:
    """How sums are told: as the counts were."""

    most: int | None
    """How many rows there can be; None where counts may leave their range."""
    consistent: bool
    """Whether counts were made to fit together."""


def added_up(
    cells: Sequence[Result], noise: NoiseOfSums, confidence: Fraction, reading: SumReading
) -> Result:
    """The sum of counts that were told.

    It is the sum of what was drawn, brought into its range: its noise has an exact law, and that of
    counts that were brought into their ranges one by one has none. So it may differ from the sum of
    the released counts, and says so. Only where counts were made to fit together their sum is
    told, and the interval is wide enough to hold it.
    """
    many, most = len(cells), reading.most
    drawn = sum(one.drawn for one in cells if one.drawn is not None)
    far = noise.reach(many, confidence)
    fitting = sum(one.value for one in cells if isinstance(one.value, int))
    total = fitting if reading.consistent else _inside(drawn, most)
    low, high = _inside(drawn - far, most), _inside(drawn + far, most)
    interval = Fraction(min(low, total)), Fraction(max(high, total))
    return replace(
        cells[0],
        value=total,
        drawn=None,
        interval=interval,
        expected_error=None if reading.consistent else noise.error(many),
        mechanism=f"{cells[0].mechanism}, {_of_cells(many, reading)}",
        whole_range=most is not None and interval == (Fraction(0), Fraction(most)),
    )


def _of_cells(many: int, reading: SumReading) -> str:
    """What was added up: a public fact, so that it says nothing of what was drawn."""
    clamped = not reading.consistent and reading.most is not None
    return f"{many} added up before clamping" if clamped else f"{many} added up"


def _inside(count: int, most: int | None) -> int:
    return count if most is None else min(max(count, 0), most)
