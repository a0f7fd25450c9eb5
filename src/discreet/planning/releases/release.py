"""How an answer is drawn: one class for each way, all from the counts of the selected rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import ceil, floor, lcm
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from discreet.certifier import Certified
from discreet.model import Integers, Labels, Mechanism, numbers_of
from discreet.planning.subjects.subject import Subject, extremes, true_index
from discreet.sampling import NoiseTables, column_table, noise_tables
from discreet.sampling.laplace import check_rate
from discreet.statistics import Counted

Value: TypeAlias = "int | Fraction | str | tuple[tuple[str, int], ...]"
"""A number in the column's units, a word, or words with their counts."""
Interval: TypeAlias = tuple[Fraction, Fraction]


_Output = TypeVar("_Output")


@dataclass(frozen=True)
class DrawnValue:
    """One drawn value with the interval that its mechanism promises."""

    value: Value
    interval: Interval | None


@dataclass(frozen=True, eq=False)
class Ready:
    """An answer that waits to be drawn: all that depends on the rows is worked out.

    What is left draws random bits and looks up tables; then what was drawn is put into units, by a
    function that sees no row (docs/proofs/charged-can-be-drawn.md).
    """

    sampler: Callable[[], Any]
    told: Callable[[Any], DrawnValue]

    def draw(self) -> DrawnValue:
        """One answer: to be called once, under its charge."""
        return self.told(self.sampler())


class Release(ABC, Generic[_Output]):
    """How one statistic is answered: an output is drawn for the rows, and a value told of it."""

    subject: Subject

    @abstractmethod
    def sampler(self, counted: Counted) -> Callable[[], _Output]:
        """What draws an output for these rows: everything that depends on them is done here."""

    @abstractmethod
    def told(self, output: _Output, confidence: Fraction) -> DrawnValue:
        """The value and the interval that are told of an output: post-processing, without rows."""

    def ready(self, counted: Counted, confidence: Fraction) -> Ready:
        """An answer that waits to be drawn; after this nothing can fail."""
        return Ready(self.sampler(counted), partial(self.told, confidence=confidence))

    def check(self) -> None:
        """Raise DiscreetError where public facts alone say that it cannot be drawn from."""

    def rehearse(self, confidence: Fraction) -> None:
        """Draw for the extreme tables that the public facts allow: what fails, fails for nobody.

        Nothing here is private, and what is built for it (tables, intervals) is kept.
        """
        for counted in extremes(self.subject):
            self.ready(counted, confidence).draw()

    @property
    def supposes(self) -> bool:
        """Whether its intervals rest on how the prior supposes rows to be spread."""
        return False

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate; None for exact samplers, which have a proof instead."""
        return None


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

    def column(self, counted: Counted) -> int:
        """The column of the true answer: the nearest of those that were kept."""
        return (2 * true_index(self.subject, counted) + self.merged) // (2 * self.merged)

    def sampler(self, counted: Counted) -> Callable[[], int]:
        """Draws from the column of the true answer."""
        return column_table(self.certified, self.column(counted)).draw

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """What an output is called, and the answers that would have led this close."""
        value = self.value(output)
        return DrawnValue(value, self.interval(value, confidence))

    def value(self, output: int) -> Value:
        """What an output of the matrix is called."""
        if output not in self._values:
            self._values[output] = self._value(output)
        return self._values[output]

    def _value(self, output: int) -> Value:
        told = self.certified.mechanism.outputs.value(output)
        if isinstance(told, str):
            return told
        return in_units(self.subject, min(told, self.subject.last))

    @cached_property
    def _values(self) -> dict[int, Value]:
        return {}

    @cached_property
    def _intervals(self) -> dict[tuple[Value, Fraction], Interval | None]:
        return {}

    @cached_property
    def _windows(self) -> dict[Fraction, "_Windows"]:
        return {}

    def interval(self, value: Value, confidence: Fraction) -> Interval | None:
        """All answers that would have led this close: docs/proofs/groups.md (intervals)."""
        if (value, confidence) not in self._intervals:
            self._intervals[value, confidence] = self._interval(value, confidence)
        return self._intervals[value, confidence]

    def _interval(self, value: Value, confidence: Fraction) -> Interval | None:
        mechanism = self.certified.mechanism
        if isinstance(mechanism.outputs, Labels) or not isinstance(value, int | Fraction):
            return None
        told, slack = Fraction(value), Fraction(0)
        if confidence not in self._windows:
            self._windows[confidence] = _windows(mechanism, confidence)
        windows = self._windows[confidence]
        if self.merged == 1:
            near = windows.around(told)
        else:  # the last column stands for answers up to the last, and may lie beyond it
            slack = self.subject.unit * self.merged / 2
            near = windows.around(windows.answers[-1] if told == self.subject.last else told)
        low, high = min([*near, told]) - slack, max([*near, told]) + slack
        return max(low, self.subject.start), min(high, self.subject.last)


@dataclass(frozen=True, eq=False)
class _Windows:
    """For each answer the outputs it is likely to lead to, between whole multiples of 1/parts."""

    answers: tuple[Fraction, ...]
    parts: int
    lowest: Integers
    highest: Integers

    def around(self, told: Fraction) -> tuple[Fraction, ...]:
        """The first and the last answer whose window holds an output."""
        place = told * self.parts
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
    outputs = numbers_of(mechanism.outputs, "an interval").values()
    found = []
    for place, answer in enumerate(numbers_of(mechanism.answers, "an interval").values()):
        column = mechanism.column(place).tolist()
        pairs = sorted(
            (abs(told - answer), many) for told, many in zip(outputs, column, strict=True)
        )
        left = confidence * mechanism.total
        for away, many in pairs:
            left -= many
            if left <= 0:
                found.append(away)
                break
    return tuple(found)


@dataclass(frozen=True)
class NoiseRelease(Release[int]):
    """The true answer plus two-sided geometric noise, clamped to the range or as it comes.

    Proof: docs/proofs/geometric.md; clamping is post-processing.
    """

    subject: Subject
    rate: Fraction
    clamped: bool

    def check(self) -> None:
        """Whether noise of this rate can be drawn."""
        check_rate(self.rate)

    def sampler(self, counted: Counted) -> Callable[[], int]:
        """Draws the place of the true answer with its noise."""
        return partial(_with_noise, true_index(self.subject, counted), noise_tables(self.rate))

    def told(self, output: int, confidence: Fraction) -> DrawnValue:
        """The noisy place in the column's units, as far as the noise reaches."""
        place = output
        if self.clamped:
            place = min(max(place, 0), self.subject.size - 1)
        value = in_units(self.subject, self.subject.start + self.subject.unit * place)
        return DrawnValue(value, self.interval(value, confidence))

    def interval(self, value: int | Fraction, confidence: Fraction) -> Interval:
        """As far as the noise reaches: docs/proofs/groups.md (intervals)."""
        subject, rate, failure = self.subject, float(self.rate), 1 - float(confidence)
        if not self.clamped:
            far = subject.unit * noise_reach(rate, failure)
            return value - far, value + far
        far = subject.unit * clamped_reach(rate, failure, subject.size - 1)
        return max(value - far, subject.start), min(value + far, subject.last)


