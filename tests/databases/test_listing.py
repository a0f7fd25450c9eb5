"""Listing, ranking and pairing agree with the slow, obvious ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.databases import Databases
from discreet.errors import NeighboursError, SpaceError
from discreet.graphs import histograms
from discreet.model import Grid


@given(st.integers(1, 6), st.integers(2, 4))
def test_change_one_is_the_graph_of_histograms(records, values):
    ours = Databases.of(records, Grid.between(1, values))
    theirs = histograms(records, values)
    assert ours.space == theirs.space
    assert sorted(map(tuple, ours.pairs.tolist())) == list(theirs.edges)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 5))
def test_add_or_remove_joins_tables_one_record_apart(records, values, smallest):
    least = min(smallest, records)
    ours = Databases.of(records, Grid.between(1, values), "add-or-remove", smallest=least)
    apart = np.abs(ours.counts[:, None] - ours.counts[None]).sum(axis=2)
    wanted = {(j, k) for j, k in np.argwhere(apart == 1).tolist() if j < k}
    assert set(map(tuple, ours.pairs.tolist())) == wanted
    assert len(set(ours.space.names)) == len(ours)
    assert (ours.sizes >= least).all()
    assert (ours.sizes <= records).all()


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.randoms())
def test_a_table_finds_its_column_in_any_order(records, random):
    for relation in ("change", "add-or-remove"):
        ours = Databases.of(len(records), Grid.between(1, 4), relation)
        shuffled = random.sample(records, len(records))
        column = ours.column_of(shuffled)
        assert ours.counts[column].tolist() == [records.count(value) for value in range(1, 5)]


def test_columns_are_numbered_in_order():
    ours = Databases.of(7, Grid.between(0, 3), "add-or-remove", smallest=2)
    assert ours.columns(ours.counts).tolist() == list(range(len(ours)))
    assert len(ours.counts) == len(ours)


@pytest.mark.parametrize("groups", [("change", None), ("add-or-remove", 0)])
def test_no_column_stands_twice_on_one_side_of_a_matching(groups):
    relation, smallest = groups
    ours = Databases.of(5, Grid.between(0, 3), relation, smallest=smallest)
    for one, other in ours.matchings:
        assert len(set(one.tolist())) == len(one)
        assert len(set(other.tolist())) == len(other)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: Databases.of(0, [1, 2]), SpaceError, "at least 1 and in order"),
        (lambda: Databases.of(True, [1, 2]), SpaceError, "whole number"),
        (lambda: Databases.of(100, range(20)), SpaceError, "use fewer values or design by answer"),
        (lambda: Databases.of(3, [1, 2], "swap"), NeighboursError, "'change'"),
        (lambda: Databases.of(3, [1, 2], smallest=1), NeighboursError, "add-or-remove"),
        (lambda: Databases.of(3, [1, 2]).column([1, 1]), SpaceError, "2 counts that sum to 3"),
        (lambda: Databases.of(3, [1, 2]).column([4, -1]), SpaceError, "2 counts that sum to 3"),
        (lambda: Databases.of(3, [1, 2]).column_of([1, 2, 3]), SpaceError, "not one of the 2"),
    ],
)
def test_refusals_say_what_to_do(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_a_refused_record_is_not_shown():
    listed = Databases.of(2, Grid.between(1, 3))
    with pytest.raises(SpaceError) as refused:
        listed.column_of([1, 777])
    assert "777" not in str(refused.value)
    assert refused.value.__suppress_context__
