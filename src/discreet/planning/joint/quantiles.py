"""Order statistics of one column, told from one draw for one charge.

Any two or more of a question: minimum, maximum, median, quantiles, of all rows, of those that meet
a condition, with gaps or by groups (docs/proofs/quantiles-together.md). They are never out of
order.
"""

import math
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from discreet.exact import Epsilon
from discreet.joint.quantile_score import Integers, QuantileScore
from discreet.joint.quantiles import QuantileChoice
from discreet.joint.tables import TableNoise
from discreet.model import LossName, Relation
from discreet.planning.candidates.by_rank import RANKS
from discreet.planning.candidates.candidate import (
    Candidate,
    Figures,
    Task,
    loss_name,
    surely_above,
)
from discreet.planning.candidates.population import about_population, of_table
from discreet.planning.joint.joined import Joiner, JointAnswer, JointRelease, Whole
from discreet.planning.judging import judging_of
from discreet.planning.releases.quantile_cells import CellReading
from discreet.planning.releases.quantiles import QuantileLaw, QuantileRelease
from discreet.planning.releases.release import Judged, Ready, Release
from discreet.planning.subjects.subject import Subject
from discreet.planning.wishes import About
from discreet.questions import EVERY_ROW
from discreet.statistics import Counted, Rank, Tally

NAME = "quantiles together"
READ_NAME = "quantiles by counts"
MOST_READ = 24
"""Of more values noisy counts are never better than a choice among lists."""
_MOST_REHEARSED = 1_024
"""A rehearsal draws from so many runs of values at most."""
_FEWEST_TABLES, _MOST_TABLES, _CELLS = 24, 200, 80_000
"""How many tables are simulated for a stated prior: fewer, the more there is to tell of them."""
TITLE = "quantiles drawn together (exponential mechanism over rising lists)"
CITATION = "Gillenwater, Joseph & Kulesza 2021"
PROOF = "docs/proofs/quantiles-together.md"


