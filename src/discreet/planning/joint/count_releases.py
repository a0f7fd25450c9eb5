"""How several counts are drawn together: one noise for all of them, in every group."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from discreet.certifier import Certified
from discreet.joint.counts import CountNoise
from discreet.joint.tables import TableNoise
from discreet.model import Relation
from discreet.model.gauges import GaugeNoise
from discreet.planning.joint.joined import JointRelease
from discreet.planning.releases.release import Ready, Release
from discreet.planning.releases.symmetric import SymmetricRelease
from discreet.planning.subjects.subject import Subject
from discreet.statistics import Added, Counted

Noises: TypeAlias = list[list[int]]
"""A line for each group, and in it a noise for each count."""


@dataclass(frozen=True)
class Draw(ABC):
    """What draws the noise of all counts."""

    noise: CountNoise | TableNoise

    @property
    def certified(self) -> Certified[GaugeNoise]:
        """The noise that is drawn, proved: on all cells, or on the counts of one group."""
        return self.noise.certified

    @property
    @abstractmethod
    def gauge(self) -> str:
        """The gauge, as people write it."""

    @abstractmethod
    def draw(self) -> Noises:
        """One noise for all counts in all groups."""


@dataclass(frozen=True)
class NoiseSource:
    """Which noise a count has, and whether it is turned around: the count of the other rows."""

    place: int
    sign: int = 1


@dataclass(frozen=True)
class CountsDraw(Draw):
    """Counts of any conditions, group by group: a row is in one of them (docs/proofs/groups.md)."""

    noise: CountNoise
    groups: int
    sources: tuple[NoiseSource, ...]
    """For each count; counts of the same rows, or of all the others, share one."""

    @property
    def gauge(self) -> str:
        """Where rows come or go all counts move the same way."""
        one_way = self.certified.mechanism.relation == Relation.ADD_OR_REMOVE
        return "max z⁺ + max z⁻" if one_way else "max |z|"

    def draw(self) -> Noises:
        """One noise for all counts, for every group."""
        drawn = (self.noise.draw() for _ in range(self.groups))
        return [[of.sign * noise[of.place] for of in self.sources] for noise in drawn]


@dataclass(frozen=True)
class CellsDraw(Draw):
    """The cells that conditions cut rows into, over all groups; a count adds up its own."""

    noise: TableNoise
    cells: tuple[tuple[bool, ...], ...]
    """For each cell of a group, which of the counts it is in."""

    @property
    def gauge(self) -> str:
        """Where rows change, the noise of all cells cancels."""
        return self.noise.gauge

    def draw(self) -> Noises:
        """One noise for every cell, added up."""
        by_cell = self.noise.draw().reshape(-1, len(self.cells))
        summed: Noises = (by_cell @ np.array(self.cells, dtype=np.int64)).tolist()
        return summed


@dataclass(frozen=True)
class CountView(SymmetricRelease):
    """One of the counts, as it is told of its part of the draw."""

    digest: str

    @property
    def certificate(self) -> str | None:
        """That of the noise on all counts."""
        return self.digest


@dataclass(frozen=True, kw_only=True)
class CountsTogether(JointRelease):
    """Counts of one question, each with its part of one draw."""

    subjects: tuple[Subject, ...]
    views: tuple[Release[int], ...]
    source: Draw

    def ready(
        self, counted: Sequence[Sequence[Counted]], confidence: Fraction
    ) -> tuple[tuple[Ready, ...], ...]:
        """Counts that wait for one draw."""
        once = _Once(self.source)
        ready = []
        for which, (subject, view) in enumerate(zip(self.subjects, self.views, strict=True)):
            tell = partial(view.told, confidence=confidence)
            places = (true_count(subject, one) for one in counted[which])
            ready.append(
                tuple(
                    Ready(partial(once.part, group, which, place), tell)
                    for group, place in enumerate(places)
                )
            )
        return tuple(ready)

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.source.certified.certificate.digest

    @property
    def body(self) -> dict[str, Any] | None:
        """The gauge, and what it was certified for."""
        return {"gauge": self.source.gauge, **self.source.certified.mechanism.facts}

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return self.source.noise.drawable


def true_count(subject: Subject, counted: Counted) -> int:
    """The true count, not brought back to the range: one row moves all counts as it does."""
    assert isinstance(subject.form, Added)
    assert subject.form.linear is not None
    return subject.form.linear.place(counted)


class _Once:
    """One draw for all, made when the first of them is told."""

    def __init__(self, source: Draw) -> None:
        self._source = source
        self._drawn: Noises | None = None

    def part(self, group: int, which: int, place: int) -> int:
        """A count with its part of the draw."""
        if self._drawn is None:
            self._drawn = self._source.draw()
        return place + self._drawn[group][which]
