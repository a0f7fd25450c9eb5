"""Whether what is told holds as often as it says, on real rows.

Of every release that has a law the chance is exact: what may be told, how likely it is, and whether
its interval holds the truth, or whether it is as few rows off as was said. Where there is no law,
answers are drawn, and so few that hold are found odd if chance alone leads there once in a million
times. An empty group must be told a value in at most 5 % of draws.
"""

import math
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import product

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.real_columns.asked import Asked, Rows, Statistic
from benchmarks.real_columns.columns import Counts
from benchmarks.real_columns.ours import CONFIDENCE, Planned, truth
from discreet.planning import true_index
from discreet.planning.percentiles import percentiles_of, rows_behind
from discreet.planning.releases.by_database import DatabaseRelease
from discreet.planning.releases.matrix import MatrixRelease
from discreet.planning.releases.noise import NoiseRelease, noise_reach
from discreet.planning.releases.ranks import RankRelease
from discreet.planning.releases.release import EMPTY_TOLD
from discreet.statistics import Moments, Placing, Tally

DRAWS = 400
ALARM = 1e-6
_HAIR = 1e-9


class Kind(Enum):
    """What is claimed of an answer."""

    INTERVAL = "the interval holds the true answer"
    ROWS_OFF = "at most so many rows must change for it to be exact"
    ROWS_BEHIND = "the mode is at most so many rows behind"
    PERCENTILES = "the value lies between these percentiles"
    EMPTY = "an empty group is told no value"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim about one sample, and how often it held."""

    column: str
    asked: Asked
    kind: Kind
    level: float
    held: float
    draws: int | None
    """None where the chance is exact."""

    @property
    def is_true(self) -> bool:
        """Whether it holds as often as it says, or chance may have led below."""
        if self.draws is None:
            return self.held >= self.level - _HAIR
        return at_most(round(self.held * self.draws), self.draws, self.level) >= ALARM


def at_most(successes: int, draws: int, chance: float) -> float:
    """The chance of so few successes or fewer, exactly.

    >>> round(at_most(0, 2, 0.5), 3)
    0.25
    """
    return math.fsum(
        math.comb(draws, many) * chance**many * (1 - chance) ** (draws - many)
        for many in range(successes + 1)
    )


def claims(planned: Planned, column: str, counts: Counts) -> Iterator[Claim]:
    """Everything that is told of a sample beside the value, and how often it holds."""
    level = float(CONFIDENCE)
    for kind, held, draws in (*_interval(planned, counts), *_in_rows(planned, counts)):
        yield Claim(
            column=column, asked=planned.asked, kind=kind, level=level, held=held, draws=draws
        )


def empty_groups(planned: Planned) -> Iterator[Claim]:
    """How often a group without rows is told nothing."""
    if planned.asked.selected is Rows.GROUPED:
        yield Claim(
            column="no rows",
            asked=planned.asked,
            kind=Kind.EMPTY,
            level=1 - float(EMPTY_TOLD),
            held=_silent(planned),
            draws=DRAWS,
        )


_Found = tuple[Kind, float, int | None]


def _interval(planned: Planned, counts: Counts) -> Iterator[_Found]:
    """An interval of values, where one is told that rests on no prior."""
    release, counted = planned.part.chosen.release, planned.counted(counts)
    if planned.asked.statistic is Statistic.MODE or release.supposes:
        return
    true = exact_truth(planned.asked, counts)
    chance = _exact(planned, counts, true)
    if chance is not None:
        yield Kind.INTERVAL, chance, None
        return
    drawn = [
        release.ready_by_group((counted,), CONFIDENCE)[0].draw().interval for _ in range(DRAWS)
    ]
    held = [interval is None or interval[0] <= true <= interval[1] for interval in drawn]
    yield Kind.INTERVAL, float(np.mean(held)), DRAWS


def _exact(planned: Planned, counts: Counts, true: Fraction) -> float | None:
    """The chance that the interval holds the truth, where the law of the output is known."""
    release, counted = planned.part.chosen.release, planned.counted(counts)

    def holds(output: int) -> bool:
        interval = release.told(output, CONFIDENCE).interval
        return interval is None or interval[0] <= true <= interval[1]

    match release:
        case MatrixRelease() | DatabaseRelease():
            mechanism = release.certified.mechanism
            column = mechanism.column(release.column(counted))
            held = sum(int(many) for place, many in enumerate(column) if many and holds(place))
            return held / int(mechanism.total)
        case NoiseRelease():
            place = true_index(release.subject, counted)
            return _noise_within(float(release.rate), place, holds)
    return None


def _noise_within(rate: float, place: int, holds: Callable[[int], bool]) -> float:
    """The chance of noise that leads no further than its interval reaches, on either side."""
    farthest = noise_reach(rate, 1e-12)
    up, down = (
        bisect_left(range(1, farthest), True, key=lambda far, s=sign: not holds(place + s * far))
        for sign in (1, -1)
    )
    alpha = math.exp(-rate)
    beyond = (alpha ** (up + 1) + alpha ** (down + 1)) / (1 + alpha)
    return 1 - beyond if holds(place) else 0.0


def exact_truth(asked: Asked, counts: Counts) -> Fraction:
    """The true answer as a fraction, in the column's own units."""
    first = 0 if asked.from_zero else 1
    if asked.statistic is Statistic.MEAN:
        total = int(counts @ np.arange(len(counts)))
        return first + Fraction(total, int(counts.sum()))
    return Fraction(first + int(truth(asked, counts)))