def _with_noise(place: int, noise: NoiseTables) -> int:
    return place + noise.draw()


@dataclass(frozen=True)
class ConstantRelease(Release[None]):
    """The same answer whatever the rows say."""

    subject: Subject
    always: Value

    def sampler(self, counted: Counted) -> Callable[[], None]:
        """Nothing is drawn, and no row is looked at."""
        return _nothing

    def told(self, output: None, confidence: Fraction) -> DrawnValue:
        """The constant, and the whole range."""
        whole = None if self.subject.labels else (self.subject.start, self.subject.last)
        return DrawnValue(self.always, whole)


def _nothing() -> None:
    """What a constant needs of chance."""


@lru_cache(maxsize=1024)
def noise_reach(rate: float, failure: float) -> int:
    """The smallest t with Pr(|noise| > t) ≤ failure, or one more where floats cannot tell.

    More than t steps have probability 2α^(t+1)/(1 + α).
    """
    needed = (np.log(2 / failure) - np.log1p(np.exp(-rate))) / rate
    return max(int(np.ceil(needed * (1 + 1e-12) + 1e-12)) - 1, 0)


def clamped_reach(rate: float, failure: float, last: int) -> int:
    """The same for the error of noise that is clamped to 0..last, wherever the truth lies there.

    Noise can exceed t to both sides of a truth only if t < ⌊last/2⌋: beyond, one tail is left.
    """
    one_sided = noise_reach(rate, min(2 * failure, 1.0))
    return min(noise_reach(rate, failure), max(one_sided, last // 2), last)


def in_units(subject: Subject, told: Fraction) -> int | Fraction:
    """A number as people know it: whole where the column is."""
    return int(told) if subject.whole and told.denominator == 1 else told
