"""Several statistics answered by one draw for one charge: what is drawn, and what each is told by.

Whether that is better than an answer for each is decided by figures, never by shapes: `weighing`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

from discreet.budget import Cost, Single
from discreet.exact import Epsilon
from discreet.planning.candidates.candidate import Candidate, Task
from discreet.planning.grouping import Grouping
from discreet.planning.releases.release import Ready
from discreet.planning.subjects.subject import Subject, extremes
from discreet.planning.wishes import Wishes
from discreet.questions import Question
from discreet.statistics import Counted
from discreet.tables import Dataset

_A_LITTLE = 4096


class JointRelease(ABC):
    """How several statistics are answered together, for every group."""

    subjects: tuple[Subject, ...]

    @abstractmethod
    def ready(
        self, counted: Sequence[Sequence[Counted]], confidence: Fraction
    ) -> tuple[tuple[Ready, ...], ...]:
        """For each statistic, an answer that waits for each group.

        They wait for one draw, which is made with the first of them; all that depends on rows is
        worked out here.

        Args:
            counted: For each statistic and each group, the counts of its rows.
            confidence: The chance with which intervals hold.
        """

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate; None for exact samplers, which have a proof instead."""
        return None

    @property
    def body(self) -> dict[str, Any] | None:
        """What the certificate is about, as plain JSON values: the gauge of the noise, how far one
        person moves it, and what a step of it costs; None where no gauge is certified."""
        return None

    @property
    def drawable(self) -> bool:
        """Whether it can be drawn from at all: public facts decide."""
        return True

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return _A_LITTLE

    def rehearse(self, confidence: Fraction, groups: int) -> None:
        """Draw for extreme tables that the public facts allow: what fails, fails for nobody."""
        ends = [extremes(subject) for subject in self.subjects]
        for which in range(min(map(len, ends))):
            counted = [[tables[which]] * groups for tables in ends]
            for by_group in self.ready(counted, confidence):
                for one in by_group:
                    one.draw()


@dataclass(frozen=True, kw_only=True)
class Joined:
    """Statistics of a question that share one draw and one charge."""

    name: str
    """Who made it; its candidates have the same name."""
    places: tuple[int, ...]
    """Which statistics of the question, in order."""
    epsilon: Epsilon
    """What the draw costs: for all of them, in all groups."""
    candidates: tuple[Candidate, ...]
    """What each of them is told by: figures of its own, and a view of its part of the draw."""
    release: JointRelease
    saved: float = 1.0
    """How many times as large errors would be with an answer for each at the same cost, weighted by
    importance; where a distance was wished, how many times the cost."""
    cheaper: bool = False
    """Whether a distance was wished, so that what is saved is cost."""

    @property
    def cost(self) -> Cost:
        """What it is charged: once."""
        return Single.of(self.epsilon)

    def candidate(self, place: int) -> Candidate:
        """What a statistic of the question is told by."""
        return self.candidates[self.places.index(place)]

    @property
    def booked(self) -> dict[str, Any]:
        """What the entry of its charge says of it: who shares it, and what proves it private."""
        return {
            "parts": list(self.places),
            "epsilon": str(self.epsilon),
            "certificate": self.release.certificate,
            "body": self.release.body,
        }

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {
            "name": self.name,
            **self.booked,
            "saved": self.saved,
        }


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A whole question, with a task for each of its statistics: everything in it is public."""

    question: Question
    dataset: Dataset
    grouping: Grouping
    wishes: Wishes
    tasks: tuple[Task, ...]

    @property
    def groups(self) -> int:
        """How many groups are told; 1 where there are none."""
        return self.grouping.counted

    @property
    def rows_per_unit(self) -> int:
        """How many rows one person has at most."""
        return self.dataset.unit.most_rows


@dataclass(frozen=True)
class JointAnswer:
    """What a joiner makes: the release, and for each statistic what it is told by."""

    release: JointRelease
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Joiner:
    """One way to answer several statistics together.

    `sets` proposes which statistics of a question, by their places, it could answer together;
    `make` answers those that it is given for ε in all, and may raise DesignError.
    """

    name: str
    sets: Callable[[Whole], list[tuple[int, ...]]]
    make: Callable[[Whole, tuple[int, ...], Epsilon], JointAnswer]
    least: Callable[[Whole, tuple[int, ...], Fraction], list[tuple[tuple[int, ...], Epsilon]]] | (
        None
    ) = None
    """Where it is known: the cheapest sets, among those places, in which all come within a
    distance, each with the least ε for it."""
    _: KW_ONLY
    any_of: bool = False
    """Whether any two or more of a proposed set will do as well."""
    capped: bool = False
    """Whether errors depend on the table: then it must keep the cap of the safe rule, on every
    public shape, against an answer for each."""
