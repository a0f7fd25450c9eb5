"""Path lengths are shortest paths in the graph of tables, and selection by them is private."""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.certifier import certify, tight_epsilon
from discreet.errors import DiscreetError
from discreet.measures import loss_by_answer
from discreet.mechanisms.path_length import (
    ChoiceRule,
    PathLength,
    PathLengthMechanism,
    by_path_length,
)
from discreet.model import Graph, Grid, Labels, Loss, Relation
from discreet.statistics import Mode, Range, Rank
from statistics_bounds import assert_follows

NOTHING = 1
SHARES = [Fraction(p) for p in ("0", "1/7", "1/3", "1/2", "3/5", "0.9", "1")]


def plainly(kind, share, most, table):
    """The answer of a table, straight from its definition; None if it has none."""
    ordered = [value for value, times in enumerate(table) for _ in range(times)]
    if kind == "count":
        return min(sum(table[1:]), most)
    if not ordered:
        return NOTHING
    if kind == "quantile":
        return ordered[max(1, -(-share.numerator * len(ordered) // share.denominator)) - 1]
    if kind == "mode":
        return max(range(len(table)), key=lambda v: (table[v], -v))
    return ordered[-1] - ordered[0]


def neighbours(table, relation):
    for source in range(len(table)):
        less = list(table)
        less[source] -= 1
        if less[source] >= 0:
            if relation != Relation.CHANGE:
                yield tuple(less)
            if relation != Relation.ADD_OR_REMOVE:
                for target in range(len(table)):
                    yield (*less[:target], less[target] + 1, *less[target + 1 :])
        if relation != Relation.CHANGE:
            yield (*table[:source], table[source] + 1, *table[source + 1 :])


@cache
def tables(records, values, *, exactly):
    sizes = [records] if exactly else range(records + 1)
    return [
        tuple(records.count(v) for v in range(values))
        for size in sizes
        for records in combinations_with_replacement(range(values), size)
    ]


def shortest(nodes, relation, truths, target):
    """Breadth first from every table with the target answer."""
    known = set(nodes)
    layer = [node for node in nodes if truths[node] == target]
    found = dict.fromkeys(layer, 0)
    while layer:
        layer = [
            other
            for node in layer
            for other in dict.fromkeys(neighbours(node, relation))
            if other in known and found.setdefault(other, found[node] + 1) == found[node] + 1
        ]
        layer = list(dict.fromkeys(layer))
    return found


CASES = [("quantile", share) for share in SHARES] + [("mode", None), ("range", None),
                                                    ("count", None)]  # fmt: skip


def statistic(kind, share, most, relation):
    nothing = None if relation == Relation.CHANGE else NOTHING
    if kind == "count":
        return PathLength.count(1, most, relation)
    if kind == "quantile":
        return PathLength.quantile(share, relation, nothing)
    return PathLength({"mode": Mode(), "range": Range()}[kind], relation, nothing)


@pytest.mark.parametrize(("kind", "share"), CASES)
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(("records", "values"), [(4, 3), (3, 4), (6, 2)])
def test_lengths_are_shortest_paths(kind, share, relation, records, values):
    asked = statistic(kind, share, 3, relation)
    beyond = records if relation == Relation.CHANGE else 2 * records + 2
    nodes = tables(beyond, values, exactly=relation == Relation.CHANGE)
    truths = {node: plainly(kind, share, 3, node) for node in nodes}
    answers = 4 if kind == "count" else values
    ways = [shortest(nodes, relation, truths, y) for y in range(answers)]
    for node in nodes:
        if sum(node) <= records:
            wanted = [way[node] for way in ways]
            assert asked.lengths(node).tolist() == wanted, node
            assert asked.answer(node) == truths[node]


@st.composite
def neighbouring(draw):
    relation = draw(st.sampled_from(list(Relation)))
    table = draw(st.lists(st.integers(0, 12), min_size=1, max_size=9).filter(sum))
    others = [other for other in neighbours(tuple(table), relation) if sum(other) > 0]
    return relation, tuple(table), draw(st.sampled_from(others)) if others else tuple(table)


@given(
    neighbouring(), st.fractions(0, 1, max_denominator=40), st.sampled_from(["quantile", "mode"])
)
def test_one_record_moves_every_length_by_one_at_most(pair, share, kind):
    relation, one, other = pair
    asked = statistic(kind, share, 3, relation)
    if asked.of_nothing is not None and len(one) <= NOTHING:
        asked = PathLength(asked.statistic, relation)
    assert np.abs(asked.lengths(one) - asked.lengths(other)).max() <= 1


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(sum),
    st.fractions(0, 1, max_denominator=60),
)
def test_numbers_too_large_for_words_give_the_same_lengths(table, share):
    finer = share + Fraction(1, 10**30) if share < Fraction(1, 2) else share - Fraction(1, 10**30)
    wanted = [_steps_plainly(table, finer, y) for y in range(len(table))]
    assert Rank(finer).rows_to_add_or_remove(np.array(table)).tolist() == wanted


def _steps_plainly(table, share, y):
    below, at, above = sum(table[:y]), table[y], sum(table[y + 1 :])
    best = below + above + 1
    for b in range(below + 1):
        for c in range(above + 1):
            for a in range(max(0, best - b - c)):
                size = below + at + above + a - b - c
                rank = max(1, -(-share.numerator * size // share.denominator))
                if size and below - b < rank <= below - b + at + a:
                    best = min(best, a + b + c)
    return best


def test_a_million_records_in_a_moment():
    million = np.full(1000, 1000)
    middle = PathLength.median(Relation.ADD_OR_REMOVE).lengths(million)
    assert middle[499] == 0
    assert middle[0] == 998_000
    assert PathLength.mode().lengths(million)[:3].tolist() == [0, 1, 1]


def likert():
    """Ten replies on five values: the 1,001 tables, their relation, their multinomial weights."""
    nodes = tables(10, 5, exactly=True)
    place = {node: index for index, node in enumerate(nodes)}
    edges = {
        (min(j, k), max(j, k))
        for node, j in place.items()
        for k in (place[other] for other in neighbours(node, Relation.CHANGE))
        if j != k
    }
    weights = [factorial(10) / prod(map(factorial, node)) / 5**10 for node in nodes]
    names = Labels.of([".".join(map(str, node)) for node in nodes])
    return nodes, names, Graph.of(len(nodes), edges), np.array(weights)


@pytest.mark.parametrize(("choice", "error"), [("exponential", 0.754), ("permute-and-flip", None)])
def test_ten_likert_replies(choice, error):
    nodes, names, graph, weights = likert()
    asked = PathLength.median()
    matrix = by_path_length(
        asked, nodes, 1, tables=names, neighbours=graph, outputs=Grid.between(0, 4), choice=choice
    )
    assert certify(matrix, 1).guarantee.delta == 0
    assert float(tight_epsilon(matrix)) > 0.7
    truths = [asked.answer(node) for node in nodes]
    table = [[abs(y - truth) for truth in truths] for y in range(5)]
    found = float(weights @ loss_by_answer(matrix, Loss.of_table(table)))
    sampled = float(
        weights @ PathLengthMechanism.of(asked, 1, choice=choice).expected_errors(nodes)
    )
    assert found == pytest.approx(sampled, abs=1e-7)
    assert found == pytest.approx(error, abs=5e-4) if error else found < 0.754


@pytest.mark.parametrize("choice", ChoiceRule)
@pytest.mark.parametrize(
    ("asked", "table"),
    [(PathLength.median(), [3, 1, 2, 4]), (PathLength.mode(Relation.ADD_OR_REMOVE), [3, 1, 2, 4]),
     (PathLength.range(Relation.EITHER), [0, 1, 2, 0])],
)  # fmt: skip
def test_draws_follow_the_law(choice, asked, table):
    mechanism = PathLengthMechanism.of(asked, "1.5", choice=choice)
    assert_follows(mechanism.draw_many(table, 20_000), mechanism.probabilities(table).tolist())
    assert 0 <= mechanism.draw(table) < 4


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: PathLength.quantile("1.5"), "the share of a quantile must lie between 0 and 1"),
        (lambda: PathLength.median("swap"), "neighbours must be 'change'"),
        (lambda: PathLength.median().lengths([0, 0]), "there must be at least one"),
        (
            lambda: PathLength.median().lengths([-1, 2]),
            "a histogram must be a list of whole numbers",
        ),
        (
            lambda: PathLength.median().lengths([0.5, 2]),
            "a histogram must be a list of whole numbers",
        ),
        (lambda: PathLength.median().lengths([10**9, 1]), "at most 1,000,000,000 records"),
        (lambda: PathLength.range().lengths([1, 0]), "the range of 1 record is always 0"),
        (
            lambda: PathLength.median(Relation.EITHER, 7).lengths([1, 0]),
            "index of one of 2 answers",
        ),
        (lambda: PathLength.count(-1, 3), "a whole number from 0"),
        (lambda: PathLengthMechanism.of(PathLength.mode(), 1, choice="best"), "permute-and-flip"),
    ],
)
def test_messages_say_what_to_do(call, words):
    with pytest.raises(DiscreetError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("relation", [Relation.ADD_OR_REMOVE, Relation.EITHER])
def test_an_empty_table_never_fails_where_its_size_is_private(relation):
    for kind, share in CASES:
        asked = statistic(kind, share, 3, relation)
        assert asked.lengths([0, 0, 0]).min() == 0
        bare = PathLength(asked.statistic, relation).lengths([0, 0, 0])
        assert kind == "count" or bare.min() == 1
