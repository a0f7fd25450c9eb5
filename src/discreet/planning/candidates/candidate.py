"""A way to answer one statistic, with all that is known of it beforehand."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from discreet.designer import Progress
from discreet.designer.entry import CacheLike
from discreet.exact import Epsilon
from discreet.planning.candidates.figures import Figures
from discreet.planning.reasons import Unsuitable
from discreet.planning.releases.release import Release
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import Wishes


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A mechanism for one statistic: who it is, how good it is, and how it is drawn."""

    name: str
    title: str
    citation: str
    epsilon: Epsilon | None
    """What the mechanism itself is run at; None for answers that tell nothing of the rows."""
    figures: Figures
    properties: tuple[str, ...]
    seconds: float
    release: Release[Any]
    proof: str | None = None

    @property
    def certificate(self) -> str | None:
        """The digest of its certificate, when it is a matrix."""
        return self.release.certificate

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return self.release.bytes

    def to_dict(self) -> dict[str, Any]:
        """The candidate as plain JSON values."""
        return {
            "name": self.name,
            "title": self.title,
            "citation": self.citation,
            "epsilon": None if self.epsilon is None else str(self.epsilon),
            **self.figures.to_dict(),
            "properties": list(self.properties),
            "seconds": self.seconds,
            "certificate": self.certificate,
            "proof": self.proof,
        }


@dataclass(frozen=True)
class Task:
    """What a maker is asked for: everything in it is public."""

    subject: Subject
    wishes: Wishes
    epsilon: Epsilon
    _: KW_ONLY
    cache: CacheLike = "default"
    progress: Callable[[Progress], None] | None = None
    quick: bool = False
    """Whether many tasks follow one another, so that none may take long."""


@dataclass(frozen=True)
class Maker:
    """One kind of candidate: why it does not suit a task (None when it does), and how to make it.

    `make` may raise DesignError; what it returns is drawn from certified integers or by an exact
    sampler with a proof.
    """

    name: str
    why_not: Callable[[Task], Unsuitable | None]
    make: Callable[[Task], Candidate]
