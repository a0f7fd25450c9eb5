"""An answer that tells nothing of the rows."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.planning.releases.release import DrawnValue, Release, Value
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Counted


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
