"""The exponential mechanism over partitions: its law, its privacy, its tables."""

import math
from itertools import pairwise

import numpy as np
import pytest

from discreet.certifier import certify
from discreet.errors import InvalidInput
from discreet.graphs import sorted_histograms
from discreet.mechanisms import exponential
from discreet.model import Relation
from discreet.sorting import LargestCounts, PartitionMechanism, try_methods
from discreet.sorting.partitions import MOST_RECORDS, PartitionTables, uniform_partition
from statistics_bounds import assert_follows


def lists_of(records, entries):
    graph = sorted_histograms(records, entries)
    return graph, [tuple(map(int, name.split("."))) for name in graph.space.names]


@pytest.mark.parametrize(("records", "entries"), [(2, 2), (5, 5), (6, 3), (9, 4), (8, 12)])
def test_the_tables_hold_every_partition_once(records, entries):
    _, lists = lists_of(records, entries)
    assert PartitionTables(records, entries, lambda place, count: 1).total == len(lists)
    primes = [[10 * place + count + 2 for count in range(records + 1)] for place in range(entries)]
    wanted = sum(math.prod(primes[i][s] for i, s in enumerate(each)) for each in lists)
    assert PartitionTables(records, entries, lambda i, s: primes[i][s]).total == wanted


@pytest.mark.parametrize(("records", "values", "truth"), [(6, 3, [1, 3, 2]), (5, None, [5])])
def test_draws_follow_the_certified_matrix(records, values, truth):
    mechanism = PartitionMechanism.of(records, 2, values)
    graph, lists = lists_of(records, mechanism.entries)
    scores = [[-sum(abs(a - b) for a, b in zip(s, x, strict=True)) for x in lists] for s in lists]
    matrix = exponential(graph.space, graph.neighbours, 2, scores=scores, sensitivity=2)
    certify(matrix, 2)
    place = {each: index for index, each in enumerate(lists)}
    padded = sorted(truth, reverse=True) + [0] * (mechanism.entries - len(truth))
    law = matrix.probabilities()[:, place[tuple(padded)]]
    drawn = [place[mechanism.draw(truth)] for _ in range(3000)]
    assert_follows(drawn, law.tolist())


def test_uniform_partitions_are_uniform():
    _, lists = lists_of(7, 4)
    tables = PartitionTables(7, 4, lambda place, count: 1)
    place = {each: index for index, each in enumerate(lists)}
    drawn = [place[uniform_partition(tables, 4)] for _ in range(5000)]
    assert_follows(drawn, [1 / len(lists)] * len(lists))


def test_a_list_of_another_total_or_length_is_no_failure():
    mechanism = PartitionMechanism.of(10, 1, 3)
    for counts in ([50, 40], [], [1, 1, 1, 1, 1, 1]):
        drawn = mechanism.draw(counts)
        assert sum(drawn) == 10
        assert len(drawn) == 3
        assert all(a >= b for a, b in pairwise(drawn))


def test_partitions_win_on_long_lists_and_lose_on_short_ones():
    long = try_methods(LargestCounts.of(50, "0.1"), 50, trials=80)
    assert [trial.method for trial in long] == ["partitions", "laplace"]
    short = try_methods(LargestCounts.of(5, 2, values=5), 60, trials=300)
    assert [trial.method for trial in short] == ["laplace", "partitions"]
    assert all(np.isfinite(trial.standard_error) for trial in long + short)


def test_a_private_or_large_total_is_not_tried():
    assert try_methods(LargestCounts.of(3, 1, Relation.ADD_OR_REMOVE), 40) == ()
    assert try_methods(LargestCounts.of(3, 1), MOST_RECORDS + 1) == ()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: PartitionMechanism.of(0, 1), "the total must be a whole number from 1"),
        (lambda: PartitionMechanism.of(10**6, 1), "use the Laplace method"),
        (lambda: PartitionMechanism.of(5, 1, 0), "the number of values must be a whole number"),
    ],
)
def test_messages(call, words):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert words in str(caught.value)
