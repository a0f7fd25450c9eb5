"""One of several order statistics that are told from one draw (docs/proofs/quantiles-together.md).

The draw tells a run of values for every one of them, none before the one before it; each statistic
tells its own part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.joint.quantile_law import chances
from discreet.joint.quantiles import QuantileChoice, Told
from discreet.model import LossName
from discreet.planning.releases.quantile_cells import CellReading
from discreet.planning.releases.release import (
    DrawnValue,
    Interval,
    Judged,
    Release,
    Scattering,
    gathered,
    in_units,
    judged,
    true_places,
    true_value,
)
from discreet.planning.releases.thinned import FINE, lines_of, thinned
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Counted, Tally


@dataclass(frozen=True, kw_only=True, eq=False)
class QuantileRelease(Release[Told]):
    """Its part of what is drawn for all: a run of values, and the value that stands for it."""

    subject: Subject
    choice: QuantileChoice | CellReading
    which: int
    """Which of the shares that are told together."""
    within: Fraction
    """The error at the wished confidence on the public shapes."""
    known: Judged | None = None

    def sampler(self, counted: Counted) -> Callable[[], Told]:
        """Draws for all of them."""
        assert isinstance(counted, Tally)
        return self.choice.sampler(counted.counts)

    def told(self, output: Told, confidence: Fraction) -> DrawnValue:
        """The value that stands for the run, and the run where it has more than one."""
        run = output[self.which]
        value = in_units(self.subject, self._value(self.choice.place(run)))
        low, high = value - self.within, value + self.within
        held = max(low, self.subject.start), min(high, self.subject.last)
        return DrawnValue(value, held, run=self._run(run))

    def _run(self, run: int) -> Interval | None:
        ends = self.choice.ends(run)
        return None if ends[0] == ends[1] else (self._value(ends[0]), self._value(ends[1]))

    def _value(self, place: int) -> Fraction:
        return self.subject.start + self.subject.unit * place

    def law(self, counted: Counted) -> Scattering:
        """The law of its part."""
        assert isinstance(counted, Tally)
        places = np.array([self.choice.place(run) for run in range(self.choice.runs)])
        values = float(self.subject.start) + float(self.subject.unit) * places
        if isinstance(self.choice, CellReading):
            likely = self.choice.chances(counted.counts[None, :])[self.which, 0]
        else:
            likely = chances(self.choice, [counted.counts])[self.which, 0]
        return gathered(values, likely, true_value(self.subject, counted))

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """By the law of its part; on tables that were judged before, what was found then."""
        if self.known is not None and tables is self.known.tables:
            return self.known.losses[name]
        law = QuantileLaw.of(self.choice, tables)
        errors = judged(name, float(self.subject.unit) * law.apart(self.subject, tables))
        return np.asarray((law.likely[self.which] * errors).sum(axis=1))

    @property
    def tells_runs(self) -> bool:
        """Whether some run has several values."""
        return self.choice.run > 1

    @property
    def supposes(self) -> bool:
        """Yes: how far values lie apart in the table is not told."""
        return True


@dataclass(frozen=True, eq=False)
class QuantileLaw:
    """How likely what may be told is, on some tables: of very many values in cells."""

    likely: Floats
    """By quantile, table, and what may be told."""
    places: Floats
    """Where that lies among the values."""

    @classmethod
    def of(cls, choice: QuantileChoice | CellReading, tables: Sequence[Counted]) -> "QuantileLaw":
        """The law on all of these tables."""
        if isinstance(choice, CellReading):
            likely = choice.chances(lines_of(tables))
            return cls(likely, np.arange(choice.values, dtype=np.float64))
        if choice.values > FINE:
            thin, run = thinned(tables, choice.run), choice.run
            by_run = replace(choice, values=choice.runs, run=1)
            likely = chances(by_run, list(thin.counts), thin.ways)
            return cls(likely, np.minimum(run * thin.middles + (run - 1) // 2, choice.values - 1))
        places = np.array([choice.place(run) for run in range(choice.runs)], dtype=np.float64)
        return cls(chances(choice, list(lines_of(tables))), places)

    def apart(self, subject: Subject, tables: Sequence[Counted]) -> Floats:
        """How many steps what may be told lies from the truth, table by table."""
        return np.abs(self.places[None, :] - true_places(subject, tables)[:, None])