@dataclass(frozen=True, kw_only=True, eq=False)
class QuantilesTogether(JointRelease):
    """One draw for each group, of which every statistic tells its part."""

    subjects: tuple[Subject, ...]
    choice: QuantileChoice
    tellers: tuple[Release[Any], ...]
    """What each statistic is told by."""

    def ready(
        self, counted: Sequence[Sequence[Counted]], confidence: Fraction
    ) -> tuple[tuple[Ready, ...], ...]:
        """All are taken of the same rows: the counts of the first are those of the others."""
        drawn = [_SharedDraw(self._sampler(one)) for one in counted[0]]
        tellings = [partial(teller.told, confidence=confidence) for teller in self.tellers]
        return tuple(tuple(Ready(one, tell) for one in drawn) for tell in tellings)

    def _sampler(self, counted: Counted) -> Callable[[], Any]:
        assert isinstance(counted, Tally)
        return self.choice.sampler(counted.counts)

    def rehearse(self, confidence: Fraction, groups: int) -> None:
        """For one group, as each has a draw of its own; very many values in fewer runs.

        What may fail lies in the rate and the rows: more runs are longer lines of the same.
        """
        run = max(self.choice.run, -(-self.choice.values // _MOST_REHEARSED))
        fewer = replace(self, choice=replace(self.choice, run=run))
        JointRelease.rehearse(fewer, confidence, 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class QuantilesRead(JointRelease):
    """Noisy counts of every value in all groups, from which all statistics are read."""

    subjects: tuple[Subject, ...]
    reading: CellReading
    tellers: tuple[Release[Any], ...]

    def ready(
        self, counted: Sequence[Sequence[Counted]], confidence: Fraction
    ) -> tuple[tuple[Ready, ...], ...]:
        """The counts of all groups wait for one noise."""
        lines = [one.counts for one in counted[0] if isinstance(one, Tally)]
        noise = _SharedDraw(self.reading.noise.draw)
        drawn = [_SharedDraw(partial(self._read, noise, *each)) for each in enumerate(lines)]
        tellings = [partial(teller.told, confidence=confidence) for teller in self.tellers]
        return tuple(tuple(Ready(one, tell) for one in drawn) for tell in tellings)

    def _read(self, noise: "_SharedDraw", group: int, counts: Integers) -> Any:
        values = self.reading.values
        own = noise()[group * values : (group + 1) * values]
        return self.reading.read((counts + own).tolist())

    @property
    def certificate(self) -> str | None:
        """The digest of the certificate of the noise."""
        return self.reading.noise.digest

    @property
    def body(self) -> dict[str, Any] | None:
        """The gauge, and what it was certified for."""
        noise = self.reading.noise
        return {"gauge": noise.gauge, **noise.certified.mechanism.facts}

    @property
    def drawable(self) -> bool:
        """Whether noise of this rate can be drawn."""
        return self.reading.noise.drawable


class _SharedDraw:
    """What is drawn when the first statistic is told, and the same for all others."""

    def __init__(self, sampler: Callable[[], Any]) -> None:
        self._sampler = sampler
        self._drawn: Any = None

    def __call__(self) -> Any:
        if self._drawn is None:
            self._drawn = self._sampler()
        return self._drawn


def _sets(whole: Whole) -> list[tuple[int, ...]]:
    """All order statistics of a column; and those between the ends, which one row moves less."""
    sets = []
    for places in _by_column(whole).values():
        inner = [place for place in places if 0 < _share(whole, place) < 1]
        sets += [tuple(some) for some in (places, inner) if len(some) > 1]
    return list(dict.fromkeys(sets))


def _by_column(whole: Whole) -> dict[str, list[int]]:
    """The places of the order statistics of each column that can be told together."""
    by_column = defaultdict(list)
    for place, task in enumerate(whole.tasks):
        subject, column = task.subject, task.subject.item.column
        if isinstance(subject.statistic, Rank) and column is not None and _suits(task):
            by_column[column].append(place)
    return by_column


def _suits(task: Task) -> bool:
    """Whether nothing is wished that a draw for several cannot have."""
    wishes = task.wishes
    special = wishes.requirements or wishes.unbiased or wishes.worst_case or wishes.remap
    return not special and not task.wants_bounds and task.subject.size > 1


def _share(whole: Whole, place: int) -> Fraction:
    statistic = whole.tasks[place].subject.statistic
    assert isinstance(statistic, Rank)
    return statistic.share


def _shares(whole: Whole, places: tuple[int, ...]) -> tuple[Fraction, ...]:
    return tuple(sorted({_share(whole, place) for place in places}))


def choice_of(whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> QuantileChoice:
    """What is drawn for ε in all, in every group.

    Every row that comes or goes, in whatever group, costs as much; one that changes its group is
    one that goes and one that comes (docs/proofs/quantiles-together.md, Claim 6).
    """
    subject = whole.tasks[places[0]].subject
    ways = 2 if whole.groups > 1 and whole.dataset.relation == Relation.CHANGE else 1
    return QuantileChoice.of(
        QuantileScore(_shares(whole, places), subject.relation),
        epsilon,
        values=subject.values,
        most_rows=subject.most_rows,
        rows_per_unit=whole.rows_per_unit * ways,
    )


def _make(whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> JointAnswer:
    choice = choice_of(whole, places, epsilon)
    made = _candidates(whole, places, epsilon, choice, name=NAME, title=TITLE, citation=CITATION)
    return JointAnswer(
        QuantilesTogether(
            subjects=tuple(whole.tasks[place].subject for place in places),
            choice=choice,
            tellers=tuple(one.release for one in made),
        ),
        made,
    )


def _read_sets(whole: Whole) -> list[tuple[int, ...]]:
    """All order statistics of a column of few values."""
    sets = [tuple(places) for places in _by_column(whole).values() if len(places) > 1]
    return [one for one in sets if whole.tasks[one[0]].subject.values <= MOST_READ]


def _make_read(whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> JointAnswer:
    subject, dataset = whole.tasks[places[0]].subject, whole.dataset
    known = dataset.size_is_public and subject.taken == EVERY_ROW
    reading = CellReading(
        shares=_shares(whole, places),
        values=subject.values,
        noise=TableNoise.of(
            subject.values * whole.groups,
            epsilon,
            dataset.relation,
            rows_per_unit=whole.rows_per_unit,
            total_is_public=known,
        ),
        total=subject.most_rows if known and whole.groups == 1 else None,
    )
    made = _candidates(
        whole,
        places,
        epsilon,
        reading,
        name=READ_NAME,
        title="quantiles read from noisy counts of every value",
        citation="Hardt & Talwar 2010",
    )
    return JointAnswer(
        QuantilesRead(
            subjects=tuple(whole.tasks[place].subject for place in places),
            reading=reading,
            tellers=tuple(one.release for one in made),
        ),
        made,
    )


def _candidates(
    whole: Whole,
    places: tuple[int, ...],
    epsilon: Epsilon,
    choice: QuantileChoice | CellReading,
    **words: str,
) -> tuple[Candidate, ...]:
    """What each statistic is told by, with figures by the law of the draw."""
    started, tasks = time.perf_counter(), [whole.tasks[place] for place in places]
    shares, about = _shares(whole, places), tasks[0].wishes.about == About.POPULATION
    safe, law = tasks[0].wishes.safe, None
    if safe:
        law = QuantileLaw.of(choice, judging_of(tasks[0].subject).tables)
    made = []
    for place, task in zip(places, tasks, strict=True):
        trial, which = of_table(task) if about else task, shares.index(_share(whole, place))
        if law is None:
            release, figures = _for_prior(trial, choice, which)
        else:
            release = _teller(trial, choice, which, law)
            figures = _figures(trial, release)
        candidate = Candidate(
            **words,
            epsilon=epsilon,
            figures=figures,
            properties=(),
            seconds=time.perf_counter() - started,
            release=release,
            proof=PROOF,
        )
        made.append(about_population(task, (candidate,))[0] if about else candidate)
    return tuple(made)


def _for_prior(
    task: Task, choice: QuantileChoice | CellReading, which: int
) -> tuple[QuantileRelease, Figures]:
    """The same where a prior is stated: on tables in which its own answer has that prior.

    They are simulated, as for a statistic by itself; on each the law of the draw is exact.
    """
    subject, wishes = task.subject, task.wishes
    each = subject.values * (1 if isinstance(choice, CellReading) else len(choice.score.shares))
    many = max(_FEWEST_TABLES, min(_MOST_TABLES, _CELLS // each))
    tables = tuple(map(Tally, RANKS.tables(subject, wishes.supposed, many)))
    law = QuantileLaw.of(choice, tables)
    likely, apart = law.likely[which], law.apart(subject, tables)
    known = Judged.of(subject, tables, likely, apart)

    def is_covered(steps: int) -> bool:
        held = (likely * (apart <= steps)).sum(axis=1)
        return surely_above(held) >= float(wishes.confidence)

    within = subject.unit * bisect_left(range(subject.size - 1), True, key=is_covered)
    release = QuantileRelease(
        subject=subject, choice=choice, which=which, within=within, known=known
    )
    losses = known.losses[loss_name(subject, wishes)]
    figures = replace(
        _figures(task, release),
        loss=float(losses.mean()),
        expected=float(known.losses[LossName.ABSOLUTE].mean()),
        standard_error=float(losses.std() / math.sqrt(len(losses))),
    )
    return release, figures


def _teller(
    task: Task, choice: QuantileChoice | CellReading, which: int, law: QuantileLaw
) -> QuantileRelease:
    """What a statistic is told by, with its losses on the tables that it is judged on.

    These are the same for all order statistics of a column, and so is the law on them.
    """
    subject, likely = task.subject, law.likely[which]
    own = judging_of(subject)
    apart = law.apart(subject, own.tables)
    steps = own.steps_within(likely, apart, float(task.wishes.confidence))
    return QuantileRelease(
        subject=subject,
        choice=choice,
        which=which,
        within=subject.unit * steps,
        known=Judged.of(subject, own.tables, likely, apart),
    )


def _figures(task: Task, release: QuantileRelease) -> Figures:
    subject, failure = task.subject, 1 - float(task.wishes.confidence)
    return Figures(
        loss=0.0,
        expected=None,
        worst=float(subject.last - subject.start),
        within=float(release.within),
        supposed=True,
        rows_off=max(release.choice.rows_off(failure), int(not subject.fixed_size)),
    )


QUANTILES = Joiner(NAME, _sets, _make, capped=True, any_of=True)
READ_QUANTILES = Joiner(READ_NAME, _read_sets, _make_read, capped=True, any_of=True)
