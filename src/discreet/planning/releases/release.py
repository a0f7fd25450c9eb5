"""How an answer is drawn: one class for each way, all from the counts of the selected rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Generic, TypeAlias, TypeVar

from discreet.certifier import Certified
from discreet.model import LossName
from discreet.planning.releases.law import Scattering
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject, extremes
from discreet.statistics import Counted

Value: TypeAlias = int | Fraction | str | tuple[tuple[str, int], ...]
"""A number in the column's units, a word, or words with their counts."""
Interval: TypeAlias = tuple[Fraction, Fraction]

EMPTY_TOLD = Fraction(1, 20)
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


@dataclass(frozen=True)
class DrawnValue:
    """One drawn value with the interval that its mechanism promises."""

    value: Value | None
    """None where it is not told, for want of rows."""
    interval: Interval | None
    run: Interval | None = None
    """Where the value stands for several: the first and the last of them."""
    clamped_at: Fraction | None = None
    """The value that rows above it count as, where there is one."""
    rows: DrawnRows | None = None
    """What is known of the rows that it was taken of, where their number was drawn."""


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

    @abstractmethod
    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """The expected loss on each of some imagined tables, by the law of the draw: for plans."""

    def ready(self, counted: Counted, confidence: Fraction) -> Ready:
        """An answer that waits to be drawn; after this nothing can fail."""
        return Ready(self.sampler(counted), partial(self.told, confidence=confidence))

    def ready_by_group(
        self, by_group: Sequence[Counted], confidence: Fraction
    ) -> tuple[Ready, ...]:
        """An answer for every group, each drawn by itself."""
        return tuple(self.ready(one, confidence) for one in by_group)

    def rows_from(self, count: Value | None, confidence: Fraction) -> DrawnRows | None:
        """What a noisy count of rows says of their number; None where no rows are counted."""
        silence = self.silence
        if silence is None or not isinstance(count, int | Fraction):
            return None
        possible = min(max(round(count), 0), self.subject.most_rows)
        least = self.at_least(count, (1 - confidence) / 2)
        return DrawnRows(about=possible, fewest=max(0, ceil(least)), too_few=count <= silence)

    @property
    def silence(self) -> Fraction | None:
        """The largest noisy count that is told, where there are none, in over 5 % of draws.

        None where rows are not counted.
        """
        return None

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """What the true count is not below, but for this chance, whatever it is."""
        raise NotImplementedError

    @property
    def together(self) -> bool:
        """Whether all groups share one draw, which is charged once."""
        return False

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


def in_units(subject: Subject, told: Fraction) -> int | Fraction:
    """A number as people know it: whole where the column is."""
    return int(told) if subject.whole and told.denominator == 1 else told
