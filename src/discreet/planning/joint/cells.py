"""Counts whose conditions cut rows into few cells: noise is drawn for the cells of all groups.

Conditions that exclude each other are cells themselves; of conditions that imply each other a row
meets few combinations. A count adds up the noise of its cells, whose law is known
(docs/proofs/cells.md, docs/proofs/workloads.md).
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import DesignError
from discreet.exact import Epsilon
from discreet.joint.least import least_billionths
from discreet.joint.tables import SumOfCells, TableNoise
from discreet.planning.joint.count_releases import CellsDraw
from discreet.planning.joint.countable import answer, countable, counted_where, steps_within
from discreet.planning.joint.joined import Joiner, JointAnswer, Whole
from discreet.questions import EVERY_ROW
from discreet.questions.conditions import columns_of, patterns

_NAME = "cells together"
_MOST_CELLS = 64
"""In a group."""
_MOST_NOISES = 20_000
"""In all groups."""


@dataclass(frozen=True)
class _Cut:
    """The cells that the conditions of some counts cut the rows of a group into."""

    cells: tuple[tuple[bool, ...], ...]
    """Which counts each cell is in; without the rows that are in none."""
    every_row: bool
    """Whether a row is always in one of them."""

    def many(self, which: int) -> int:
        """How many cells a count adds up."""
        return sum(cell[which] for cell in self.cells)


def _cut(whole: Whole, places: tuple[int, ...]) -> _Cut | None:
    """How conditions cut the rows; None where that makes too many cells, or cannot be told."""
    conditions = tuple(counted_where(whole.tasks[place].subject) for place in places)
    possible = patterns(conditions, whole.dataset)
    if possible is None:
        return None
    cells = tuple(one for one in possible if any(one))
    if len(cells) > _MOST_CELLS or len(cells) * whole.groups > _MOST_NOISES:
        return None
    in_groups = whole.groups == 1 or whole.question.where == EVERY_ROW
    return _Cut(cells, in_groups and len(cells) == len(possible))


def _sets(whole: Whole) -> list[tuple[int, ...]]:
    """All counts, and those whose conditions are about the same columns."""
    places = countable(whole)
    by_columns: dict[frozenset[str], list[int]] = {}
    for place in places:
        about = frozenset(columns_of(whole.tasks[place].subject.item.condition))
        by_columns.setdefault(about, []).append(place)
    sets = dict.fromkeys([places, *map(tuple, by_columns.values())])
    return [one for one in sets if len(one) > 1 and _cut(whole, one) is not None]


def _noise(whole: Whole, cut: _Cut, epsilon: Epsilon) -> TableNoise:
    dataset = whole.dataset
    return TableNoise.of(
        len(cut.cells) * whole.groups,
        epsilon,
        dataset.relation,
        rows_per_unit=whole.rows_per_unit,
        total_is_public=dataset.size_is_public and cut.every_row,
    )


def _make(whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> JointAnswer:
    cut = _cut(whole, places)
    if cut is None:
        raise DesignError("these conditions make too many cells")
    noise = _noise(whole, cut, epsilon)
    return answer(
        whole,
        places,
        epsilon,
        CellsDraw(noise, cut.cells),
        [SumOfCells(noise, cut.many(which)) for which in range(len(places))],
        name=_NAME,
        title="noise on the cells that the conditions form",
        proof="docs/proofs/cells.md",
    )


def _least(
    whole: Whole, places: tuple[int, ...], distance: Fraction
) -> list[tuple[tuple[int, ...], Epsilon]]:
    """All of them, at the least ε that brings the sum of most cells near enough."""
    cut = _cut(whole, places)
    if cut is None:
        return []
    sure = whole.wishes.confidence
    wanted = {
        (cut.many(which), steps_within(whole.tasks[place].subject, distance))
        for which, place in enumerate(places)
    }

    def enough(billionths: int) -> bool:
        noise = _noise(whole, cut, Epsilon(billionths))
        return all(noise.reach(many, sure) <= far for many, far in wanted)

    return [(places, least_billionths(enough, f"all counts within {float(distance):g}"))]


CELLS_OF_COUNTS = Joiner(_NAME, _sets, _make, least=_least, any_of=True)
"""Counts that add up few cells."""
