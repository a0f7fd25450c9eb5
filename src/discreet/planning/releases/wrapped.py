"""A release that tells more, or otherwise, of what another one draws."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

from discreet.certifier import Certified
from discreet.model import LossName
from discreet.planning.releases.release import Release, Scattering
from discreet.planning.subjects.priors import Floats
from discreet.statistics import Counted

_Output = TypeVar("_Output")


class WrappedRelease(Release[_Output]):
    """Values, errors and certificates are those of the release within."""

    within: Release[Any]

    @property
    def together(self) -> bool:
        """Whether the groups of the release within share one draw."""
        return self.within.together

    def losses(self, tables: Sequence[Counted], name: LossName) -> Floats:
        """Those of the values that the release within tells."""
        return self.within.losses(tables, name)

    def law(self, counted: Counted) -> Scattering | None:
        """The law of the release within."""
        return self.within.law(counted)

    @property
    def tells_runs(self) -> bool:
        """Whether the release within tells runs."""
        return self.within.tells_runs

    @property
    def silence(self) -> Fraction | None:
        """That of the release within: its values are the same."""
        return self.within.silence

    def at_least(self, count: int | Fraction, failure: Fraction) -> Fraction:
        """By the release within."""
        return self.within.at_least(count, failure)

    @property
    def drawable(self) -> bool:
        """Whether the release within can be drawn from."""
        return self.within.drawable

    @property
    def bytes(self) -> int:
        """What the release within takes."""
        return super().bytes + self.within.bytes

    @property
    def matrix(self) -> Certified | None:
        """That of the release within."""
        return self.within.matrix

    @property
    def certificate(self) -> str | None:
        """That of the release within."""
        return self.within.certificate
