"""Histograms: the closed forms of the metric are the shortest paths between databases."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import NeighboursError, SpaceError
from discreet.graphs import histograms, sorted_histograms
from discreet.model import Relation


@given(st.integers(1, 5), st.integers(2, 4))
def test_changing_one_record_has_half_the_taxicab_metric(records, values):
    graph = histograms(records, values)
    assert (graph.distances == graph.shortest_paths()).all()


@given(st.integers(1, 5), st.integers(1, 3))
def test_adding_or_removing_one_has_the_taxicab_metric(records, values):
    graph = histograms(records, values, Relation.ADD_OR_REMOVE)
    assert (graph.distances == graph.shortest_paths()).all()


@given(st.integers(2, 12), st.integers(2, 7), st.data())
def test_sorted_histograms_and_their_first_entries(records, values, data):
    largest = data.draw(st.none() | st.integers(1, values))
    try:
        graph = sorted_histograms(records, values, largest)
    except SpaceError as problem:
        assert "needs at least two nodes" in str(problem)  # noqa: PT017
    else:
        assert (graph.distances == graph.shortest_paths()).all()


def by_databases(records, values, view):
    """Nodes and neighbours from the definition: all databases, seen through a view of them."""
    names, edges = set(), set()
    for database in product(range(values), repeat=records):
        here = view([database.count(value) for value in range(values)])
        names.add(here)
        for place, value in product(range(records), range(values)):
            changed = [*database[:place], value, *database[place + 1 :]]
            there = view([changed.count(value) for value in range(values)])
            if here != there:
                edges.add(frozenset((here, there)))
    return names, edges


def named(counts):
    return ".".join(map(str, counts))


@pytest.mark.parametrize(
    ("graph", "records", "values", "view"),
    [
        (histograms(4, 3), 4, 3, named),
        (histograms(3, 2), 3, 2, named),
        (sorted_histograms(5, 4), 5, 4, lambda counts: named(sorted(counts, reverse=True))),
        (sorted_histograms(5, 4, 2), 5, 4, lambda counts: named(sorted(counts, reverse=True)[:2])),
        (sorted_histograms(6, 3, 1), 6, 3, lambda counts: named(sorted(counts, reverse=True)[:1])),
        (sorted_histograms(6, 3, 2), 6, 3, lambda counts: named(sorted(counts, reverse=True)[:2])),
    ],
    ids=lambda value: "" if callable(value) else str(value),
)
def test_nodes_and_edges_are_those_of_databases_that_differ_in_one_record(
    graph, records, values, view
):
    names, edges = by_databases(records, values, view)
    assert set(graph.space.names) == names
    found = {frozenset((graph.label(one), graph.label(other))) for one, other in graph.edges}
    assert found == edges


def test_two_values_make_a_path():
    graph = histograms(7, 2)
    assert sorted(len(around) for around in graph.beside) == [1, 1, 2, 2, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: histograms(10, 3, "swap"), NeighboursError, "'change' or 'add-or-remove'"),
        (lambda: histograms(0, 3), SpaceError, "the number of records must be a whole number"),
        (lambda: histograms(3, 1), SpaceError, "needs at least two nodes"),
        (lambda: histograms(1000, 5), SpaceError, "too many to list"),
        (lambda: sorted_histograms(100, 100), SpaceError, "too many to list"),
        (lambda: sorted_histograms(5, 4, 5), SpaceError, "the number of largest entries"),
        (lambda: sorted_histograms(5, 3000), SpaceError, "the number of largest entries"),
    ],
)
def test_what_makes_no_histograms_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_the_largest_counts_of_many_values_can_be_had():
    assert sorted_histograms(12, 100_000, largest=2).size == 37
