"""The plan of a synthetic table: which tables of counts are measured, and how far off they may be.

Whole rows are made from the measurements alone, so that a synthetic table costs what they cost
(docs/proofs/workloads.md, Claim 7). Public facts alone enter a plan.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from discreet.budget import Cost, Single
from discreet.errors import DesignError, QuestionError
from discreet.exact import Epsilon
from discreet.joint.levels import (
    CellBlocks,
    Levels,
    OneRadius,
    PrivacyTerms,
    Reads,
    shared,
    with_one_radius,
)
from discreet.planning.grouping import GroupedColumn, Grouping, grouping_of
from discreet.planning.reading import Reading
from discreet.planning.settling import MOST_ANSWERS
from discreet.planning.subjects.subject import Subject, subject_of
from discreet.questions import Bins, Item, Question, bins_text
from discreet.questions.totals import Sets
from discreet.statistics import Count
from discreet.tables import CLEANING, Dataset, NumberColumn
from discreet.text import plural

MOST_CELLS = 1 << 18
"""How many combinations of values the columns of a synthetic table may have."""
MOST_COLUMNS = 12
_OFFERED = 10
"""How many bins are offered for numbers that are too fine."""


@dataclass(frozen=True, kw_only=True)
class Marginal:
    """Counts of some columns that a synthetic table is to tell right, and how far off they may
    be."""

    columns: tuple[str, ...]
    counts: int
    expected: float
    """How many rows the measurement puts into another cell, on average, for every table."""
    within: int
    """How far off a measured count is at most, at the confidence, for every table."""

    def to_dict(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {
            "columns": list(self.columns),
            "counts": self.counts,
            "expected_misplaced_rows": self.expected,
            "measured_within": self.within,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class SyntheticPlan:
    """What is measured for a synthetic table, and what it costs."""

    group_by: tuple[Bins, ...]
    axes: tuple[GroupedColumn, ...]
    asked: Sets
    """The marginals that are reported, by the places of their columns."""
    measures: Sets
    """The tables of counts that are measured, by the places of their columns."""
    groupings: tuple[Grouping, ...]
    """Of each measured table, its groups."""
    readings: tuple[Reading, ...]
    subject: Subject
    levels: Levels | OneRadius
    rows: int | None
    """How many rows there are, where that is public."""
    most_rows: int
    epsilon: Epsilon
    confidence: Fraction

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each column has."""
        return tuple(axis.size for axis in self.axes)

    @property
    def cells(self) -> int:
        """How many combinations of values there are."""
        return math.prod(self.shape)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the synthetic table."""
        return tuple(axis.bins.column for axis in self.axes)

    @property
    def cost(self) -> Cost:
        """What it costs: once, however many rows are written."""
        return Single.of(self.epsilon)

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """How far off each asked marginal is as it is measured."""
        reaches, marginals, start = self.levels.reaches(self.confidence), [], 0
        errors = self.levels.errors
        for kept in self.asked:
            many = math.prod(self.shape[place] for place in kept)
            marginals.append(
                Marginal(
                    columns=tuple(self.columns[place] for place in kept),
                    counts=many,
                    expected=sum(errors[start : start + many]) / 2,
                    within=int(max(reaches[start : start + many])),
                )
            )
            start += many
        return tuple(marginals)

    @property
    def mostly_noise(self) -> bool:
        """Whether the finest table that is measured has fewer rows than its noise moves."""
        moved = max(blocks.many * math.sqrt(spread) for blocks, spread in self.levels.parts)
        return moved > 2 * self.most_rows

    @property
    def title(self) -> str:
        """How it is measured, in words."""
        if len(self.measures) == 1 and len(self.measures[0]) == len(self.axes):
            return f"one table of {plural(self.cells, 'cell')}"
        words = "; ".join(
            " × ".join(self.columns[place] for place in kept) for kept in self.measures
        )
        return f"{plural(len(self.measures), 'table')} of counts: {words}"

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return {
            "columns": [one.to_list() for one in self.group_by],
            "cells": self.cells,
            "measures": [[self.columns[place] for place in kept] for kept in self.measures],
            "title": self.title,
            "marginals": [one.to_dict() for one in self.marginals],
            "mostly_noise": self.mostly_noise,
            "confidence": float(self.confidence),
            "certificate": self.levels.digest,
            "epsilon": str(self.epsilon),
            "billionths": self.cost.total,
            "digest": self.digest,
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what will be done: the columns, the tables that are measured, their noise."""
        facts = {
            "columns": [one.to_list() for one in self.group_by],
            "asked": self.asked,
            "measures": self.measures,
            "certificate": self.levels.digest,
            "epsilon": str(self.epsilon),
            "confidence": str(self.confidence),
            "cleaning": CLEANING,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def plan_synthesis(
    group_by: Sequence[Bins],
    dataset: Dataset,
    *,
    epsilon: Epsilon,
    marginals: Sets | None = None,
    confidence: Fraction = Fraction(19, 20),
) -> SyntheticPlan:
    """The tables of counts whose measurement tells the asked marginals best, for ε in all.

    Args:
        group_by: The columns of the synthetic table; numbers may be put into bins.
        dataset: The declared facts; no row is looked at.
        epsilon: What it may cost.
        marginals: Which columns, by their places, must be right together; each column and each
            pair, if left out.
        confidence: The chance with which the reported bounds hold.

    Returns:
        The plan.

    Raises:
        QuestionError: There are too many combinations of values.
        DesignError: Noise for so little of ε cannot be drawn.
    """
    axes = tuple(GroupedColumn.of(bins, dataset) for bins in group_by)
    shape = tuple(axis.size for axis in axes)
    asked = _asked(len(axes)) if marginals is None else marginals
    _check_size(axes, asked, dataset)
    charge = PrivacyTerms(
        epsilon=epsilon,
        relation=dataset.relation,
        rows_per_unit=dataset.unit.most_rows,
        total_is_public=dataset.size_is_public,
    )
    candidates = [
        (sum(made.errors), tried, made)
        for tried in _tried(asked, shape)
        for made in _measured(tried, asked, shape, charge)
    ]
    _, measures, levels = min(candidates, key=lambda one: one[0])
    if not levels.drawable:
        raise DesignError(
            f"ε = {epsilon} is too small for {plural(math.prod(shape), 'cell')}: the noise would "
            "be too wide to be drawn; spend more"
        )
    counts = (Item(statistic=Count()),)
    questions = [Question(counts, group_by=tuple(group_by[i] for i in kept)) for kept in measures]
    groupings = tuple(grouping_of(one, dataset) for one in questions)
    subject = subject_of(counts[0], questions[0], dataset, groupings[0].counted)
    return SyntheticPlan(
        group_by=tuple(group_by),
        axes=axes,
        asked=asked,
        measures=measures,
        groupings=groupings,
        readings=tuple(
            Reading.of(question, subject, grouping, facts=dataset)
            for question, grouping in zip(questions, groupings, strict=True)
        ),
        subject=subject,
        levels=levels,
        rows=dataset.most_rows if dataset.size_is_public else None,
        most_rows=dataset.most_rows,
        epsilon=epsilon,
        confidence=confidence,
    )


def blocks_of(shape: Sequence[int], kept: Sequence[int]) -> CellBlocks:
    """Which count of some columns every combination of all columns is in."""
    every = np.indices(shape).reshape(len(shape), -1)
    some = [shape[place] for place in kept]
    if not kept:
        return CellBlocks(np.zeros(every.shape[1], dtype=np.int64), 1)
    of_cell = np.ravel_multi_index([every[place] for place in kept], some).astype(np.int64)
    return CellBlocks(of_cell, math.prod(some))


def _asked(columns: int) -> Sets:
    """Every column, and every pair."""
    every = range(columns)
    return tuple(one for many in (1, 2) for one in combinations(every, many))


def _tried(asked: Sets, shape: tuple[int, ...]) -> list[Sets]:
    """One table of all columns, where it is not too large; the largest that are asked."""
    tried: list[Sets] = []
    if math.prod(shape) <= MOST_ANSWERS:
        tried.append((tuple(range(len(shape))),))
    largest = tuple(one for one in asked if not any(set(one) < set(other) for other in asked))
    if largest not in tried:
        tried.append(largest)
    return tried


def _measured(
    measures: Sets, asked: Sets, shape: tuple[int, ...], charge: PrivacyTerms
) -> list[Levels | OneRadius]:
    """Noise for the tables, and where the counts of asked marginals are read.

    A table is looked at by itself: its own cells are what marginals are sums of.
    """
    reads: list[Reads] = []
    sizes = [math.prod(shape[place] for place in kept) for kept in measures]
    for kept in asked:
        level = min(
            (place for place, one in enumerate(measures) if set(kept) <= set(one)),
            key=lambda place: sizes[place],
        )
        inner = [measures[level].index(place) for place in kept]
        blocks = blocks_of([shape[place] for place in measures[level]], inner)
        order = np.argsort(blocks.of_cell, kind="stable")
        ends = np.cumsum(np.bincount(blocks.of_cell, minlength=blocks.many))[:-1]
        reads += [Reads(level, tuple(one.tolist())) for one in np.split(order, ends)]
    tables = [CellBlocks.apart(size) for size in sizes]
    together = with_one_radius(tables, reads, charge)
    return [one for one in (shared(tables, reads, charge), together) if one is not None]


def _check_size(axes: Sequence[GroupedColumn], asked: Sets, dataset: Dataset) -> None:
    """Refuse more cells than can be fitted, or measured at once."""
    if len(axes) > MOST_COLUMNS:
        raise QuestionError(
            f"a synthetic table can have at most {MOST_COLUMNS} columns, got {len(axes)}; name "
            "fewer"
        )
    sizes = [axis.size for axis in axes]
    cells = math.prod(sizes)
    largest = max(math.prod(sizes[place] for place in kept) for kept in asked)
    if cells > MOST_CELLS:
        raise QuestionError(
            f"{cells:,} combinations of values are too many for a synthetic table; the limit is "
            f"{MOST_CELLS:,}; {_advice(axes, dataset)}"
        )
    if largest > MOST_ANSWERS:
        raise QuestionError(
            f"a marginal of {largest:,} counts is too large; the limit is {MOST_ANSWERS:,}; "
            f"{_advice(axes, dataset)}"
        )


def _advice(axes: Sequence[GroupedColumn], dataset: Dataset) -> str:
    """Bins for numbers that have many values; fewer columns where there are none."""
    offered, changed = [], False
    for axis in axes:
        column = dataset.column(axis.bins.column)
        bins = axis.bins
        if isinstance(column, NumberColumn) and axis.size > 2 * _OFFERED:
            bins, changed = Bins(column.name, -(-column.size // _OFFERED)), True
        offered.append(bins_text(bins, dataset))
    return f"put numbers into bins: {', '.join(offered)}" if changed else "name fewer columns"
