"""How answers would scatter: the law of a plan's answer on an imagined table.

The imagined table has its rows spread evenly over the declared values. No row is looked at: the
same picture belongs to every table with these public facts.
"""

from fractions import Fraction

import numpy as np

from discreet.planning.part import Part
from discreet.planning.releases.law import Scattering
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Counted, Moments, Tally

__all__ = ["Scattering", "imagined", "scattering_of"]


def scattering_of(part: Part) -> Scattering | None:
    """How the chosen candidate would answer on the imagined table; None where it never varies."""
    return part.chosen.release.law(imagined(part.subject))


def imagined(subject: Subject) -> Counted:
    """Rows spread evenly: how many of the selected ones have each index of the column."""
    chance = Fraction(1, 2) if subject.chance is None else subject.chance
    rows = subject.most_rows if subject.fixed_size else round(subject.most_rows * chance)
    if subject.column is None:
        held = Fraction(1, 2) if subject.holds_chance is None else subject.holds_chance
        return Moments(rows, round(rows * held))
    each, more = divmod(rows, subject.values)
    first = (subject.values - more) // 2
    counts = np.full(subject.values, each, dtype=np.int64)
    counts[first : first + more] += 1
    return Tally(counts)
