"""Draws from a certified matrix whose columns are answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, lcm

import numpy as np

from discreet.certifier import Certified
from discreet.model import Integers, Labels, LossName, Mechanism, numbers_of
from discreet.planning.releases.release import (
    EMPTY_TOLD,
    DrawnValue,
    Interval,
    Release,
    Scattering,
    Value,
    gathered,
    in_sight,
    in_units,
    judged,
    true_places,
    true_value,
)
from discreet.planning.subjects.priors import Floats, Places
from discreet.planning.subjects.subject import Subject, true_index
from discreet.sampling import column_table
from discreet.statistics import Count, Counted

_A_CELL = 16
_ROWS_OF_RAYS = 2000
"""Where there are more rows than this, only rays are kept, not a matrix."""


@dataclass(frozen=True, eq=False)
class MatrixRelease(Release[int]):
    """A column of a certified matrix, chosen by the true answer.

    Where answers are too many for a matrix, `merged` of them share a column.
    """

    subject: Subject
    certified: Certified
    merged: int = 1

    @cached_property
    def certificate(self) -> str | None:
        """The digest of the certificate."""
        return self.certified.certificate.digest

    @property
    def matrix(self) -> Certified | None:
        """The matrix, whose column the true answer chooses."""
        return self.certified

    @property
    def bytes(self) -> int:
        """What the matrix takes."""
        return super().bytes + bytes_of(self.certified)

    @property
    def by_answer(self) -> Certified | None:
        """The matrix, unless answers share columns."""
        return self.certified if self.merged == 1 else None

    def law(self, counted: Counted) -> Scattering:
        """The column of the true answer."""
        return law_of_column(self.subject, self.certified, self.column(counted), counted)

    def column(self, counted: Counted) -> int:
        """The column of the true answer: the nearest of those that were kept."""
        return (2 * true_index(self.subject, counted) + self.merged) // (2 * self.merged)

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """What the columns of the true answers cost."""
        places = true_places(self.subject, tables)
        columns = (2 * places + self.merged) // (2 * self.merged)
        return column_losses(self.subject, self.certified, columns, places, name)

    def sampler(self, counted: Counted) -> Callable[[], int]:
        """Draws from the column of the true answer."""
        return column_table(self.certified, self.column(counted)).draw_evenly

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """What an output is called, and the answers that would have led this close.

        Of the same output the same is told, so it is kept, by whole numbers: quick to look up.
        """
        key = output, confidence.numerator, confidence.denominator
        if key not in self._told:
            value = self.value(output)
            self._told[key] = DrawnValue(value, self.interval(value, confidence))
        return self._told[key]

    @cached_property
    def _told(self) -> dict[tuple[int, int, int], DrawnValue]:
        return {}

    def value(self, output: int) -> Value:
        """What an output of the matrix is called."""
        answer = self.certified.mechanism.outputs.value(output)
        if isinstance(answer, str):
            return answer
        return in_units(self.subject, min(answer, self.subject.last))

    @cached_property
    def _windows(self) -> dict[Fraction, "_Windows"]:
        return {}

    @cached_property
    def silence(self) -> Fraction | None:
        """The far end of what no rows are likely to lead to."""
        if not isinstance(self.subject.statistic, Count):
            return None
        return _reach(self.certified.mechanism, 0, 1 - EMPTY_TOLD)

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """The least answer that would have led this close."""
        interval = self.interval(count, 1 - failure)
        assert interval is not None
        return interval[0]

    def interval(self, value: Value, confidence: Fraction) -> Interval | None:
        """All answers that would have led this close: docs/proofs/groups.md (intervals)."""
        mechanism = self.certified.mechanism
        if isinstance(mechanism.outputs, Labels) or not isinstance(value, int | Fraction):
            return None
        output, slack = Fraction(value), Fraction(0)
        if confidence not in self._windows:
            self._windows[confidence] = _windows(mechanism, confidence)
        windows = self._windows[confidence]
        if self.merged == 1:
            near = windows.around(output)
        else:  # the last column stands for answers up to the last, and may lie beyond it
            slack = self.subject.unit * self.merged / 2
            near = windows.around(windows.answers[-1] if output == self.subject.last else output)
        low, high = min([*near, output]) - slack, max([*near, output]) + slack
        return max(low, self.subject.start), min(high, self.subject.last)


@dataclass(frozen=True, eq=False)
class _Windows:
    """For each answer the outputs it is likely to lead to, between whole multiples of 1/parts."""

    answers: tuple[Fraction, ...]
    parts: int
    lowest: Integers
    highest: Integers

    def around(self, output: Fraction) -> tuple[Fraction, ...]:
        """The first and the last answer whose window holds an output."""
        place = output * self.parts
        held = np.flatnonzero((self.lowest <= floor(place)) & (ceil(place) <= self.highest))
        return tuple(self.answers[at] for at in held[[0, -1]]) if len(held) else ()


def _windows(mechanism: Mechanism, confidence: Fraction) -> _Windows:
    answers = numbers_of(mechanism.answers, "an interval").values()
    reach = _reach_by_answer(mechanism, confidence)
    lowest = [answer - far for answer, far in zip(answers, reach, strict=True)]
    highest = [answer + far for answer, far in zip(answers, reach, strict=True)]
    parts = lcm(*(bound.denominator for bound in (*lowest, *highest)))
    return _Windows(answers, parts, _multiples(lowest, parts), _multiples(highest, parts))


def _multiples(bounds: list[Fraction], parts: int) -> Integers:
    whole = [int(bound * parts) for bound in bounds]
    fits = max(map(abs, whole)) < 1 << 62
    return np.array(whole, dtype=np.int64 if fits else object)


def _reach_by_answer(mechanism: Mechanism, confidence: Fraction) -> tuple[Fraction, ...]:
    """For each answer the smallest t with Pr(|output − answer| ≤ t) ≥ confidence, exactly."""
    return tuple(_reach(mechanism, place, confidence) for place in range(len(mechanism.answers)))


def _reach(mechanism: Mechanism, place: int, confidence: Fraction) -> Fraction:
    """The smallest t with Pr(|output − answer| ≤ t) ≥ confidence, exactly."""
    outputs = numbers_of(mechanism.outputs, "an interval").values()
    answer = numbers_of(mechanism.answers, "an interval").value(place)
    column = mechanism.column(place).tolist()
    left = confidence * mechanism.total
    for away, many in sorted(
        (abs(output - answer), many) for output, many in zip(outputs, column, strict=True)
    ):
        left -= many
        if left <= 0:
            return away
    raise AssertionError("a column sums up to its total")


def column_losses(
    subject: Subject, certified: Certified, columns: Places, places: Places, name: LossName
) -> Floats:
    """The expected loss of columns whose true answers are at these places."""
    mechanism = certified.mechanism
    kept, back = np.unique(columns, return_inverse=True)
    chances = np.array([mechanism.column(int(column)) / mechanism.total for column in kept])
    if subject.labels is not None:
        outputs, truths = np.arange(mechanism.shape[0], dtype=np.float64), places.astype(float)
    else:
        values = numbers_of(mechanism.outputs, "a loss").values()
        outputs = np.array([float(min(value, subject.last)) for value in values])
        truths = float(subject.start) + float(subject.unit) * places
    apart = np.abs(outputs[None, :] - truths[:, None])
    errors = judged(name, np.where(apart < 1e-9 * float(subject.unit), 0.0, apart))
    return np.asarray((chances[back].astype(np.float64) * errors).sum(axis=1))


def bytes_of(certified: Certified) -> int:
    """About how much memory a certified matrix takes."""
    rows, columns = certified.mechanism.shape
    return columns * min(rows, _ROWS_OF_RAYS) * _A_CELL


def law_of_column(
    subject: Subject, certified: Certified, column: int, counted: Counted
) -> Scattering:
    """How likely each output of a column is."""
    mechanism = certified.mechanism
    chances = np.asarray(mechanism.column(column) / mechanism.total, dtype=np.float64)
    if subject.labels is not None:
        return Scattering.of_words(subject, chances, counted)
    kept = in_sight(chances)
    values = np.array([float(mechanism.outputs.value(int(i))) for i in kept])
    return gathered(values, chances[kept], true_value(subject, counted))
