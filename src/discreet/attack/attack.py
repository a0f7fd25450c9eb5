"""An attack by exact law: every table, every neighbour, every outcome, against what is charged.

The plan and its draw code are taken as they are; how far outcomes are apart is worked out here,
with nothing of what planned or certified them (docs/explanation/attack.md).
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from discreet.attack.law import PrivacyLoss
from discreet.attack.plans import PlanTarget, counted, identity
from discreet.attack.tables import Row, Rows, Small, palette_of
from discreet.attack.target import AttackTarget
from discreet.attack.wire import ScriptedWire
from discreet.curator.prepared import Prepared
from discreet.errors import InvalidInput, named
from discreet.planning import Reading, plan
from discreet.questions import columns_used
from discreet.requests import Order
from discreet.tables import Dataset

MOST_TABLES = 5_000
MOST_ROWS = 100_000
FEW_ROWS = 4
"""So many rows vary."""
MOST_VALUES = 5_000
"""Of a column whose values are counted each."""
MOST_KINDS = 7
"""So many different rows there are, at most."""
MOST_WORK = 500_000
"""After so many runs, outcomes and pairs no further table is begun: some ten seconds."""
_TOLD_PAIRS = 5


@dataclass(frozen=True)
class Distinction:
    """Two neighbouring tables, and what an outcome tells of one against the other."""

    one: Rows
    other: Rows
    loss: PrivacyLoss


@dataclass(frozen=True, kw_only=True)
class Report:
    """What an attack found."""

    target: AttackTarget
    tables: int
    pairs: int
    worst: Distinction | None
    broken: Distinction | None
    every: bool
    """Whether all pairs were tried, or as many as the work allows."""
    shared: bool
    """Whether draws are shared that are charged as if they were not."""
    leaks: bool
    """Whether what is told of an outcome depends on the table."""

    @property
    def titles(self) -> list[str]:
        """How it was drawn, in words."""
        return self.target.titles

    @property
    def holds(self) -> bool:
        """Whether nothing was found."""
        return self.broken is None and not self.shared and not self.leaks

    @cached_property
    def largest(self) -> float:
        """The largest loss, as a share of what is charged; 0 where nothing is drawn."""
        if self.worst is None or self.target.charge == 0:
            return 0.0 if self.holds else float("inf")
        return self.worst.loss.nats / float(self.target.charge)


def small_tables(
    used: Iterable[str], readings: Sequence[Reading], dataset: Dataset, rows: int | None = None
) -> Small:
    """The tables that are enumerated for readings of these columns.

    Where one row of a person counts for each value of a column, rows of different values are
    different, whether or not they are counted alike: a person may have one of each.
    """
    apart = dataset.unit.one_row_per
    bases = {apart}.union(*map(dataset.bases, used))
    columns = [one for one in dataset.columns if one.name in bases] or [*dataset.columns[:1]]
    few = min(dataset.most_rows, FEW_ROWS if rows is None else rows)
    small = Small(
        dataset=dataset,
        columns=tuple(one.name for one in columns),
        palette=(),
        varied=few,
        complete=True,
    )

    def told_apart(row: Row) -> object:
        alone = replace(small, palette=(row,))
        value = row[small.columns.index(apart)] if apart is not None else None
        return value, *(tuple(map(identity, one)) for one in counted(alone, readings, (1,)))

    palette, every = palette_of(columns, told_apart, MOST_KINDS)
    small = replace(small, palette=palette, complete=every)
    while small.many > MOST_TABLES and len(small.palette) > 2:
        small = replace(small, palette=small.palette[:-1], complete=False)
    if small.many > MOST_TABLES:
        raise InvalidInput(
            f"{few} rows that vary make {small.many:,} tables; the limit is {MOST_TABLES:,}; "
            f"{named('rows', FEW_ROWS)} would work"
        )
    return small


def attack(
    order: Order,
    dataset: Dataset,
    *,
    rows: int | None = None,
    size: int | None = None,
    most_pairs: int | None = None,
) -> Report:
    """Enumerate tables, neighbours and outcomes, and compare them with the charge.

    Args:
        order: The question with its ε and its wishes.
        dataset: The declared facts; no row of the table is looked at.
        rows: How many rows vary.
        size: Plan as if this many rows were declared.
        most_pairs: Of more pairs, so many are taken at random.

    Returns:
        What was found.

    Raises:
        InvalidInput: There are too many tables.
    """
    facts = dataset if size is None else replace(dataset, most_rows=size)
    if facts.most_rows > MOST_ROWS:
        raise InvalidInput(
            f"tables of {facts.most_rows:,} rows are too large; the limit is {MOST_ROWS:,}; "
            f"{named('size', 100)} attacks the plan that 100 declared rows would have"
        )
    made = plan(
        order.question, facts, epsilon=order.epsilon, within=order.within, wishes=order.wishes
    )
    readings = Prepared.of(order, made, facts).readings
    if any(one.person is not None for one in readings):
        raise InvalidInput(
            "people are counted by their ids, which the enumerated tables do not have; attack "
            "COUNT(*) instead"
        )
    values = max((one.values or 0 for one in readings), default=0)
    if values > MOST_VALUES:
        raise InvalidInput(
            f"{values:,} values are too many; the limit is {MOST_VALUES:,}; a copy of the "
            f"dataset file with a step {-(-values // MOST_VALUES)} times as large would work"
        )
    small = small_tables(columns_used(made.question), readings, facts, rows)
    with ScriptedWire().open() as wire:
        return attacked(PlanTarget(made, small, readings, wire), some_of(small.pairs(), most_pairs))


def some_of(pairs: Iterable[tuple[Rows, Rows]], most: int | None) -> Iterable[tuple[Rows, Rows]]:
    """All of them, or so many that are taken at random."""
    if most is None:
        return pairs
    every = list(pairs)
    return every if len(every) <= most else random.sample(every, most)


def attacked(target: AttackTarget, pairs: Iterable[tuple[Rows, Rows]]) -> Report:
    """What is found over these pairs; each is tried in the direction that it is given.

    Pairs beyond what the work allows are left out, and the report says so.
    """
    worst: Distinction | None = None
    broken: Distinction | None = None
    many, leaks, shared, every = 0, False, False, True
    for one, other in pairs:
        if target.work > MOST_WORK:
            every = False
            break
        many += 1
        loss = target.loss(one, other)
        if worst is None or loss.nats > worst.loss.nats:
            worst = Distinction(one, other, loss)
            broken = broken or (worst if target.breaks(loss) else None)
        if many <= _TOLD_PAIRS:
            leaks = leaks or target.tells_apart(one, other)
            shared = shared or target.shares(one)
    return Report(
        target=target,
        tables=target.many,
        pairs=many,
        worst=worst,
        broken=broken,
        every=every,
        shared=shared,
        leaks=leaks,
    )
