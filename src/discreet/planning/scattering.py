"""How answers would scatter: the law of a plan's answer on an imagined table.

The imagined table has its rows spread evenly over the declared values. No row is looked at: the
same picture belongs to every table with these public facts.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.planning.parts import Part
from discreet.planning.releases.release import Scattering
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Counted, FromSums, Moments, Products, Tally

__all__ = ["Scattering", "imagined", "scattering_of"]


def scattering_of(part: Part) -> Scattering | None:
    """How the chosen candidate would answer on the imagined table; None where it never varies."""
    return part.chosen.release.law(imagined(part.subject))


def imagined(subject: Subject) -> Counted:
    """Rows spread evenly: how many of the selected ones have each index of the column."""
    chance = Fraction(1, 2) if subject.chance is None else subject.chance
    rows = subject.most_rows if subject.fixed_size else round(subject.most_rows * chance)
    if isinstance(subject.form, FromSums):
        return _products(rows, subject.form.fars)
    if subject.column is None:
        held = Fraction(1, 2) if subject.holds_chance is None else subject.holds_chance
        return Moments(rows, round(rows * held))
    each, more = divmod(rows, subject.values)
    first = (subject.values - more) // 2
    counts = np.full(subject.values, each, dtype=np.int64)
    counts[first : first + more] += 1
    return Tally(counts)


def _products(rows: int, fars: Sequence[int]) -> Products:
    """The sums of one column or two, each spread evenly, whatever the other is."""
    sums = [_sums(rows, far + 1) for far in fars]
    (first, squares), (second, others) = (*sums, (0, 0))[:2]
    both = round(Fraction(first * second, rows)) if rows else 0
    return Products(rows, (first, second), (squares, others), both)


def _sums(rows: int, values: int) -> tuple[int, int]:
    """What the indices of rows spread as above sum up to, and their squares: in whole numbers."""
    each, more = divmod(rows, values)
    first = (values - more) // 2
    return (
        each * _up_to(values) + _up_to(first + more) - _up_to(first),
        each * _squares(values) + _squares(first + more) - _squares(first),
    )


def _up_to(end: int) -> int:
    return end * (end - 1) // 2


def _squares(end: int) -> int:
    return end * (end - 1) * (2 * end - 1) // 6
