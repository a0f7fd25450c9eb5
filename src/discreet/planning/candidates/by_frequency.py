"""The mode chosen by frequency: how many rows a value is behind the most frequent one.

A person moves every count by at most their rows, and all of them the same way when a person is
added or removed (docs/proofs/ranks.md, the mode). By groups a change is a row that leaves and one
that enters, and both are charged (docs/proofs/groups.md, Claim 5).
"""

import numpy as np

from discreet.exact import spendable
from discreet.planning.candidates.candidate import Candidate, Maker, Task
from discreet.planning.candidates.selection import Chooser, why_not
from discreet.planning.releases.choice import Whole
from discreet.planning.subjects.priors import beliefs, drawn_sizes
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import DATABASES
from discreet.statistics import Mode


def rows_behind(_: Subject, counts: Whole) -> Whole:
    """For every table (a line of counts) and value, how many rows the leader is ahead of it."""
    return Mode().rows_behind(counts)


def tables(subject: Subject, prior: str | tuple[float, ...], many: int) -> Whole:
    """Simulated tables, from a fixed seed: uniform rows.

    Unless the prior is "databases" values are then renamed so that the mode is what the prior
    draws: the law of uniform rows that have this mode, but for ties.
    """
    dice = np.random.default_rng(20_200_626)
    rows = drawn_sizes(subject, dice, many, maybe_none=False)
    counts = dice.multinomial(rows, np.full(subject.size, 1 / subject.size))
    if prior == DATABASES:
        return np.asarray(counts)
    known = beliefs(subject, prior)
    modes = dice.choice(known.places, size=many, p=known.weights / known.weights.sum())
    lines, leaders = np.arange(many), counts.argmax(axis=1)
    top, other = counts[lines, leaders], counts[lines, modes]
    counts[lines, leaders], counts[lines, modes] = other, top
    return np.asarray(counts)


FREQUENCIES = Chooser(
    name="by frequency",
    title="frequency-based choice (permute-and-flip)",
    citation="McKenna & Sheldon 2020; 001 Ex. 5",
    proof="docs/proofs/ranks.md",
    distance=rows_behind,
    tables=tables,
)


def _make(task: Task) -> Candidate:
    subject = task.subject
    ways = 2 if subject.change_one else 1
    return FREQUENCIES.candidate(task, spendable(task.epsilon) / (ways * subject.rows_per_unit))


BY_FREQUENCY = Maker("by frequency", Mode, why_not, _make, plain=True)
