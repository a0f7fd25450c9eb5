"""All candidates for one statistic, kept for a while so that asking again takes no time."""

from dataclasses import dataclass

from discreet.errors import DesignError, DiscreetError
from discreet.planning.candidates.by_answer import (
    BY_ANSWER,
    CLASSICS,
    COARSE,
    REMAPPED,
    candidate_of,
    remapped,
)
from discreet.planning.candidates.by_database import BY_DATABASE
from discreet.planning.candidates.by_frequency import BY_FREQUENCY
from discreet.planning.candidates.by_rank import BY_RANK
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.constant import constant
from discreet.planning.candidates.noise import CLAMPED, UNBIASED
from discreet.planning.candidates.ratio import RATIO_MAKER
from discreet.planning.candidates.selection import ChoiceRelease
from discreet.planning.candidates.tops import TOPS
from discreet.planning.recent import Recent
from discreet.planning.releases.matrix import MatrixRelease

MAKERS: tuple[Maker, ...] = (
    BY_ANSWER,
    BY_DATABASE,
    BY_RANK,
    BY_FREQUENCY,
    REMAPPED,
    *CLASSICS,
    CLAMPED,
    COARSE,
    UNBIASED,
    RATIO_MAKER,
    TOPS,
)
"""Every kind of candidate; of equally good ones the first is taken."""

MOST_BYTES = 256 << 20
"""How much memory the choices made last may take."""


@dataclass(frozen=True)
class Choice:
    """The candidates for one statistic, the best first, the constant, and who was left out."""

    candidates: tuple[Candidate, ...]
    baseline: Candidate
    left_out: tuple[tuple[str, str], ...]

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


def choose(task: Task) -> Choice:
    """Make and compare every candidate that suits the task."""
    key = (task.subject, task.wishes, task.epsilon, str(task.cache), task.quick)
    return _RECENT.get(key, lambda: _choose(task))


def _choose(task: Task) -> Choice:
    baseline = constant(task.subject, task.wishes)
    if task.subject.size == 1:
        return Choice((baseline,), baseline, ())
    made: list[Candidate] = []
    left_out: list[tuple[str, str]] = []
    for maker in MAKERS:
        reason = maker.why_not(task)
        if reason is None:
            try:
                candidate = _replying(task, maker.make(task))
                candidate.release.check()
                reason = _lacks(task, candidate)
                if reason is None:
                    made.append(candidate)
            except DiscreetError as problem:
                reason = str(problem)
        if reason is not None:
            left_out.append((maker.name, reason))
    if not made:
        raise DesignError(_refusal(task, left_out))
    made.sort(key=lambda candidate: candidate.figures.loss * (1 + 1e-9))
    return Choice(tuple(_stable(made)), baseline, tuple(left_out))


def _stable(made: list[Candidate]) -> list[Candidate]:
    """Losses that agree to nine digits are equal: the order of the makers then decides."""
    order = {maker.name: place for place, maker in enumerate(MAKERS)}
    best = made[0].figures.loss
    tied = [one for one in made if one.figures.loss <= best * (1 + 1e-9)]
    rest = [one for one in made if one.figures.loss > best * (1 + 1e-9)]
    return _by_table_first(sorted(tied, key=lambda one: order.get(one.name, len(order))) + rest)


def _by_table_first(ranked: list[Candidate]) -> list[Candidate]:
    """What simulation cannot tell apart is a tie, and then who looks at the whole table is first.

    A mechanism that knows the answer alone errs as the prior says, however many rows there are;
    one that looks at the table errs less where the rows leave less room.
    """
    first = ranked[0].figures.loss
    for one in ranked:
        near = one.figures.loss - first <= (one.figures.standard_error or 0.0)
        if near and isinstance(one.release, ChoiceRelease):
            if isinstance(ranked[0].release, MatrixRelease):
                return [one, *(other for other in ranked if other is not one)]
            break
    return ranked


def _lacks(task: Task, candidate: Candidate) -> str | None:
    if task.wishes.remap is not None and not can_be_remapped(candidate):
        return "it cannot be remapped"
    missing = [
        name for name in task.wishes.requirements.names() if name not in candidate.properties
    ]
    return f"it is not {', '.join(missing)}" if missing else None


def _replying(task: Task, candidate: Candidate) -> Candidate:
    """The candidate after the Bayes remap that was asked for, where it can be had."""
    prior, release = task.wishes.remap, candidate.release
    if prior is None or not isinstance(release, MatrixRelease) or not can_be_remapped(candidate):
        return candidate
    certified = remapped(task, release.certified, prior)
    return candidate_of(
        task, certified, candidate.name, f"{candidate.title}, remapped", candidate.citation,
        candidate.seconds, candidate.proof,
    )  # fmt: skip


def can_be_remapped(candidate: Candidate) -> bool:
    """Whether it is a matrix with a column for each answer: others are told as they are drawn."""
    release = candidate.release
    return isinstance(release, MatrixRelease) and release.merged == 1


def _refusal(task: Task, left_out: list[tuple[str, str]]) -> str:
    kind = task.subject.statistic.name
    if task.wishes.unbiased:
        return f"no unbiased mechanism is known for {kind}; ask for COUNT or SUM, or leave it out"
    reasons = dict.fromkeys(reason for _, reason in left_out if "only for" not in reason)
    wish = "remap" if task.wishes.remap is not None else "require"
    return f"no mechanism for {kind} has what is wished ({'; '.join(reasons)}); {wish} less"


_RECENT = Recent[tuple[object, ...], Choice](MOST_BYTES, lambda _, choice: choice.bytes)


def forget() -> None:
    """Forget all choices; designs on disk stay."""
    _RECENT.clear()
