"""An answer that tells nothing of the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.model import LossName
from discreet.planning.releases.law import judged, true_value
from discreet.planning.releases.release import DrawnValue, Release, Value
from discreet.planning.subjects.priors import Floats
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Counted, Tally


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
        told = self.always
        if isinstance(told, str):
            assert self.subject.labels is not None
            told = self.subject.labels.index(told)
        truths = np.array([true_value(self.subject, counted) for counted in tables])
        return judged(name, np.abs(truths - float(told)))


def _nothing() -> None:
    """What a constant needs of chance."""
