"""A plan of a question as a target: its own draws, each block of answers that share one."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

from discreet.attack.tables import Rows, Small
from discreet.attack.target import AttackTarget
from discreet.attack.wire import Script, ScriptedWire
from discreet.planning import Plan, Reading
from discreet.planning.releases.release import Ready
from discreet.statistics import Counted
from discreet.tables import Table
from discreet.tables.columns import skips_gaps
from discreet.tables.engines.protocol import Cells

BILLION = 10**9


@dataclass(frozen=True)
class JointBlock:
    """Answers of a plan that share a draw: by statistic and group."""

    answers: tuple[tuple[int, int], ...]
    once: bool
    """Whether their draw is kept, so that it is made ready again for every run."""


class PlanTarget(AttackTarget):
    """A plan of a question."""

    def __init__(
        self, made: Plan, small: Small, readings: Sequence[Reading], wire: ScriptedWire
    ) -> None:
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
        counts = self.counted(table)
        return [
            (
                (place, tuple(self._told_by(part, group, counts) for part, group in block.answers)),
                partial(self._draw, block, counts),
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

    def _draw(self, block: JointBlock, counted: list[tuple[Counted, ...]]) -> Callable[[], Any]:
        if not block.once:
            (ready,) = self._ready(block, counted)
            return ready.sampler
        made = self._ready(block, counted)
        if all(hasattr(one.sampler, "_drawn") for one in made):
            return partial(_each, [one.sampler for one in made])
        return lambda: [one.sampler() for one in self._ready(block, counted)]

    def _ready(self, block: JointBlock, counted: list[tuple[Counted, ...]]) -> list[Ready]:
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


def _blocks(made: Plan) -> tuple[JointBlock, ...]:
    blocks = []
    for one in made.joined:
        blocks.append(JointBlock(_all(made, one.places), once=True))
    for place, part in enumerate(made.parts):
        if part.joined is None:
            blocks += _of_part(made, place, together=part.chosen.release.together)
    for place, count in enumerate(made.row_counts, len(made.parts)):
        blocks += _of_part(made, place, together=count.cells is not None)
    return tuple(blocks)


def _all(made: Plan, places: Iterable[int]) -> tuple[tuple[int, int], ...]:
    return tuple((place, group) for place in places for group in range(made.grouping.counted))


def _of_part(made: Plan, place: int, *, together: bool) -> list[JointBlock]:
    if made.grouping.totals is not None:
        return [JointBlock(((place, 0),), once=True)]
    every = _all(made, [place])
    return (
        [JointBlock(every, once=True)]
        if together
        else [JointBlock((one,), once=False) for one in every]
    )


def counted(small: Small, readings: Sequence[Reading], table: Rows) -> list[tuple[Counted, ...]]:
    """What every statistic counts of a table, by the plan's own readings."""
    facts = small.dataset
    complete = frozenset(one.name for one in facts.columns if not skips_gaps(one))
    at_hand = SimpleNamespace(columns=Cells(small.cells(table), facts), complete=complete)
    return [one.counted(cast("Table", at_hand)) for one in readings]
