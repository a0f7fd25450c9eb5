"""An attack by exact law: every table, every neighbour, every outcome, against what is charged.

The plan and its draw code are taken as they are; how far outcomes are apart is worked out here,
with nothing of what planned or certified them (docs/explanation/attack.md).
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any, cast

from discreet.attack.law import NOTHING, Law, Loss, law_of, loss
from discreet.attack.powers import power_of_e
from discreet.attack.tables import Row, Rows, Small, palette_of
from discreet.attack.wire import Script, Wire
from discreet.curator.prepared import Prepared
from discreet.errors import InvalidInput, named
from discreet.planning import Plan, Reading, plan
from discreet.planning.releases.release import Ready
from discreet.questions import columns_used
from discreet.requests import Order
from discreet.statistics import Counted
from discreet.tables import Dataset, Table
from discreet.tables.columns import skips_gaps
from discreet.tables.engine import Cells

MOST_TABLES = 5_000
MOST_ROWS = 100_000
FEW_ROWS = 4
"""So many rows vary."""
MOST_KINDS = 7
"""So many different rows there are, at most."""
OPEN = Fraction(1, 10**6)
"""A loss that is more by this share of the charge may be due to bits that are not looked at."""
BILLION = 10**9
_TOLD_PAIRS = 5


@dataclass(frozen=True)
class Block:
    """Answers of a plan that share a draw: by statistic and group."""

    answers: tuple[tuple[int, int], ...]
    once: bool
    """Whether their draw is kept, so that it is made ready again for every run."""


@dataclass(frozen=True)
class Finding:
    """Two neighbouring tables, and what an outcome tells of one against the other."""

    one: Rows
    other: Rows
    loss: Loss


class Target(ABC):
    """What is attacked: draws for small tables, on the wire, against a charge."""

    def __init__(self, small: Small, charge: Fraction, wire: Wire) -> None:
        self.small, self.charge, self._wire = small, charge, wire
        self.stated: set[str] = set()
        """The kinds of noise of which the law is taken as stated."""
        self._laws: dict[Any, tuple[int, Law]] = {}
        self._losses: dict[tuple[int, int], Loss] = {}
        self._known: dict[Rows, list[tuple[int, Law]]] = {}

    @abstractmethod
    def draws(self, table: Rows) -> list[tuple[Any, Callable[[], Callable[[], Any]]]]:
        """What is drawn of a table, each independent of the others.

        With a key that tables share of which the same is drawn, and with what makes it ready.
        """

    @property
    @abstractmethod
    def titles(self) -> list[str]:
        """How it is drawn, in words."""

    @property
    def many(self) -> int:
        """How many tables were looked at."""
        return len(self._known)

    def laws(self, table: Rows) -> list[tuple[int, Law]]:
        """The law of every draw, with a number that equal ones share."""
        if table not in self._known:
            self._known[table] = [self._law(*one) for one in self.draws(table)]
        return self._known[table]

    def _law(self, key: Any, ready: Callable[[], Callable[[], Any]]) -> tuple[int, Law]:
        if key not in self._laws:
            law = law_of(self._wire, ready())
            self._laws[key] = len(self._laws), law
            noises = (noise for leaf in law.values() for noise in leaf.noises)
            self.stated |= {noise.kind for noise in noises if noise.stated}
        return self._laws[key]

    def loss(self, one: Rows, other: Rows) -> Loss:
        """What the worst outcome of one table tells against the other, over all blocks."""
        found = NOTHING
        rows = self.small.dataset.unit.most_rows
        for (first, law), (second, against) in zip(self.laws(one), self.laws(other), strict=True):
            if first == second:
                continue
            if (first, second) not in self._losses:
                self._losses[first, second] = loss(law, against, rows)
            more = self._losses[first, second]
            if more.ratio is None or found.ratio is None:
                return Loss.infinite(more.shape)
            found = Loss(
                found.ratio * more.ratio, found.cost + more.cost, found.nats + more.nats, more.shape
            )
        return found

    def breaks(self, found: Loss) -> bool:
        """Whether a loss is more than what is charged, in exact fractions."""
        if found.ratio is None:
            return True
        allowed = self.charge * (1 + OPEN)
        if found.nats < float(self.charge) * (1 - float(OPEN)):
            return False
        if found.cost > allowed:
            return True
        low, _ = power_of_e(allowed - found.cost)
        return found.ratio > low

    def shares(self, table: Rows) -> bool:
        """Whether answers that are taken for independent share what they are drawn from."""
        return False

    def tells_apart(self, one: Rows, other: Rows) -> bool:
        """Whether what is told of the same outcome differs between two tables."""
        return False


class PlanTarget(Target):
    """A plan of a question."""

    def __init__(self, made: Plan, small: Small, readings: Sequence[Reading], wire: Wire) -> None:
        super().__init__(small, Fraction(made.cost.total, BILLION), wire)
        self.plan, self.readings, self.blocks = made, readings, _blocks(made)

    @property
    def titles(self) -> list[str]:
        """Those of its mechanisms."""
        return [part.chosen.title for part in self.plan.parts]

    def counted(self, table: Rows) -> list[tuple[Counted, ...]]:
        """What every statistic counts of a table."""
        return counted(self.small, self.readings, table)

    def draws(self, table: Rows) -> list[tuple[Any, Callable[[], Callable[[], Any]]]]:
        """A draw for each block."""
        found = self.counted(table)
        return [
            (
                (place, tuple(self._told_by(part, group, found) for part, group in block.answers)),
                partial(self._draw, block, found),
            )
            for place, block in enumerate(self.blocks)
        ]

    def _told_by(self, part: int, group: int, counted: list[tuple[Counted, ...]]) -> Any:
        if part >= len(counted):
            bought = self.plan.row_counts[part - len(counted)]
            return counted[bought.part][group].rows
        if self.plan.grouping.totals is not None:
            return tuple(map(identity, counted[part]))
        return identity(counted[part][group])

    def _draw(self, block: Block, counted: list[tuple[Counted, ...]]) -> Callable[[], Any]:
        if not block.once:
            (ready,) = self._ready(block, counted)
            return ready.sampler
        made = self._ready(block, counted)
        if all(hasattr(one.sampler, "_drawn") for one in made):
            return partial(_each, [one.sampler for one in made])
        return lambda: [one.sampler() for one in self._ready(block, counted)]

    def _ready(self, block: Block, counted: list[tuple[Counted, ...]]) -> list[Ready]:
        waiting = self.plan.ready(counted).waiting
        return [waiting[part][group] for part, group in block.answers]

    def shares(self, table: Rows) -> bool:
        """Whether answers that are taken for independent share what they are drawn from."""
        counted = self.counted(table)
        apart = 0
        for block in self.blocks:
            self._wire.script = script = Script([])
            for one in self._ready(block, counted):
                one.sampler()
            apart += len(script.met) + len(script.noises)
        self._wire.script = script = Script([])
        for answers in self.plan.ready(counted).waiting:
            for one in answers:
                one.sampler()
        return len(script.met) + len(script.noises) != apart

    def tells_apart(self, one: Rows, other: Rows) -> bool:
        """Whether what is told of the same outcome differs between two tables."""
        ready = [self.plan.ready(self.counted(table)).waiting for table in (one, other)]
        for mine, theirs in zip(*ready, strict=True):
            for here, there in zip(mine, theirs, strict=True):
                self._wire.script = Script([])
                drawn = _plainly(here.sampler())
                if here.told(drawn) != there.told(drawn):
                    return True
        return False


def _each(samplers: Sequence[Any]) -> list[Any]:
    """What some draw that keep their draw: copies of them draw anew, and share as they do."""
    fresh = {id(one): copy(one) for one in samplers}
    return [fresh[id(one)]() for one in samplers]


def identity(counted: Counted) -> Any:
    """What tells counts from others."""
    counts = getattr(counted, "counts", None)
    return repr(counted) if counts is None else counts.tobytes()


def _plainly(drawn: Any) -> Any:
    if isinstance(drawn, tuple | list):
        return type(drawn)(_plainly(one) for one in drawn)
    return int(drawn) if isinstance(drawn, int) else drawn


def _blocks(made: Plan) -> tuple[Block, ...]:
    found = []
    for one in made.joined:
        found.append(Block(_all(made, one.places), once=True))
    for place, part in enumerate(made.parts):
        if part.joined is None:
            found += _of_part(made, place, together=part.chosen.release.together)
    for place, count in enumerate(made.row_counts, len(made.parts)):
        found += _of_part(made, place, together=count.cells is not None)
    return tuple(found)


def _all(made: Plan, places: Iterable[int]) -> tuple[tuple[int, int], ...]:
    return tuple((place, group) for place in places for group in range(made.grouping.counted))


def _of_part(made: Plan, place: int, *, together: bool) -> list[Block]:
    if made.grouping.totals is not None:
        return [Block(((place, 0),), once=True)]
    every = _all(made, [place])
    return [Block(every, once=True)] if together else [Block((one,), once=False) for one in every]


@dataclass(frozen=True, kw_only=True)
class Report:
    """What an attack found."""

    target: Target
    tables: int
    pairs: int
    worst: Finding | None
    broken: Finding | None
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
    """The tables that are enumerated for readings of these columns."""
    bases = set[str]().union(*map(dataset.bases, used))
    columns = [one for one in dataset.columns if one.name in bases]
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
        return tuple(tuple(map(identity, one)) for one in counted(alone, readings, (1,)))

    palette, every = palette_of(columns, told_apart, MOST_KINDS)
    small = replace(small, palette=palette, complete=every)
    while small.many > MOST_TABLES and len(small.palette) > 2:
        small = replace(small, palette=small.palette[:-1], complete=False)
    if small.many > MOST_TABLES:
        raise InvalidInput(
            f"{few} rows that vary make {small.many:,} tables, and at most {MOST_TABLES:,} are "
            f"enumerated; {named('rows', FEW_ROWS)} would work"
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
        size: Plan as if so many rows were declared.
        most_pairs: Of more pairs, so many are taken at random.

    Returns:
        What was found.

    Raises:
        InvalidInput: There are too many tables.
    """
    facts = dataset if size is None else replace(dataset, most_rows=size)
    if facts.most_rows > MOST_ROWS:
        raise InvalidInput(
            f"tables of {facts.most_rows:,} rows are not enumerated, at most {MOST_ROWS:,}; "
            f"{named('size', 100)} attacks the plan that 100 declared rows would have"
        )
    made = plan(
        order.question, facts, epsilon=order.epsilon, within=order.within, wishes=order.wishes
    )
    readings = Prepared.of(order, made, facts).readings
    if any(one.person is not None for one in readings):
        raise InvalidInput(
            "people are counted by their ids, and the tables that are enumerated have none; "
            "attack COUNT(*) instead"
        )
    small = small_tables(columns_used(made.question), readings, facts, rows)
    with Wire().open() as wire:
        return attacked(PlanTarget(made, small, readings, wire), some_of(small.pairs(), most_pairs))


