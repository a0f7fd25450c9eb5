"""Several counts of any conditions from one draw (docs/proofs/counts-together.md).

By groups the noise of all counts is drawn group by group.
"""

from fractions import Fraction
from itertools import combinations

from discreet.exact import Epsilon, spendable
from discreet.joint.counts import CountNoise
from discreet.joint.least import Demand, least_total
from discreet.model import Relation
from discreet.planning.joint.count_releases import CountsDraw, NoiseSource
from discreet.planning.joint.countable import answer, countable, counted_where, steps_within
from discreet.planning.joint.joined import Joiner, JointAnswer, Whole
from discreet.questions.conditions import patterns

_NAME = "counts together"
_MOST_WEIGHTS = 6
"""Of more different weights, runs of them are not tried."""


def _sets(whole: Whole) -> list[tuple[int, ...]]:
    """All counts; where some matter more, also those of weights next to each other."""
    places, weights = countable(whole), whole.wishes.importance
    sets = [places]
    if weights is not None:
        known = sorted({weights[place] for place in places})
        ends = range(len(known) + 1 if len(known) <= _MOST_WEIGHTS else 0)
        for first, last in combinations(ends, 2):
            some = set(known[first:last])
            sets.append(tuple(place for place in places if weights[place] in some))
    return [one for one in dict.fromkeys(sets) if len(one) > 1]


def _sources(whole: Whole, places: tuple[int, ...]) -> tuple[NoiseSource, ...]:
    """Which noise each count has: the same rows counted twice have one, and so have all others.

    The others are counted by the rest of a public number of rows.
    """
    conditions = [counted_where(whole.tasks[place].subject) for place in places]
    every = whole.dataset.size_is_public and whole.groups == 1
    turned = every and whole.dataset.relation == Relation.CHANGE
    sources: list[NoiseSource] = []
    firsts: list[int] = []
    for at, condition in enumerate(conditions):
        for place, first in enumerate(firsts):
            met = patterns((conditions[first], condition), whole.dataset)
            if met is not None and all(one == other for one, other in met):
                sources.append(NoiseSource(place))
                break
            if turned and met is not None and all(one != other for one, other in met):
                sources.append(NoiseSource(place, -1))
                break
        else:
            sources.append(NoiseSource(len(firsts)))
            firsts.append(at)
    return tuple(sources)


def _make(whole: Whole, places: tuple[int, ...], epsilon: Epsilon) -> JointAnswer:
    relation, rows = whole.dataset.relation, whole.rows_per_unit
    if whole.groups > 1:  # rows come and go in groups, so many of a person's in all
        relation, rows = Relation.ADD_OR_REMOVE, whole.tasks[places[0]].sharing.factor
    sources = _sources(whole, places)
    noise = CountNoise.of(
        1 + max(one.place for one in sources),
        epsilon,
        relation=relation,
        rate=spendable(epsilon),
        rows_per_unit=rows,
    )
    return answer(
        whole,
        places,
        epsilon,
        CountsDraw(noise, whole.groups, sources),
        [noise] * len(places),
        name=_NAME,
        title="noise on all counts together",
        proof="docs/proofs/counts-together.md",
    )


def _least(
    whole: Whole, places: tuple[int, ...], distance: Fraction
) -> list[tuple[tuple[int, ...], Epsilon]]:
    """The cheapest sets, each at what the nearest distance in it needs."""
    relation, rows, factor = whole.dataset.relation, whole.rows_per_unit, 1
    if whole.groups > 1:
        factor = whole.tasks[places[0]].sharing.factor
        relation, rows = Relation.ADD_OR_REMOVE, 1
    demand = Demand(relation, whole.wishes.confidence, rows)
    told_by: dict[int, list[int]] = {}
    for place, source in zip(places, _sources(whole, places), strict=True):
        told_by.setdefault(source.place, []).append(place)
    far = [
        min(steps_within(whole.tasks[place].subject, distance) for place in members)
        for members in told_by.values()
    ]
    return [
        (
            tuple(sorted(place for at in one.places for place in told_by[at])),
            Epsilon(factor * one.epsilon.billionths),
        )
        for one in least_total(far, demand)
    ]


COUNTS = Joiner(_NAME, _sets, _make, least=_least, any_of=True)
"""Counts of any conditions."""
