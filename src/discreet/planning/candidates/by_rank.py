"""Order statistics and ranges chosen by how many rows must change for a value to be the answer.

That number moves by at most one with every row that changes, comes or goes, whether the size is
public or not; and so it does where it falls below 0, for the answer, to how many rows may change
and leave it so (docs/proofs/ranks.md).
"""

import numpy as np

from discreet.mechanisms.sensitivities import spendable
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.selection import Chooser, why_not
from discreet.planning.reasons import OTHER_STATISTIC, Misfit, Unsuitable
from discreet.planning.releases.choice import Whole
from discreet.planning.subjects.priors import beliefs, sizes
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import DATABASES
from discreet.statistics import Mode, Placing, Range

MOST_WIDTHS = 1_001
"""Up to so many widths of a range are simulated in a second or two."""


def rows_away(subject: Subject, counts: Whole) -> Whole:
    """For every table (a line of counts), how many rows away each value is."""
    return _placing(subject).rows_away(counts)


def tables(subject: Subject, prior: str | tuple[float, ...], many: int) -> Whole:
    """Simulated tables, from a fixed seed.

    Under "databases" rows are uniform. Otherwise an answer is drawn from the prior first, and rows
    are such as may well have it.
    """
    dice = np.random.default_rng(20_070_611)
    rows = some_sizes(subject, dice, many)
    known = beliefs(subject, prior)
    middles = dice.choice(known.places, size=many, p=known.weights / known.weights.sum())
    counts = np.zeros((many, subject.size), dtype=np.int64)
    even, likely = np.full(subject.size, 1 / subject.size), _placing(subject).likely_rows
    for table in range(many):
        many_rows, place = int(rows[table]), int(middles[table])
        law = even if prior == DATABASES else likely(place, subject.size, many_rows)
        counts[table] = dice.multinomial(many_rows, law)
    return counts


def some_sizes(subject: Subject, dice: np.random.Generator, many: int) -> Whole:
    """Numbers of selected rows, seldom none."""
    chances = sizes(subject)
    chances[0] = 0.0 if chances[0] < 1 else 1.0
    return np.asarray(dice.choice(len(chances), size=many, p=chances / chances.sum()))


def _placing(subject: Subject) -> Placing:
    assert isinstance(subject.statistic, Placing)
    return subject.statistic


RANKS = Chooser(
    name="by rank",
    title="rank-based choice (permute-and-flip)",
    citation="McKenna & Sheldon 2020; 001 Prop. 7; 002 §3",
    proof="docs/proofs/ranks.md",
    distance=rows_away,
    tables=tables,
)


def _why_not(task: Task) -> Unsuitable | None:
    subject = task.subject
    match subject.statistic:
        case Range() if subject.size > MOST_WIDTHS:
            return Unsuitable(Misfit.TOO_MANY_VALUES, size=subject.size, most=MOST_WIDTHS)
        case Placing() as statistic if not isinstance(statistic, Mode):
            return why_not(task)
    return OTHER_STATISTIC


def _make(task: Task) -> Candidate:
    return RANKS.candidate(task, spendable(task.epsilon) / (2 * task.subject.rows_per_unit))


BY_RANK = Maker("by rank", _why_not, _make, plain=True)
