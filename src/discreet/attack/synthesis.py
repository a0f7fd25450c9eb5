"""The attack on the measurements that a synthetic table is made from."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from discreet.attack.attack import Report, attacked, small_tables, some_of
from discreet.attack.plans import BILLION, counted
from discreet.attack.tables import Rows, Small
from discreet.attack.target import AttackTarget
from discreet.attack.wire import ScriptedWire
from discreet.exact import Epsilon
from discreet.planning.subjects.subject import true_index
from discreet.planning.synthesis import SyntheticPlan, plan_synthesis
from discreet.questions import Bins
from discreet.tables import Dataset


class SynthesisTarget(AttackTarget):
    """The tables of counts that are measured; whole rows follow from these alone."""

    def __init__(self, made: SyntheticPlan, small: Small, wire: ScriptedWire) -> None:
        super().__init__(small, Fraction(made.cost.total, BILLION), wire)
        self._made = made

    @property
    def titles(self) -> list[str]:
        """How it is measured."""
        return [f"synthetic table, {self._made.levels.name}"]

    def draws(self, table: Rows) -> list[tuple[Any, Callable[[], Callable[[], Any]]]]:
        """One measurement."""
        lines = [
            np.array([true_index(self._made.subject, one) for one in by_group], dtype=np.int64)
            for by_group in counted(self.small, self._made.readings, table)
        ]
        key = tuple(line.tobytes() for line in lines)
        return [(key, lambda: partial(self._made.levels.measure, lines))]


def attack_synthesis(
    group_by: Sequence[Bins],
    dataset: Dataset,
    epsilon: Epsilon,
    *,
    rows: int | None = None,
    most_pairs: int | None = None,
) -> Report:
    """As `attack`, of a synthetic table of these columns."""
    made = plan_synthesis(group_by, dataset, epsilon=epsilon)
    small = small_tables([one.column for one in group_by], made.readings, dataset, rows)
    with ScriptedWire().open() as wire:
        return attacked(SynthesisTarget(made, small, wire), some_of(small.pairs(), most_pairs))
