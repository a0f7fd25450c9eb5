"""The least total for counts of given accuracies, against all ways to put them together."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import EpsilonError
from discreet.joint.count_laws import count_law
from discreet.joint.least import Demand, least_epsilon, least_total
from discreet.model import Relation

CHANGE = Demand(Relation.CHANGE)
SURE = Fraction(19, 20)


def _total(distances, demand=CHANGE):
    return sum(group.epsilon.billionths for group in least_total(distances, demand))


def _partitions(places):
    """All ways to put places into groups."""
    if not places:
        yield []
        return
    first, *rest = places
    for groups in _partitions(rest):
        yield [[first], *groups]
        for at, group in enumerate(groups):
            yield [*groups[:at], [first, *group], *groups[at + 1 :]]


KNOWN = {
    (10, 10, 10): ("0.853", "0.493"),
    (5, 10, 20, 40): ("1.042", "0.941"),
    (3, 30, 30, 30, 30): ("1.225", "1.036"),
    (10,) * 8: ("2.275", "0.977"),
}


@pytest.mark.parametrize("distances", KNOWN)
def test_counts_together_need_less_than_apart(distances):
    apart = sum(least_epsilon(1, distance, CHANGE).billionths for distance in distances)
    assert (f"{apart / 1e9:.3f}", f"{_total(distances) / 1e9:.3f}") == KNOWN[distances]


@given(
    distances=st.lists(st.sampled_from([1, 2, 3, 5, 8, 13, 40, 200]), max_size=6),
    relation=st.sampled_from([Relation.CHANGE, Relation.ADD_OR_REMOVE]),
    rows=st.integers(1, 3),
)
@settings(max_examples=25, deadline=None)
def test_no_way_to_put_counts_together_is_cheaper(distances, relation, rows):
    demand = Demand(relation, rows_per_unit=rows)
    groups = least_total(distances, demand)
    assert sorted(place for group in groups for place in group.places) == [*range(len(distances))]
    ways = (
        sum(
            least_epsilon(len(group), min(distances[place] for place in group), demand).billionths
            for group in groups
        )
        for groups in _partitions(list(range(len(distances))))
    )
    assert sum(group.epsilon.billionths for group in groups) == min(ways)
    for group in groups:
        law = count_law(
            len(group.places), relation, Fraction(group.epsilon.billionths, 10**9 * rows)
        )
        assert law.reach(SURE) <= min(distances[place] for place in group.places)


@pytest.mark.parametrize("relation", [Relation.CHANGE, Relation.ADD_OR_REMOVE])
@pytest.mark.parametrize(("counts", "distance"), [(1, 0), (1, 10), (4, 3), (12, 1000)])
def test_a_billionth_less_is_too_little(counts, distance, relation):
    least = least_epsilon(counts, distance, Demand(relation)).billionths
    enough, less = (
        count_law(counts, relation, Fraction(one, 10**9)).reach(SURE) for one in (least, least - 1)
    )
    assert enough <= distance < less


def test_what_no_epsilon_brings_is_refused():
    with pytest.raises(EpsilonError, match="no ε up to 100 brings a count within 0"):
        least_total([0, 0, 0], Demand(Relation.CHANGE, confidence=1 - Fraction(1, 10**50)))
    assert least_total([], CHANGE) == ()
