"""The true answer, from how many selected rows have each value.

What nothing has: an order statistic, a mean or a mode of no rows at all is the middle of the
declared range. A median of an even number of rows is the lower of the two in the middle; a quantile
p of m rows is the value at rank max(1, ⌈p·m⌉); of equally frequent words the mode is the first.
"""

from fractions import Fraction
from math import ceil
from operator import mul

from discreet.planning.subjects.subject import Histogram, Subject

_RANKS = {"min": Fraction(0), "median": Fraction(1, 2), "max": Fraction(1)}


def true_index(subject: Subject, histogram: Histogram) -> int:
    """The place of the true answer among the subject's answers (added or placed).

    More rows than were declared are brought back to the range: no row can make this fail.
    """
    kind = subject.statistic.kind
    if kind == "mode":
        return _mode(subject, histogram)
    if kind in _RANKS or kind == "quantile":
        return _ranked(subject, histogram)
    if kind == "sum" and not subject.fixed_size and subject.grid is not None:
        values = subject.grid
        total = sum((values.start + values.step * i) * many for i, many in histogram.items())
        place = int((total - subject.start) / subject.unit)
    elif kind == "count":
        place = histogram.get(1, 0) if subject.size > 1 else 0
    else:
        place = sum(map(mul, histogram, histogram.values()))
    return min(max(place, 0), subject.size - 1)


def rank_of(subject: Subject, rows: int) -> int:
    """Which of so many sorted rows is asked for, counted from 1."""
    share = _RANKS.get(subject.statistic.kind, subject.statistic.rank)
    assert share is not None
    return max(1, ceil(share * rows))


def _ranked(subject: Subject, histogram: Histogram) -> int:
    rows = sum(histogram.values())
    if rows == 0:
        return (subject.size - 1) // 2
    left = rank_of(subject, rows)
    for index in sorted(histogram):
        left -= histogram[index]
        if left <= 0:
            return index
    raise AssertionError("a rank is at most the number of rows")


def _mode(subject: Subject, histogram: Histogram) -> int:
    most = max(histogram.values(), default=0)
    if most == 0:
        return (subject.size - 1) // 2
    return min(index for index, many in histogram.items() if many == most)
