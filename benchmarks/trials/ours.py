"""Our answers to the trials: the plan, its exact expected error, and draws from it."""

import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.trials.sampled import Sampled, errors
from benchmarks.trials.trial import SIZE, Numbers, Tables, Trial
from discreet.designer import count, design
from discreet.exact import Epsilon
from discreet.model import Grid, Relation
from discreet.planning import Part, Wishes, plan
from discreet.planning.candidates.baselines import constant, expected_under
from discreet.questions import parse_sql
from discreet.tables import Dataset, NumberColumn
from discreet.tables.facts import Budget, PrivacyUnit, Source


def ten_records() -> Dataset:
    """Ten records, a public number, of numbers from 0 to 1, from 0 to 4 and from 0 to 9."""
    columns = (
        NumberColumn("holds", Grid.between(0, 1), Fraction(0), True),
        NumberColumn("small", Grid.between(0, 4), Fraction(0), True),
        NumberColumn("large", Grid.between(0, 9), Fraction(0), True),
    )
    return Dataset(
        name="ten",
        source=Source(path=Path("ten.csv"), kind="csv"),
        columns=columns,
        unit=PrivacyUnit(),
        relation=Relation.CHANGE,
        most_rows=SIZE,
        size_is_public=True,
        budget=Budget(Epsilon.of(10)),
        confirmed=True,
    )


@dataclass(frozen=True)
class Ours:
    """What the planner chose for a trial, and how far off it is."""

    name: str
    exact: float
    """Expected absolute error under the trial's own prior, from the mechanism's integers."""
    sampled: Sampled
    constant: float
    """What the best constant errs by under the trial's own prior, exactly."""
    notes: tuple[str, ...]
    seconds: float
    part: Part

    @property
    def constant_is_better(self) -> bool:
        """Whether the best constant errs less in this trial."""
        return self.exact > self.constant * (1 + 1e-9)


def ours(
    trial: Trial, epsilon: str, wishes: Wishes | None, tables: Tables, truths: Numbers
) -> Ours:
    """Plan a trial with these wishes (None: the default goal), and answer every table."""
    dataset = ten_records()
    started = time.perf_counter()
    made = plan(parse_sql(trial.sql, dataset), dataset, epsilon=epsilon, wishes=wishes)
    seconds = time.perf_counter() - started
    part = made.parts[0]
    exact = expected_under(part.subject, part.chosen.release, trial.prior)
    assert exact is not None, "the trials are answered by matrices"
    sampled = errors(drawn(part, tables), truths, trial.most)
    best = constant(part.subject, Wishes.of(prior=trial.prior)).figures.expected
    return Ours(part.chosen.name, exact, sampled, best, made.notes, seconds, part)


def drawn(part: Part, tables: Tables) -> Numbers:
    """One answer for each table, drawn as the curator draws it."""
    draw = part.chosen.release.draw
    return np.array([float(draw(Counter(table))) for table in tables.tolist()])  # type: ignore[arg-type]


def count_bound(epsilon: str) -> float:
    """What no private mechanism errs less than for a count of ten records: proved.

    Averaged over all tables with the same count, a mechanism is one that sees the count alone.
    """
    asked = count(SIZE)
    return design(asked.answers, asked.neighbours, epsilon).lower_bound
