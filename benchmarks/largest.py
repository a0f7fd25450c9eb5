"""`python -m benchmarks largest [NAME …]`: how large a design by database gets in half a minute.

Of each question tables grow until one takes more than 30 s of processor time, or does not reach a
proven gap of 1e-6 in two minutes by the clock (`DISCREET_CLOCK` gives other seconds, for a loaded
machine). The table is Markdown: the largest that was designed, and the first that was not.
"""

import os
import sys
import time
from dataclasses import dataclass

from discreet.databases import (
    DatabaseDesign,
    DatabaseGoal,
    Mean,
    Mode,
    Statistic,
    Together,
    design_by_database,
    maximum,
    median,
    quantile,
)
from discreet.designer.request import patience
from discreet.errors import DiscreetError
from discreet.model import Grid

GAP = 1e-6
SECONDS = 30.0
_CLOCK = float(os.environ.get("DISCREET_CLOCK", "120"))
_WORST = "worst case"


@dataclass(frozen=True)
class Question:
    """A statistic on so many values, how likely tables are, and the sizes to try in turn."""

    statistic: Statistic
    prior: str
    values: int
    records: tuple[int, ...]

    @property
    def goal(self) -> DatabaseGoal:
        """The least loss under the prior, or of the worst table."""
        if self.prior == _WORST:
            return DatabaseGoal.of(worst_case=True)
        return DatabaseGoal.of(prior=self.prior)


QUESTIONS = {
    "median": Question(median(), "answers", 5, (6, 8, 10, 12, 14, 16, 20)),
    "median-databases": Question(median(), "databases", 5, (10, 20, 30, 40)),
    "max": Question(maximum(), "answers", 5, (8, 10, 12, 14, 16, 20)),
    "q0.9": Question(quantile("0.9"), "answers", 5, (8, 10, 12, 14, 16, 20)),
    "max-worst": Question(maximum(), _WORST, 5, (10, 20, 30)),
    "max-ten-worst": Question(maximum(), _WORST, 10, (5, 8, 10)),
    "max-ten": Question(maximum(), "answers", 10, (3, 4, 5, 10)),
    "mode": Question(Mode(), "answers", 5, (6, 8, 10, 12)),
    "mean": Question(Mean(), "answers", 5, (3, 4, 5, 6, 8, 10)),
    "joint": Question(Together((median(), maximum())), "answers", 4, (5, 8, 10, 12, 14, 16)),
}


@dataclass(frozen=True)
class Tried:
    """One design: what it took, and what it proved; or why there is none."""

    records: int
    seconds: float
    design: DatabaseDesign | None
    refusal: str = ""

    @property
    def reached(self) -> bool:
        """Whether the gap was shut in time."""
        return self.design is not None and self.design.gap <= GAP and self.seconds <= SECONDS

    def __str__(self) -> str:
        if self.design is None:
            return f"{self.records}: {self.refusal}"
        return f"{self.records}: {self.seconds:.3g} s, gap {self.design.gap:.0e}"


def main(chosen: list[str]) -> int:
    """Print a line for each question as soon as it is known."""
    unknown = [name for name in chosen if name not in QUESTIONS]
    if unknown:
        print(f"there is no question {unknown[0]}; there are {', '.join(QUESTIONS)}")
        return 2
    print("| question | tables alike | values | largest | histograms | first beyond |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in chosen or QUESTIONS:
        print(_line(QUESTIONS[name]), flush=True)
    return 0


def _line(question: Question) -> str:
    largest: Tried | None = None
    beyond = ""
    for records in question.records:
        tried = _tried(question, records)
        if not tried.reached:
            beyond = str(tried)
            break
        largest = tried
    found = None if largest is None else largest.design
    many = "" if found is None else f"{len(found.databases):,}"
    cells = (question.statistic.name, question.prior, question.values, largest or "none", many)
    return f"| {' | '.join(map(str, cells))} | {beyond or 'none was tried'} |"


def _tried(question: Question, records: int) -> Tried:
    started = time.process_time()
    try:
        with patience(_CLOCK):
            found = design_by_database(
                question.statistic, records, Grid.between(1, question.values), 1, question.goal
            )
    except DiscreetError as problem:
        return Tried(records, time.process_time() - started, None, str(problem))
    return Tried(records, time.process_time() - started, found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
