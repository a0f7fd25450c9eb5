"""A synthetic table: planned, charged, measured, stored and written, like any answer.

Rows are looked at to count them, before the charge. Under the charge noise is drawn, and whole rows
are made of what was measured, which is stored with them: asking again is free.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.budget import Charge, Claim, analyst_name, id_taken
from discreet.curator.curator import Curator
from discreet.curator.dataset_ledger import new_id
from discreet.curator.free import checked_id
from discreet.curator.prepared import least
from discreet.curator.synthetic_table import SyntheticColumn, SyntheticTable
from discreet.errors import PlanChanged, QuestionError
from discreet.exact import Epsilon, EpsilonLike, RationalLike
from discreet.joint.fitting import Measured, fitted, whole_rows
from discreet.joint.levels import Whole
from discreet.planning.reading import counted_together
from discreet.planning.settling import check_tells
from discreet.planning.subjects.subject import true_index
from discreet.planning.synthesis import SyntheticPlan, blocks_of, plan_synthesis
from discreet.planning.wishes import read_confidence
from discreet.questions import Bins, bins_text
from discreet.questions.totals import Sets
from discreet.text import Amount


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """What is wanted of a synthetic table."""

    group_by: tuple[Bins, ...]
    epsilon: Epsilon
    confidence: Fraction
    marginals: Sets | None = None

    @classmethod
    def of(
        cls,
        group_by: Sequence[Bins],
        *,
        epsilon: EpsilonLike,
        confidence: RationalLike = "95%",
        marginals: Sequence[Sequence[str]] | None = None,
    ) -> "Synthesis":
        """Read and check what people write; marginals are lists of columns of the table."""
        if not group_by:
            raise QuestionError("a synthetic table needs columns; name one or more")
        names = [one.column for one in group_by]
        sets = None if marginals is None else tuple(_places(one, names) for one in marginals)
        return cls(
            group_by=tuple(group_by),
            epsilon=Epsilon.of(epsilon),
            confidence=read_confidence(confidence),
            marginals=sets or None,
        )


def _places(columns: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    unknown = next((one for one in columns if one not in names), None)
    if unknown is not None or not columns:
        named = "nothing" if unknown is None else unknown
        raise QuestionError(
            f"a marginal must name columns of the synthetic table, got {named}; columns: "
            f"{', '.join(names)}"
        )
    return tuple(sorted({names.index(one) for one in columns}))


def planned(curator: Curator, wanted: Synthesis) -> SyntheticPlan:
    """How a synthetic table would be measured: from public facts alone, free of charge."""
    return plan_synthesis(
        wanted.group_by,
        curator.dataset,
        epsilon=wanted.epsilon,
        marginals=wanted.marginals,
        confidence=wanted.confidence,
    )


def synthesized(
    curator: Curator,
    wanted: Synthesis,
    *,
    plan: SyntheticPlan | None = None,
    question_id: str | None = None,
    analyst: str | None = None,
) -> SyntheticTable:
    """Charge, measure, store and release; the same id again returns what was stored, free."""
    asker = curator.analyst if analyst is None else analyst_name(analyst)
    if question_id is not None:
        known = stored(curator, wanted, question_id, asker)
        if known is not None:
            return known
    curator.check_ready()
    made = planned(curator, wanted)
    if plan is not None and plan.digest != made.digest:
        raise PlanChanged(
            "the plan is not the one that was shown; plan the table again",
            shown=plan.digest,
            current=made.digest,
        )
    check_tells(made.cost.total, curator.dataset, by_accuracy=False)
    drawing = _Drawing(made, _counted(curator, made), _columns(curator, made))
    name = new_id() if question_id is None else checked_id(question_id)
    claim = Claim(made.cost, _facts(curator, wanted, made))
    charge = curator.ledger.answered(name, claim, drawing, analyst=asker)
    return _released(charge, claim.facts["asked"])


def stored(
    curator: Curator, wanted: Synthesis, question_id: str, analyst: str
) -> SyntheticTable | None:
    """The stored table under an id, without reading a row; None where there is none."""
    entry = curator.ledger.charged(checked_id(question_id))
    if entry is None:
        return None
    facts, answer = entry.facts(), curator.ledger.answer(question_id)
    if entry.analyst != analyst or facts.get("request") != _request(wanted):
        raise id_taken(question_id)
    if answer is None:
        return None
    charge = Charge(
        question=question_id,
        billionths=entry.billionths,
        answer=answer,
        new=False,
        total=curator.ledger.balance(""),
        own=curator.ledger.balance(analyst),
    )
    return _released(charge, str(facts["asked"]))


def _facts(curator: Curator, wanted: Synthesis, made: SyntheticPlan) -> dict[str, Any]:
    columns = ", ".join(bins_text(one, curator.dataset) for one in wanted.group_by)
    return {
        "asked": f"SYNTHESIZE {columns}",
        "request": _request(wanted),
        "plan": made.digest,
        "epsilon": str(Amount(made.cost.total)),
        "mechanisms": [made.title],
    }


def _request(wanted: Synthesis) -> dict[str, Any]:
    """What was asked for, as plain JSON values: the same table again is told by these."""
    return {
        "synthesize": [one.to_list() for one in wanted.group_by],
        "epsilon": str(wanted.epsilon),
        "confidence": str(wanted.confidence),
        "marginals": None if wanted.marginals is None else [list(one) for one in wanted.marginals],
    }


def _counted(curator: Curator, made: SyntheticPlan) -> list[Whole]:
    """The counts of every measured table: the only look at the rows."""
    tables = []
    together = counted_together(made.readings, curator.table)
    for counted, grouping in zip(together, made.groupings, strict=True):
        counts = [true_index(made.subject, one) for one in counted]
        assert len(counts) == grouping.counted
        tables.append(np.array(counts, dtype=np.int64))
    return tables


class _Drawing:
    """A measurement that is made under its charge, and the rows that follow from it."""

    def __init__(
        self, made: SyntheticPlan, counts: Sequence[Whole], columns: Sequence[SyntheticColumn]
    ) -> None:
        self._made, self._counts, self._columns = made, counts, columns
        self._reaches = made.levels.reaches(made.confidence)
        self._blocks = [blocks_of(made.shape, kept) for kept in made.measures]
        self._asked = [blocks_of(made.shape, kept) for kept in made.asked]
        full = [np.full_like(one, made.most_rows) for one in counts]
        self._told(made.levels.measure(full))  # what fails, fails before the charge

    def __call__(self) -> dict[str, Any]:
        """Measure, once, and tell it as the ledger keeps it."""
        return self._told(self._made.levels.measure(self._counts))

    def _told(self, measured: Sequence[Whole]) -> dict[str, Any]:
        made = self._made
        table = self._rows_of(measured)
        sums = np.concatenate([one.sums(table) for one in self._asked])
        return {
            "synthetic": True,
            "plan": made.digest,
            "confidence": str(made.confidence),
            "certificate": made.levels.digest,
            "columns": [one.to_dict() for one in self._columns],
            "cells": [[int(cell), int(table[cell])] for cell in np.flatnonzero(table)],
            "marginals": [[made.columns[place] for place in kept] for kept in made.asked],
            "told": sums.tolist(),
            "measured": made.levels.read(measured),
            "within": [int(one) for one in self._reaches],
        }

    def _rows_of(self, measured: Sequence[Whole]) -> Whole:
        """Whole rows whose counts come near to the measured tables, and to the asked marginals.

        Marginals are known from the tables; that they count by themselves as well keeps cells that
        may not be below 0 from raising the marginals of nearly empty ones.
        """
        made, levels = self._made, self._made.levels
        parts = [
            Measured.of(blocks, counts, spread)
            for blocks, counts, (_, spread) in zip(
                self._blocks, measured, levels.parts, strict=True
            )
        ]
        rows = made.rows
        if rows is None:
            spread = [one.weight / one.blocks.many for one in parts]
            about = np.average([int(one.counts.sum()) for one in parts], weights=spread)
            rows = min(max(round(float(about)), 0), made.most_rows)
        known, start = np.array(levels.read(measured)), 0
        for kept, blocks in zip(made.asked, self._asked, strict=True):
            variance = levels.variances[start]
            if variance > 0 and kept not in made.measures:
                counts = known[start : start + blocks.many]
                parts.append(Measured.of(blocks, counts, variance))
            start += blocks.many
        return whole_rows(fitted(parts, made.cells, rows), rows, self._asked)


def _columns(curator: Curator, made: SyntheticPlan) -> list[SyntheticColumn]:
    return [
        SyntheticColumn.of(curator.dataset.column(axis.bins.column), axis) for axis in made.axes
    ]


def _released(charge: Charge, asked: str) -> SyntheticTable:
    """What leaves the house: it is on the disk by now."""
    return SyntheticTable.from_dict(
        charge.answer or {},
        receipt=charge.question,
        asked=asked,
        epsilon=str(Amount(charge.billionths)),
        left=str(Amount(least(charge.total.left, charge.own.left))),
        free=not charge.new,
    )
