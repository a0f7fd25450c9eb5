"""Statistics that rows add up to: counts, sums, and means of a known number of rows."""

import math
from fractions import Fraction

from discreet.model import Grid, Relation
from discreet.statistics.answers import Added, Form, Linear, Ratio, Rows
from discreet.statistics.counted import Counted
from discreet.statistics.statistic import Statistic


class Adding(Statistic):
    """Every row adds to the answer, whatever the others are."""

    def place(self, counted: Counted, form: Form) -> int:
        """What the rows add up to; more than were declared are brought back to the range."""
        assert isinstance(form, Added)
        assert form.linear is not None
        return form.nearest(form.linear.place(counted))


def summed(values: Grid, rows: Rows) -> Added:
    """All sums of the rows.

    Of a known number of rows each moves the sum by a step of the values; else rows that come and go
    must fit as well, so the unit is the widest whose multiples hold every value, and zero.
    """
    if rows.fixed:
        return _from_the_smallest(values, rows.most, Fraction(1))
    unit = _common_unit(values)
    least, most = min(values.start, Fraction(0)), max(values.last, Fraction(0))
    one_way = rows.relation == Relation.ADD_OR_REMOVE
    reach = max(-least, most) if one_way else most - least
    return Added(
        start=least * rows.most,
        unit=unit,
        size=int((most - least) * rows.most / unit) + 1,
        steps=int(reach / unit),
        linear=Linear(
            first=int(-least * rows.most / unit),
            base=int(values.start / unit),
            slope=int(values.step / unit),
        ),
    )


def averaged(values: Grid, rows: Rows) -> Added | Ratio:
    """All means of the rows: a sum where their number is known, else a sum over a count."""
    if rows.fixed:
        return _from_the_smallest(values, rows.most, Fraction(1, rows.most))
    return Ratio(values)


def _from_the_smallest(values: Grid, rows: int, scale: Fraction) -> Added:
    """Sums of so many rows, times a scale: how far each is above the smallest value adds up."""
    return Added(
        start=values.start * rows * scale,
        unit=values.step * scale,
        size=(values.size - 1) * rows + 1,
        steps=values.size - 1,
        linear=Linear(),
    )


def _common_unit(values: Grid) -> Fraction:
    """The widest spacing whose multiples hold every value, and zero."""
    parts = math.lcm(values.start.denominator, values.step.denominator)
    return Fraction(math.gcd(int(values.start * parts), int(values.step * parts)), parts)
