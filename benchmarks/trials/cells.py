"""One trial at one ε: ours, theirs and the constant on the same tables."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.trials.ours import Ours, count_bound, drawn, ours
from benchmarks.trials.quoted import QUOTED, quoted
from benchmarks.trials.sampled import Sampled, errors
from benchmarks.trials.theirs import SCRIPTS, Theirs
from benchmarks.trials.trial import EPSILONS, TRIALS, Trial, middles
from discreet.planning import Wishes

HAIR = 1 + 1e-9


@dataclass(frozen=True)
class Cell:
    """All figures of one trial at one ε."""

    trial: Trial
    epsilon: str
    matched: Ours
    """With the goal's prior matching the trial."""
    default: Ours
    rerun: dict[str, Sampled]
    quoted: dict[str, Sampled]
    bound: float | None
    """What no private mechanism errs less than, where that is proved."""
    by_middles: dict[str, Sampled]
    """For the median: errors from the mean of the two records in the middle."""

    @property
    def below(self) -> list[Sampled]:
        """The figures of other tools that are below our exact one."""
        figures = [*self.rerun.values(), *self.quoted.values()]
        return [figure for figure in figures if figure.mean < self.matched.exact / HAIR]

    @property
    def mark(self) -> str:
        """✓: at or below all; ≈: at the proven optimum, and what is below may be chance."""
        if self.matched.constant_is_better:
            return "✗"
        if not self.below:
            return "✓"
        at_bound = self.bound is not None and self.matched.exact <= self.bound * HAIR
        inside = all(figure.may_be(self.matched.exact) for figure in self.below)
        return "≈" if at_bound and inside else "✗"

    @property
    def warned(self) -> bool:
        """Whether the default plan says it wherever a constant does better in this trial."""
        return not self.default.constant_is_better or bool(self.default.notes)


def cells(theirs: Theirs, many: int) -> Iterator[Cell]:
    """Every trial at every ε, with so many answers of each tool."""
    for trial in TRIALS:
        for epsilon in EPSILONS:
            yield cell(trial, epsilon, theirs, many)


def cell(trial: Trial, epsilon: str, theirs: Theirs, many: int) -> Cell:
    """One trial at one ε, on tables drawn for it."""
    tables = trial.tables(many)
    truths = trial.truths(tables)
    matched = ours(trial, epsilon, Wishes.of(prior=trial.prior), tables, truths)
    default = ours(trial, epsilon, None, tables, truths)
    answers = {tool: theirs.answers(tool, trial, epsilon, tables) for tool in SCRIPTS}
    rerun = {
        tool: errors(found, truths, trial.most)
        for tool, found in answers.items()
        if found is not None
    }
    told = {tool: quoted(tool, trial, epsilon, rerun.get(tool)) for tool in QUOTED}
    by_middles: dict[str, Sampled] = {}
    if trial.kind == "median":
        found = {"ours": drawn(matched.part, tables), **answers}
        by_middles = {
            tool: errors(each, middles(tables), trial.most)
            for tool, each in found.items()
            if each is not None
        }
    return Cell(
        trial, epsilon, matched, default, rerun,
        {tool: figure for tool, figure in told.items() if figure is not None},
        count_bound(epsilon) if trial.kind == "count" else None, by_middles,
    )  # fmt: skip