def _in_rows(planned: Planned, counts: Counts) -> Iterator[_Found]:
    """What is told in rows, of order statistics and modes: by the law of what is told."""
    part = planned.part
    subject, chosen = part.subject, part.chosen
    off = chosen.figures.rows_off
    if off is None or not isinstance(subject.statistic, Placing):
        return
    told, chances = planned.law(counts)
    places = np.rint(told).astype(int)
    firsts, lasts = _runs(planned, places)
    needed = np.asarray(subject.statistic.rows_to_change(counts))
    least = [needed[first : last + 1].min() for first, last in zip(firsts, lasts, strict=True)]
    yield Kind.ROWS_OFF, float(chances[np.array(least) <= off].sum()), None
    behind = rows_behind(subject, chosen.figures)
    if behind is not None:
        yield Kind.ROWS_BEHIND, float(chances[counts[places] >= counts.max() - behind].sum()), None
    shares = percentiles_of(subject, planned.plan.wishes, chosen)
    if shares is not None:
        low, high = (_row_at(counts, share) for share in shares)
        yield Kind.PERCENTILES, float(chances[(low <= lasts) & (firsts <= high)].sum()), None
    if planned.asked.selected is Rows.GROUPED and planned.asked.statistic.share is not None:
        yield Kind.PERCENTILES, _drawn_percentiles(planned, counts), DRAWS


def _runs(planned: Planned, places: Counts) -> tuple[Counts, Counts]:
    """The first and the last value of what each output stands for: some value of it is meant."""
    release = planned.part.chosen.release
    if not isinstance(release, RankRelease):
        return places, places
    starts = np.array(release.rule.starts)
    return starts, np.append(starts[1:], release.subject.size) - 1


def _drawn_percentiles(planned: Planned, counts: Counts) -> float:
    """How often a group's value lies between the percentiles that its noisy count allows."""
    part, plan = planned.part, planned.plan
    counted, held = [planned.counted(counts)] * len(plan.groups), []
    for one in (plan.ready([counted]).draw()[0][0] for _ in range(DRAWS)):
        shares = percentiles_of(part.subject, plan.wishes, part.chosen, one.rows)
        if one.value is None or shares is None:
            held.append(True)
            continue
        run = one.run or (Fraction(one.value), Fraction(one.value))
        first, last = (int((end - part.subject.start) / part.subject.unit) for end in run)
        low, high = (_row_at(counts, share) for share in shares)
        held.append(low <= last and first <= high)
    return float(np.mean(held))


def _row_at(counts: Counts, share: Fraction) -> int:
    """The place of the row at a share of the rows; the ends of the range at 0 and 1."""
    if share in (0, 1):
        return (len(counts) - 1) * int(share)
    rank = max(1, math.ceil(share * int(counts.sum())))
    return int(np.argmax(np.cumsum(counts) >= rank))


def _silent(planned: Planned) -> float:
    """How often an empty group is told nothing, where another one has all rows.

    One group of each draw is looked at: counts of groups may share their noise.
    """
    subject, rows = planned.part.subject, planned.asked.table_rows
    groups = [Tally.of({}, subject.values) for _ in planned.plan.groups]
    groups[-1] = Tally.of({0: rows}, subject.values)
    counted = [one if subject.needs_values else Moments(one.rows, one.total) for one in groups]
    drawn = (planned.plan.ready([counted]).draw()[0][0] for _ in range(DRAWS))
    return float(np.mean([one.value is None for one in drawn]))


def show_claims(found: Sequence[Claim]) -> bool:
    """Print how often claims hold, and say whether all of them do."""
    table = Table(title="how often what is told holds, at least 95 % each")
    for heading in ("claim", "asked", "exact", "least", "drawn", "least", "mean", "untrue"):
        table.add_column(heading, justify="left" if heading in ("claim", "asked") else "right")
    for kind, statistic in product(Kind, Statistic):
        these = [one for one in found if one.kind is kind and one.asked.statistic is statistic]
        if not these:
            continue
        exact = [one.held for one in these if one.draws is None]
        drawn = [one.held for one in these if one.draws is not None]
        table.add_row(
            kind.value, statistic.name.lower(), f"{len(exact):,}",
            f"{min(exact):.2%}" if exact else "–", f"{len(drawn):,}",
            f"{min(drawn):.1%}" if drawn else "–",
            f"{np.mean([one.held for one in these]):.2%}",
            f"{sum(not one.is_true for one in these):,}",
        )  # fmt: skip
    Console(width=None if sys.stdout.isatty() else 132).print(table)
    for one in sorted((one for one in found if not one.is_true), key=lambda one: one.held)[:20]:
        print(f"{one.kind.value}: {one.held:.2%} of {one.column}, {one.asked}")
    return all(one.is_true for one in found)