def some_of(pairs: Iterable[tuple[Rows, Rows]], most: int | None) -> Iterable[tuple[Rows, Rows]]:
    """All of them, or so many that are taken at random."""
    if most is None:
        return pairs
    every = list(pairs)
    return every if len(every) <= most else random.sample(every, most)


def counted(small: Small, readings: Sequence[Reading], table: Rows) -> list[tuple[Counted, ...]]:
    """What every statistic counts of a table, by the plan's own readings."""
    facts = small.dataset
    complete = frozenset(one.name for one in facts.columns if not skips_gaps(one))
    at_hand = SimpleNamespace(columns=Cells(small.cells(table), facts), complete=complete)
    return [one.counted(cast("Table", at_hand)) for one in readings]


def attacked(target: Target, pairs: Iterable[tuple[Rows, Rows]]) -> Report:
    """What is found over these pairs; each is tried in the direction that it is given."""
    worst: Finding | None = None
    broken: Finding | None = None
    many, leaks, shared = 0, False, False
    for one, other in pairs:
        many += 1
        found = target.loss(one, other)
        if worst is None or found.nats > worst.loss.nats:
            worst = Finding(one, other, found)
            broken = broken or (worst if target.breaks(found) else None)
        if many <= _TOLD_PAIRS:
            leaks = leaks or target.tells_apart(one, other)
            shared = shared or target.shares(one)
    return Report(
        target=target,
        tables=target.many,
        pairs=many,
        worst=worst,
        broken=broken,
        shared=shared,
        leaks=leaks,
    )
