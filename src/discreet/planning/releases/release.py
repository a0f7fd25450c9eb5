"""How an answer is drawn: one class for each way, all from the counts of the selected rows; and
its law, what might be told of a table and how likely each value is.

The simplest is here, the answer that tells nothing of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, floor
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.certifier import Certified
from discreet.model import LossName
from discreet.model.gauges import GaugeNoise
from discreet.model.largest import LargestGauge
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject, extremes, true_index
from discreet.statistics import Counted, FromSums, OfSums, Ratio, Tally
from discreet.text import EMPTY_TOLD_PERCENT

OUT_OF_SIGHT = 1e-4
"""Tails rarer than this are not shown."""
_MOST_KEPT = 4_000


@dataclass(frozen=True)
class Scattering:
    """The answers that might be told, in rising order, and the chance of each."""

    answers: tuple[float, ...]
    chances: tuple[float, ...]
    truth: float
    words: tuple[str, ...] | None = None
    """Instead of numbers, where answers are words; `truth` is then an index."""

    @classmethod
    def of_words(cls, subject: Subject, chances: Floats, counted: Counted) -> "Scattering":
        """The law of a word; the truth is the index of the true one."""
        assert subject.labels is not None
        places = tuple(map(float, range(subject.size)))
        truth = float(true_index(subject, counted))
        return cls(places, tuple(chances.tolist()), truth, subject.labels.names)

    def reach(self, confidence: float) -> float:
        """The least distance from the truth that holds so much of the chance."""
        away = sorted(
            (abs(answer - self.truth), chance)
            for answer, chance in zip(self.answers, self.chances, strict=True)
        )
        gathered = 0.0
        for far, chance in away:
            gathered += chance
            if gathered >= confidence - 1e-9:
                return far
        return away[-1][0]

    def between(self, reach: float) -> tuple[float, float]:
        """The least and the largest answer that may be told so near to the truth."""
        near = [answer for answer in self.answers if abs(answer - self.truth) <= reach]
        return near[0], near[-1]


def gathered(values: Floats, chances: Floats, truth: float) -> Scattering:
    """As plain numbers; where they are very many, neighbours are put together."""
    together = -(-len(values) // _MOST_KEPT)
    if together > 1:
        starts = np.arange(0, len(values), together)
        values = values[np.minimum(starts + together // 2, len(values) - 1)]
        chances = np.add.reduceat(chances, starts)
    return Scattering(tuple(values.tolist()), tuple(chances.tolist()), truth)


def in_sight(chances: Floats) -> npt.NDArray[np.int64]:
    """All places but the far ends that hardly ever come out."""
    below = np.cumsum(chances)
    first = int(np.searchsorted(below, OUT_OF_SIGHT / 2))
    last = int(np.searchsorted(below, 1 - OUT_OF_SIGHT / 2))
    return np.arange(first, min(last, len(chances) - 1) + 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """What a law comes to on tables that many figures are taken of: worked out once."""

    tables: Sequence[Counted]
    losses: dict[LossName, Floats]

    @classmethod
    def of(
        cls, subject: Subject, tables: Sequence[Counted], chances: Floats, apart: Floats
    ) -> "Judged":
        """From how likely what may be told is, and how many steps that lies from the truth."""
        errors = float(subject.unit) * apart
        losses = {name: (chances * judged(name, errors)).sum(axis=1) for name in LossName}
        return cls(tables=tables, losses=losses)


def judged(name: LossName, errors: Floats) -> Floats:
    """What the loss of this name makes of absolute errors."""
    if name == LossName.SQUARED:
        return np.asarray(errors**2, dtype=np.float64)
    return np.asarray(errors > 0, dtype=np.float64) if name == LossName.ZERO_ONE else errors


def true_places(subject: Subject, tables: Sequence[Counted]) -> npt.NDArray[np.int64]:
    """The places of the true answers of some tables; the last few are kept."""
    return _true_places(subject, tuple(tables))


@lru_cache(maxsize=32)
def _true_places(subject: Subject, tables: tuple[Counted, ...]) -> npt.NDArray[np.int64]:
    return np.array([true_index(subject, counted) for counted in tables], dtype=np.int64)


def true_value(subject: Subject, counted: Counted) -> float:
    """The true answer of a table, in the column's units; words are numbered."""
    if isinstance(subject.form, FromSums):
        assert isinstance(subject.statistic, OfSums)
        return subject.statistic.value(counted, subject.form)
    if isinstance(subject.form, Ratio):
        steps = counted.total / counted.rows if counted.rows else (subject.size - 1) / 2
        return float(subject.start) + float(subject.unit) * steps
    return float(subject.start + subject.unit * true_index(subject, counted))


Value: TypeAlias = int | Fraction | str | tuple[tuple[str, int], ...]
"""A number in the column's units, a word, or words with their counts."""
Interval: TypeAlias = tuple[Fraction, Fraction]

EMPTY_TOLD = Fraction(EMPTY_TOLD_PERCENT, 100)
"""How often at most a value is told where there are no rows (docs/proofs/few-rows.md)."""

_A_LITTLE = 4096
_Output = TypeVar("_Output")


@dataclass(frozen=True)
class DrawnRows:
    """How many rows there are, as far as a noisy count tells."""

    about: int
    """The noisy count, brought to what is possible."""
    fewest: int
    """At least so many, but for half of the doubt that the answer's confidence leaves."""
    too_few: bool
    """Whether there may be none, for all that the noisy count tells at 95 %."""
    within: tuple[int, int] | None = None
    """Between which numbers theirs lies, at the answer's confidence."""


