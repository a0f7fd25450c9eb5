"""What came of choosing: the candidates for one statistic, and its part of a plan.

Apart from the choice itself, which loads every way to make a candidate: a server is handed plans
by its workers, and makes none.
"""

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from discreet.budget import Cost, Sequential, Single, cost_to_dict
from discreet.planning.candidates.candidate import Candidate
from discreet.planning.joint.joined import Joined
from discreet.planning.reasons import Caution, Note, Sense, Unsuitable
from discreet.planning.releases.release import ConstantRelease, Value
from discreet.planning.subjects.subject import Sharing, Subject
from discreet.planning.words import note_text, reason_text, sense_text
from discreet.text import moment_text


@dataclass(frozen=True)
class Choice:
    """The candidates for one statistic, the best first, the constant, and who was left out."""

    candidates: tuple[Candidate, ...]
    baseline: Candidate
    left_out: tuple[tuple[str, Unsuitable], ...]
    """Names of makers, and why each does not suit."""
    sense: Sense | None = None
    """In which sense the first candidate is best; None where there was nothing to choose."""

    @property
    def best(self) -> Candidate:
        """The candidate with the least loss."""
        return self.candidates[0]

    @property
    def beats_constant(self) -> bool:
        """Whether the best candidate errs noticeably (0.1 %) less than the constant."""
        return self.best.figures.loss < 0.999 * self.baseline.figures.loss

    @property
    def bytes(self) -> int:
        """About how much memory the candidates take."""
        return sum(candidate.bytes for candidate in self.candidates)


@dataclass(frozen=True, kw_only=True)
class Part:
    """One statistic of a plan: its candidates, and what the chosen one costs over all groups."""

    subject: Subject
    choice: Choice
    sharing: Sharing
    chosen: Candidate
    warning: Note | None = None
    """Set when a constant would do better for rows that are spread evenly."""
    vague: Note | None = None
    """Set when its interval may well be all that was declared."""
    rows_by: int | None = None
    """Which of the plan's draws counts its rows, without which it has no value: a statistic by its
    place, or, after all of them, a bought count; None where none is needed, or none is at hand."""
    joined: Joined | None = None
    """What it is answered together with, for one charge; None where it has its own."""

    @property
    def cost(self) -> Cost:
        """What the chosen candidate costs over all groups, besides what is shared with others."""
        if self.chosen.epsilon is None or self.joined is not None:
            return Sequential(())
        if self.chosen.release.together:
            return Single(self.chosen.epsilon.billionths)
        return self.sharing.cost(self.chosen.epsilon)

    @property
    def shares_groups(self) -> bool:
        """Whether all its groups share one draw, with no other statistic."""
        return self.joined is None and self.chosen.release.together

    @property
    def saved_by_groups(self) -> float | None:
        """How many times as much the best candidate errs that draws group by group."""
        others = [one for one in self.choice.candidates if not one.release.together]
        ours = self.chosen.figures.loss
        return others[0].figures.loss / ours if others and ours > 0 else None

    @property
    def note(self) -> Note | None:
        """Set when a constant does as well."""
        free, baseline = self.chosen.epsilon is None, self.choice.baseline
        if (free and self.subject.size == 1) or (not free and self.choice.beats_constant):
            return None
        better = baseline.figures.loss < 0.9 * self.chosen.figures.loss
        paid = Caution.CONSTANT_BETTER if better else Caution.CONSTANT_AS_GOOD
        return Note(
            kind=Caution.FREE if free else paid,
            statistic=self.subject.item.label,
            always=always(baseline),
            epsilon=self.chosen.epsilon,
            error=self.chosen.figures.within if free else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """The part as plain JSON values."""
        return {
            "statistic": self.subject.item.to_dict(),
            "label": self.subject.item.label,
            "chosen": self.chosen.to_dict(),
            "candidates": [candidate.to_dict() for candidate in self.choice.candidates],
            "constant": {
                **self.choice.baseline.to_dict(),
                "value": _plain(always(self.choice.baseline)),
            },
            "left_out": [
                {"name": name, "reason": reason_text(why)} for name, why in self.choice.left_out
            ],
            "best": None if self.choice.sense is None else sense_text(self.choice.sense),
            "cost": cost_to_dict(self.cost),
            "note": None if self.note is None else note_text(self.note),
            "warning": None if self.warning is None else note_text(self.warning),
        }


def always(baseline: Candidate) -> Value | date:
    """What a constant tells."""
    assert isinstance(baseline.release, ConstantRelease)
    value = baseline.release.always
    return baseline.release.subject.told(value) if isinstance(value, int | Fraction) else value


def _plain(value: Value | date) -> Any:
    if isinstance(value, date):
        return moment_text(value)
    if isinstance(value, tuple):
        return [[word, count] for word, count in value]
    return value if isinstance(value, int | str) else float(value)