@dataclass(frozen=True)
class DrawnValue:
    """One drawn value with the interval that its mechanism promises."""

    value: Value | None
    """None where it is not told, for want of rows."""
    interval: Interval | None
    _: KW_ONLY
    run: Interval | None = None
    """Where the value stands for several: the first and the last of them."""
    clamped_at: Fraction | None = None
    """The value that rows above it count as, where there is one."""
    rows: DrawnRows | None = None
    """What is known of the rows that it was taken of, where their number was drawn."""
    expected_error: float | None = None
    """Its own, the same for every table, where that differs from group to group."""
    drawn: int | None = None
    """The noisy count before it was brought into its range, where sums of such have a law."""
    surer: tuple[int, int] | None = None
    """Of a running total of an unknown number of rows, the interval at half the chance to fail."""
    mean: tuple[Fraction, Fraction, Fraction] | None = None
    """The mean that the same noisy sums tell, and the ends of its interval."""


class Ready(NamedTuple):
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

    @abstractmethod
    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """The expected loss on each of some imagined tables, by the law of the draw: for plans."""

    @property
    def reference(self) -> "Release[Any]":
        """What the cap of the safe rule is held against, where this is the plain candidate."""
        return self

    def ready(self, counted: Counted, confidence: Fraction) -> Ready:
        """An answer that waits to be drawn; after this nothing can fail."""
        return Ready(self.sampler(counted), partial(self.told, confidence=confidence))

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """An answer for every group, each drawn by itself."""
        return tuple(self.ready(one, confidence) for one in by_group)

    def rows_from(
        self, count: Value | None, confidence: Fraction, within: Interval | None = None
    ) -> DrawnRows | None:
        """What a noisy count of rows says of their number; None where no rows are counted.

        `within` is the count's own interval at this confidence, where it has one.
        """
        silence = self.silence
        if silence is None or not isinstance(count, int | Fraction):
            return None
        possible = min(max(round(count), 0), self.subject.most_rows)
        least = self.at_least(count, (1 - confidence) / 2)
        return DrawnRows(
            about=possible,
            fewest=max(0, ceil(least)),
            too_few=count <= silence,
            within=None if within is None else (ceil(within[0]), floor(within[1])),
        )

    @property
    def silence(self) -> Fraction | None:
        """The largest noisy count that is told, where there are none, in over 5 % of draws.

        None where rows are not counted.
        """
        return None

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """What the true count is not below, but for this chance, whatever it is."""
        raise NotImplementedError

    def around(self, count: int, confidence: Fraction) -> Interval:
        """Where the true count lies, by noise that is as likely either way."""
        least = max(self.at_least(count, (1 - confidence) / 2), Fraction(0))
        most = 2 * count - self.at_least(count, (1 - confidence) / 2)
        return least, min(max(most, least), Fraction(self.subject.most_rows))

    @property
    def together(self) -> bool:
        """Whether all groups share one draw, which is charged once."""
        return False

    @property
    def gauges(self) -> tuple[tuple[str, Certified[GaugeNoise] | Certified[LargestGauge]], ...]:
        """The certified noises that all groups share, each with its gauge in words."""
        return ()

    @property
    def matrix(self) -> Certified | None:
        """The certified matrix that it draws from, if that is one."""
        return None

    @property
    def needs_values(self) -> bool:
        """Whether it needs rows counted value by value."""
        return self.subject.needs_values

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn from at all: public facts decide."""
        return True

    def rehearse(self, confidence: Fraction) -> None:
        """Draw for the extreme tables that the public facts allow: what fails, fails for nobody.

        Nothing here is private, and what is built for it (tables, intervals) is kept.
        """
        for counted in extremes(self.subject):
            self.ready_by_group((counted,), confidence)[0].draw()

    def law(self, counted: Counted) -> Scattering | None:
        """What might be told of a table and how likely it is; None where it never varies."""
        return None

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return _A_LITTLE

    @property
    def by_answer(self) -> Certified | None:
        """The certified matrix with a column for each answer, if that is what is drawn from.

        Only such a one can be remapped: others are told as they are drawn.
        """
        return None

    @property
    def supposes(self) -> bool:
        """Whether its intervals rest on how the prior supposes rows to be spread."""
        return False

    @property
    def tells_runs(self) -> bool:
        """Whether what is told stands for a run of several values."""
        return False

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate; None for exact samplers, which have a proof instead."""
        return None


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

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """How far the truth lies from the constant; of counts, on average over the words told."""
        if isinstance(self.always, tuple):
            each = np.array([count for _, count in self.always])
            lines = np.array([one.counts for one in tables if isinstance(one, Tally)])
            return np.asarray(judged(name, np.abs(lines[:, : len(each)] - each)).mean(axis=1))
        constant = self.always
        if isinstance(constant, str):
            assert self.subject.labels is not None
            constant = self.subject.labels.index(constant)
        truths = np.array([true_value(self.subject, counted) for counted in tables])
        return judged(name, np.abs(truths - float(constant)))


def _nothing() -> None:
    """What a constant needs of chance."""


def in_units(subject: Subject, value: Fraction) -> int | Fraction:
    """A number as people know it: whole where the column is."""
    return int(value) if subject.whole and value.denominator == 1 else value
